//! Forward search: all abstract states that are reachable from the start, level by level.
//!
//! States of one level are expanded in parallel; what they lead to is entered in the order of the states, so numbers,
//! transitions and witnesses do not depend on threads.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_jani::diagnostic::Diagnostic;
use surefoot_model::State;
use surefoot_oracle::{
    AllAssignments, Answer, Assignment, BranchAndBound, Limit, Limits, Oracle, Question, Statistics,
};
use surefoot_symbolic::{Formula, Symbol};

use crate::expand::{Method, Transition, expand};
use crate::moves::Move;
use crate::predicate::PredicateSet;
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
    /// At most this many states.
    pub states: Option<usize>,
    /// Limits of the whole search; nodes are counted per question.
    pub limits: Limits,
}

/// Why a search ended before all was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// An unsafe state was found, and that was enough.
    Unsafe,
    /// So many states were reached.
    States(usize),
    /// The oracle met a limit.
    Oracle(Limit),
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
    pub stopped: Option<Stop>,
    /// Per locations, the moves that transitions are by.
    pub moves: FxHashMap<Box<[u32]>, Vec<Move>>,
    /// Questions asked of the oracle.
    pub questions: u64,
    /// Nodes of its search trees.
    pub nodes: u64,
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

struct Search<'s, 'm> {
    system: &'s mut System<'m>,
    predicates: &'s PredicateSet,
    options: &'s Options,
    moves: FxHashMap<Box<[u32]>, Vec<Move>>,
    oracle: BranchAndBound,
    result: Abstraction,
}

/// Computes the reachable part of the abstraction.
///
/// # Errors
/// When something cannot be lowered, or no state satisfies the start condition.
pub fn search(system: &mut System<'_>, predicates: &PredicateSet, options: &Options) -> Result<Abstraction, Failure> {
    let oracle = BranchAndBound::new(options.oracle.clone());
    let mut search =
        Search { system, predicates, options, moves: FxHashMap::default(), oracle, result: Abstraction::default() };
    search.start()?;
    search.run()?;
    let own = search.oracle.statistics();
    search.count(own);
    search.result.moves = search.moves;
    Ok(search.result)
}

impl Search<'_, '_> {
    /// Enters the abstract states of the start set.
    fn start(&mut self) -> Result<(), Failure> {
        let listed: Vec<AbstractState> = self.system.start_states.iter().map(|state| self.abstract_of(state)).collect();
        for state in listed {
            self.enter(state);
        }
        for condition in self.system.start_conditions.clone() {
            self.start_condition(&condition);
        }
        self.result.start = self.result.states.len();
        if self.result.start == 0 && self.result.stopped.is_none() {
            return Err(Failure::NoStart);
        }
        Ok(())
    }

    /// The abstract state of a concrete one.
    fn abstract_of(&self, state: &State) -> AbstractState {
        let instances = self.system.model().instances.len();
        let location = |slot: usize| {
            let number = state.0[slot].to_i64().and_then(|l| u32::try_from(l).ok());
            number.expect("locations are numbers from 0")
        };
        let value = |predicate: &Formula| predicate.eval(&|slot: Symbol| state.0[slot as usize].clone());
        let values = Assignment::new(self.predicates.formulas().iter().map(value));
        AbstractState { locations: (0..instances).map(location).collect(), values }
    }

    /// All abstract states that meet a condition: their assignments are found in one search over all slots, locations
    /// tracked as the predicates are.
    fn start_condition(&mut self, condition: &Formula) {
        let model = self.system.model();
        let slots = model.slots.len() as Symbol;
        let variables = (0..slots).map(|slot| self.system.slot_variable(slot)).collect();
        let question = Question { variables, applications: Vec::new(), formula: condition.clone() };
        let mut tracked = self.predicates.formulas().to_vec();
        for (instance, automaton) in model.instances.iter().enumerate() {
            tracked.extend((0..automaton.locations.len() as u32).map(|l| self.system.lowering.at(instance, l)));
        }
        let found = self.oracle.assignments(&question, &tracked, &FxHashSet::default(), &self.options.limits);
        for witness in found.found.values() {
            let state = self.abstract_of(&State(witness.clone().into()));
            self.enter(state);
        }
        if let Some(limit) = found.stopped {
            self.result.stopped = Some(Stop::Oracle(limit));
        }
    }

