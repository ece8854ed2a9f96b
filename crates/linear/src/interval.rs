//! Closed intervals of rationals, either end of which may be missing.
//!
//! The family: these, exact; [`FloatInterval`](surefoot_num::FloatInterval), floats rounded outward. A box all of whose ends are there,
//! as that of a linear program, is a list of pairs of rationals.

use surefoot_num::Rational;

use crate::formula::Relation;

/// All numbers from `lower` to `upper`; a missing end is infinite. Empty where `lower > upper`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interval {
    /// Smallest value.
    pub lower: Option<Rational>,
    /// Largest value.
    pub upper: Option<Rational>,
}

impl Interval {
    /// Between two numbers.
    #[must_use]
    pub fn new(lower: Rational, upper: Rational) -> Self {
        Self { lower: Some(lower), upper: Some(upper) }
    }

    /// One number.
    #[must_use]
    pub fn point(value: Rational) -> Self {
        Self { lower: Some(value.clone()), upper: Some(value) }
    }

    /// Whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!((&self.lower, &self.upper), (Some(lower), Some(upper)) if lower > upper)
    }

    /// Both ends, when there are two.
    #[must_use]
    pub fn ends(&self) -> Option<(&Rational, &Rational)> {
        self.lower.as_ref().zip(self.upper.as_ref())
    }

    /// All sums.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let add = |a: &Option<Rational>, b: &Option<Rational>| Some(a.as_ref()? + b.as_ref()?);
        Self { lower: add(&self.lower, &other.lower), upper: add(&self.upper, &other.upper) }
    }

    /// All products with a number.
    #[must_use]
    pub fn scaled(&self, factor: &Rational) -> Self {
        let scale = |end: &Option<Rational>| end.as_ref().map(|end| end * factor);
        match factor.signum() {
            0 => Self::point(Rational::ZERO),
            1 => Self { lower: scale(&self.lower), upper: scale(&self.upper) },
            _ => Self { lower: scale(&self.upper), upper: scale(&self.lower) },
        }
    }

    /// What is in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let pick = |a: &Option<Rational>, b: &Option<Rational>, larger: bool| match (a, b) {
            (Some(a), Some(b)) => Some(if (a < b) == larger { b.clone() } else { a.clone() }),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        Self { lower: pick(&self.lower, &other.lower, true), upper: pick(&self.upper, &other.upper, false) }
    }

    /// The smallest interval around both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        let lower = self.lower.clone().zip(other.lower.clone()).map(|(a, b)| a.min(b));
        let upper = self.upper.clone().zip(other.upper.clone()).map(|(a, b)| a.max(b));
        Self { lower, upper }
    }

    /// Whether all its numbers stand in a relation to zero, or none do; `None` where that is open.
    #[must_use]
    pub fn decides(&self, relation: Relation) -> Option<bool> {
        let lower = self.lower.as_ref().map(Rational::signum);
        let upper = self.upper.as_ref().map(Rational::signum);
        let zero = lower == Some(0) && upper == Some(0);
        let apart = lower == Some(1) || upper == Some(-1);
        let (holds, fails) = match relation {
            Relation::AtLeastZero => (matches!(lower, Some(0 | 1)), upper == Some(-1)),
            Relation::Positive => (lower == Some(1), matches!(upper, Some(0 | -1))),
            Relation::Zero => (zero, apart),
            Relation::NonZero => (apart, zero),
        };
        if holds || fails { Some(holds) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(lower: i64, upper: i64) -> Interval {
        Interval::new(Rational::from(lower), Rational::from(upper))
    }

    #[test]
    fn relations_are_decided_as_for_every_number_in_it() {
        let relations = [Relation::AtLeastZero, Relation::Positive, Relation::Zero, Relation::NonZero];
        for (lower, upper) in (-2..=2).flat_map(|l| (l..=2).map(move |u| (l, u))) {
            for relation in relations {
                let holds: i64 = (lower..=upper).map(|v| i64::from(relation.holds(&Rational::from(v)))).sum();
                let expected = match holds {
                    0 => Some(false),
                    all if all == upper - lower + 1 => Some(true),
                    _ => None,
                };
                assert_eq!(interval(lower, upper).decides(relation), expected, "{lower}..{upper} {relation:?}");
            }
        }
        assert_eq!(Interval::default().decides(Relation::Zero), None);
    }

    #[test]
    fn missing_ends_stay_missing() {
        let above = Interval { lower: Some(Rational::from(2)), upper: None };
        assert_eq!(above.scaled(&Rational::from(-3)), Interval { lower: None, upper: Some(Rational::from(-6)) });
        assert_eq!(above.intersection(&interval(0, 5)), interval(2, 5));
        assert_eq!(above.hull(&interval(0, 5)), Interval { lower: Some(Rational::ZERO), upper: None });
        assert_eq!(above.plus(&interval(0, 1)).upper, None);
    }
}
