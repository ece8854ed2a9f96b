//! The search for an abstract unsafe path.
//!
//! Best-first by Hamming distance, ties as the strategy says. Every state that is taken from the queue is expanded fully; the search ends
//! with the first unsafe state that is reached, or when nothing is left, and then what was reached is an inductive invariant.
//!
//! **What was not written.** With each state goes what may have been written on the way ([`surefoot_abstraction::untouched`]); the moves are asked about
//! those of its states in which the rest is as it was at the start. A state that is reached with more is expanded again, so that
//! in the end every state was expanded with all that may have been written in it.
//!
//! **What is not decided.** A move whose question takes too long counts as possible wherever its guard permits it, and such a
//! transition is decided by itself when the search comes to need it; that is easier, as one target is asked for, and mostly not
//! needed. A proof that uses what was assumed is a proof.
//!
//! **Threads.** A few states are taken from the head of the queue at once and expanded in parallel, as many as the progress of the
//! search says. Neither results nor figures depend on the number of threads.

mod reach;
mod seen;

use std::collections::BTreeSet;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_abstraction::{
    AbstractState, ByLocations, Moves, Oracles, PredicateSet, Rule, Rules, Start, StateId, States, System, Telling,
    Watched, Written,
};
use surefoot_limits::{Stop, Unit};
use surefoot_num::Random;
use surefoot_oracle::{FullOracle, Statistics};
use surefoot_text::diagnostic::Diagnostic;

use crate::expansion::{Expander, Expansion};
use crate::heuristic::Heuristic;
use crate::number::number;
use crate::options::Options;
use crate::path::AbstractPath;
use crate::store::{Record, Store, state_bytes};

use reach::{Entry, Reached};

/// At most so many states are expanded at once.
const MOST_AT_ONCE: usize = 16;

/// A transition that was assumed and does not exist: source, move, target.
pub(crate) type Refuted = (AbstractState, u32, AbstractState);

/// How a search ended.
#[derive(Debug)]
pub(crate) enum Found {
    /// With a path to an unsafe state.
    Path(AbstractPath),
    /// With all that is reachable, none of it unsafe.
    Nothing,
    /// With a limit.
    Stopped(Stop),
}

/// One search.
pub(crate) struct Search<'s, 'm, O> {
    pub(crate) system: &'s mut System<'m>,
    pub(crate) rules: &'s mut Rules,
    pub(crate) predicates: &'s PredicateSet,
    pub(crate) heuristic: &'s Heuristic,
    pub(crate) options: &'s Options,
    pub(crate) store: &'s Store,
    oracles: &'s Oracles<O>,
    refuted: &'s FxHashSet<Refuted>,
    watched: &'s Watched,
    telling: Telling,
    moves: ByLocations<Moves>,
    states: States,
    /// Per state; `None` where the transitions that were assumed to lead there do not.
    reached: Vec<Option<Reached>>,
    queue: BTreeSet<(u32, i64, u64, Entry)>,
    records: FxHashMap<AbstractState, Record>,
    /// Abstract start states.
    pub(crate) starts: FxHashSet<StateId>,
    pub(crate) expanded: usize,
    pub(crate) transitions: usize,
    pub(crate) work: Statistics,
    /// Bytes held, roughly, and those of them that records take.
    bytes: usize,
    pub(crate) record_bytes: usize,
    random: Random,
    /// The unsafe state that the search ended in.
    pub(super) unsafe_state: Option<StateId>,
    /// Transitions that were found, where they are to be kept: sources, moves and targets.
    drawn: Vec<(StateId, u32, StateId)>,
    once: FxHashSet<(StateId, u32, StateId)>,
    /// States whose moves were looked at, likewise.
    looked: Vec<StateId>,
}

impl<'s, 'm, O: FullOracle> Search<'s, 'm, O> {
    #[expect(clippy::too_many_arguments, reason = "all that lives longer than a search")]
    pub(crate) fn new(
        system: &'s mut System<'m>,
        rules: &'s mut Rules,
        predicates: &'s PredicateSet,
        heuristic: &'s Heuristic,
        options: &'s Options,
        store: &'s Store,
        oracles: &'s Oracles<O>,
        refuted: &'s FxHashSet<Refuted>,
        watched: &'s Watched,
    ) -> Self {
        let telling = watched.telling(system, predicates);
        Self {
            system,
            rules,
            predicates,
            heuristic,
            options,
            store,
            oracles,
            refuted,
            watched,
            telling,
            moves: ByLocations::default(),
            states: States::default(),
            reached: Vec::new(),
            queue: BTreeSet::new(),
            records: FxHashMap::default(),
            starts: FxHashSet::default(),
            expanded: 0,
            transitions: 0,
            work: Statistics::default(),
            bytes: 0,
            record_bytes: 0,
            random: Random::new(options.seed),
            unsafe_state: None,
            drawn: Vec::new(),
            once: FxHashSet::default(),
            looked: Vec::new(),
        }
    }

