//! Instances, explored: what the tests of several domains ask of them.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;

use surefoot_explicit::start::for_each_start;
use surefoot_explicit::{Ending, Statistics, Task, explore};
use surefoot_limits::Limits;
use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;
use surefoot_model::policy::read::read_policy;
use surefoot_model::property::{Question, Safety, StartSet};
use surefoot_model::{Interpreter, Model, State};
use surefoot_testkit::load;
use surefoot_text::diagnostic::Severity;
use surefoot_verdict::Silent;
use surefoot_zoo::generate;

/// A state as numbers, by name.
pub(crate) type Named = HashMap<String, i64>;

/// What may happen in a state: labels, each with probabilities and the states' values in the order of the variables.
pub(crate) type Moves = Vec<(String, Vec<(String, Vec<i64>)>)>;

/// An instance that was written and read again.
pub(crate) struct World {
    pub(crate) lowered: Lowered,
    pub(crate) safety: Safety,
    pub(crate) policy: Option<Policy>,
}

pub(crate) fn settings(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}

/// What is said about parameters that are not possible.
pub(crate) fn refusal(domain: &str, words: &str) -> String {
    generate(domain, &settings(words)).unwrap_err().to_string()
}

impl World {
    /// Generates an instance, with parameters as on the command line, and reads it without a warning.
    pub(crate) fn new(domain: &str, words: &str) -> Self {
        let instance = generate(domain, &settings(words)).unwrap_or_else(|error| panic!("{domain} {words}: {error}"));
        let folder = tempfile::tempdir().unwrap();
        instance.write(folder.path()).unwrap();
        Self::read(folder.path())
    }

    fn read(folder: &Path) -> Self {
        let (mut lowered, mut sources) = load(&folder.join("model.jani"), Some(&folder.join("properties.jani")), &[]);
        assert!(lowered.notes.is_empty(), "{:?}", lowered.notes);
        assert_eq!(lowered.syntax().properties.len(), 1);
        let safety = match lowered.question(0) {
            Ok(Question::Safety(safety)) => safety,
            other => panic!("not a safety property: {other:?}"),
        };
        let file = folder.join("policy.policy.json");
        let policy = file.exists().then(|| {
            let (policy, notes) = read_policy(&mut lowered, &mut sources, &file).unwrap();
            assert!(notes.iter().all(|note| note.severity == Severity::Notice), "{notes:?}");
            policy
        });
        assert_eq!(policy.is_some(), safety.policy_file.is_some(), "the property names the policy, where there is one");
        Self { lowered, safety, policy }
    }

    pub(crate) fn model(&self) -> &Model {
        &self.lowered.model
    }

    /// Explores from the property's start states, under the policy where there is one.
    pub(crate) fn explored(&self) -> Statistics {
        self.explored_from(&self.safety.start, self.policy.as_ref())
    }

    /// Explores from the model's initial states, without a policy.
    pub(crate) fn explored_initially(&mut self) -> Statistics {
        let start = StartSet { conditions: vec![self.lowered.initial_condition()], states: Vec::new() };
        self.explored_from(&start, None)
    }

    /// What to explore, with one thread and without limits.
    pub(crate) fn task<'w>(&'w self, start: &'w StartSet, policy: Option<&'w Policy>) -> Task<'w> {
        Task {
            model: self.model(),
            policy,
            start,
            reach: self.safety.reach,
            goal: self.safety.goal,
            goal_terminal: false,
            absorb: None,
            dropped: None,
            stop_at_reach: false,
            threads: 1,
            limits: Limits::default(),
        }
    }

    /// Start states, states, choices, transitions, deadlocks and unsafe states, without a policy.
    pub(crate) fn counts(&self) -> [u64; 6] {
        let s = self.explored();
        [s.start_states, s.states, s.choices, s.transitions, s.deadlocks, s.reach_states]
    }

    fn explored_from(&self, start: &StartSet, policy: Option<&Policy>) -> Statistics {
        let exploration = explore(&self.task(start, policy), &Silent);
        assert_eq!(exploration.ending, Ending::Complete);
        exploration.statistics
    }

    /// The number of start states, counting up to a bound.
    pub(crate) fn starts(&self, most: usize) -> usize {
        let mut found = 0;
        let step = |_: &State| {
            found += 1;
            if found < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        for_each_start(self.model(), &self.safety.start, step).unwrap();
        found
    }

    /// The start states.
    pub(crate) fn start_states(&self) -> Vec<State> {
        let mut found: Vec<State> = Vec::new();
        for_each_start(self.model(), &self.safety.start, |state| {
            found.push(state.clone());
            ControlFlow::Continue(())
        })
        .unwrap();
        found
    }

    /// All states reachable from the start states whatever is chosen, with the reference interpreter.
    pub(crate) fn states(&self) -> BTreeSet<State> {
        let interpreter = Interpreter::new(self.model());
        let mut open = self.start_states();
        let mut known: BTreeSet<State> = open.iter().cloned().collect();
        while let Some(state) = open.pop() {
            for choice in interpreter.choices(&state).unwrap() {
                let successors = choice.outcomes.into_iter().flat_map(|outcome| outcome.successors);
                open.extend(successors.filter(|successor| known.insert(successor.clone())));
            }
        }
        known
    }

    /// A state's values by name.
    pub(crate) fn named(&self, state: &State) -> Named {
        let values = state.to_ints().unwrap();
        self.model().slots.iter().map(|slot| slot.name.to_string()).zip(values).collect()
    }

    /// What may happen in a state, sorted. The location is left out.
    pub(crate) fn moves(&self, state: &State) -> Moves {
        let choices = Interpreter::new(self.model()).choices(state).unwrap();
        let moves = choices.into_iter().map(|choice| {
            let label = choice.label.map_or("", |label| &*self.model().labels[label.0 as usize]).to_owned();
            let mut outcomes: Vec<(String, Vec<i64>)> = Vec::new();
            for outcome in choice.outcomes {
                let probability = outcome.probability.to_string();
                let values = |state: &State| (probability.clone(), state.to_ints().unwrap()[1..].to_vec());
                outcomes.extend(outcome.successors.iter().map(values));
            }
            (label, outcomes)
        });
        sorted(moves.collect())
    }

    /// Whether a state is unsafe.
    pub(crate) fn is_unsafe(&self, state: &State) -> bool {
        Interpreter::new(self.model()).holds(self.safety.reach.unwrap(), state).unwrap()
    }
}

/// Moves in an order that does not depend on how they were found.
pub(crate) fn sorted(mut moves: Moves) -> Moves {
    for (_, outcomes) in &mut moves {
        outcomes.sort();
    }
    moves.sort();
    moves
}
