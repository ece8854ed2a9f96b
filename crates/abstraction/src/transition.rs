//! All transitions of an abstract state, by the built-in expansion or as the paper does it.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use surefoot_limits::Stop;
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::{AllAssignments, Assignment, Assignments, Limits, Nowhere, Relaxed};

use crate::expand::{Effort, Expander};
use crate::moves::Move;
use crate::paper::{Configuration, Expansion, Step};
use crate::predicate::PredicateSet;
use crate::prepare::Moves;
use crate::state::{AbstractState, StateId, allocated};
use crate::system::System;

/// Nodes per label, all labels being looked at together: what is not decided by then is left to the moves' own questions.
const CHOICE_NODES: u64 = 4_000;

/// A transition of the abstraction, with a concrete state that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// The move: an index into those of the source's locations.
    pub by: usize,
    /// Where it leads.
    pub target: AbstractState,
    /// A concrete state of the source from which the move leads into the target; with a method that is not exact, a
    /// state that passed its last test, which need not be one of the model's.
    pub witness: State,
}

impl Transition {
    /// The bytes that it takes in a list with the number of its target, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let witness = allocated(size_of_val(&*self.witness.0));
        size_of::<(Self, StateId)>() + self.target.heap_bytes() + witness
    }
}

/// How successors are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// One search of the oracle for the labels that are chosen, and one per move for all its successors.
    #[default]
    Builtin,
    /// Enumerating candidates and testing each, as the paper does.
    Paper(Configuration),
}

/// All transitions of an abstract state, by move and then by target; the limit that stopped the search for more.
pub fn transitions(
    system: &System<'_>,
    predicates: &PredicateSet,
    moves: &Moves,
    state: &AbstractState,
    method: Method,
    oracle: &mut (impl AllAssignments + Nowhere + Relaxed),
    limits: &Limits,
) -> (Vec<Transition>, Option<Stop>) {
    match method {
        Method::Builtin => {
            let choice_nodes = limits.nodes.map_or(CHOICE_NODES, |nodes| nodes.min(CHOICE_NODES));
            let effort = Effort { choice_nodes, move_nodes: None };
            let expansion = Expander { system, predicates, limits, effort }.expand(moves, state, &[], &(), oracle);
            let slots = system.model().slots.len();
            let mut transitions = Vec::new();
            for (by, (step, found)) in moves.iter().zip(expansion.successors).enumerate() {
                transitions.extend(found.known.iter().map(|(assignment, values)| Transition {
                    by,
                    target: step.successor(state, assignment),
                    witness: State(values[..slots].iter().map(|value| Rational::from(*value)).collect()),
                }));
            }
            (transitions, expansion.stopped)
        }
        Method::Paper(configuration) => by_paper(system, predicates, moves, state, configuration, oracle, limits),
    }
}

/// All transitions by the paper's algorithm, move by move.
fn by_paper(
    system: &System<'_>,
    predicates: &PredicateSet,
    moves: &Moves,
    state: &AbstractState,
    configuration: Configuration,
    oracle: &mut impl Relaxed,
    limits: &Limits,
) -> (Vec<Transition>, Option<Stop>) {
    let (mut transitions, mut stopped) = (Vec::new(), None);
    let bounds = system.bounds(predicates, state);
    for (by, step) in moves.iter().enumerate().filter(|(_, step)| !step.is_excluded(&bounds)) {
        let more = tested(step, state, configuration, oracle, limits);
        stopped = stopped.or(more.stopped);
        transitions.extend(more.found.iter().map(|(assignment, witness)| Transition {
            by,
            target: step.successor(state, assignment),
            witness: step.concrete(system, state, witness),
        }));
    }
    (transitions, stopped)
}

/// The successors by a move that the paper's tests leave.
fn tested(
    step: &Move,
    state: &AbstractState,
    configuration: Configuration,
    oracle: &mut impl Relaxed,
    limits: &Limits,
) -> Assignments {
    let mut all = Assignments { found: BTreeMap::new(), stopped: None };
    let Some(cell) = step.cell(state, &[]) else { return all };
    let (plain, decisions) = step.questions(&cell);
    let decisions = if configuration.asks_policy() { decisions.as_slice() } else { std::slice::from_ref(&plain) };
    let configuration = if step.is_governed() { configuration } else { configuration.ungoverned() };
    let mut known: FxHashSet<Assignment> = FxHashSet::default();
    for question in decisions {
        let tests = Step { plain: &plain, policy: question, tracked: &step.tracked };
        let more = Expansion { configuration, oracle, limits, stopped: None, tests: 0 }.run(&tests, &known);
        // What one network's choice leads to need not be found again for the next.
        known.extend(more.found.keys().cloned());
        all.found.extend(more.found);
        all.stopped = all.stopped.or(more.stopped);
    }
    all
}
