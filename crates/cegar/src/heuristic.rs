//! How far is an abstract state from the unsafe ones, and is it one?
//!
//! The Hamming distance counts the predicates whose value is the same in all unsafe states and another in the abstract state
//! (PlaJA's heuristic). An abstract state is unsafe if it holds an unsafe state; where the atoms of the unsafety condition
//! are predicates, its truth values decide that.

use rustc_hash::FxHashMap;
use surefoot_abstraction::{AbstractState, PredicateSet, System};
use surefoot_limits::Stop;
use surefoot_linear::{Atom, Formula, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Limits, Oracle};

use crate::number::number;

/// Distances to the unsafe states under a set of predicates.
#[derive(Debug, Default)]
pub(crate) struct Heuristic {
    /// Per predicate, the value that it has in all unsafe states.
    wanted: Vec<Option<bool>>,
    /// The atoms that predicates decide: of which predicate, and with which value it holds.
    known: FxHashMap<Atom, (usize, bool)>,
}

impl Heuristic {
    /// Takes note of predicates that were added.
    pub(crate) fn extend(
        &mut self,
        system: &System<'_>,
        predicates: &PredicateSet,
        oracle: &mut impl Oracle,
        limits: &Limits,
    ) {
        for (index, formula) in predicates.formulas().iter().enumerate().skip(self.wanted.len()) {
            let space = system.lowering().space();
            let negated = space.negated(formula);
            let mut never = |formula: &Formula| {
                let formula = Formula::all([system.reach().clone(), formula.clone()]);
                oracle.decide(&system.question(formula), limits) == Answer::Unsat
            };
            let value = if never(&negated) {
                Some(true)
            } else if never(formula) {
                Some(false)
            } else {
                None
            };
            self.wanted.push(value);
            for (formula, value) in [(formula, true), (&negated, false)] {
                if let Formula::Atom(atom) = formula {
                    self.known.insert(atom.clone(), (index, value));
                }
            }
        }
    }

    /// The distance of an abstract state; of one over the first predicates only, the least that it can have.
    pub(crate) fn distance(&self, state: &AbstractState) -> u32 {
        let differs = |(wanted, value): (&Option<bool>, bool)| wanted.is_some_and(|wanted| wanted != value);
        number(self.wanted.iter().zip(state.values.iter()).filter(|pair| differs(*pair)).count())
    }

    /// The distance of a concrete state, by the values of its slots.
    pub(crate) fn distance_of(&self, predicates: &PredicateSet, values: &[i64]) -> u32 {
        let value = |slot: Symbol| Rational::from(values[slot.index()]);
        let differs = |(wanted, predicate): (&Option<bool>, &Formula)| {
            wanted.is_some_and(|wanted| wanted != predicate.eval(&value))
        };
        number(self.wanted.iter().zip(predicates.formulas()).filter(|pair| differs(*pair)).count())
    }

    /// Whether an abstract state that is not empty holds an unsafe state. An answer that is not known counts as yes.
    pub(crate) fn is_unsafe(
        &self,
        system: &System<'_>,
        predicates: &PredicateSet,
        state: &AbstractState,
        oracle: &mut impl Oracle,
        limits: &Limits,
    ) -> Result<bool, Stop> {
        let reach = system.lowering().at_all_locations(system.reach(), &state.locations);
        if let Some(decided) = self.value(&reach, state) {
            return Ok(decided);
        }
        match oracle.decide(&system.cell(predicates, state).question(reach), limits) {
            Answer::Sat(_) => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(limit) => Err(limit),
        }
    }

    /// The value of a formula as far as predicates decide it.
    fn value(&self, formula: &Formula, state: &AbstractState) -> Option<bool> {
        match formula {
            Formula::Atom(atom) => self.known.get(atom).map(|(index, value)| state.values.get(*index) == *value),
            Formula::All(parts) => join(parts.iter().map(|part| self.value(part, state)), true),
            Formula::Any(parts) => join(parts.iter().map(|part| self.value(part, state)), false),
        }
    }
}

/// The value of a conjunction (unit true) or disjunction (unit false).
fn join(values: impl Iterator<Item = Option<bool>>, unit: bool) -> Option<bool> {
    let mut all = Some(unit);
    for value in values {
        match value {
            Some(value) if value != unit => return Some(!unit),
            Some(_) => {}
            None => all = None,
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_parts_matter_only_where_nothing_else_decides() {
        let (yes, no, open) = (Some(true), Some(false), None);
        assert_eq!(join([yes, open].into_iter(), true), None);
        assert_eq!(join([open, no].into_iter(), true), no);
        assert_eq!(join([open, yes].into_iter(), false), yes);
        assert_eq!(join([no, no].into_iter(), false), no);
        assert_eq!(join([].into_iter(), false), no);
    }
}
