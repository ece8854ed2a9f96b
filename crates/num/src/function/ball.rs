//! Real numbers to any precision: a middle and a radius, both integers over one power of two.
//!
//! A [`Ball`] of `bits` bits stands for all numbers from `(mid - rad) / 2^bits` to `(mid + rad) / 2^bits`. Soundness: every operation
//! gives a ball that contains all results of the exact one for numbers of its arguments; what is cut off is added to the radius.
//! Balls that are combined have the same number of bits.

use std::cmp::Ordering;

use dashu_base::{Abs, SquareRoot, UnsignedAbs};
use dashu_int::{IBig, UBig};

use crate::rational::Rational;

/// All numbers near a middle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ball {
    mid: IBig,
    rad: UBig,
    bits: usize,
}

/// `value / 2^shift`, rounded up.
fn shifted_up(value: UBig, shift: usize) -> UBig {
    if value.is_zero() { value } else { ((value - UBig::ONE) >> shift) + UBig::ONE }
}

/// `value / 2^shift`, rounded down, and whether that cut something off.
fn shifted_down(value: &IBig, shift: usize) -> (IBig, bool) {
    let down = value >> shift;
    let cut = (&down << shift) != *value;
    (down, cut)
}

impl Ball {
    /// An integer.
    #[must_use]
    pub fn integer(value: i64, bits: usize) -> Self {
        Self { mid: IBig::from(value) << bits, rad: UBig::ZERO, bits }
    }

    /// A rational number.
    #[must_use]
    pub fn rational(value: &Rational, bits: usize) -> Self {
        let (scaled, denominator) = (value.numerator() << bits, IBig::from(value.denominator()));
        // Towards zero, so off by less than one.
        let mid = &scaled / &denominator;
        let rad = if &mid * &denominator == scaled { UBig::ZERO } else { UBig::ONE };
        Self { mid, rad, bits }
    }

    /// Everything between two rational numbers.
    #[must_use]
    pub fn around(lower: &Rational, upper: &Rational, bits: usize) -> Self {
        let (low, high) = (Self::rational(lower, bits), Self::rational(upper, bits));
        let mid: IBig = (&low.mid + &high.mid) >> 1usize;
        // Both ends were cut by less than one, and the middle by less than one.
        let rad = (&high.mid - &mid).unsigned_abs().max((&mid - &low.mid).unsigned_abs()) + UBig::from(2u8);
        Self { mid, rad, bits }
    }

    /// How many bits follow the point.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Only the middle.
    #[must_use]
    pub(super) fn middle(&self) -> Self {
        Self { rad: UBig::ZERO, ..self.clone() }
    }

    /// The radius.
    pub(super) fn radius(&self) -> &UBig {
        &self.rad
    }

    /// With a larger radius, by so many units in the last place.
    #[must_use]
    pub(super) fn widened(mut self, units: UBig) -> Self {
        self.rad += units;
        self
    }

    /// The same numbers to another number of bits.
    #[must_use]
    pub(super) fn with_bits(self, bits: usize) -> Self {
        if bits >= self.bits {
            let shift = bits - self.bits;
            return Self { mid: self.mid << shift, rad: self.rad << shift, bits };
        }
        let shift = self.bits - bits;
        let (mid, cut) = shifted_down(&self.mid, shift);
        Self { mid, rad: shifted_up(self.rad, shift) + UBig::from(cut), bits }
    }

    /// Its sign, where all its numbers have the same.
    #[must_use]
    pub fn sign(&self) -> Option<Ordering> {
        if self.rad.is_zero() && self.mid.is_zero() {
            return Some(Ordering::Equal);
        }
        let clear = self.mid.clone().unsigned_abs() > self.rad;
        clear.then(|| self.mid.cmp(&IBig::ZERO))
    }

    /// Its ends.
    #[must_use]
    pub fn ends(&self) -> (Rational, Rational) {
        let over = |n: IBig| Rational::from_big_parts(n, UBig::ONE << self.bits).expect("a power of two");
        let rad = IBig::from(self.rad.clone());
        (over(&self.mid - &rad), over(&self.mid + &rad))
    }

