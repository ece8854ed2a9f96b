//! The abstract start states, refined as far as the search needs them.
//!
//! A [`Start`] is a part of the start set: listed states, or what satisfies a condition, with the truth values of the first
//! predicates. It is refined to the current predicates when the search takes it from the queue, so that parts which an iteration never
//! looks at cost it nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use surefoot_abstraction::predicate::Literal;
use surefoot_abstraction::{AbstractState, PredicateSet, System};
use surefoot_limits::Stop;
use surefoot_linear::{Formula, Interval, Space, Symbol, SymbolRange};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::{AllAssignments, Assignment, BranchAndBound, Limits};

use crate::heuristic::over_slots;

/// A part of the start set in one abstract state over the first predicates.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    /// The abstract state over the first predicates.
    pub(crate) state: AbstractState,
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

/// The start set before there are predicates, by locations.
pub(crate) fn starts(system: &System<'_>, oracle: &mut BranchAndBound, limits: &Limits) -> Result<Vec<Start>, Stop> {
    let none = PredicateSet::default();
    let mut listed: BTreeMap<AbstractState, Vec<u32>> = BTreeMap::new();
    for (number, state) in system.start_states().iter().enumerate() {
        listed.entry(system.abstract_of(&none, state)).or_default().push(number as u32);
    }
    let mut starts: Vec<Start> =
        listed.into_iter().map(|(state, numbers)| Start { state, source: Source::Listed(numbers) }).collect();
    for condition in system.start_conditions() {
        let question = over_slots(system, condition.clone());
        let mut tracked = Vec::new();
        for (instance, automaton) in system.model().instances.iter().enumerate() {
            tracked.extend((0..automaton.locations.len() as u32).map(|l| system.lowering().at(instance, l)));
        }
        let found = oracle.assignments(&question, &tracked, &FxHashSet::default(), limits);
        if let Some(limit) = found.stopped {
            return Err(limit);
        }
        let condition = Arc::new(condition.clone());
        for witness in found.found.into_values() {
            let state = system.abstract_of(&none, &State(witness.into()));
            starts.push(Start { state, source: Source::Condition(condition.clone()) });
        }
    }
    Ok(starts)
}

impl Start {
    /// Its parts over all predicates.
    pub(crate) fn refine(
        &self,
        system: &System<'_>,
        predicates: &PredicateSet,
        oracle: &mut BranchAndBound,
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
            let value = |p: usize| if p < known { self.state.values.get(p) } else { holds(predicates, p, state) };
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
        oracle: &mut BranchAndBound,
        limits: &Limits,
    ) -> Result<Vec<Self>, Stop> {
        let known = self.state.values.len();
        // Only the first values are there: only the first predicates are read.
        let (bounds, other) = system.cell(predicates, &self.state);
        let decided: Vec<Option<bool>> = (known..predicates.len()).map(|p| by_box(predicates, p, &bounds)).collect();
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
        let condition = Arc::new(within_box(condition, &bounds));
        let mut question = over_slots(system, Formula::all([(*condition).clone(), other]));
        for (variable, (lower, upper)) in question.variables.iter_mut().zip(bounds) {
            (variable.lower, variable.upper) = (lower, upper);
        }
        let tracked: Vec<Formula> = open.iter().map(|p| predicates.formulas()[*p].clone()).collect();
        let found = oracle.assignments(&question, &tracked, &FxHashSet::default(), limits);
        let parts = found.found.keys().map(|found| part(found, &condition)).collect();
        found.stopped.map_or(Ok(parts), Err)
    }
}

/// The truth of a predicate in a state.
fn holds(predicates: &PredicateSet, predicate: usize, state: &State) -> bool {
    match predicates.literal(predicate, true) {
        Literal::AtLeast(slot, least) => state.0[slot.index()] >= *least,
        Literal::AtMost(slot, most) => state.0[slot.index()] <= *most,
        Literal::Formula(formula) => formula.eval(&|slot: Symbol| state.0[slot.index()].clone()),
    }
}

/// What a box leaves of a formula.
fn within_box(formula: &Formula, bounds: &[(Rational, Rational)]) -> Formula {
    let mut space = Space::default();
    for (lower, upper) in bounds {
        space.push(SymbolRange { integer: true, bounds: Interval::new(lower.clone(), upper.clone()) });
    }
    space.normal(formula)
}

/// The value of a predicate everywhere in a box, if it has one.
pub(crate) fn by_box(predicates: &PredicateSet, predicate: usize, bounds: &[(Rational, Rational)]) -> Option<bool> {
    match predicates.literal(predicate, true) {
        Literal::AtLeast(slot, least) => within(&bounds[slot.index()], |x| x >= least),
        Literal::AtMost(slot, most) => within(&bounds[slot.index()], |x| x <= most),
        Literal::Formula(_) => None,
    }
}

/// The truth of a bound at both ends, where it is the same.
fn within((lower, upper): &(Rational, Rational), holds: impl Fn(&Rational) -> bool) -> Option<bool> {
    let (low, high) = (holds(lower), holds(upper));
    (low == high).then_some(low)
}
