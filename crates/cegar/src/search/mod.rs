//! The search for an abstract unsafe path.
//!
//! Best-first by Hamming distance, ties as the strategy says. Every state that is taken from the queue is expanded fully; the search ends
//! with the first unsafe state that is reached, or when nothing is left, and then what was reached is an inductive invariant.
//!
//! **What is not decided.** A move whose question takes too long counts as possible wherever its guard permits it, and such a
//! transition is decided by itself when the search comes to need it; that is easier, as one target is asked for, and mostly not
//! needed. A proof that uses what was assumed is a proof.
//!
//! **Threads.** States near the head of the queue are expanded in advance when there are threads for it. An expansion is a
//! function of the state and of earlier iterations, and counts when its state is taken, so that neither results nor figures
//! depend on threads.

mod reach;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_abstraction::{AbstractState, PredicateSet, Rule, StateId, States, System};
use surefoot_jani::diagnostic::Diagnostic;
use surefoot_num::Random;
use surefoot_oracle::{BranchAndBound, Limit, Statistics};

use crate::expansion::{Expander, Expansion, Prepared};
use crate::heuristic::Heuristic;
use crate::options::Options;
use crate::path::AbstractPath;
use crate::starts::Start;
use crate::store::{Record, Store, state_bytes};

use reach::{Entry, Reached};

/// The rules of location vectors, made when they are first needed.
pub(crate) type Rules = FxHashMap<Box<[u32]>, Vec<Arc<Rule>>>;

/// A transition that was assumed and does not exist: source, move, target.
pub(crate) type Refuted = (AbstractState, u32, AbstractState);

/// Why a search or a run stopped before it knew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The oracle met a limit.
    Oracle(Limit),
    /// So many abstract states were reached.
    States(usize),
    /// So many iterations were made.
    Iterations(u64),
    /// So many nodes were searched in all.
    Work(u64),
}

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
pub(crate) struct Search<'s, 'm> {
    pub(crate) system: &'s mut System<'m>,
    pub(crate) rules: &'s mut Rules,
    pub(crate) predicates: &'s PredicateSet,
    pub(crate) heuristic: &'s Heuristic,
    pub(crate) options: &'s Options,
    pub(crate) store: &'s Store,
    oracles: &'s [Mutex<BranchAndBound>],
    refuted: &'s FxHashSet<Refuted>,
    prepared: FxHashMap<Box<[u32]>, Prepared>,
    states: States,
    /// Per state; `None` where the transitions that were assumed to lead there do not.
    reached: Vec<Option<Reached>>,
    queue: BTreeSet<(u32, i64, u64, Entry)>,
    in_advance: FxHashMap<StateId, Expansion>,
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
}

impl<'s, 'm> Search<'s, 'm> {
    #[expect(clippy::too_many_arguments, reason = "all that lives longer than a search")]
    pub(crate) fn new(
        system: &'s mut System<'m>,
        rules: &'s mut Rules,
        predicates: &'s PredicateSet,
        heuristic: &'s Heuristic,
        options: &'s Options,
        store: &'s Store,
        oracles: &'s [Mutex<BranchAndBound>],
        refuted: &'s FxHashSet<Refuted>,
    ) -> Self {
        Self {
            system,
            rules,
            predicates,
            heuristic,
            options,
            store,
            oracles,
            refuted,
            prepared: FxHashMap::default(),
            states: States::default(),
            reached: Vec::new(),
            queue: BTreeSet::new(),
            in_advance: FxHashMap::default(),
            records: FxHashMap::default(),
            starts: FxHashSet::default(),
            expanded: 0,
            transitions: 0,
            work: Statistics::default(),
            bytes: 0,
            record_bytes: 0,
            random: Random::new(options.seed),
        }
    }

