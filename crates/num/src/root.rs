//! Square roots of rational numbers, which are rational only by chance: as enclosures.

use dashu_base::SquareRoot;
use dashu_int::{IBig, UBig};

use crate::rational::Rational;

impl Rational {
    /// Two numbers around `1 / sqrt(self)`, at most `2^-bits` of it apart; none unless this number is positive.
    ///
    /// Soundness: `sqrt(p / q) = sqrt(p q) / q`. With `r` the whole part of `sqrt(p q 4^k)`, the root is between `r / (q 2^k)` and
    /// `(r + 1) / (q 2^k)`, and `r >= 2^k` as `p q >= 1`.
    #[must_use]
    pub fn inverse_root_ends(&self, bits: usize) -> Option<(Self, Self)> {
        if self.signum() <= 0 {
            return None;
        }
        let (numerator, denominator) = (UBig::try_from(self.numerator()).ok()?, self.denominator());
        let root = ((numerator * &denominator) << (2 * bits)).sqrt();
        let above = IBig::from(denominator << bits);
        Some((Self::from_big_parts(above.clone(), &root + UBig::ONE)?, Self::from_big_parts(above, root)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_between_the_ends() {
        for text in ["1", "4", "2", "1/3", "16/9", "0.00001", "123456789123456789123456789/7", "1e-300"] {
            let number: Rational = text.parse().unwrap();
            for bits in [1, 64, 200] {
                let (low, high) = number.inverse_root_ends(bits).unwrap();
                let inverse = Rational::ONE.checked_div(&number).unwrap();
                assert!(&low * &low <= inverse && inverse <= &high * &high, "{text}");
                let apart = Rational::from(2).checked_pow(-i32::try_from(bits).unwrap()).unwrap();
                assert!(&high - &low <= &high * &apart, "{text}");
            }
        }
        assert_eq!(Rational::ZERO.inverse_root_ends(64), None);
        assert_eq!(Rational::from(-4).inverse_root_ends(64), None);
    }
}
