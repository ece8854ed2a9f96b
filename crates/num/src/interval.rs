//! Intervals of floats around real numbers, every end rounded outward.
//!
//! Soundness: an interval made here contains the numbers it is made from, and every operation contains all results of the exact
//! one. Infinite ends say nothing, and what is not a number is never a bound: callers ask [`FloatInterval::is_finite`] where
//! that could happen. Exact intervals, whose ends may be missing, are those of `surefoot_linear`.

use crate::rational::Rational;
use crate::round::{add_down, add_up, mul_down, mul_up};

/// All numbers from `lower` to `upper`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FloatInterval {
    /// Not larger than any of them.
    pub lower: f64,
    /// Not smaller.
    pub upper: f64,
}

impl FloatInterval {
    /// Around everything from one number to another, with a float to spare on either side.
    #[must_use]
    pub fn around(lower: &Rational, upper: &Rational) -> Self {
        Self { lower: lower.to_f64().next_down(), upper: upper.to_f64().next_up() }
    }

    /// The tightest one around a number.
    ///
    /// Soundness: every candidate is compared with the exact value, so this does not rest on the rounding of `to_f64`; that only
    /// makes the loops short.
    #[must_use]
    pub fn tightest(value: &Rational) -> Self {
        let nearest = value.to_f64();
        let compare = |float: f64| match Rational::from_f64(float) {
            Some(exact) => exact.cmp(value),
            None => float.total_cmp(&0.0),
        };
        let (mut lower, mut upper) = (nearest, nearest);
        while compare(lower).is_gt() {
            lower = lower.next_down();
        }
        while compare(upper).is_lt() {
            upper = upper.next_up();
        }
        Self { lower, upper }
    }

    /// Whether both ends are finite.
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.lower.is_finite() && self.upper.is_finite()
    }

    /// All sums.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { lower: add_down(self.lower, other.lower), upper: add_up(self.upper, other.upper) }
    }

    /// All products; of finite intervals only.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        let ends = [
            (self.lower, other.lower),
            (self.lower, other.upper),
            (self.upper, other.lower),
            (self.upper, other.upper),
        ];
        Self {
            lower: ends.iter().map(|(a, b)| mul_down(*a, *b)).fold(f64::INFINITY, f64::min),
            upper: ends.iter().map(|(a, b)| mul_up(*a, *b)).fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Whether a number is in it.
    #[must_use]
    pub fn contains(self, value: &Rational) -> bool {
        let below = Rational::from_f64(self.lower).map_or(self.lower < 0.0, |lower| lower <= *value);
        let above = Rational::from_f64(self.upper).map_or(self.upper > 0.0, |upper| *value <= upper);
        below && above
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn floats_are_enclosed_by_themselves() {
        for (text, expected) in [("0", 0.0), ("1", 1.0), ("-1/2", -0.5), ("3/1024", 3.0 / 1024.0)] {
            let value = text.parse().unwrap();
            assert_eq!(FloatInterval::tightest(&value), FloatInterval { lower: expected, upper: expected });
        }
    }

    #[test]
    fn numbers_beyond_floats_have_bounds_too() {
        let tiny = FloatInterval::tightest(&"1e-400".parse().unwrap());
        assert!(tiny.lower == 0.0 && tiny.upper > 0.0);
        let huge = FloatInterval::tightest(&"1e400".parse().unwrap());
        assert!(huge.lower == f64::MAX && huge.upper == f64::INFINITY && !huge.is_finite());
        assert!(huge.contains(&"1e400".parse().unwrap()) && !huge.contains(&Rational::ZERO));
    }

    fn rational() -> impl Strategy<Value = Rational> {
        (any::<i64>(), 1i64..1_000_000_000_000).prop_map(|(n, d)| Rational::new(n, d).unwrap())
    }

    proptest! {
        #[test]
        fn everything_is_enclosed(a in rational(), b in rational(), c in rational(), d in rational()) {
            let tight = FloatInterval::tightest(&a);
            prop_assert!(tight.contains(&a) && tight.upper <= tight.lower.next_up());
            let (x, y) = (ordered(&a, &b), ordered(&c, &d));
            for (p, q) in [(&a, &c), (&a, &d), (&b, &c), (&b, &d)] {
                prop_assert!(x.contains(p) && y.contains(q));
                prop_assert!(x.plus(y).contains(&(p + q)) && x.times(y).contains(&(p * q)));
            }
        }
    }

    fn ordered(a: &Rational, b: &Rational) -> FloatInterval {
        if a <= b { FloatInterval::around(a, b) } else { FloatInterval::around(b, a) }
    }
}
