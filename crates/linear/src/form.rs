//! Linear forms `sum a_i x_i + c` over numbered symbols, exact.

use std::borrow::Borrow;
use std::ops::{Add, Mul, Neg, Sub};

use surefoot_num::{Rational, UBig, common_denominator};

use crate::interval::Interval;

/// A symbol: what it stands for is the user's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Symbol(pub u32);

impl Symbol {
    /// The symbol of a position.
    ///
    /// # Panics
    /// Beyond 2^32.
    #[must_use]
    pub fn at(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 symbols"))
    }

    /// The first so many symbols.
    pub fn first(count: usize) -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator + Clone {
        (0..count).map(Self::at)
    }

    /// The symbol so many positions behind.
    #[must_use]
    pub fn plus(self, positions: usize) -> Self {
        Self::at(self.index() + positions)
    }

    /// Its position.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// `sum a_i x_i + c`. Terms are sorted by symbol, and no coefficient is zero; so equal forms are equal values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Linear {
    terms: Vec<(Symbol, Rational)>,
    constant: Rational,
}

impl Linear {
    /// The form of given terms, in any order, symbols repeated or not.
    #[must_use]
    pub fn new(mut terms: Vec<(Symbol, Rational)>, constant: Rational) -> Self {
        terms.sort_by_key(|(symbol, _)| *symbol);
        terms.dedup_by(|(symbol, a), (kept, sum)| {
            let same = symbol == kept;
            if same {
                *sum = &*sum + &*a;
            }
            same
        });
        terms.retain(|(_, a)| !a.is_zero());
        Self { terms, constant }
    }

    /// A constant.
    #[must_use]
    pub fn constant_form(value: Rational) -> Self {
        Self { terms: Vec::new(), constant: value }
    }

    /// One symbol.
    #[must_use]
    pub fn symbol(symbol: Symbol) -> Self {
        Self { terms: vec![(symbol, Rational::ONE)], constant: Rational::ZERO }
    }

    /// Symbols and their coefficients, in ascending order of symbols.
    #[must_use]
    pub fn terms(&self) -> &[(Symbol, Rational)] {
        &self.terms
    }

    /// The constant part.
    #[must_use]
    pub fn constant(&self) -> &Rational {
        &self.constant
    }

    /// The sum of forms times factors.
    #[must_use]
    pub fn combination<'a>(parts: impl IntoIterator<Item = (&'a Self, &'a Rational)>) -> Self {
        let (mut terms, mut constant) = (Vec::new(), Rational::ZERO);
        for (form, factor) in parts {
            terms.extend(form.terms.iter().map(|(symbol, a)| (*symbol, a * factor)));
            constant = &constant + &(&form.constant * factor);
        }
        Self::new(terms, constant)
    }

    /// The number that the form is, if no symbol occurs.
    #[must_use]
    pub fn as_constant(&self) -> Option<&Rational> {
        self.is_constant().then_some(&self.constant)
    }

    /// The form as one with integer coefficients and constant over the least common denominator.
    #[must_use]
    pub fn over_integers(&self) -> (Self, UBig) {
        let denominator = common_denominator(self.terms.iter().map(|(_, a)| a).chain([&self.constant]));
        let whole = |value: &Rational| Rational::from(value.numerator_over(&denominator));
        let terms = self.terms.iter().map(|(symbol, a)| (*symbol, whole(a))).collect();
        (Self { terms, constant: whole(&self.constant) }, denominator)
    }

    /// Bounds on the values, given bounds of the symbols.
    #[must_use]
    pub fn range<I: Borrow<Interval>>(&self, bounds: impl Fn(Symbol) -> I) -> Interval {
        let constant = Interval::point(self.constant.clone());
        self.terms.iter().fold(constant, |sum, (symbol, a)| sum.plus(&bounds(*symbol).borrow().scaled(a)))
    }

    /// Whether no symbol occurs.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// The one symbol that the form is, if it is just that.
    #[must_use]
    pub fn as_symbol(&self) -> Option<Symbol> {
        match self.terms.as_slice() {
            [(symbol, a)] if *a == Rational::ONE && self.constant.is_zero() => Some(*symbol),
            _ => None,
        }
    }

    /// The value at a point.
    #[must_use]
    pub fn eval(&self, value: impl Fn(Symbol) -> Rational) -> Rational {
        self.terms.iter().fold(self.constant.clone(), |sum, (symbol, a)| &sum + &(a * &value(*symbol)))
    }

    /// The form with symbols replaced by forms, all at once; `None` keeps a symbol.
    #[must_use]
    pub fn substitute(&self, replace: &impl Fn(Symbol) -> Option<Self>) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len());
        let mut constant = self.constant.clone();
        for (symbol, a) in &self.terms {
            match replace(*symbol) {
                None => terms.push((*symbol, a.clone())),
                Some(form) => {
                    constant = &constant + &(a * &form.constant);
                    terms.extend(form.terms.iter().map(|(s, b)| (*s, a * b)));
                }
            }
        }
        Self::new(terms, constant)
    }

    /// The sum of the form's terms and another's, the latter times a factor.
    #[must_use]
    pub fn plus_scaled(&self, other: &Self, factor: &Rational) -> Self {
        let scaled = other.terms.iter().map(|(symbol, a)| (*symbol, a * factor));
        let terms = self.terms.iter().cloned().chain(scaled).collect();
        Self::new(terms, &self.constant + &(&other.constant * factor))
    }
}

impl Add for &Linear {
    type Output = Linear;
    fn add(self, other: &Linear) -> Linear {
        self.plus_scaled(other, &Rational::ONE)
    }
}

impl Sub for &Linear {
    type Output = Linear;
    fn sub(self, other: &Linear) -> Linear {
        self.plus_scaled(other, &-&Rational::ONE)
    }
}

impl Neg for &Linear {
    type Output = Linear;
    fn neg(self) -> Linear {
        self * &-&Rational::ONE
    }
}

impl Mul<&Rational> for &Linear {
    type Output = Linear;
    fn mul(self, factor: &Rational) -> Linear {
        if factor.is_zero() {
            return Linear::default();
        }
        let terms = self.terms.iter().map(|(symbol, a)| (*symbol, a * factor)).collect();
        Linear { terms, constant: &self.constant * factor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(terms: &[(u32, i64)], constant: i64) -> Linear {
        Linear::new(terms.iter().map(|(s, a)| (Symbol(*s), Rational::from(*a))).collect(), Rational::from(constant))
    }

    #[test]
    fn equal_forms_are_equal_values() {
        assert_eq!(form(&[(2, 1), (1, 3), (2, -1)], 4), form(&[(1, 3)], 4));
        assert_eq!(&form(&[(0, 1)], 2) - &form(&[(0, 1)], 2), Linear::default());
    }

    #[test]
    fn substitution_is_simultaneous() {
        // x - y with x := y + 1, y := x becomes y + 1 - x.
        let swapped = form(&[(0, 1), (1, -1)], 0).substitute(&|s| match s {
            Symbol(0) => Some(form(&[(1, 1)], 1)),
            Symbol(1) => Some(Linear::symbol(Symbol(0))),
            _ => None,
        });
        assert_eq!(swapped, form(&[(1, 1), (0, -1)], 1));
    }
}
