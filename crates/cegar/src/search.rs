//! The search for an abstract unsafe path.
//!
//! Best-first by Hamming distance, ties as the strategy says. Every state that is taken from the queue is expanded fully; the search ends
//! with the first unsafe state that is reached, or when nothing is left, and then what was reached is an inductive invariant.
//!
//! **Threads.** States near the head of the queue are expanded in advance when there are threads for it. An expansion is a
//! function of the state and of earlier iterations, and counts when its state is taken, so that neither results nor figures
//! depend on threads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_abstraction::moves::Move;
use surefoot_abstraction::{AbstractState, PredicateSet, Rule, StateId, States, System};
use surefoot_jani::diagnostic::Diagnostic;
use surefoot_num::Random;
use surefoot_oracle::{Assignment, BranchAndBound, Limit, Statistics};

use crate::heuristic::Heuristic;
use crate::options::{Options, Order};
use crate::path::{AbstractPath, End};
use crate::starts::by_box;
use crate::store::{Record, Store, Witness, lies_in, prefix};

/// The rules of location vectors, made when they are first needed.
pub(crate) type Rules = FxHashMap<Box<[u32]>, Vec<Arc<Rule>>>;

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

/// A state that was reached.
#[derive(Debug, Clone, Copy)]
struct Reached {
    parent: Option<(StateId, u32)>,
    depth: u32,
}

/// Moves of a location vector under the current predicates.
#[derive(Debug)]
struct Prepared {
    moves: Vec<Move>,
    /// Per move, the first one of the same operator with the same guard: whether it is chosen is the same question.
    same_guard: Vec<usize>,
}

/// The successors of an abstract state.
#[derive(Debug, Default)]
struct Expansion {
    successors: Vec<(u32, AbstractState)>,
    record: Record,
    stopped: Option<Limit>,
    work: Statistics,
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
    prepared: FxHashMap<Box<[u32]>, Prepared>,
    pub(crate) states: States,
    reached: Vec<Reached>,
    queue: BTreeSet<(u32, i64, u64, StateId)>,
    in_advance: FxHashMap<StateId, Expansion>,
    records: FxHashMap<AbstractState, Record>,
    pub(crate) expanded: usize,
    pub(crate) transitions: usize,
    pub(crate) work: Statistics,
    random: Random,
}

impl<'s, 'm> Search<'s, 'm> {
    pub(crate) fn new(
        system: &'s mut System<'m>,
        rules: &'s mut Rules,
        predicates: &'s PredicateSet,
        heuristic: &'s Heuristic,
        options: &'s Options,
        store: &'s Store,
        oracles: &'s [Mutex<BranchAndBound>],
    ) -> Self {
        Self {
            system,
            rules,
            predicates,
            heuristic,
            options,
            store,
            oracles,
            prepared: FxHashMap::default(),
            states: States::default(),
            reached: Vec::new(),
            queue: BTreeSet::new(),
            in_advance: FxHashMap::default(),
            records: FxHashMap::default(),
            expanded: 0,
            transitions: 0,
            work: Statistics::default(),
            random: Random::new(options.seed),
        }
    }

    /// Searches from given states. `work` nodes may be spent.
    pub(crate) fn run(
        &mut self,
        starts: &[AbstractState],
        oracle: &mut BranchAndBound,
        work: Option<u64>,
    ) -> Result<Found, Diagnostic> {
        for start in starts {
            if let Some(end) = self.enter(start.clone(), None, oracle) {
                return Ok(end);
            }
        }
        while let Some(next) = self.queue.pop_first() {
            if let Some(limit) = self.options.limits.stop_now() {
                return Ok(Found::Stopped(Stop::Oracle(limit)));
            }
            if let Some(most) = self.options.states.filter(|most| self.states.len() > *most) {
                return Ok(Found::Stopped(Stop::States(most)));
            }
            if work.is_some_and(|most| self.work.nodes > most) {
                return Ok(Found::Stopped(Stop::Work(self.options.work.unwrap_or_default())));
            }
            let id = next.3;
            let expansion = self.expansion(id)?;
            self.count(expansion.work);
            self.expanded += 1;
            self.transitions += expansion.successors.len();
            if self.options.incremental {
                self.records.insert(self.states.get(id).clone(), expansion.record);
            }
            if let Some(limit) = expansion.stopped {
                return Ok(Found::Stopped(Stop::Oracle(limit)));
            }
            for (by, target) in expansion.successors {
                if let Some(end) = self.enter(target, Some((id, by)), oracle) {
                    return Ok(end);
                }
            }
        }
        Ok(Found::Nothing)
    }

    /// What was found out, for later iterations.
    pub(crate) fn into_records(self) -> FxHashMap<AbstractState, Record> {
        self.records
    }

    fn count(&mut self, work: Statistics) {
        self.work.questions += work.questions;
        self.work.nodes += work.nodes;
    }

