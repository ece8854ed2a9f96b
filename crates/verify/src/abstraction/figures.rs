//! Figures of an abstraction.

use std::collections::BTreeSet;

use surefoot_abstraction::{Abstraction, StateId};

/// What a transition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Count {
    /// A pair of source and target.
    #[default]
    Pair,
    /// Source, operator, outcome and target.
    Operator,
}

/// How large an abstraction is, and what it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Abstract start states.
    pub start_states: usize,
    /// Abstract states reached, unsafe ones included.
    pub reachable_states: usize,
    /// Those of them that were expanded.
    pub expanded_states: usize,
    /// Those that hold an unsafe state.
    pub unsafe_states: usize,
    /// Those that were expanded and have no transitions.
    pub terminal_states: usize,
    /// Distinct transitions.
    pub transitions: usize,
    /// Predicates.
    pub predicates: usize,
    /// Questions to the oracle.
    pub oracle_queries: u64,
    /// Nodes of its search trees.
    pub oracle_nodes: u64,
    /// Bytes that states, transitions and moves take, roughly.
    pub memory_bytes: usize,
}

impl Figures {
    /// The figures of an abstraction.
    #[must_use]
    pub fn of(abstraction: &Abstraction, predicates: usize, count: Count) -> Self {
        let ids = abstraction.states.iter().map(|(id, _)| id);
        let transitions = match count {
            Count::Pair => ids.map(|id| targets(abstraction, id).len()).sum(),
            Count::Operator => ids.map(|id| edges(abstraction, id).len()).sum(),
        };
        Self {
            start_states: abstraction.start,
            reachable_states: abstraction.states.len(),
            expanded_states: abstraction.expanded.len(),
            unsafe_states: abstraction.is_unsafe.iter().filter(|is_unsafe| **is_unsafe).count(),
            terminal_states: abstraction.expanded.iter().filter(|id| is_terminal(abstraction, **id)).count(),
            transitions,
            predicates,
            oracle_queries: abstraction.questions,
            oracle_nodes: abstraction.nodes,
            memory_bytes: abstraction.bytes(),
        }
    }
}

/// Whether an expanded state has no transitions.
pub(crate) fn is_terminal(abstraction: &Abstraction, id: StateId) -> bool {
    abstraction.transitions[id.index()].is_empty()
}

/// The distinct targets of a state.
pub(crate) fn targets(abstraction: &Abstraction, id: StateId) -> BTreeSet<StateId> {
    abstraction.transitions[id.index()].iter().map(|(_, target)| *target).collect()
}

/// The transitions of a state, one for each operator, outcome and target: indices into the list.
pub(crate) fn edges(abstraction: &Abstraction, id: StateId) -> Vec<usize> {
    let moves = abstraction.moves.get(&abstraction.states.get(id).locations);
    let mut seen = BTreeSet::new();
    let mut edges = Vec::new();
    for (index, (transition, target)) in abstraction.transitions[id.index()].iter().enumerate() {
        let by = moves.and_then(|moves| moves.get(transition.by)).map(|by| (&by.rule.operator, &by.rule.destinations));
        if seen.insert((by, *target)) {
            edges.push(index);
        }
    }
    edges
}
