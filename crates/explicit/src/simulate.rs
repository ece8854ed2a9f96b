//! Random runs: the environment's choices uniformly, outcomes by their probabilities, the policy as it decides.

use std::ops::ControlFlow;

use surefoot_model::model::Operator;
use surefoot_model::{Interpreter, ModelError, State};
use surefoot_num::{Random, Rational};

use crate::start::{StartError, for_each_start};
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
    /// Whether the deadline cut the simulation short.
    pub cut_short: bool,
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
    let mut starts: Vec<State> = Vec::new();
    for_each_start(task.model, task.start, |state| {
        starts.push(state.clone());
        if starts.len() < MAX_STARTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .map_err(SimulateError::Start)?;
    if starts.is_empty() {
        return Err(SimulateError::Start(StartError::Empty));
    }
    let mut random = Random::new(options.seed);
    let mut simulation = Simulation { runs: Vec::new(), first_reach: None, cut_short: false };
    for _ in 0..options.runs {
        if task.limits.is_late() {
            simulation.cut_short = true;
            break;
        }
        let start = starts[random.below(starts.len())].clone();
        let (run, path) = one_run(task, &interpreter, start, options.steps, &mut random)
            .map_err(|error| SimulateError::Model(Box::new(error)))?;
        if run.end == RunEnd::Reach && simulation.first_reach.is_none() {
            simulation.first_reach = Some(path);
        }
        simulation.runs.push(run);
    }
    Ok(simulation)
}

fn one_run(
    task: &Task<'_>,
    interpreter: &Interpreter<'_>,
    start: State,
    steps: u64,
    random: &mut Random,
) -> Result<(Run, Vec<State>), ModelError> {
    let mut path = vec![start];
    let mut saw_goal = false;
    let holds = |term, state: &State| {
        interpreter.holds(term, state).map_err(|error| ModelError::evaluation(error, state.clone()))
    };
    let end = loop {
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
        destinations.push(drawn.expect("the ticket is below one, and the sum is one") as u32);
    }
    let mut successors = interpreter.successors(state, operator, &destinations)?;
    Ok(successors.swap_remove(random.below(successors.len())))
}
