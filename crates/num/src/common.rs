//! Several rationals as integers over one denominator: arithmetic on them then needs no fractions.

use dashu_int::{IBig, UBig};

use crate::rational::Rational;

/// The least common multiple of the denominators: the smallest number that makes all of them whole. One for none.
#[must_use]
pub fn common_denominator<'a>(values: impl IntoIterator<Item = &'a Rational>) -> UBig {
    values.into_iter().fold(UBig::ONE, |so_far, value| {
        let denominator = value.denominator();
        if denominator == UBig::ONE || &so_far % &denominator == UBig::ZERO {
            return so_far;
        }
        // so_far / d in lowest terms has denominator d / gcd.
        let ratio =
            Rational::from_big_parts(IBig::from(so_far.clone()), denominator).expect("denominators are positive");
        so_far * ratio.denominator()
    })
}

impl Rational {
    /// `self * denominator`, where `denominator` is a multiple of its own: its numerator over that one.
    #[must_use]
    pub fn numerator_over(&self, denominator: &UBig) -> IBig {
        self.numerator() * IBig::from(denominator / self.denominator())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_denominator_is_the_least() {
        let values: Vec<Rational> = ["1/6", "3/4", "5", "-2/9"].iter().map(|t| t.parse().unwrap()).collect();
        let common = common_denominator(&values);
        assert_eq!(common, UBig::from(36u8));
        let whole: Vec<IBig> = values.iter().map(|value| value.numerator_over(&common)).collect();
        assert_eq!(whole, [6, 27, 180, -8].map(IBig::from));
        assert_eq!(common_denominator([]), UBig::ONE);
    }
}
