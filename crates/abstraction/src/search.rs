//! Forward search: all abstract states that are reachable from the start, level by level.
//!
//! States of one level are expanded in rounds, in parallel; what they lead to is entered in the order of the states, so numbers,
//! transitions and witnesses do not depend on threads. Limits are looked at between rounds. A state whose expansion met one
//! does not count as expanded: where transitions are recorded, they are all there are.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_limits::{Stop, Unit};
use surefoot_linear::{Formula, Symbol};
use surefoot_model::State;
use surefoot_oracle::{AllAssignments, Answer, BranchAndBound, KeepStatistics, Limits, Question, Statistics};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::{Reporter, Silent};

use crate::expand::{Method, Transition, expand};
use crate::moves::Move;
use crate::oracles::{Lent, Oracles};
use crate::predicate::PredicateSet;
use crate::progress::Reached;
use crate::region::Region;
use crate::state::{AbstractState, StateId, States};
use crate::system::System;

/// How to search.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Stop at the first unsafe state.
    pub first_unsafe: bool,
    /// Expand unsafe states too.
    pub expand_unsafe: bool,
    /// Expand start states that are unsafe.
    pub expand_unsafe_start: bool,
    /// How successors are found.
    pub method: Method,
    /// For the oracle.
    pub oracle: surefoot_oracle::Options,
    /// At most this many states, except that start states are all entered.
    pub states: Option<usize>,
    /// Limits of the whole search; nodes are counted per question. Memory is that of the result, and that of a question's open
    /// nodes.
    pub limits: Limits,
}

/// States of a round.
const ROUND: usize = 512;

/// Why a search ended before all was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Early {
    /// An unsafe state was found, and that was enough.
    Unsafe,
    /// A limit was met.
    Limit(Stop),
}

fn most_states(most: usize) -> Stop {
    Stop::Most(Unit::States, most as u64)
}

/// The reachable part of the abstraction.
#[derive(Debug, Clone, Default)]
pub struct Abstraction {
    /// The states, start states first.
    pub states: States,
    /// How many of them are start states.
    pub start: usize,
    /// Per state, whether it holds an unsafe state.
    pub is_unsafe: Vec<bool>,
    /// Per state, its transitions; none where it was not expanded.
    pub transitions: Vec<Vec<(Transition, StateId)>>,
    /// States that were expanded.
    pub expanded: Vec<StateId>,
    /// Why not all is known, if it is not.
    pub stopped: Option<Early>,
    /// Per locations, the moves that transitions are by.
    pub moves: FxHashMap<Box<[u32]>, Vec<Move>>,
    /// Questions asked of the oracle.
    pub questions: u64,
    /// Nodes of its search trees.
    pub nodes: u64,
    /// Levels that were begun.
    pub depth: usize,
    /// States that wait to be expanded: none unless a limit was met.
    pub queue: usize,
    /// Bytes behind transitions and moves.
    held: usize,
}

impl Abstraction {
    /// The bytes that states, transitions and moves take, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.bytes() + self.held
    }

    /// How far it goes.
    #[must_use]
    pub fn reached(&self) -> Reached {
        let (states, expanded) = (self.states.len(), self.expanded.len());
        Reached { states, expanded, queue: self.queue, depth: self.depth, questions: self.questions }
    }
}

/// Why there is no abstraction.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Something cannot be lowered.
    #[error("{}", .0.message)]
    Refused(Box<Diagnostic>),
    /// There is no start state.
    #[error("the start set is empty")]
    NoStart,
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Refused(Box::new(diagnostic))
    }
}

struct Search<'s, 'm> {
    system: &'s mut System<'m>,
    predicates: &'s PredicateSet,
    options: &'s Options,
    moves: FxHashMap<Box<[u32]>, Vec<Move>>,
    /// Per locations, the unsafe states.
    reach: FxHashMap<Box<[u32]>, Formula>,
    oracles: Oracles,
    reporter: &'s dyn Reporter,
    result: Abstraction,
}

/// Computes the reachable part of the abstraction.
///
/// # Errors
/// When something cannot be lowered, or no state satisfies the start condition.
pub fn search(system: &mut System<'_>, predicates: &PredicateSet, options: &Options) -> Result<Abstraction, Failure> {
    search_reporting(system, predicates, options, &Silent)
}

