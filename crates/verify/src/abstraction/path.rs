//! How an unsafe abstract state is reached.

use surefoot_abstraction::{Abstraction, StateId, Transition};
use surefoot_model::Model;

use crate::abstraction::graph::{edge, node};
use crate::abstraction::words::Words;
use crate::result::abstract_path::{AbstractPath as PathRecord, AbstractStep};
use crate::states::StateNames;

/// A path of the abstraction: its first state, and the transitions taken.
#[derive(Debug, Clone)]
pub struct AbstractPath<'a> {
    /// The start state.
    pub start: StateId,
    /// Sources, transitions and targets.
    pub steps: Vec<(StateId, &'a Transition, StateId)>,
}

/// A shortest path to the first unsafe state; `None` where none was reached.
#[must_use]
pub fn path_to_unsafe(abstraction: &Abstraction) -> Option<AbstractPath<'_>> {
    let unsafe_state = abstraction.is_unsafe.iter().position(|is_unsafe| *is_unsafe)?;
    // States were expanded level by level, so the first transition into a state is on a shortest path.
    let mut first: Vec<Option<(StateId, &Transition)>> = vec![None; abstraction.states.len()];
    for id in &abstraction.expanded {
        for (transition, target) in &abstraction.transitions[id.index()] {
            first[target.index()].get_or_insert((*id, transition));
        }
    }
    let mut current = StateId::at(unsafe_state);
    let mut steps = Vec::new();
    while current.index() >= abstraction.start {
        let (source, transition) = first[current.index()]?;
        steps.push((source, transition, current));
        current = source;
    }
    steps.reverse();
    Some(AbstractPath { start: current, steps })
}

impl AbstractPath<'_> {
    /// The path for a result.
    #[must_use]
    pub fn record(&self, model: &Model, words: &Words, abstraction: &Abstraction) -> PathRecord {
        let names = StateNames::new(model);
        let steps = self.steps.iter().map(|(source, transition, target)| AbstractStep {
            transition: edge(model, &names, abstraction, *source, transition, *target),
            state: node(model, &names, words, abstraction, *target),
        });
        PathRecord { start: node(model, &names, words, abstraction, self.start), steps: steps.collect() }
    }
}
