//! What the compiled engine is compared with: breadth-first levels by brute force, and single states by the reference
//! interpreter.

#![allow(dead_code, reason = "each test file uses its own part")]

use surefoot_explicit::Task;
use surefoot_explicit::compile::{Expansion, Generator};
use surefoot_fixtures::Random;
use surefoot_limits::Limits;
use surefoot_model::policy::Policy;
use surefoot_model::property::StartSet;
use surefoot_model::{Interpreter, Model, ModelError, State, TermId};
use surefoot_num::Rational;
use surefoot_testkit::Truth;

/// A task without limits, on one thread.
pub(crate) fn task<'m>(
    model: &'m Model,
    policy: Option<&'m Policy>,
    start: &'m StartSet,
    reach: Option<TermId>,
) -> Task<'m> {
    Task {
        model,
        policy,
        start,
        reach,
        goal: None,
        goal_terminal: false,
        absorb: None,
        dropped: None,
        stop_at_reach: reach.is_some(),
        threads: 1,
        limits: Limits::default(),
    }
}

/// The truth about a task.
pub(crate) fn truth<'m>(task: &Task<'m>) -> Truth<'m> {
    let Task { reach, stop_at_reach, goal, goal_terminal, .. } = *task;
    Truth { reach, stop_at_reach, goal, goal_terminal, ..Truth::new(task.model, task.policy) }
}

pub(crate) fn interpreter_of<'m>(model: &'m Model, policy: Option<&'m Policy>) -> Interpreter<'m> {
    policy.map_or(Interpreter::new(model), |policy| Interpreter::with_policy(model, policy))
}

/// The successors of a choice, each once, in the order of the outcomes.
pub(crate) fn distinct_successors(choice: surefoot_model::Choice) -> Vec<State> {
    let mut distinct: Vec<State> = Vec::new();
    for successor in choice.outcomes.into_iter().flat_map(|o| o.successors) {
        if !distinct.contains(&successor) {
            distinct.push(successor);
        }
    }
    distinct
}

/// Something that ends a search.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Reached(State),
    Error(ModelError),
}

/// Breadth-first levels, up to and including the first one in which something ends the search.
pub(crate) struct Levels {
    /// States of every level, in the order found.
    pub(crate) levels: Vec<Vec<State>>,
    /// What happens in the last level.
    pub(crate) events: Vec<Event>,
    /// Whether `most` states were not enough.
    pub(crate) cut: bool,
}

impl Levels {
    pub(crate) fn of(task: &Task<'_>, starts: Vec<State>, most: usize) -> Self {
        let mut result = Self { levels: Vec::new(), events: Vec::new(), cut: false };
        let mut visited = 0;
        for level in truth(task).levels(starts) {
            for (state, step) in &level.states {
                if let Some(error) = step.errors.first() {
                    result.events.push(Event::Error(error.clone()));
                } else if step.reached && task.stop_at_reach {
                    result.events.push(Event::Reached(state.clone()));
                }
            }
            visited += level.states.len();
            result.levels.push(level.states.into_iter().map(|(state, _)| state).collect());
            result.cut = result.events.is_empty() && level.known > visited.max(most);
            if result.cut || !result.events.is_empty() {
                break;
            }
        }
        result
    }

    pub(crate) fn states(&self) -> impl Iterator<Item = &State> {
        self.levels.iter().flatten()
    }
}

/// A random state of the domains.
pub(crate) fn any_state(random: &mut Random, model: &Model) -> State {
    let bounds = model.slots.iter().map(|slot| slot.domain.int_bounds().unwrap());
    State::from_ints(&bounds.map(|(low, high)| random.between(low, high)).collect::<Vec<_>>())
}

/// Choices of a state: the vector, and the distinct successors.
pub(crate) type Choices = Result<Vec<(u32, Vec<State>)>, ModelError>;

/// Choices of a state: the vector, and the outcomes with their probabilities and successors.
pub(crate) type Outcomes = Result<Vec<(u32, Vec<(Rational, Vec<State>)>)>, ModelError>;