    fn enter(&mut self, state: AbstractState) -> StateId {
        let (id, new) = self.result.states.insert(state);
        if new {
            let is_unsafe = self.holds_unsafe(id);
            self.result.is_unsafe.push(is_unsafe);
            self.result.transitions.push(Vec::new());
        }
        id
    }

    /// Whether an abstract state holds an unsafe state. An answer that is not known counts as yes.
    fn holds_unsafe(&mut self, id: StateId) -> bool {
        let state = self.result.states.get(id).clone();
        let reach = self.system.lowering.at_all_locations(&self.system.reach, &state.locations);
        if reach.is_falsity() {
            return false;
        }
        let literal = |(predicate, value): (&Formula, bool)| {
            let here = self.system.lowering.at_all_locations(predicate, &state.locations);
            if value { here } else { self.system.lowering.space().negated(&here) }
        };
        let literals: Vec<Formula> = self.predicates.formulas().iter().zip(state.values.iter()).map(literal).collect();
        let slots = self.system.model().slots.len() as Symbol;
        let variables = (0..slots).map(|slot| self.system.slot_variable(slot)).collect();
        let formula = Formula::all(literals.into_iter().chain([reach]));
        let question = Question { variables, applications: Vec::new(), formula };
        match self.oracle.decide(&question, &self.options.limits) {
            Answer::Sat(_) => true,
            Answer::Unsat => false,
            Answer::Unknown(limit) => {
                self.result.stopped = Some(Stop::Oracle(limit));
                true
            }
        }
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
                self.result.stopped = Some(Stop::Unsafe);
                break;
            }
            level.retain(|id| expand_unsafe || !self.result.is_unsafe[id.index()]);
            expand_unsafe = self.options.expand_unsafe;
            if let Some(limit) = self.options.limits.stop_now() {
                self.result.stopped = Some(Stop::Oracle(limit));
                break;
            }
            self.prepare(&level)?;
            let expanded = self.expand_level(&level);
            let mut next = Vec::new();
            for (id, (transitions, stopped, work)) in level.iter().zip(expanded) {
                self.count(work);
                self.result.expanded.push(*id);
                for transition in transitions {
                    let before = self.result.states.len();
                    let target = self.enter(transition.target.clone());
                    if self.result.states.len() > before {
                        next.push(target);
                    }
                    self.result.transitions[id.index()].push((transition, target));
                }
                if let Some(limit) = stopped {
                    self.result.stopped = Some(Stop::Oracle(limit));
                }
            }
            if let Some(most) = self.options.states
                && self.result.states.len() > most
            {
                self.result.stopped = self.result.stopped.or(Some(Stop::States(most)));
            }
            level = next;
        }
        Ok(())
    }

    /// Lowers the moves of all locations of a level.
    fn prepare(&mut self, level: &[StateId]) -> Result<(), Failure> {
        for id in level {
            let locations = self.result.states.get(*id).locations.clone();
            if !self.moves.contains_key(&locations) {
                let moves = self.system.moves(self.predicates, &locations);
                let moves = moves.map_err(|refusal| Failure::Refused(Box::new(refusal)))?;
                self.moves.insert(locations, moves);
            }
        }
        Ok(())
    }

    fn expand_level(&self, level: &[StateId]) -> Vec<(Vec<Transition>, Option<Limit>, Statistics)> {
        let (system, predicates, states, moves) = (&*self.system, self.predicates, &self.result.states, &self.moves);
        let options = self.options;
        level
            .par_iter()
            .map_init(
                || BranchAndBound::new(options.oracle.clone()),
                |oracle, id| {
                    let state = states.get(*id);
                    let before = oracle.statistics();
                    let moves = &moves[&state.locations];
                    let (transitions, stopped) =
                        expand(system, predicates, moves, state, options.method, oracle, &options.limits);
                    (transitions, stopped, oracle.statistics().since(&before))
                },
            )
            .collect()
    }
}
