//! Predicates: formulas over the state whose truth values make up an abstract state.
//!
//! Most predicates compare one variable with a number; such a literal is a bound of the variable's interval. The region of
//! an abstract state is the box of all these bounds and the remaining literals as formulas.

use surefoot_linear::{Formula, Relation, Space, Symbol};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::Variable;

/// What a literal says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// `symbol >= value`.
    AtLeast(Symbol, Rational),
    /// `symbol <= value`.
    AtMost(Symbol, Rational),
    /// Anything else.
    Formula(Formula),
}

impl Literal {
    /// What a formula says: a bound, if it is one.
    #[must_use]
    pub fn of(formula: &Formula) -> Self {
        if let Formula::Atom(atom) = formula
            && let [(symbol, a)] = atom.form.terms()
            && atom.relation == Relation::AtLeastZero
        {
            let bound = (-atom.form.constant()).checked_div(a).expect("coefficients are not zero");
            // a x + c >= 0 is x >= -c / a for positive a, and x <= -c / a for negative a.
            return if a.signum() > 0 { Self::AtLeast(*symbol, bound) } else { Self::AtMost(*symbol, bound) };
        }
        Self::Formula(formula.clone())
    }

    /// Its value everywhere in a box, where a bound has one.
    #[must_use]
    pub fn value_in(&self, variables: &[Variable]) -> Option<bool> {
        let (symbol, holds): (_, &dyn Fn(&Rational) -> bool) = match self {
            Self::AtLeast(symbol, least) => (symbol, &|value| value >= least),
            Self::AtMost(symbol, most) => (symbol, &|value| value <= most),
            Self::Formula(_) => return None,
        };
        let Variable { lower, upper, .. } = &variables[symbol.index()];
        let (low, high) = (holds(lower), holds(upper));
        (low == high).then_some(low)
    }

    /// Whether it holds in a state.
    #[must_use]
    pub fn holds_in(&self, state: &State) -> bool {
        match self {
            Self::AtLeast(slot, least) => state.0[slot.index()] >= *least,
            Self::AtMost(slot, most) => state.0[slot.index()] <= *most,
            Self::Formula(formula) => formula.eval(&|slot: Symbol| state.0[slot.index()].clone()),
        }
    }
}

/// Predicates, in normal form.
#[derive(Debug, Clone, Default)]
pub struct PredicateSet {
    formulas: Vec<Formula>,
    /// Per predicate: what its truth and what its falsity say.
    literals: Vec<[Literal; 2]>,
}

/// What was done with a predicate that was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// It has the same truth value in all states of the domains.
    Constant(bool),
    /// It says the same as an earlier one, or the opposite.
    Duplicate(usize),
}

impl PredicateSet {
    /// Predicates from formulas over the symbols of a space; constants and duplicates are dropped unless all are to be
    /// kept. Says what was dropped, by position in the list given.
    #[must_use]
    pub fn new(space: &Space, given: &[Formula], keep_all: bool) -> (Self, Vec<(usize, Dropped)>) {
        let mut set = Self::default();
        let mut dropped = Vec::new();
        for (index, formula) in given.iter().enumerate() {
            let formula = space.normal(formula);
            let negated = space.negated(&formula);
            if !keep_all {
                if formula.is_truth() || formula.is_falsity() {
                    dropped.push((index, Dropped::Constant(formula.is_truth())));
                    continue;
                }
                if let Some(known) = set.formulas.iter().position(|f| *f == formula || *f == negated) {
                    dropped.push((index, Dropped::Duplicate(known)));
                    continue;
                }
            }
            set.literals.push([Literal::of(&formula), Literal::of(&negated)]);
            set.formulas.push(formula);
        }
        (set, dropped)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.formulas.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.formulas.is_empty()
    }

    /// The predicates.
    #[must_use]
    pub fn formulas(&self) -> &[Formula] {
        &self.formulas
    }

    /// What a truth value of a predicate says.
    #[must_use]
    pub fn literal(&self, predicate: usize, value: bool) -> &Literal {
        &self.literals[predicate][usize::from(!value)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_linear::{Atom, Linear};

    #[test]
    fn literals_of_single_variables_are_bounds() {
        let form = |a: i64, c: i64| Linear::new(vec![(Symbol(3), Rational::from(a))], Rational::from(c));
        let bound = |a, c| Literal::of(&Formula::Atom(Atom::at_least_zero(form(a, c))));
        assert_eq!(bound(1, -4), Literal::AtLeast(Symbol(3), Rational::from(4)));
        assert_eq!(bound(-1, 4), Literal::AtMost(Symbol(3), Rational::from(4)));
        let strict = Formula::Atom(Atom::positive(form(1, 0)));
        assert_eq!(Literal::of(&strict), Literal::Formula(strict.clone()));
    }
}
