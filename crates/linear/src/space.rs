//! The symbols of a model: which are integers, and between which bounds they lie.
//!
//! Symbols `0..slots` are the slots of the state vector; after them come the outputs of a policy that computes transient
//! variables, then the choices of non-deterministic assignments. The bounds are those of the domains: a box.
//!
//! All atoms are made here. They are in normal form ([`normal_atom`]), and what the box decides is decided: an atom
//! that holds in all of the box is truth, one that holds nowhere is falsity, and an equation at the end of a form's
//! range is an inequality (`x = 1` of a Boolean is `x >= 1`). So formulas mean what they say in the box only.

use surefoot_num::Rational;

use crate::form::{Linear, Symbol};
use crate::formula::{Atom, Formula, Relation};
use crate::interval::Interval;
use crate::normal::normal_atom;

/// The values of one symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolRange {
    /// Whether they are integers.
    pub integer: bool,
    /// Between which bounds.
    pub bounds: Interval,
}

impl SymbolRange {
    /// The integers between two.
    #[must_use]
    pub fn integers(lower: i64, upper: i64) -> Self {
        Self { integer: true, bounds: Interval::new(Rational::from(lower), Rational::from(upper)) }
    }
}

impl FromIterator<SymbolRange> for Space {
    fn from_iter<I: IntoIterator<Item = SymbolRange>>(symbols: I) -> Self {
        Self { symbols: symbols.into_iter().collect() }
    }
}

/// A box of symbols.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Space {
    symbols: Vec<SymbolRange>,
}

impl Space {
    /// How many symbols there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Adds a symbol after the others.
    pub fn push(&mut self, range: SymbolRange) -> Symbol {
        let symbol = Symbol::at(self.symbols.len());
        self.symbols.push(range);
        symbol
    }

    /// The values of a symbol.
    #[must_use]
    pub fn symbol(&self, symbol: Symbol) -> &SymbolRange {
        &self.symbols[symbol.index()]
    }

    /// Whether a form without its constant has integer values only, by its coefficients.
    fn has_integral_terms(&self, form: &Linear) -> bool {
        form.terms().iter().all(|(symbol, a)| a.is_integer() && self.symbol(*symbol).integer)
    }

    /// Whether a form has integer values only, by its coefficients.
    #[must_use]
    pub fn is_integral(&self, form: &Linear) -> bool {
        form.constant().is_integer() && self.has_integral_terms(form)
    }

    /// Bounds on a form's values.
    #[must_use]
    pub fn range(&self, form: &Linear) -> Interval {
        form.range(|symbol| &self.symbol(symbol).bounds)
    }

    /// `form relation 0`.
    #[must_use]
    pub fn atom(&self, form: &Linear, relation: Relation) -> Formula {
        let integral = form.terms().iter().all(|(symbol, _)| self.symbol(*symbol).integer);
        let Formula::Atom(atom) = normal_atom(form, relation, integral) else {
            return normal_atom(form, relation, integral);
        };
        let range = self.range(&atom.form);
        if let Some(holds) = range.decides(atom.relation) {
            return Formula::constant(holds);
        }
        let zero = Some(&Rational::ZERO);
        let inequality = match (atom.relation, range.lower.as_ref() == zero, range.upper.as_ref() == zero) {
            (Relation::Zero, true, _) => (-&atom.form, Relation::AtLeastZero),
            (Relation::Zero, _, true) => (atom.form, Relation::AtLeastZero),
            (Relation::NonZero, true, _) => (atom.form, Relation::Positive),
            (Relation::NonZero, _, true) => (-&atom.form, Relation::Positive),
            _ => return Formula::Atom(atom),
        };
        normal_atom(&inequality.0, inequality.1, integral)
    }

    /// `a <= b`.
    #[must_use]
    pub fn at_most(&self, a: &Linear, b: &Linear) -> Formula {
        self.atom(&(b - a), Relation::AtLeastZero)
    }