    /// Enters a state; the end of the search if it is unsafe.
    fn enter(
        &mut self,
        state: AbstractState,
        parent: Option<(StateId, u32)>,
        oracle: &mut BranchAndBound,
    ) -> Option<Found> {
        let (id, new) = self.states.insert(state);
        if !new {
            return None;
        }
        let depth = parent.map_or(0, |(id, _)| self.reached[id.index()].depth + 1);
        self.reached.push(Reached { parent, depth });
        let state = self.states.get(id);
        let is_unsafe = self.heuristic.is_unsafe(self.system, self.predicates, state, oracle, &self.options.limits);
        match is_unsafe {
            Ok(true) => return Some(Found::Path(self.path_to(id, End::Unsafe))),
            Ok(false) => {}
            Err(limit) => return Some(Found::Stopped(Stop::Oracle(limit))),
        }
        let distance = self.heuristic.distance(state);
        let tie = if self.options.seed == 0 { 0 } else { self.random.next_u64() };
        let key = match self.options.strategy.order {
            Order::DeepestFirst => (distance, -i64::from(depth), tie, id),
            Order::ShallowestFirst => (distance, i64::from(depth), tie, id),
            Order::BreadthFirst => (0, i64::from(depth), tie, id),
        };
        self.queue.insert(key);
        None
    }

    /// The path on which a state was reached first.
    pub(crate) fn path_to(&self, id: StateId, end: End) -> AbstractPath {
        let (mut states, mut steps) = (vec![self.states.get(id).clone()], Vec::new());
        let mut at = id;
        while let Some((parent, by)) = self.reached[at.index()].parent {
            let source = self.states.get(parent);
            steps.push(self.rules[&source.locations][by as usize].clone());
            states.push(source.clone());
            at = parent;
        }
        states.reverse();
        steps.reverse();
        AbstractPath { states, steps, end }
    }

    /// The expansion of a state that was taken from the queue: made in advance, or now with some of those that are next.
    fn expansion(&mut self, id: StateId) -> Result<Expansion, Diagnostic> {
        if let Some(expansion) = self.in_advance.remove(&id) {
            return Ok(expansion);
        }
        let threads = rayon::current_num_threads();
        let mut ids = vec![id];
        let next = self.queue.iter().map(|(.., id)| *id).filter(|id| !self.in_advance.contains_key(id));
        ids.extend(next.take(4 * (threads - 1)));
        for id in &ids {
            self.prepare(*id)?;
        }
        let expand = |id: &StateId| {
            let own = &self.oracles[rayon::current_thread_index().unwrap_or(0) % self.oracles.len()];
            // An oracle that was left by a panic is as good as new: questions do not depend on those before.
            let mut own = own.lock().unwrap_or_else(PoisonError::into_inner);
            self.expand(self.system, self.states.get(*id), &mut own)
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
        let rules = &self.rules[locations];
        let moves: Vec<Move> = rules.iter().map(|rule| self.system.prepared(self.predicates, rule)).collect();
        let first = |by: usize| {
            let same = |other: &Arc<Rule>| other.operator == rules[by].operator && other.formula == rules[by].formula;
            rules[..by].iter().position(same).unwrap_or(by)
        };
        let same_guard = (0..rules.len()).map(first).collect();
        self.prepared.insert(locations.clone(), Prepared { moves, same_guard });
        Ok(())
    }

    fn expand(&self, system: &System<'_>, state: &AbstractState, oracle: &mut BranchAndBound) -> Expansion {
        let prepared = &self.prepared[&state.locations];
        let before = oracle.statistics();
        let bounds = system.bounds(self.predicates, state);
        let known = self.store.find(state);
        let uncut = known.map(|(count, _)| self.is_uncut(system, state, count));
        let mut expansion = Expansion::default();
        for (by, step) in prepared.moves.iter().enumerate() {
            let refuted_as = prepared.same_guard[by];
            let mut found = Vec::new();
            let refuted = refuted_as < by && expansion.record.witnesses(refuted_as).is_empty();
            if !refuted && !step.is_excluded(&bounds) {
                let earlier = known.map(|(count, record)| (count, record.witnesses(by), uncut.unwrap_or(false)));
                found = self.successors(step, state, earlier, oracle, &mut expansion.stopped);
            }
            expansion.successors.extend(found.iter().map(|(a, _)| (by as u32, step.successor(state, a))));
            expansion.record.add(by, found.into_iter().map(|(_, witness)| witness).collect());
        }
        expansion.work = oracle.statistics().since(&before);
        expansion
    }

    /// Whether the predicates after the first `count` leave the cell of a state as it was.
    fn is_uncut(&self, system: &System<'_>, state: &AbstractState, count: usize) -> bool {
        let parent = prefix(state, count);
        let bounds = system.bounds(self.predicates, &parent);
        (count..self.predicates.len()).all(|p| by_box(self.predicates, p, &bounds) == Some(state.values.get(p)))
    }

    /// The successors of one move, by assignment of what it tracks.
    fn successors(
        &self,
        step: &Move,
        state: &AbstractState,
        earlier: Option<(usize, &[Witness], bool)>,
        oracle: &mut BranchAndBound,
        stopped: &mut Option<Limit>,
    ) -> Vec<(Assignment, Witness)> {
        let mut known: BTreeMap<Assignment, Witness> = BTreeMap::new();
        if let Some((count, witnesses, uncut)) = earlier {
            if witnesses.is_empty() {
                return Vec::new();
            }
            for witness in witnesses.iter().filter(|w| lies_in(w, state, self.predicates, count)) {
                let assignment = step.assignment_at(&step.point(witness));
                known.entry(assignment).or_insert_with(|| witness.clone());
            }
            if uncut && step.is_settled_from(count) {
                return known.into_iter().collect();
            }
        }
        let excluded: FxHashSet<Assignment> = known.keys().cloned().collect();
        let more = step.successors(state, &excluded, oracle, &self.options.limits);
        *stopped = stopped.or(more.stopped);
        known.extend(more.found.into_iter().map(|(a, point)| (a, step.values(self.system, state, &point))));
        known.into_iter().collect()
    }
}
