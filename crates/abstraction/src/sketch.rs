//! An abstract state space to be looked at: states, and which lead to which by what action.
//!
//! A search that proves something need not know all transitions: one into a state that is reached already says nothing new, and is not asked about. So a
//! sketch has the transitions that were found, and says whether these are all.

use std::sync::Arc;

use surefoot_model::LabelId;

use crate::predicate::PredicateSet;
use crate::reachable::Abstraction;
use crate::state::{AbstractState, StateId};
use crate::untouched::SlotRange;

/// A transition that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// Where it begins.
    pub source: u32,
    /// Where it leads.
    pub target: u32,
    /// By which action; `None` = silent.
    pub label: Option<LabelId>,
    /// How likely its outcome is, where that is known, rounded.
    pub probability: Option<f64>,
}

/// The least and the largest value of every slot.
pub type Ranges = Box<[(i64, i64)]>;

/// An abstract state space.
#[derive(Debug, Clone, Default)]
pub struct Sketch {
    /// The predicates that states are told apart by.
    pub predicates: PredicateSet,
    /// The states.
    pub states: Vec<AbstractState>,
    /// For each of them, ranges that a proof is about: those of variables that nothing has written. Empty where it is about all of their states.
    pub within: Vec<Arc<[SlotRange]>>,
    /// Per state, whether it holds start states.
    pub start: Vec<bool>,
    /// Per state, whether it holds unsafe states.
    pub is_unsafe: Vec<bool>,
    /// Per state, whether its transitions were looked for.
    pub expanded: Vec<bool>,
    /// The transitions that were found.
    pub transitions: Vec<Drawn>,
    /// Whether these are all between the states.
    pub complete: bool,
    /// Per state, the bound on the probability that is asked for.
    pub values: Option<Vec<f64>>,
    /// Per state, the least and the largest value of every slot, where states are boxes and not told apart by predicates.
    pub boxes: Option<Vec<Ranges>>,
}

impl Sketch {
    /// An abstraction with all its transitions.
    #[must_use]
    pub fn of(abstraction: &Abstraction, predicates: &PredicateSet) -> Self {
        let states: Vec<AbstractState> = abstraction.states.iter().map(|(_, state)| state.clone()).collect();
        let mut expanded = vec![false; states.len()];
        abstraction.expanded.iter().for_each(|id| expanded[id.index()] = true);
        let mut transitions = Vec::new();
        for (source, found) in (0u32..).zip(&abstraction.transitions) {
            for (transition, target) in found {
                let state = abstraction.states.get(StateId(source));
                let moves = abstraction.moves.get(&state.locations);
                let label = moves.and_then(|moves| moves.get(transition.by)).and_then(|step| step.rule.label);
                transitions.push(Drawn { source, target: target.0, label, probability: None });
            }
        }
        Self {
            within: Vec::new(),
            predicates: predicates.clone(),
            start: (0..states.len()).map(|index| index < abstraction.start).collect(),
            is_unsafe: abstraction.is_unsafe.clone(),
            states,
            expanded,
            transitions,
            complete: abstraction.stopped.is_none(),
            values: None,
            boxes: None,
        }
    }
}