    /// The smallest integer, in units of the last place, that no magnitude in it exceeds.
    fn most(&self) -> UBig {
        self.mid.clone().unsigned_abs() + &self.rad
    }

    /// Whether no number in it is farther from zero than so many units in the last place.
    #[must_use]
    pub(super) fn is_within(&self, units: u64) -> bool {
        self.most() <= UBig::from(units)
    }

    /// The largest whole number that is not above any magnitude in it, at most.
    pub(super) fn whole(&self) -> UBig {
        self.most() >> self.bits
    }

    /// Whether the middle is below zero.
    pub(super) fn is_negative(&self) -> bool {
        self.mid < IBig::ZERO
    }

    /// The negations.
    #[must_use]
    pub fn negated(mut self) -> Self {
        self.mid = -self.mid;
        self
    }

    /// The magnitudes of the middle, as a ball of the same radius. Soundness: the distance of magnitudes is at most that of the numbers.
    #[must_use]
    pub fn magnitude(mut self) -> Self {
        self.mid = self.mid.abs();
        self
    }

    /// All sums.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        debug_assert_eq!(self.bits, other.bits, "balls of one precision");
        Self { mid: &self.mid + &other.mid, rad: &self.rad + &other.rad, bits: self.bits }
    }

    /// All differences.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.clone().negated())
    }

    /// All products.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        debug_assert_eq!(self.bits, other.bits, "balls of one precision");
        let (mid, cut) = shifted_down(&(&self.mid * &other.mid), self.bits);
        // |a b - a' b'| <= |a'| |b - b'| + |b| |a - a'|.
        let spread = self.mid.clone().unsigned_abs() * &other.rad + other.most() * &self.rad;
        Self { mid, rad: shifted_up(spread, self.bits) + UBig::from(cut), bits: self.bits }
    }

    /// All products with an integer times a power of two.
    #[must_use]
    pub fn scaled(&self, mantissa: i64, exponent: i32) -> Self {
        let (mid, rad) = (&self.mid * IBig::from(mantissa), &self.rad * UBig::from(mantissa.unsigned_abs()));
        let shift = exponent.unsigned_abs() as usize;
        if exponent >= 0 {
            return Self { mid: mid << shift, rad: rad << shift, bits: self.bits };
        }
        let (mid, cut) = shifted_down(&mid, shift);
        Self { mid, rad: shifted_up(rad, shift) + UBig::from(cut), bits: self.bits }
    }

    /// All quotients by a positive integer.
    #[must_use]
    pub fn over(&self, divisor: u64) -> Self {
        let unsigned = UBig::from(divisor);
        // Towards zero, so off by less than one; the radius is rounded up.
        let mid = &self.mid / IBig::from(divisor);
        Self { mid, rad: &self.rad / unsigned + UBig::from(2u8), bits: self.bits }
    }

    /// All quotients; none where the divisor may be zero.
    #[must_use]
    pub fn checked_over(&self, divisor: &Self) -> Option<Self> {
        let size = divisor.mid.clone().unsigned_abs();
        if size <= divisor.rad {
            return None;
        }
        let least = size - &divisor.rad;
        let mid = (&self.mid << self.bits) / &divisor.mid;
        // |a/b - a'/b'| <= (|a - a'| + |a'/b'| |b - b'|) / |b|; the quotient was cut by less than one.
        let quotient = mid.clone().unsigned_abs() + UBig::ONE;
        let spread = (&self.rad << self.bits) + quotient * &divisor.rad;
        Some(Self { mid, rad: spread / least + UBig::from(2u8), bits: self.bits })
    }

    /// All square roots of what is not negative in it.
    #[must_use]
    pub fn root(&self) -> Self {
        let rad = IBig::from(self.rad.clone());
        let end = |n: IBig| n.max(IBig::ZERO).unsigned_abs() << self.bits;
        let (low, high) = (end(&self.mid - &rad).sqrt(), end(&self.mid + &rad).sqrt() + UBig::ONE);
        let mid = (&low + &high) >> 1usize;
        Self { rad: high - &mid + UBig::ONE, mid: IBig::from(mid), bits: self.bits }
    }
}
