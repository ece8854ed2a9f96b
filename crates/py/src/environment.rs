//! Compiled steps of a model, one choice of the policy after the other: what a Gymnasium environment is made of.
//!
//! The run is the one that training sees (`surefoot_train::environment`): from choice to choice of the policy, the environment's own moves at random in between.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;
use self_cell::self_cell;
use surefoot_cli::Asked;
use surefoot_explicit::simulate::Starts;
use surefoot_limits::{Cancel, Limits};
use surefoot_model::{Domain, Interpreter, LabelId, Model, ModelError, SlotId, State, Term, TermId};
use surefoot_num::{Random, Rational};
use surefoot_problem::{Problem, Selection, states::StateNames};
use surefoot_text::source::SourceMap;
use surefoot_text::suggest;
use surefoot_train::{End, Environment, Interface, Rewards, Standing};
use surefoot_verify::result::seeks_unsafe;

use crate::failure::{failed, input, internal, usage};

/// What does not change.
struct Fixed {
    problem: Problem,
    names: StateNames,
    observation: Vec<Seen>,
    reward: Option<TermId>,
}

/// A number of the observation.
enum Seen {
    /// The value of a slot, as it is.
    Slot(SlotId),
    /// An expression.
    Term(TermId),
}

/// A run in it.
struct Run<'m> {
    environment: Environment<'m>,
    starts: Starts<'m>,
    /// Slots that have one value throughout.
    fixed: Vec<Option<i64>>,
    random: Random,
}

self_cell!(
    struct Cell {
        owner: Fixed,
        #[not_covariant]
        dependent: Run,
    }
);

/// A model to act in.
#[pyclass(name = "Environment", module = "surefoot._native", frozen)]
pub(crate) struct PyEnvironment {
    cell: Mutex<Cell>,
    labels: usize,
}

type Observed<'py> = Bound<'py, PyArray1<f32>>;

#[pymethods]
impl PyEnvironment {
    /// Of a model and a question, as a command line names them; `files` are in memory.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "all that the Python side gives, once")]
    fn new(
        py: Python<'_>,
        arguments: Vec<String>,
        files: BTreeMap<String, PyBackedBytes>,
        labels: Vec<String>,
        observation: Vec<String>,
        reward: Option<String>,
        goal_reward: f32,
        unsafe_reward: f32,
        stuck_reward: f32,
        step_reward: f32,
        max_steps: u64,
    ) -> PyResult<Self> {
        let rewards = Rewards { goal: goal_reward, unsafety: unsafe_reward, stuck: stuck_reward, step: step_reward };
        let mut sources = SourceMap::default();
        for (name, bytes) in files {
            sources.inputs.hold(name, &bytes[..]);
        }
        py.detach(|| {
            let fixed = read(&arguments, &mut sources, &observation, reward)?;
            let labels = labels_of(fixed.problem.model(), &labels)?;
            let count = labels.len();
            let cell = Cell::try_new(fixed, |fixed| begin(fixed, labels, rewards, max_steps))?;
            Ok(Self { cell: Mutex::new(cell), labels: count })
        })
    }

