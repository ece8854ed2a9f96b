//! Random runs: the environment's choices uniformly, outcomes by their probabilities, the policy as it decides.

use std::ops::ControlFlow;

use surefoot_limits::Stop;
use surefoot_model::model::Operator;
use surefoot_model::{Interpreter, ModelError, State};
use surefoot_num::{Random, Rational};

use crate::explore::searches;
use crate::number::number;
use crate::start::{StartError, StartSearch};
use crate::task::Task;

/// How many and how long runs to make.
#[derive(Debug, Clone, Copy)]
pub struct SimulateOptions {
    /// Number of runs.
    pub runs: u64,
    /// Steps per run, at most.
    pub steps: u64,
    /// Seed of the random choices.
    pub seed: u64,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// In a state of `reach`.
    Reach,
    /// In a terminal goal state.
    Goal,
    /// In a state without moves.
    Stopped,
    /// After the last step allowed.
    StepLimit,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// How it ended.
    pub end: RunEnd,
    /// Steps taken.
    pub length: u64,
    /// Whether it came through a goal state.
    pub saw_goal: bool,
}

/// All runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulation {
    /// Every run.
    pub runs: Vec<Run>,
    /// The states of the first run that ended in `reach`.
    pub first_reach: Option<Vec<State>>,
    /// The limit that cut the simulation short.
    pub stopped: Option<Stop>,
}

/// Why a simulation ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SimulateError {
    /// There is nowhere to start.
    Start(StartError),
    /// The model is in error.
    Model(Box<ModelError>),
}

/// More start states than this are sampled from the first ones found.
const MAX_STARTS: usize = 100_000;

/// Makes random runs with the reference interpreter.
///
/// # Errors
/// Where there is no start state, or the model is in error.
pub fn simulate(task: &Task<'_>, options: &SimulateOptions) -> Result<Simulation, SimulateError> {
    let interpreter = match task.policy {
        Some(policy) => Interpreter::with_policy(task.model, policy),
        None => Interpreter::new(task.model),
    };
    let mut simulation = Simulation { runs: Vec::new(), first_reach: None, stopped: None };
    let starts = match Starts::new(task) {
        Err(StartError::Stopped(stop)) => return Ok(Simulation { stopped: Some(stop), ..simulation }),
        other => other.map_err(SimulateError::Start)?,
    };
    let mut random = Random::new(options.seed);
    for _ in 0..options.runs {
        let start = starts.draw(&mut random);
        let (run, path) = match one_run(task, &interpreter, start, options.steps, &mut random) {
            Ok(made) => made,
            Err(Cut::Stopped(stop)) => {
                simulation.stopped = Some(stop);
                break;
            }
            Err(Cut::Model(error)) => return Err(SimulateError::Model(error)),
        };
        if run.end == RunEnd::Reach && simulation.first_reach.is_none() {
            simulation.first_reach = Some(path);
        }
        simulation.runs.push(run);
    }
    Ok(simulation)
}

/// The first start states, from which runs begin: kept as integers, since there may be very many.
struct Starts<'m> {
    searches: Vec<StartSearch<'m>>,
    /// The search that a state comes from.
    origin: Vec<u32>,
    /// The integer values of all of them, one state after the other.
    values: Vec<i64>,
    listed: &'m [State],
}

impl<'m> Starts<'m> {
    fn new(task: &Task<'m>) -> Result<Self, StartError> {
        let searches = searches(task)?;
        let (mut origin, mut values) = (Vec::new(), Vec::new());
        // What is left is for the runs.
        let most_bytes = task.limits.memory.map_or(usize::MAX, |most| most / 2);
        for (condition, search) in searches.iter().enumerate() {
            search.for_each(|state| {
                if origin.len() >= MAX_STARTS || size_of_val(&values[..]) > most_bytes {
                    return ControlFlow::Break(());
                }
                origin.push(number(condition));
                values.extend_from_slice(state);
                ControlFlow::Continue(())
            })?;
        }
        let listed = &task.start.states;
        if origin.is_empty() && listed.is_empty() {
            return Err(StartError::Empty);
        }
        Ok(Self { searches, origin, values, listed })
    }

    fn draw(&self, random: &mut Random) -> State {
        let drawn = random.below(self.origin.len() + self.listed.len());
        match self.origin.get(drawn) {
            None => self.listed[drawn - self.origin.len()].clone(),
            Some(search) => {
                let stride = self.values.len() / self.origin.len();
                self.searches[*search as usize].state(&self.values[drawn * stride..(drawn + 1) * stride])
            }
        }
    }
}

/// Why a run was not made to its end.
enum Cut {
    Stopped(Stop),
    Model(Box<ModelError>),
}

impl From<ModelError> for Cut {
    fn from(error: ModelError) -> Self {
        Self::Model(Box::new(error))
    }
}

fn one_run(
    task: &Task<'_>,
    interpreter: &Interpreter<'_>,
    start: State,
    steps: u64,
    random: &mut Random,
) -> Result<(Run, Vec<State>), Cut> {
    let mut path = vec![start];
    let mut saw_goal = false;
    let holds = |term, state: &State| {
        interpreter.holds(term, state).map_err(|error| ModelError::evaluation(error, state.clone()))
    };
    let end = loop {
        task.limits.check().map_err(Cut::Stopped)?;
        let state = path.last().expect("a run has a start");
        if let Some(reach) = task.reach
            && holds(reach, state)?
        {
            break RunEnd::Reach;
        }
        if let Some(goal) = task.goal
            && holds(goal, state)?
        {
            saw_goal = true;
            if task.goal_terminal {
                break RunEnd::Goal;
            }
        }
        if path.len() as u64 > steps {
            break RunEnd::StepLimit;
        }
        let operators = interpreter.permitted_operators(state, task.policy)?;
        if operators.is_empty() {
            break RunEnd::Stopped;
        }
        let next = successor(interpreter, state, &operators[random.below(operators.len())], random)?;
        path.push(next);
    };
    Ok((Run { end, length: path.len() as u64 - 1, saw_goal }, path))
}

/// A successor by the probabilities of the outcomes: each participant's destination is drawn on its own, so that products
/// of many automata are never written out.
fn successor(
    interpreter: &Interpreter<'_>,
    state: &State,
    operator: &Operator,
    random: &mut Random,
) -> Result<State, ModelError> {
    let participants = &interpreter.model().vectors[operator.vector as usize].participants;
    let mut destinations = Vec::with_capacity(participants.len());
    for (participant, edge) in participants.iter().zip(&operator.edges) {
        let probabilities = interpreter.probabilities(state, participant.instance, *edge, operator)?;
        // A uniform number of [0, 1) with 53 bits, compared exactly with the running sum.
        let ticket = Rational::new((random.next_u64() >> 11).cast_signed(), 1 << 53).expect("not zero");
        let mut sum = Rational::ZERO;
        let drawn = probabilities.iter().position(|p| {
            sum = &sum + p;
            ticket < sum
        });
        destinations.push(number(drawn.expect("the ticket is below one, and the sum is one")));
    }
    let mut successors = interpreter.successors(state, operator, &destinations)?;
    Ok(successors.swap_remove(random.below(successors.len())))
}
