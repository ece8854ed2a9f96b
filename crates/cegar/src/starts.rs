//! The abstract start states, refined from one iteration to the next.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use surefoot_abstraction::predicate::Literal;
use surefoot_abstraction::{AbstractState, PredicateSet, System};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::{AllAssignments, Assignment, BranchAndBound, Limit, Limits};
use surefoot_symbolic::{Formula, Interval, Space, SymbolRange};

use crate::heuristic::over_slots;

/// The abstract start states under a set of predicates.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    /// Per start condition, the abstract states that meet it.
    by_condition: Vec<Vec<Start>>,
    predicates: usize,
}

/// An abstract state that meets a start condition.
#[derive(Debug, Clone)]
struct Start {
    state: AbstractState,
    /// What the box of the state leaves of the condition. Conditions may be long lists of cases, of which a small box
    /// leaves little.
    condition: Arc<Formula>,
}

impl Starts {
    /// The abstract start states, each once: those of listed states first, then by condition.
    ///
    /// What was known of fewer predicates is refined: an abstract state that no new predicate cuts stays one.
    pub(crate) fn refine(
        &mut self,
        system: &System<'_>,
        predicates: &PredicateSet,
        oracle: &mut BranchAndBound,
        limits: &Limits,
    ) -> Result<Vec<AbstractState>, Limit> {
        let mut all: Vec<AbstractState> =
            system.start_states().iter().map(|state| system.abstract_of(predicates, state)).collect();
        let first = self.by_condition.is_empty();
        let mut refined = Vec::new();
        for (index, condition) in system.start_conditions().iter().enumerate() {
            let mut starts = Vec::new();
            if first {
                let condition = Arc::new(condition.clone());
                let states = whole(system, predicates, &condition, oracle, limits)?;
                starts.extend(states.into_iter().map(|state| Start { state, condition: condition.clone() }));
            } else {
                for start in &self.by_condition[index] {
                    self.refine_state(system, predicates, start, oracle, limits, &mut starts)?;
                }
            }
            all.extend(starts.iter().map(|start| start.state.clone()));
            refined.push(starts);
        }
        (self.by_condition, self.predicates) = (refined, predicates.len());
        let mut seen = FxHashSet::default();
        all.retain(|state| seen.insert(state.clone()));
        Ok(all)
    }

    fn refine_state(
        &self,
        system: &System<'_>,
        predicates: &PredicateSet,
        start: &Start,
        oracle: &mut BranchAndBound,
        limits: &Limits,
        refined: &mut Vec<Start>,
    ) -> Result<(), Limit> {
        let state = &start.state;
        // Only the first values are there: only the first predicates are read.
        let (bounds, other) = system.cell(predicates, state);
        let added = self.predicates..predicates.len();
        let decided: Vec<Option<bool>> = added.clone().map(|p| by_box(predicates, p, &bounds)).collect();
        let open: Vec<usize> = added.clone().filter(|p| decided[p - added.start].is_none()).collect();
        let mut extend = |found: &Assignment, condition: &Arc<Formula>| {
            let value = |p: usize| match (p.checked_sub(added.start), open.iter().position(|o| *o == p)) {
                (None, _) => state.values.get(p),
                (_, Some(index)) => found.get(index),
                (Some(new), None) => decided[new].unwrap_or(false),
            };
            let values = Assignment::new((0..predicates.len()).map(value));
            let state = AbstractState { locations: state.locations.clone(), values };
            refined.push(Start { state, condition: condition.clone() });
        };
        if open.is_empty() {
            extend(&Assignment::new([].into_iter()), &start.condition);
            return Ok(());
        }
        let condition = Arc::new(within_box(&start.condition, &bounds));
        let mut question = over_slots(system, Formula::all([(*condition).clone(), other]));
        for (variable, (lower, upper)) in question.variables.iter_mut().zip(bounds) {
            (variable.lower, variable.upper) = (lower, upper);
        }
        let tracked: Vec<Formula> = open.iter().map(|p| predicates.formulas()[*p].clone()).collect();
        let found = oracle.assignments(&question, &tracked, &FxHashSet::default(), limits);
        found.found.keys().for_each(|found| extend(found, &condition));
        found.stopped.map_or(Ok(()), Err)
    }
}

/// All abstract states that meet a condition.
fn whole(
    system: &System<'_>,
    predicates: &PredicateSet,
    condition: &Formula,
    oracle: &mut BranchAndBound,
    limits: &Limits,
) -> Result<Vec<AbstractState>, Limit> {
    let question = over_slots(system, condition.clone());
    let mut tracked = predicates.formulas().to_vec();
    for (instance, automaton) in system.model().instances.iter().enumerate() {
        tracked.extend((0..automaton.locations.len() as u32).map(|l| system.lowering().at(instance, l)));
    }
    let found = oracle.assignments(&question, &tracked, &FxHashSet::default(), limits);
    let states = found.found.values().map(|witness| system.abstract_of(predicates, &State(witness.clone().into())));
    let states = states.collect();
    found.stopped.map_or(Ok(states), Err)
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
        Literal::AtLeast(slot, least) => within(&bounds[*slot as usize], |x| x >= least),
        Literal::AtMost(slot, most) => within(&bounds[*slot as usize], |x| x <= most),
        Literal::Formula(_) => None,
    }
}

/// The truth of a bound at both ends, where it is the same.
fn within((lower, upper): &(Rational, Rational), holds: impl Fn(&Rational) -> bool) -> Option<bool> {
    let (low, high) = (holds(lower), holds(upper));
    (low == high).then_some(low)
}