    /// Begins a run in a random start state; the seed begins the random choices anew.
    fn reset<'py>(&self, py: Python<'py>, seed: Option<u64>) -> PyResult<(Observed<'py>, &'static str)> {
        let (seen, _, standing) = self.with(|fixed, run| {
            if let Some(seed) = seed {
                run.random = Random::new(seed);
            }
            let start = run.starts.draw(&mut run.random);
            let standing = run.environment.begin(&start, &mut run.random).map_err(|error| in_error(fixed, &error))?;
            Ok((observe(fixed, run)?, 0.0, standing))
        })?;
        Ok((PyArray1::from_vec(py, seen), word(standing)))
    }

    /// Takes an action, and goes to the next choice.
    fn step<'py>(&self, py: Python<'py>, action: usize) -> PyResult<(Observed<'py>, f32, &'static str)> {
        if action >= self.labels {
            return Err(usage(format!("there is no action {action}: the last one is {}", self.labels - 1)));
        }
        let (seen, earned, standing) = self.with(|fixed, run| {
            let standing = run.environment.act(action, &mut run.random).map_err(|error| in_error(fixed, &error))?;
            Ok((observe(fixed, run)?, run.environment.earned(), standing))
        })?;
        Ok((PyArray1::from_vec(py, seen), earned, word(standing)))
    }

    /// Per action, whether it can be taken here.
    fn mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let mask = self.lock().with_dependent(|_, run| run.environment.applicable().to_vec());
        PyArray1::from_vec(py, mask)
    }

    /// The state, by names; locations of automata by the automaton's name in angle brackets, where there are several.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let state = PyDict::new(py);
        self.lock().with_dependent(|fixed, run| {
            let model = fixed.problem.model();
            for (slot, value) in run.environment.values().iter().enumerate() {
                match slot_name(fixed, slot) {
                    None => {}
                    Some(name) if model.slots[slot].domain == Domain::Bool => state.set_item(name, *value != 0)?,
                    Some(name) => state.set_item(name, *value)?,
                }
            }
            Ok::<(), PyErr>(())
        })?;
        Ok(state)
    }

    /// Puts the run into a state, and goes to the next choice.
    fn load<'py>(&self, py: Python<'py>, state: BTreeMap<String, i64>) -> PyResult<(Observed<'py>, &'static str)> {
        let (seen, _, standing) = self.with(|fixed, run| {
            let start = state_of(fixed, run, &state)?;
            let standing = run.environment.begin(&start, &mut run.random).map_err(|error| in_error(fixed, &error))?;
            Ok((observe(fixed, run)?, 0.0, standing))
        })?;
        Ok((PyArray1::from_vec(py, seen), word(standing)))
    }
}

impl PyEnvironment {
    fn lock(&self) -> std::sync::MutexGuard<'_, Cell> {
        self.cell.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(
        &self,
        act: impl for<'m> FnOnce(&'m Fixed, &mut Run<'m>) -> PyResult<(Vec<f32>, f32, Standing)>,
    ) -> PyResult<(Vec<f32>, f32, Standing)> {
        self.lock().with_dependent_mut(act)
    }
}

fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Choice => "choice",
        Standing::Ended(End::Goal) => "goal",
        Standing::Ended(End::Unsafe) => "unsafe",
        Standing::Ended(End::Stuck) => "stuck",
        Standing::Cut => "cut",
    }
}

/// Reads the model, the question and the expressions.
fn read(
    arguments: &[String],
    sources: &mut SourceMap,
    observation: &[String],
    reward: Option<String>,
) -> PyResult<Fixed> {
    let words = ["surefoot", "explore"].into_iter().map(str::to_owned).chain(arguments.iter().cloned());
    let asked = Asked::of(words.map(Into::into)).map_err(|error| usage(format!("{error:?}")))?;
    let (task, _) = asked.task(&Cancel::default()).map_err(|error| usage(format!("{error:?}")))?;
    let request = task.job.request().ok_or_else(|| internal("an exploration is about a model"))?;
    let mut problem = Problem::load(sources, request, Selection::Optional).map_err(|error| failed(&error, sources))?;
    problem.policy = None;
    // What a property asks to be reached is a goal.
    if seeks_unsafe(&problem) == Some(false) {
        problem.query.goal = problem.query.goal.or(problem.query.target);
        problem.query.target = None;
    }
    if let Some(slot) = problem.model().slots.iter().find(|slot| slot.domain.int_bounds().is_none()) {
        let message = format!("the variable '{}' is real: only models of bounded integers can be acted in", slot.name);
        return Err(input(message));
    }
    let mut term = |name: &str, text: &str| {
        let file = sources.add(name, text);
        let term = surefoot_temporal::lower::number(sources, file, &mut problem.lowered);
        term.map_err(|error| failed(&error.into(), sources))
    };
    let reward = reward.map(|text| term("reward", &text)).transpose()?;
    let terms = observation.iter().map(|text| term("observation", text)).collect::<PyResult<Vec<TermId>>>()?;
    let seen = |term: TermId| match problem.model().terms.get(term) {
        Term::Slot(slot) => Seen::Slot(*slot),
        _ => Seen::Term(term),
    };
    let observation = terms.into_iter().map(seen).collect();
    let names = StateNames::new(problem.model());
    Ok(Fixed { problem, names, observation, reward })
}