/// Like [`search`], telling how far it is.
///
/// # Errors
/// As [`search`].
pub fn search_reporting(
    system: &mut System<'_>,
    predicates: &PredicateSet,
    options: &Options,
    reporter: &dyn Reporter,
) -> Result<Abstraction, Failure> {
    let mut search = Search {
        system,
        predicates,
        options,
        moves: FxHashMap::default(),
        reach: FxHashMap::default(),
        oracles: Oracles::new(options.oracle.clone()),
        reporter,
        result: Abstraction::default(),
    };
    search.start()?;
    search.run()?;
    search.result.moves = search.moves;
    Ok(search.result)
}

impl Search<'_, '_> {
    /// Enters the abstract states of the start set.
    fn start(&mut self) -> Result<(), Failure> {
        let listed: Vec<AbstractState> =
            self.system.start_states.iter().map(|s| self.system.abstract_of(self.predicates, s)).collect();
        for state in listed {
            self.enter(state);
        }
        for condition in self.system.start_conditions.clone() {
            self.start_condition(&condition);
        }
        self.judge();
        self.result.start = self.result.states.len();
        if self.result.start == 0 && self.result.stopped.is_none() {
            return Err(Failure::NoStart);
        }
        Ok(())
    }

    /// All abstract states that meet a condition: their assignments are found in one search over all slots, locations
    /// tracked as the predicates are.
    fn start_condition(&mut self, condition: &Formula) {
        let model = self.system.model();
        let slots = Symbol::first(model.slots.len());
        let variables = slots.map(|slot| self.system.slot_variable(slot)).collect();
        let question = Question { variables, applications: Vec::new(), formula: condition.clone() };
        let mut tracked = self.predicates.formulas().to_vec();
        for (instance, automaton) in model.instances.iter().enumerate() {
            tracked.extend((0..automaton.locations.len() as u32).map(|l| self.system.lowering.at(instance, l)));
        }
        let mut oracle = self.oracles.lend();
        let before = oracle.statistics();
        let found = oracle.assignments(&question, &tracked, &FxHashSet::default(), &self.options.limits);
        let work = oracle.statistics().since(&before);
        drop(oracle);
        self.count(work);
        for witness in found.found.values() {
            let state = self.system.abstract_of(self.predicates, &State(witness.clone().into()));
            self.enter(state);
        }
        if let Some(limit) = found.stopped {
            self.result.stopped = Some(Early::Limit(limit));
        }
    }

    fn enter(&mut self, state: AbstractState) -> StateId {
        let (id, new) = self.result.states.insert(state);
        if new {
            self.result.transitions.push(Vec::new());
        }
        id
    }

