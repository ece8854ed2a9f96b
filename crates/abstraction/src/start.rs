//! The abstract start states, refined as far as someone needs them.
//!
//! A [`Start`] is a part of the start set: listed states, or what satisfies a condition, with the truth values of the first
//! predicates. A search may refine it to the current predicates when it comes to it, so that parts which it never looks at cost nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_model::State;
use surefoot_oracle::{AllAssignments, Assignment, Limits};

use crate::predicate::PredicateSet;
use crate::state::AbstractState;
use crate::system::System;

/// A part of the start set in one abstract state over the first predicates.
#[derive(Debug, Clone)]
pub struct Start {
    /// The abstract state over the first predicates.
    pub state: AbstractState,
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    /// Listed states, by their numbers.
    Listed(Vec<u32>),
    /// What the box of the abstract state leaves of a condition. Conditions may be long lists of cases, of which a small box
    /// leaves little.
    Condition(Arc<Formula>),
}

/// The abstraction of a set of states: the abstract states that hold some of them.
#[derive(Debug, Clone, Default)]
pub struct AbstractSet {
    /// They, each with one state of the set.
    pub found: Vec<(AbstractState, State)>,
    /// The limit that kept others from being found.
    pub stopped: Option<Stop>,
}

impl System<'_> {
    /// The abstraction of the states that satisfy a condition: its assignments are found in one search over all slots, locations
    /// tracked as the predicates are.
    pub fn abstract_all(
        &self,
        predicates: &PredicateSet,
        condition: &Formula,
        oracle: &mut impl AllAssignments,
        limits: &Limits,
    ) -> AbstractSet {
        let mut tracked = predicates.formulas().to_vec();
        for (instance, automaton) in self.model().instances.iter().enumerate() {
            tracked.extend(automaton.location_numbers().map(|l| self.lowering.at(instance, l)));
        }
        let all = oracle.assignments(&self.question(condition.clone()), &tracked, &FxHashSet::default(), limits);
        let states = all.found.into_values().map(|witness| State(witness.into()));
        let found = states.map(|state| (self.abstract_of(predicates, &state), state)).collect();
        AbstractSet { found, stopped: all.stopped }
    }

    /// The start set before there are predicates, by locations.
    ///
    /// # Errors
    /// The limit that was met.
    pub fn starts(&self, oracle: &mut impl AllAssignments, limits: &Limits) -> Result<Vec<Start>, Stop> {
        let none = PredicateSet::default();
        let mut listed: BTreeMap<AbstractState, Vec<u32>> = BTreeMap::new();
        for (state, number) in self.start_states().iter().zip(0..) {
            listed.entry(self.abstract_of(&none, state)).or_default().push(number);
        }
        let mut starts: Vec<Start> =
            listed.into_iter().map(|(state, numbers)| Start { state, source: Source::Listed(numbers) }).collect();
        for condition in self.start_conditions() {
            let starting = self.abstract_all(&none, condition, oracle, limits);
            if let Some(stop) = starting.stopped {
                return Err(stop);
            }
            let condition = Arc::new(condition.clone());
            let start = |(state, _)| Start { state, source: Source::Condition(condition.clone()) };
            starts.extend(starting.found.into_iter().map(start));
        }
        Ok(starts)
    }
}

impl Start {
    /// Its parts over all predicates.
    ///
    /// # Errors
    /// The limit that was met.
    pub fn refine(
        &self,
        system: &System<'_>,
        predicates: &PredicateSet,
        oracle: &mut impl AllAssignments,
        limits: &Limits,
    ) -> Result<Vec<Self>, Stop> {
        match &self.source {
            Source::Listed(numbers) => Ok(self.refine_listed(system, predicates, numbers)),
            Source::Condition(condition) => self.refine_condition(system, predicates, condition, oracle, limits),
        }
    }

    fn refine_listed(&self, system: &System<'_>, predicates: &PredicateSet, numbers: &[u32]) -> Vec<Self> {
        let known = self.state.values.len();
        let mut parts: BTreeMap<Assignment, Vec<u32>> = BTreeMap::new();
        for number in numbers {
            let state = &system.start_states()[*number as usize];
            let holds = |p: usize| predicates.literal(p, true).holds_in(state);
            let value = |p: usize| if p < known { self.state.values.get(p) } else { holds(p) };
            let values = Assignment::new((0..predicates.len()).map(value));
            parts.entry(values).or_default().push(*number);
        }
        let part = |(values, numbers): (Assignment, Vec<u32>)| Self {
            state: AbstractState { locations: self.state.locations.clone(), values },
            source: Source::Listed(numbers),
        };
        parts.into_iter().map(part).collect()
    }

    fn refine_condition(
        &self,
        system: &System<'_>,
        predicates: &PredicateSet,
        condition: &Arc<Formula>,
        oracle: &mut impl AllAssignments,
        limits: &Limits,
    ) -> Result<Vec<Self>, Stop> {
        let known = self.state.values.len();
        // Only the first values are there: only the first predicates are read.
        let cell = system.cell(predicates, &self.state);
        let by_box = |p: usize| predicates.literal(p, true).value_in(&cell.variables);
        let decided: Vec<Option<bool>> = (known..predicates.len()).map(by_box).collect();
        let open: Vec<usize> = (known..predicates.len()).filter(|p| decided[p - known].is_none()).collect();
        let part = |found: &Assignment, condition: &Arc<Formula>| {
            let value = |p: usize| match (p.checked_sub(known), open.iter().position(|o| *o == p)) {
                (None, _) => self.state.values.get(p),
                (_, Some(index)) => found.get(index),
                (Some(new), None) => decided[new].unwrap_or(false),
            };
            let values = Assignment::new((0..predicates.len()).map(value));
            let state = AbstractState { locations: self.state.locations.clone(), values };
            Self { state, source: Source::Condition(condition.clone()) }
        };
        if open.is_empty() {
            return Ok(vec![part(&Assignment::new([].into_iter()), condition)]);
        }
        let condition = Arc::new(cell.space().normal(condition));
        let mut question = cell.question(Formula::truth());
        question.formula = Formula::all([(*condition).clone(), question.formula]);
        let tracked: Vec<Formula> = open.iter().map(|p| predicates.formulas()[*p].clone()).collect();
        let found = oracle.assignments(&question, &tracked, &FxHashSet::default(), limits);
        let parts = found.found.keys().map(|found| part(found, &condition)).collect();
        found.stopped.map_or(Ok(parts), Err)
    }
}