fn labels_of(model: &Model, names: &[String]) -> PyResult<Vec<LabelId>> {
    let all = || model.labels.iter().map(|label| &**label);
    let find = |name: &String| {
        let found = all().position(|label| label == name);
        found.map(LabelId::at).ok_or_else(|| {
            let near = suggest(name, all()).map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            input(format!("the model has no action '{name}'{near}"))
        })
    };
    names.iter().map(find).collect()
}

fn begin(fixed: &Fixed, labels: Vec<LabelId>, rewards: Rewards, most: u64) -> PyResult<Run<'_>> {
    let problem = &fixed.problem;
    let learning = surefoot_train::Problem {
        model: problem.model(),
        start: &problem.query.start,
        goal: problem.query.goal,
        avoid: problem.query.target,
        reward: fixed.reward,
        progress: None,
        ends_at_goal: true,
        threads: 1,
        limits: Limits::default(),
    };
    let starts = learning.starts().map_err(|error| input(error.to_string()))?;
    let slots: Vec<SlotId> = (0..problem.model().slots.len()).map(SlotId::at).collect();
    let interface = Interface::new(problem.model(), slots, labels, false).map_err(|error| input(error.to_string()))?;
    let environment = Environment::new(&learning, &starts, &interface, rewards, most);
    let fixed = learning.fixed(&starts);
    Ok(Run { environment, starts, fixed, random: Random::new(0) })
}

fn in_error(fixed: &Fixed, error: &ModelError) -> PyErr {
    input(error.describe(fixed.problem.model()))
}

/// What is seen of the state that the run is in.
fn observe(fixed: &Fixed, run: &Run<'_>) -> PyResult<Vec<f32>> {
    let values = run.environment.values();
    let mut state = None;
    let mut seen = Vec::with_capacity(fixed.observation.len());
    for part in &fixed.observation {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "what is learned from may be rounded"
        )]
        seen.push(match part {
            Seen::Slot(slot) => values[slot.index()] as f32,
            Seen::Term(term) => {
                let state = state.get_or_insert_with(|| State::from_ints(values));
                let value = Interpreter::new(fixed.problem.model()).eval(*term, state);
                let failed = |error| in_error(fixed, &ModelError::evaluation(error, state.clone()));
                value.map_err(failed)?.to_f64() as f32
            }
        });
    }
    Ok(seen)
}

/// What a slot is called; the only location of an automaton is not mentioned.
fn slot_name(fixed: &Fixed, slot: usize) -> Option<String> {
    match fixed.problem.model().instances.get(slot) {
        Some(instance) if instance.locations.len() == 1 => None,
        Some(_) => Some(format!("<{}>", fixed.names.instance(slot))),
        None => Some(fixed.names.slot(slot).to_owned()),
    }
}

/// The state that names and values mean.
fn state_of(fixed: &Fixed, run: &Run<'_>, given: &BTreeMap<String, i64>) -> PyResult<State> {
    let model = fixed.problem.model();
    let mut values = vec![Rational::ZERO; model.slots.len()];
    let mut left: Vec<&String> = given.keys().collect();
    for (slot, value) in values.iter_mut().enumerate() {
        let Some(name) = slot_name(fixed, slot) else { continue };
        let Some(number) = given.get(&name) else {
            return Err(input(format!("the state says nothing of '{name}'")));
        };
        *value = Rational::from(*number);
        if !model.slots[slot].domain.contains(value) {
            return Err(input(format!("{number} is no value of '{name}' ({})", model.slots[slot].domain.describe())));
        }
        if let Some(only) = run.fixed[slot].filter(|only| only != number) {
            return Err(input(format!("'{name}' is {only} from every start state on, and here {number}")));
        }
        left.retain(|other| **other != name);
    }
    match left.first() {
        Some(name) => Err(input(format!("the model has no variable '{name}'"))),
        None => Ok(State(values.into())),
    }
}