    /// Finds out which states are unsafe, of those entered since.
    fn judge(&mut self) {
        let (known, all) = (self.result.is_unsafe.len(), self.result.states.len());
        for index in known..all {
            let locations = &self.result.states.get(StateId(index as u32)).locations;
            if !self.reach.contains_key(locations) {
                let here = self.system.lowering.at_all_locations(&self.system.reach, locations);
                self.reach.insert(locations.clone(), here);
            }
        }
        let search = &*self;
        let judge = |oracle: &mut Lent<'_>, index: usize| {
            let before = oracle.statistics();
            let answer = search.ask_unsafe(search.result.states.get(StateId(index as u32)), oracle);
            (answer, oracle.statistics().since(&before))
        };
        let answers: Vec<(Answer, Statistics)> =
            (known..all).into_par_iter().map_init(|| search.oracles.lend(), judge).collect();
        for (answer, work) in answers {
            self.count(work);
            // What is not known counts as unsafe.
            self.result.is_unsafe.push(answer != Answer::Unsat);
            if let Answer::Unknown(limit) = answer {
                self.result.stopped = Some(Early::Limit(limit));
            }
        }
    }

    /// Asks whether an abstract state holds an unsafe state.
    fn ask_unsafe(&self, state: &AbstractState, oracle: &mut BranchAndBound) -> Answer {
        let reach = &self.reach[&state.locations];
        if reach.is_falsity() {
            return Answer::Unsat;
        }
        Region::of(self.system, self.predicates, state).ask(oracle, reach, None, &self.options.limits)
    }

    fn count(&mut self, work: Statistics) {
        self.result.questions += work.questions;
        self.result.nodes += work.nodes;
    }

    fn run(&mut self) -> Result<(), Failure> {
        let mut level: Vec<StateId> = self.result.states.iter().map(|(id, _)| id).collect();
        let mut expand_unsafe = self.options.expand_unsafe || self.options.expand_unsafe_start;
        while !level.is_empty() && self.result.stopped.is_none() {
            if self.options.first_unsafe && self.result.is_unsafe.iter().any(|u| *u) {
                self.result.stopped = Some(Early::Unsafe);
                break;
            }
            level.retain(|id| expand_unsafe || !self.result.is_unsafe[id.index()]);
            expand_unsafe = self.options.expand_unsafe;
            self.result.queue = level.len();
            if level.is_empty() {
                break;
            }
            self.result.depth += 1;
            let (reached, before) = (self.result.states.len(), self.result.expanded.len());
            for round in level.chunks(ROUND) {
                self.result.stopped = self.result.stopped.or_else(|| self.limit().map(Early::Limit));
                if self.result.stopped.is_some() {
                    break;
                }
                self.prepare(round)?;
                let expanded = self.expand_all(round);
                for (id, expansion) in round.iter().zip(expanded) {
                    if let Err(stop) = self.record(*id, expansion) {
                        self.result.stopped = Some(Early::Limit(stop));
                        break;
                    }
                }
                self.judge();
                let done = self.result.expanded.len() - before;
                self.result.queue = level.len() - done + self.result.states.len() - reached;
                self.reporter.tell(&self.result.reached());
            }
            level = (reached..self.result.states.len()).map(|index| StateId(index as u32)).collect();
        }
        Ok(())
    }

    /// The limit that has been reached.
    fn limit(&self) -> Option<Stop> {
        let limits = &self.options.limits;
        let states = self.options.states.filter(|most| self.result.states.len() > *most).map(most_states);
        states.or_else(|| limits.exceeded(self.result.bytes()))
    }

    /// Enters what a state leads to, all or nothing.
    fn record(&mut self, id: StateId, expansion: Expanded) -> Result<(), Stop> {
        self.count(expansion.work);
        if let Some(limit) = expansion.stopped {
            return Err(limit);
        }
        if let Some(most) = self.options.states {
            let new = expansion.transitions.iter().map(|transition| &transition.target);
            let new: FxHashSet<_> = new.filter(|target| self.result.states.id(target).is_none()).collect();
            if self.result.states.len() + new.len() > most {
                return Err(most_states(most));
            }
        }
        let mut list = Vec::with_capacity(expansion.transitions.len());
        for transition in expansion.transitions {
            let target = self.enter(transition.target.clone());
            list.push((transition, target));
        }
        self.result.held += list.iter().map(|(transition, _)| transition.bytes()).sum::<usize>();
        self.result.transitions[id.index()] = list;
        self.result.expanded.push(id);
        Ok(())
    }

    /// Lowers the moves of all locations of a round.
    fn prepare(&mut self, round: &[StateId]) -> Result<(), Failure> {
        for id in round {
            let locations = self.result.states.get(*id).locations.clone();
            if !self.moves.contains_key(&locations) {
                let moves = self.system.moves(self.predicates, &locations)?;
                self.result.held += moves.iter().map(Move::bytes).sum::<usize>();
                self.moves.insert(locations, moves);
            }
        }
        Ok(())
    }

    fn expand_all(&self, round: &[StateId]) -> Vec<Expanded> {
        let (system, predicates, states, moves) = (&*self.system, self.predicates, &self.result.states, &self.moves);
        let options = self.options;
        round
            .par_iter()
            .map_init(
                || self.oracles.lend(),
                |oracle, id| {
                    let state = states.get(*id);
                    let before = oracle.statistics();
                    let moves = &moves[&state.locations];
                    let (transitions, stopped) =
                        expand(system, predicates, moves, state, options.method, oracle, &options.limits);
                    Expanded { transitions, stopped, work: oracle.statistics().since(&before) }
                },
            )
            .collect()
    }
}

/// What the expansion of a state gave.
struct Expanded {
    transitions: Vec<Transition>,
    stopped: Option<Stop>,
    work: Statistics,
}