    /// Searches from a start set, which is refined as far as needed. `work` nodes may be spent.
    pub(crate) fn run(
        &mut self,
        starts: &mut Vec<Start>,
        oracle: &mut BranchAndBound,
        work: Option<u64>,
    ) -> Result<Found, Diagnostic> {
        for (index, start) in starts.iter().enumerate() {
            let distance = self.heuristic.distance(&start.state);
            self.push(distance, 0, Entry::Start(index as u32));
        }
        while let Some((.., entry)) = self.queue.pop_first() {
            if let Some(limit) = self.options.limits.stop_now() {
                return Ok(Found::Stopped(Stop::Oracle(limit)));
            }
            if let Some(most) = self.options.states.filter(|most| self.states.len() > *most) {
                return Ok(Found::Stopped(Stop::States(most)));
            }
            let held = self.bytes + self.store.bytes();
            if let Some(most) = self.options.limits.memory.filter(|most| held > *most) {
                return Ok(Found::Stopped(Stop::Oracle(Limit::Memory(most))));
            }
            if work.is_some_and(|most| self.work.nodes > most) {
                return Ok(Found::Stopped(Stop::Work(self.options.work.unwrap_or_default())));
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
    fn start(&mut self, starts: &mut Vec<Start>, index: usize, oracle: &mut BranchAndBound) -> Option<Found> {
        let limits = &self.options.limits;
        let parts = match starts[index].refine(self.system, self.predicates, oracle, limits) {
            Ok(parts) => parts,
            Err(limit) => return Some(Found::Stopped(Stop::Oracle(limit))),
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

    /// Expands a state, if it is reached.
    fn visit(&mut self, id: StateId, oracle: &mut BranchAndBound) -> Result<Option<Found>, Diagnostic> {
        if let Some(end) = self.confirm(id, oracle) {
            return Ok(Some(end));
        }
        if self.reached[id.index()].is_none() {
            return Ok(None);
        }
        let expansion = self.expansion(id)?;
        self.count(expansion.work);
        self.expanded += 1;
        self.transitions += expansion.successors.len();
        if self.options.incremental {
            let state = self.states.get(id).clone();
            let bytes = state_bytes(&state) + expansion.record.bytes();
            (self.bytes, self.record_bytes) = (self.bytes + bytes, self.record_bytes + bytes);
            self.records.insert(state, expansion.record);
        }
        if let Some(limit) = expansion.stopped {
            return Ok(Some(Found::Stopped(Stop::Oracle(limit))));
        }
        for (by, target, assumed) in expansion.successors {
            if assumed && self.refuted.contains(&(self.states.get(id).clone(), by, target.clone())) {
                continue;
            }
            if let Some(end) = self.enter(target, Some((id, by)), assumed, oracle) {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// The states that were reached.
    pub(crate) fn invariant(&self) -> Vec<(StateId, AbstractState)> {
        let reached = self.states.iter().filter(|(id, _)| self.reached[id.index()].is_some());
        reached.map(|(id, state)| (id, state.clone())).collect()
    }

    /// What was found out, for later iterations.
    pub(crate) fn into_records(self) -> FxHashMap<AbstractState, Record> {
        self.records
    }

    fn count(&mut self, work: Statistics) {
        self.work.questions += work.questions;
        self.work.nodes += work.nodes;
    }

    /// The expansion of a state that was taken from the queue: made in advance, or now with some of those that are next.
    fn expansion(&mut self, id: StateId) -> Result<Expansion, Diagnostic> {
        if let Some(expansion) = self.in_advance.remove(&id) {
            return Ok(expansion);
        }
        let threads = rayon::current_num_threads();
        let mut ids = vec![id];
        let next = self.queue.iter().filter_map(|(.., entry)| match entry {
            Entry::State(id) if !self.in_advance.contains_key(id) => Some(*id),
            _ => None,
        });
        ids.extend(next.take(4 * (threads - 1)));
        for id in &ids {
            self.prepare(*id)?;
        }
        let expander = Expander {
            system: self.system,
            predicates: self.predicates,
            options: self.options,
            store: self.store,
            prepared: &self.prepared,
        };
        let expand = |id: &StateId| {
            let own = &self.oracles[rayon::current_thread_index().unwrap_or(0) % self.oracles.len()];
            // An oracle that was left by a panic is as good as new: questions do not depend on those before.
            let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
            expander.expand(self.states.get(*id), &mut own)
        };
        if ids.len() == 1 {
            return Ok(expand(&id));
        }
        let made: Vec<Expansion> = ids.par_iter().map(expand).collect();
        self.in_advance.extend(ids.into_iter().zip(made));
        Ok(self.in_advance.remove(&id).unwrap_or_default())
    }

    /// Makes the moves of a state's locations.
    fn prepare(&mut self, id: StateId) -> Result<(), Diagnostic> {
        let locations = &self.states.get(id).locations;
        if self.prepared.contains_key(locations) {
            return Ok(());
        }
        if !self.rules.contains_key(locations) {
            self.rules.insert(locations.clone(), self.system.rules(locations)?);
        }
        let prepared = Prepared::new(self.system, self.predicates, &self.rules[locations]);
        self.prepared.insert(locations.clone(), prepared);
        Ok(())
    }
}
