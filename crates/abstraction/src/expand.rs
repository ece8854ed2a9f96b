//! The successors of an abstract state, by all moves from it.
//!
//! First comes what is known without asking: moves whose guard contradicts the box, and what the one who asks knows already
//! ([`Knowledge`]). Then what the policy never chooses, for all labels in one search. What is left is one question per move for all
//! its successors.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use surefoot_limits::{Stop, Unit};
use surefoot_num::Rational;
use surefoot_oracle::{AllAssignments, Assignment, Holds, Limits, Nowhere};

use crate::moves::{Move, Witness};
use crate::predicate::PredicateSet;
use crate::prepare::Moves;
use crate::state::AbstractState;
use crate::system::System;
use crate::untouched::SlotRange;

/// Nodes of a question that is not likely to be decided.
const HOPELESS_NODES: u64 = 16;

/// The successors of a state by one move, as assignments of what the move tracks.
#[derive(Debug, Clone, Default)]
pub struct Successors {
    /// Those that exist, with witnesses.
    pub known: BTreeMap<Assignment, Witness>,
    /// Others that may.
    pub assumed: Vec<Assignment>,
    /// Others that are not asked about.
    pub skipped: Vec<Assignment>,
    /// Whether there may be others still.
    pub open: bool,
}

impl Successors {
    /// Of which nothing is known.
    #[must_use]
    pub fn unknown() -> Self {
        Self { open: true, ..Self::default() }
    }

    /// There are none.
    fn refute(&mut self) {
        *self = Self::default();
    }

    /// Whether there are none.
    fn is_refuted(&self) -> bool {
        self.known.is_empty() && self.assumed.is_empty() && self.skipped.is_empty()
    }
}

/// What someone knows of successors before the oracle is asked.
pub trait Knowledge {
    /// What is known of the successors of a state by a move.
    fn of(&self, by: usize, step: &Move, state: &AbstractState) -> Successors;
}

/// Nothing is known.
impl Knowledge for () {
    fn of(&self, _: usize, _: &Move, _: &AbstractState) -> Successors {
        Successors::unknown()
    }
}

/// How much is spent on an expansion.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Nodes per label, all labels being looked at together.
    pub choice_nodes: u64,
    /// Nodes per move: what is not decided by then is assumed. Without it, every move is decided or the expansion stops; and each
    /// witness is that of the move's own question, whatever was seen before.
    pub move_nodes: Option<u64>,
}

/// What came of an expansion.
#[derive(Debug, Default)]
pub struct Expansion {
    /// Per move.
    pub successors: Vec<Successors>,
    /// The limit that stopped the search for more.
    pub stopped: Option<Stop>,
}

/// Expands abstract states.
#[derive(Debug, Clone, Copy)]
pub struct Expander<'a, 'm> {
    /// What is abstracted.
    pub system: &'a System<'m>,
    /// By which predicates.
    pub predicates: &'a PredicateSet,
    /// For all questions.
    pub limits: &'a Limits,
    /// How much is spent.
    pub effort: Effort,
}

impl Expander<'_, '_> {
    /// The successors of an abstract state's states within ranges.
    pub fn expand(
        &self,
        moves: &Moves,
        state: &AbstractState,
        within: &[SlotRange],
        knowledge: &impl Knowledge,
        oracle: &mut (impl AllAssignments + Nowhere),
    ) -> Expansion {
        let bounds = self.system.bounds_within(self.predicates, state, within);
        let known = |(by, step): (usize, &Move)| {
            if step.is_excluded(&bounds) { Successors::default() } else { knowledge.of(by, step, state) }
        };
        let mut successors: Vec<Successors> = moves.iter().enumerate().map(known).collect();
        let limits = Limits { nodes: Some(self.effort.choice_nodes), ..self.limits.clone() };
        // A move with a witness is chosen somewhere.
        let asked = |by: usize| successors[by].open && successors[by].known.is_empty();
        let chosen = moves.choice().map(|choice| (choice, choice.chosen(state, within, asked, oracle, &limits)));
        let mut stopped_by = None;
        // In place: most moves of most states are excluded, and moving what is not there takes longest.
        for (by, step) in moves.iter().enumerate() {
            let same = moves.same_guard(by);
            // Soundness: of a sibling whose question was not answered nothing follows.
            let refuted = same < by && stopped_by.is_none() && successors[same].is_refuted();
            let found = &mut successors[by];
            let mut nodes = self.effort.move_nodes;
            match chosen.as_ref().and_then(|(choice, chosen)| Some((choice, chosen[by].as_ref()?))) {
                _ if refuted => found.refute(),
                Some((_, Holds::Nowhere)) => found.refute(),
                Some((choice, Holds::Somewhere(point))) if found.open && nodes.is_some() => {
                    let witness = step.successor_at(state, within, |symbol| choice.value(point, symbol), oracle);
                    self.take_witness(step, (state, within), witness, found);
                }
                // What was too much for all together will hardly be decided alone, but for a guard that helps or a witness.
                Some((_, Holds::Undecided)) if found.known.is_empty() => {
                    nodes = nodes.map(|nodes| nodes.min(HOPELESS_NODES));
                }
                _ => {}
            }
            if found.open {
                let stopped = self.ask(step, (state, within), found, nodes, oracle);
                stopped_by = stopped_by.or(stopped);
            }
        }
        Expansion { successors, stopped: stopped_by }
    }

    /// Takes a witness; where the box decides all that the move tracks, it is the only one needed.
    fn take_witness(
        &self,
        step: &Move,
        (state, within): (&AbstractState, &[SlotRange]),
        witness: Option<(Assignment, Vec<Rational>)>,
        found: &mut Successors,
    ) {
        let Some((assignment, point)) = witness else { return };
        found.open = step.decided(state).iter().any(Option::is_none);
        found.skipped.retain(|skipped| *skipped != assignment);
        found.known.insert(assignment, step.values(self.system, state, within, &point));
    }

    /// Asks for the successors of one move that are not known; the limit that kept some from being found.
    fn ask(
        &self,
        step: &Move,
        (state, within): (&AbstractState, &[SlotRange]),
        found: &mut Successors,
        nodes: Option<u64>,
        oracle: &mut impl AllAssignments,
    ) -> Option<Stop> {
        let mut excluded: FxHashSet<Assignment> = found.known.keys().chain(&found.skipped).cloned().collect();
        let limits = Limits { nodes: nodes.or(self.limits.nodes), ..self.limits.clone() };
        let more = step.successors(state, within, &excluded, oracle, &limits);
        excluded.extend(more.found.keys().cloned());
        found
            .known
            .extend(more.found.into_iter().map(|(a, point)| (a, step.values(self.system, state, within, &point))));
        match more.stopped {
            Some(Stop::Most(Unit::Nodes, _)) if nodes.is_some() => {
                // Soundness: where the policy's choice is not decided, whatever the guard permits counts as possible.
                let rest = step.unrestricted(state, within, &excluded, oracle, self.limits);
                found.assumed = rest.found.into_keys().collect();
                rest.stopped
            }
            stopped => stopped,
        }
    }
}
