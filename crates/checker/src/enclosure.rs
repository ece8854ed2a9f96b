//! What a number is in all states of a node: a linear form of the slots, plus something in an interval.
//!
//! Soundness: an operation on enclosures encloses the operation on the numbers. All arithmetic is exact.

use surefoot_linear::{Linear, Symbol};
use surefoot_num::Rational;

/// `form + [lower, upper]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enclosure {
    /// The linear part. Its constant is zero: constants are in the interval.
    form: Linear,
    lower: Rational,
    upper: Rational,
}

/// A closed interval.
pub type Range = (Rational, Rational);

impl Enclosure {
    /// A number.
    #[must_use]
    pub fn constant(value: Rational) -> Self {
        Self { form: Linear::default(), lower: value.clone(), upper: value }
    }

    /// Anything in an interval.
    #[must_use]
    pub fn interval((lower, upper): Range) -> Self {
        Self { form: Linear::default(), lower, upper }
    }

    /// A symbol.
    #[must_use]
    pub fn symbol(symbol: Symbol) -> Self {
        Self { form: Linear::symbol(symbol), lower: Rational::ZERO, upper: Rational::ZERO }
    }

    /// The number that it is, if it is one.
    #[must_use]
    pub fn as_constant(&self) -> Option<&Rational> {
        (self.form.is_constant() && self.lower == self.upper).then_some(&self.lower)
    }

    /// Whether it is one linear form, of which equal ones are equal numbers.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    /// The linear part.
    #[must_use]
    pub fn terms(&self) -> &[(Symbol, Rational)] {
        self.form.terms()
    }

    /// The interval.
    #[must_use]
    pub fn rest(&self) -> (&Rational, &Rational) {
        (&self.lower, &self.upper)
    }

    /// The sum with a multiple of another.
    #[must_use]
    pub fn plus_scaled(&self, other: &Self, factor: &Rational) -> Self {
        let (low, high) = scaled((&other.lower, &other.upper), factor);
        Self { form: self.form.plus_scaled(&other.form, factor), lower: &self.lower + &low, upper: &self.upper + &high }
    }

    /// A multiple.
    #[must_use]
    pub fn scaled(&self, factor: &Rational) -> Self {
        let (lower, upper) = scaled((&self.lower, &self.upper), factor);
        Self { form: &self.form * factor, lower, upper }
    }

    /// One of two numbers: with the same linear part that, else only an interval, from the ranges of both.
    #[must_use]
    pub fn hull(&self, other: &Self, range: impl Fn(&Self) -> Range) -> Self {
        if self.form == other.form {
            return Self {
                form: self.form.clone(),
                lower: self.lower.clone().min(other.lower.clone()),
                upper: self.upper.clone().max(other.upper.clone()),
            };
        }
        let ((a, b), (c, d)) = (range(self), range(other));
        Self::interval((a.min(c), b.max(d)))
    }
}

/// An interval times a number.
fn scaled((lower, upper): (&Rational, &Rational), factor: &Rational) -> Range {
    if factor.signum() >= 0 { (lower * factor, upper * factor) } else { (upper * factor, lower * factor) }
}
