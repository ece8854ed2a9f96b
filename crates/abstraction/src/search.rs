//! Forward search: all abstract states that are reachable from the start, level by level.
//!
//! States of one level are expanded in rounds, in parallel; what they lead to is entered in the order of the states, so numbers,
//! transitions and witnesses do not depend on threads. Limits are looked at between rounds. A state whose expansion met one
//! does not count as expanded: where transitions are recorded, they are all there are.

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use surefoot_limits::{Stop, Unit};
use surefoot_linear::Formula;
use surefoot_oracle::{Answer, FullOracle, Limits, Oracle, Statistics};
use surefoot_verdict::Reporter;

use crate::locations::ByLocations;
use crate::oracles::{Lent, Oracles, counted};
use crate::predicate::PredicateSet;
use crate::reachable::{Abstraction, Early, Failure};
use crate::state::{AbstractState, StateId};
use crate::system::System;
use crate::transition::{Method, Transition, transitions};

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
    /// At most this many states, except that start states are all entered.
    pub states: Option<usize>,
    /// Limits of the whole search; nodes are counted per question. Memory is that of the result, and that of a question's open
    /// nodes.
    pub limits: Limits,
}

/// States of a round.
const ROUND: usize = 512;

fn most_states(most: usize) -> Stop {
    Stop::Most(Unit::States, most as u64)
}

struct Search<'s, 'm, O> {
    system: &'s mut System<'m>,
    predicates: &'s PredicateSet,
    options: &'s Options,
    /// The unsafe states.
    reach: ByLocations<Formula>,
    oracles: &'s Oracles<O>,
    reporter: &'s dyn Reporter,
    result: Abstraction,
}

/// Computes the reachable part of the abstraction.
///
/// # Errors
/// When something cannot be lowered, or no state satisfies the start condition.
pub fn search<O: FullOracle>(
    system: &mut System<'_>,
    predicates: &PredicateSet,
    options: &Options,
    oracles: &Oracles<O>,
    reporter: &dyn Reporter,
) -> Result<Abstraction, Failure> {
    let (reach, result) = (ByLocations::default(), Abstraction::default());
    let mut search = Search { system, predicates, options, reach, oracles, reporter, result };
    search.start()?;
    search.run()?;
    Ok(search.result)
}

impl<O: FullOracle> Search<'_, '_, O> {
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

    /// Enters all abstract states that meet a condition.
    fn start_condition(&mut self, condition: &Formula) {
        let (system, predicates, limits) = (&*self.system, self.predicates, &self.options.limits);
        let (starting, work) =
            counted(&mut *self.oracles.lend(), |oracle| system.abstract_all(predicates, condition, oracle, limits));
        self.count(work);
        for (state, _) in starting.found {
            self.enter(state);
        }
        if let Some(stop) = starting.stopped {
            self.result.stopped = Some(Early::Limit(stop));
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
        let new: Vec<StateId> = self.result.states.since(self.result.is_unsafe.len()).collect();
        for id in &new {
            let locations = &self.result.states.get(*id).locations;
            let here = || Ok(self.system.lowering.at_all_locations(&self.system.reach, locations));
            let Ok::<(), std::convert::Infallible>(()) = self.reach.prepare(locations, here);
        }
        let search = &*self;
        let judge = |oracle: &mut Lent<'_, O>, id: &StateId| {
            counted(&mut **oracle, |oracle| search.ask_unsafe(search.result.states.get(*id), oracle))
        };
        let answers: Vec<(Answer, Statistics)> = new.par_iter().map_init(|| search.oracles.lend(), judge).collect();
        for (answer, work) in answers {
            self.count(work);
            // What is not known counts as unsafe.
            self.result.is_unsafe.push(answer != Answer::Unsat);
            if let Answer::Unknown(stop) = answer {
                self.result.stopped = Some(Early::Limit(stop));
            }
        }
    }

    /// Asks whether an abstract state holds an unsafe state.
    fn ask_unsafe(&self, state: &AbstractState, oracle: &mut impl Oracle) -> Answer {
        let reach = self.reach.at(&state.locations);
        if reach.is_falsity() {
            return Answer::Unsat;
        }
        self.system.cell(self.predicates, state).ask(oracle, reach, None, &self.options.limits)
    }

    fn count(&mut self, work: Statistics) {
        self.result.questions += work.questions;
        self.result.nodes += work.nodes;
    }

    fn run(&mut self) -> Result<(), Failure> {
        let mut level: Vec<StateId> = self.result.states.since(0).collect();
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
            let reached = self.result.states.len();
            self.level(&level)?;
            level = self.result.states.since(reached).collect();
        }
        Ok(())
    }

    /// Expands the states of a level, round by round.
    fn level(&mut self, level: &[StateId]) -> Result<(), Failure> {
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
        Ok(())
    }

    /// The limit that has been reached.
    fn limit(&self) -> Option<Stop> {
        let states = self.options.states.filter(|most| self.result.states.len() > *most).map(most_states);
        states.or_else(|| self.options.limits.exceeded(self.result.bytes()))
    }

    /// Enters what a state leads to, all or nothing.
    fn record(&mut self, id: StateId, expansion: Expanded) -> Result<(), Stop> {
        self.count(expansion.work);
        if let Some(stop) = expansion.stopped {
            return Err(stop);
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
        let Self { system, predicates, result, .. } = self;
        let Abstraction { states, moves, held, .. } = result;
        for id in round {
            let locations = &states.get(*id).locations;
            moves.prepare(locations, || {
                let moves = system.moves(predicates, locations)?;
                *held += moves.bytes();
                Ok::<_, Failure>(moves)
            })?;
        }
        Ok(())
    }

    fn expand_all(&self, round: &[StateId]) -> Vec<Expanded> {
        let (system, predicates, options) = (&*self.system, self.predicates, self.options);
        let expand = |oracle: &mut Lent<'_, O>, id: &StateId| {
            let state = self.result.states.get(*id);
            let moves = self.result.moves.at(&state.locations);
            let ((transitions, stopped), work) = counted(&mut **oracle, |oracle| {
                transitions(system, predicates, moves, state, options.method, oracle, &options.limits)
            });
            Expanded { transitions, stopped, work }
        };
        round.par_iter().map_init(|| self.oracles.lend(), expand).collect()
    }
}

/// What the expansion of a state gave.
struct Expanded {
    transitions: Vec<Transition>,
    stopped: Option<Stop>,
    work: Statistics,
}