/// What the interpreter says about a state.
pub(crate) fn interpreted(model: &Model, policy: Option<&Policy>, state: &State) -> Choices {
    let choices = interpreter_of(model, policy).permitted_choices(state, policy)?;
    Ok(choices.into_iter().map(|choice| (choice.operator.vector, distinct_successors(choice))).collect())
}

/// A compiled model that expands states one by one.
pub(crate) struct Compiled<'m> {
    generator: Generator<'m>,
    worker: surefoot_explicit::compile::Worker,
    expansion: Expansion,
    slots: usize,
}

impl<'m> Compiled<'m> {
    pub(crate) fn new(model: &'m Model, policy: Option<&'m Policy>) -> Self {
        let slots = model.slots.len();
        let generator = Generator::new(model, policy, &vec![None; slots], None);
        let worker = generator.worker();
        Self { generator, worker, expansion: Expansion::default(), slots }
    }

    /// All successors of a state, as the generator lists them.
    fn expand_packed(&mut self, state: &State) -> Result<Vec<State>, ModelError> {
        let layout = self.generator.layout();
        let mut words = vec![0; layout.words()];
        layout.pack(&state.to_ints().unwrap(), &mut words);
        self.generator.load(&mut self.worker, &words);
        self.generator.expand(&mut self.worker, &mut self.expansion).map_err(|error| *error)?;
        let unpack = |packed: &[u64]| {
            let mut values = vec![0; self.slots];
            layout.unpack(packed, &mut values);
            State::from_ints(&values)
        };
        Ok(self.expansion.successors.chunks(words.len()).map(unpack).collect())
    }

    pub(crate) fn expand(&mut self, state: &State) -> Choices {
        let successors = self.expand_packed(state)?;
        let mut begin = 0;
        let choices = self.expansion.choices.iter().map(|choice| {
            let own = successors[begin..choice.successors].to_vec();
            begin = choice.successors;
            (choice.vector, own)
        });
        Ok(choices.collect())
    }
}

impl Compiled<'_> {
    /// The outcomes of every choice, with their probabilities.
    pub(crate) fn record(&mut self, state: &State) -> Outcomes {
        self.expansion.record = true;
        let result = self.expand_packed(state);
        self.expansion.record = false;
        let successors = result?;
        let mut values = Vec::new();
        self.generator.update_probabilities(&mut values);
        let (mut outcome, mut begin) = (0, 0);
        let mut choices = Vec::new();
        for choice in &self.expansion.choices {
            let mut own = Vec::new();
            for (number, end) in &self.expansion.outcomes[outcome..choice.outcomes] {
                own.push((values[number.index()].clone(), successors[begin..*end].to_vec()));
                begin = *end;
            }
            assert_eq!(begin, choice.successors, "the last outcome ends with its choice");
            outcome = choice.outcomes;
            choices.push((choice.vector, own));
        }
        Ok(choices)
    }
}

/// Compares compiled and interpreted successors state by state, and outcomes with their probabilities.
pub(crate) fn compare_states<'s>(model: &Model, policy: Option<&Policy>, states: impl IntoIterator<Item = &'s State>) {
    let mut compiled = Compiled::new(model, policy);
    for state in states {
        let (fast, slow) = (compiled.expand(state), interpreted(model, policy, state));
        assert!(fast == slow, "in {}:\ncompiled    {fast:?}\ninterpreted {slow:?}", state.describe(model));
        let choices = interpreter_of(model, policy).permitted_choices(state, policy);
        let slow: Outcomes = choices.map(|choices| {
            let outcomes = |c: surefoot_model::Choice| c.outcomes.into_iter().map(|o| (o.probability, o.successors));
            choices.into_iter().map(|c| (c.operator.vector, outcomes(c).collect())).collect()
        });
        let fast = compiled.record(state);
        assert!(fast == slow, "in {}:\nrecorded    {fast:?}\ninterpreted {slow:?}", state.describe(model));
    }
}
