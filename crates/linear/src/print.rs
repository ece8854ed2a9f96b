//! Formulas written down: the one place that says how, in text and in other syntaxes.
//!
//! An atom is a comparison with its first coefficient positive and its constant on the right, as in `x - 2*y <= 3`. What a symbol
//! is called, and which atoms have words of their own (`!b` for a Boolean), is told by [`Names`]. [`Style`] is what differs from
//! syntax to syntax: [`Formula::describe`] writes text, and whoever needs expressions of a format implements it.

use std::convert::Infallible;

use surefoot_num::Rational;

use crate::form::{Linear, Symbol};
use crate::formula::{Atom, Formula, Relation};

/// How the two sides of a written atom compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparator {
    /// `>=`.
    AtLeast,
    /// `<=`.
    AtMost,
    /// `>`.
    Above,
    /// `<`.
    Below,
    /// `=`.
    Equal,
    /// `!=`.
    Unequal,
}

/// One syntax.
pub trait Style {
    /// What is written.
    type Written;
    /// Why something cannot be written.
    type Error;

    /// An atom that is written in a way of its own.
    ///
    /// # Errors
    /// Where it should be and cannot.
    fn special(&self, atom: &Atom) -> Result<Option<Self::Written>, Self::Error>;

    /// A number.
    ///
    /// # Errors
    /// Where the syntax has no such number.
    fn number(&self, value: &Rational) -> Result<Self::Written, Self::Error>;

    /// A symbol, times a positive number.
    ///
    /// # Errors
    /// Where the syntax has no name for the symbol, or no such number.
    fn term(&self, factor: &Rational, symbol: Symbol) -> Result<Self::Written, Self::Error>;

    /// A term after those before it, if there are any; subtracted where `negative`.
    fn add(&self, before: Option<Self::Written>, negative: bool, term: Self::Written) -> Self::Written;

    /// A comparison.
    fn compare(&self, left: Self::Written, comparator: Comparator, right: Self::Written) -> Self::Written;

    /// A conjunction or a disjunction; of nothing, it is true or false.
    fn join(&self, all: bool, parts: Vec<Self::Written>) -> Self::Written;

    /// A conjunction or disjunction of several parts, where it is a part itself.
    fn enclose(&self, part: Self::Written) -> Self::Written;
}

impl Formula {
    /// The formula in a syntax.
    ///
    /// # Errors
    /// Those of the style.
    pub fn write<S: Style>(&self, style: &S) -> Result<S::Written, S::Error> {
        let (all, parts) = match self {
            Self::Atom(atom) => return atom.write(style),
            Self::All(parts) => (true, parts),
            Self::Any(parts) => (false, parts),
        };
        let part = |part: &Self| {
            let written = part.write(style)?;
            let several = matches!(part, Self::All(parts) | Self::Any(parts) if parts.len() > 1);
            Ok(if several { style.enclose(written) } else { written })
        };
        Ok(style.join(all, parts.iter().map(part).collect::<Result<_, _>>()?))
    }

    /// The formula as text, as in `x + 2*y >= 3 | !b`.
    #[must_use]
    pub fn describe(&self, names: &impl Names) -> String {
        let Ok(text) = self.write(&Plain(names));
        text
    }
}

impl Atom {
    /// The atom in a syntax.
    ///
    /// # Errors
    /// Those of the style.
    pub fn write<S: Style>(&self, style: &S) -> Result<S::Written, S::Error> {
        if let Some(written) = style.special(self)? {
            return Ok(written);
        }
        let flip = self.form.terms().first().is_some_and(|(_, a)| a.signum() < 0);
        let form = if flip { -&self.form } else { self.form.clone() };
        let comparator = match (self.relation, flip) {
            (Relation::AtLeastZero, false) => Comparator::AtLeast,
            (Relation::AtLeastZero, true) => Comparator::AtMost,
            (Relation::Positive, false) => Comparator::Above,
            (Relation::Positive, true) => Comparator::Below,
            (Relation::Zero, _) => Comparator::Equal,
            (Relation::NonZero, _) => Comparator::Unequal,
        };
        let constant = style.number(&-form.constant());
        Ok(style.compare(form.write_terms(style)?, comparator, constant?))
    }

    /// Where the atom is about one symbol that is 0 or 1: the symbol, and the one value for which it holds.
    #[must_use]
    pub fn as_truth_value(&self) -> Option<(Symbol, bool)> {
        let [(symbol, _)] = self.form.terms() else { return None };
        match [0, 1].map(|value| self.eval(|_| Rational::from(value))) {
            [false, true] => Some((*symbol, true)),
            [true, false] => Some((*symbol, false)),
            _ => None,
        }
    }
}