    /// `a < b`.
    #[must_use]
    pub fn below(&self, a: &Linear, b: &Linear) -> Formula {
        self.atom(&(b - a), Relation::Positive)
    }

    /// `a = b`.
    #[must_use]
    pub fn equal(&self, a: &Linear, b: &Linear) -> Formula {
        self.atom(&(a - b), Relation::Zero)
    }

    /// `form = value`.
    #[must_use]
    pub fn equals(&self, form: &Linear, value: &Rational) -> Formula {
        self.equal(form, &Linear::constant_form(value.clone()))
    }

    /// The formula with every atom in normal form.
    #[must_use]
    pub fn normal(&self, formula: &Formula) -> Formula {
        self.rebuild(formula, &|atom| self.atom(&atom.form, atom.relation))
    }

    /// The formula that holds where this one does not, every atom in normal form.
    #[must_use]
    pub fn negated(&self, formula: &Formula) -> Formula {
        self.normal(&formula.negated())
    }

    /// The formula with symbols replaced by forms, every atom in normal form.
    #[must_use]
    pub fn substitute(&self, formula: &Formula, replace: &impl Fn(Symbol) -> Option<Linear>) -> Formula {
        self.rebuild(formula, &|atom| self.atom(&atom.form.substitute(replace), atom.relation))
    }

    /// `condition` implies `formula`.
    #[must_use]
    pub fn implies(&self, condition: &Formula, formula: Formula) -> Formula {
        if formula.is_truth() || condition.is_truth() {
            return formula;
        }
        Formula::any([self.negated(condition), formula])
    }

    fn rebuild(&self, formula: &Formula, atom: &impl Fn(&Atom) -> Formula) -> Formula {
        match formula {
            Formula::Atom(a) => atom(a),
            Formula::All(parts) => Formula::all(parts.iter().map(|part| self.rebuild(part, atom))),
            Formula::Any(parts) => Formula::any(parts.iter().map(|part| self.rebuild(part, atom))),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn space() -> Space {
        let mut space = Space::default();
        space.push(SymbolRange::integers(-1, 3));
        space.push(SymbolRange::integers(0, 1));
        space
    }

    #[test]
    fn equations_at_the_end_of_a_range_are_inequalities() {
        let space = space();
        let (x, b) = (Linear::symbol(Symbol(0)), Linear::symbol(Symbol(1)));
        let three = Linear::constant_form(Rational::from(3));
        assert_eq!(space.equal(&x, &three), space.at_most(&three, &x));
        let truth = space.atom(&b, Relation::NonZero);
        assert_eq!(truth, space.equals(&b, &Rational::ONE));
        assert_eq!(space.negated(&truth), space.equals(&b, &Rational::ZERO));
        assert!(space.equals(&x, &Rational::from(4)).is_falsity());
        assert!(space.below(&x, &Linear::constant_form(Rational::from(4))).is_truth());
    }

    proptest! {
        #[test]
        fn atoms_keep_their_truth_in_the_box(a in -4i64..=4, b in -4i64..=4, c in -8i64..=8, d in 1i64..=3, r in 0usize..4) {
            let relation = [Relation::AtLeastZero, Relation::Positive, Relation::Zero, Relation::NonZero][r];
            let form = Linear::new(
                vec![(Symbol(0), Rational::from(a)), (Symbol(1), Rational::from(b))],
                Rational::new(c, d).expect("not zero"),
            );
            let (space, value_of) = (space(), |x: i64, y: i64| move |s: Symbol| Rational::from(if s.0 == 0 { x } else { y }));
            let made = space.atom(&form, relation);
            for (x, y) in (-1..=3).flat_map(|x| (0..=1).map(move |y| (x, y))) {
                let value = value_of(x, y);
                prop_assert_eq!(relation.holds(&form.eval(value)), made.eval(&value));
                prop_assert_eq!(space.negated(&made).eval(&value), !made.eval(&value));
            }
        }
    }
}