    /// Searches from a start set, which is refined as far as needed. `work` nodes may be spent.
    pub(crate) fn run(
        &mut self,
        starts: &mut Vec<Start>,
        oracle: &mut O,
        work: Option<u64>,
    ) -> Result<Found, Diagnostic> {
        for (index, start) in starts.iter().enumerate() {
            let distance = self.heuristic.distance(&start.state);
            self.push(distance, 0, Entry::Start(number(index)));
        }
        while let Some((.., entry)) = self.queue.pop_first() {
            if let Some(limit) = self.options.limits.exceeded(self.bytes + self.record_bytes + self.store.bytes()) {
                return Ok(Found::Stopped(limit));
            }
            if let Some(most) = self.options.states.filter(|most| self.states.len() > *most) {
                return Ok(Found::Stopped(Stop::Most(Unit::States, most as u64)));
            }
            if work.is_some_and(|most| self.work.nodes > most) {
                return Ok(Found::Stopped(Stop::Most(Unit::AllNodes, self.options.work.unwrap_or_default())));
            }
            let end = match entry {
                Entry::Start(index) => self.start(starts, index as usize, oracle),
                Entry::State(id) => self.visit(id, oracle)?,
            };
            if let Some(end) = end {
                return Ok(end);
            }
        }
        Ok(Found::Nothing)
    }

    /// Refines a part of the start set and enters what it falls into.
    fn start(&mut self, starts: &mut Vec<Start>, index: usize, oracle: &mut O) -> Option<Found> {
        let limits = &self.options.limits;
        let parts = match starts[index].refine(self.system, self.predicates, oracle, limits) {
            Ok(parts) => parts,
            Err(limit) => return Some(Found::Stopped(limit)),
        };
        let states: Vec<AbstractState> = parts.iter().map(|part| part.state.clone()).collect();
        let mut parts = parts.into_iter();
        if let Some(first) = parts.next() {
            starts[index] = first;
        }
        starts.extend(parts);
        for state in states {
            let end = self.enter(state.clone(), None, false, oracle);
            self.starts.extend(self.states.id(&state));
            if end.is_some() {
                return end;
            }
        }
        None
    }

    /// Expands a state, and some of those that come next with it, as far as they are reached.
    fn visit(&mut self, id: StateId, oracle: &mut O) -> Result<Option<Found>, Diagnostic> {
        let mut batch = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next.take() {
            if let Some(end) = self.confirm(id, oracle) {
                return Ok(Some(end));
            }
            if let Some(reached) = &mut self.reached[id.index()] {
                reached.queued = false;
                self.prepare(id)?;
                batch.push(id);
            }
            // Searches that end soon do not pay for what they need not know.
            if batch.len() < MOST_AT_ONCE.min(1 + self.expanded / 8)
                && let Some((.., Entry::State(other))) = self.queue.first()
            {
                next = Some(*other);
                self.queue.pop_first();
            }
        }
        for (id, expansion) in batch.iter().zip(self.expand(&batch)) {
            if let Some(end) = self.expanded(*id, expansion, oracle) {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Takes note of an expansion and enters its successors.
    fn expanded(&mut self, id: StateId, expansion: Expansion, oracle: &mut O) -> Option<Found> {
        self.work.questions += expansion.work.questions;
        self.work.nodes += expansion.work.nodes;
        let count = expansion.successors.len();
        let is_new =
            self.reached[id.index()].as_mut().is_some_and(|reached| !std::mem::replace(&mut reached.expanded, true));
        self.expanded += usize::from(is_new);
        self.transitions += count;
        if self.options.incremental {
            let state = self.states.get(id).clone();
            let bytes = state_bytes(&state);
            self.record_bytes += bytes + expansion.record.bytes();
            if let Some(before) = self.records.insert(state, expansion.record) {
                self.record_bytes -= bytes + before.bytes();
            }
        }
        if let Some(limit) = expansion.stopped {
            return Some(Found::Stopped(limit));
        }
        if self.options.sketch {
            self.looked.push(id);
        }
        for (by, target, assumed) in expansion.successors {
            if assumed && self.refuted.contains(&(self.states.get(id).clone(), by, target.clone())) {
                continue;
            }
            let end = if self.options.sketch {
                let end = self.enter(target.clone(), Some((id, by)), assumed, oracle);
                // What is expanded again leads there again.
                let drawn = self.states.id(&target).map(|target| (id, by, target));
                self.drawn.extend(drawn.filter(|drawn| self.once.insert(*drawn)));
                end
            } else {
                self.enter(target, Some((id, by)), assumed, oracle)
            };
            if end.is_some() {
                return end;
            }
        }
        None
    }

    /// Expands states, in parallel where there are threads for it.
    fn expand(&self, batch: &[StateId]) -> Vec<Expansion> {
        // Soundness: a state that is only assumed to be reached may turn out not to be.
        let is_covered = |rule: &Rule, written: Written, state: &AbstractState| {
            let reached = self.states.id(state).and_then(|id| self.reached[id.index()].as_ref());
            let written = self.telling.of(self.watched.after(rule, written), state);
            reached.is_some_and(|reached| !reached.assumed && written.is_within(reached.written))
        };
        let expander = Expander {
            system: self.system,
            predicates: self.predicates,
            options: self.options,
            store: self.store,
            moves: &self.moves,
            watched: self.watched,
            records: &self.records,
            is_covered: &is_covered,
        };
        let expand = |id: &StateId| expander.expand(self.states.get(*id), self.written(*id), &mut *self.oracles.lend());
        if batch.len() == 1 || rayon::current_num_threads() == 1 {
            return batch.iter().map(expand).collect();
        }
        batch.par_iter().map(expand).collect()
    }

    /// Makes the moves of a state's locations.
    fn prepare(&mut self, id: StateId) -> Result<(), Diagnostic> {
        let Self { system, rules, predicates, moves, .. } = self;
        let locations = &self.states.get(id).locations;
        moves.prepare(locations, || {
            system.prepare_rules(locations, rules)?;
            Ok(Moves::new(system, predicates, rules.at(locations)))
        })
    }
}