impl Linear {
    /// The terms, without the constant.
    fn write_terms<S: Style>(&self, style: &S) -> Result<S::Written, S::Error> {
        let mut sum = None;
        for (symbol, a) in self.terms() {
            sum = Some(style.add(sum, a.signum() < 0, style.term(&a.abs(), *symbol)?));
        }
        sum.map_or_else(|| style.number(&Rational::ZERO), Ok)
    }
}

/// What formulas call things in text.
pub trait Names {
    /// The name of a symbol.
    fn name(&self, symbol: Symbol) -> String;

    /// Words for an atom that is not written as a comparison.
    fn words(&self, _atom: &Atom) -> Option<String> {
        None
    }
}

impl<F: Fn(Symbol) -> String> Names for F {
    fn name(&self, symbol: Symbol) -> String {
        self(symbol)
    }
}

/// Text.
struct Plain<'n, N>(&'n N);

impl<N: Names> Style for Plain<'_, N> {
    type Written = String;
    type Error = Infallible;

    fn special(&self, atom: &Atom) -> Result<Option<String>, Infallible> {
        Ok(self.0.words(atom))
    }

    fn number(&self, value: &Rational) -> Result<String, Infallible> {
        Ok(value.to_string())
    }

    fn term(&self, factor: &Rational, symbol: Symbol) -> Result<String, Infallible> {
        let name = self.0.name(symbol);
        Ok(if *factor == Rational::ONE { name } else { format!("{factor}*{name}") })
    }

    fn add(&self, before: Option<String>, negative: bool, term: String) -> String {
        match (before, negative) {
            (None, false) => term,
            (None, true) => format!("-{term}"),
            (Some(sum), false) => sum + " + " + &term,
            (Some(sum), true) => sum + " - " + &term,
        }
    }

    fn compare(&self, left: String, comparator: Comparator, right: String) -> String {
        let sign = match comparator {
            Comparator::AtLeast => ">=",
            Comparator::AtMost => "<=",
            Comparator::Above => ">",
            Comparator::Below => "<",
            Comparator::Equal => "=",
            Comparator::Unequal => "!=",
        };
        format!("{left} {sign} {right}")
    }

    fn join(&self, all: bool, parts: Vec<String>) -> String {
        match (all, parts.is_empty()) {
            (true, true) => "true".to_owned(),
            (false, true) => "false".to_owned(),
            (true, false) => parts.join(" & "),
            (false, false) => parts.join(" | "),
        }
    }

    fn enclose(&self, part: String) -> String {
        format!("({part})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_read_as_people_write_them() {
        let form = |terms: &[(u32, i64)], constant: i64| {
            let terms = terms.iter().map(|(symbol, a)| (Symbol(*symbol), Rational::from(*a))).collect();
            Linear::new(terms, Rational::from(constant))
        };
        let name = |symbol: Symbol| format!("x{}", symbol.0);
        let atom = |form: Linear, relation| Formula::Atom(Atom { form, relation });
        let below = atom(form(&[(0, -1), (1, 2)], 3), Relation::AtLeastZero);
        assert_eq!(below.describe(&name), "x0 - 2*x1 <= 3");
        let strict = atom(&form(&[(2, 1)], 0) * &Rational::new(1, 2).unwrap(), Relation::Positive);
        assert_eq!(strict.describe(&name), "1/2*x2 > 0");
        let other = atom(form(&[], 1), Relation::NonZero);
        assert_eq!(other.describe(&name), "0 != -1");
        let both = Formula::All(vec![below.clone(), strict.clone()]);
        let nested = Formula::Any(vec![both, other]);
        assert_eq!(nested.describe(&name), "(x0 - 2*x1 <= 3 & 1/2*x2 > 0) | 0 != -1");
        assert_eq!(
            (Formula::truth().describe(&name), Formula::falsity().describe(&name)),
            ("true".into(), "false".into())
        );
    }

    #[test]
    fn atoms_of_one_bit_are_truth_values() {
        let atom = |a: i64, c: i64, relation| Atom {
            form: Linear::new(vec![(Symbol(4), Rational::from(a))], Rational::from(c)),
            relation,
        };
        assert_eq!(atom(1, -1, Relation::AtLeastZero).as_truth_value(), Some((Symbol(4), true)));
        assert_eq!(atom(1, 0, Relation::Zero).as_truth_value(), Some((Symbol(4), false)));
        assert_eq!(atom(1, 0, Relation::AtLeastZero).as_truth_value(), None);
    }
}
