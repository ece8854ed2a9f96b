//! Exact rational numbers with a machine-word fast path.
//!
//! Model values are nearly always small integers, so a [`Rational`] keeps numerator and denominator in
//! `i64` as long as they fit and falls back to big integers otherwise. The representation is canonical
//! (lowest terms, positive denominator, small whenever it fits), so equality and hashing are structural.

use std::cmp::Ordering;
use std::fmt;
use std::hash::Hash;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_base::{Abs, Signed, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// Exponents beyond this are refused by the parser: `1e999999999` must not eat the memory.
const MAX_EXPONENT: i64 = 5_000;
/// Numbers with more digits are refused by the parser: reading them takes longer than they are long.
const MAX_DIGITS: usize = 1_000_000;

/// An exact rational number.
///
/// ```
/// use surefoot_num::Rational;
/// let tenth: Rational = "0.1".parse().unwrap();
/// assert_eq!(&tenth + &"2/10".parse().unwrap(), "3/10".parse().unwrap());
/// assert_eq!(tenth.to_string(), "1/10");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Invariant: lowest terms, `den > 0`, `num > i64::MIN` (so that negation cannot overflow).
    Small { num: i64, den: i64 },
    /// Invariant: does not fit `Small`.
    Big(Box<RBig>),
}

/// Why a text is no rational number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseRationalError {
    /// Not of the form `-12`, `0.5`, `1e-3` or `3/4`.
    #[error("'{0}' is not a number (expected forms: -12, 0.5, 1e-3, 3/4)")]
    Malformed(String),
    /// A fraction with denominator zero.
    #[error("'{0}' has denominator zero")]
    ZeroDenominator(String),
    /// More digits than anybody can want.
    #[error("'{0}' has more than {MAX_DIGITS} digits")]
    HugeNumber(String),
    /// An exponent so large that the number would not fit the memory.
    #[error("the exponent of '{0}' is beyond {MAX_EXPONENT}")]
    HugeExponent(String),
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Rational {
    /// Zero.
    pub const ZERO: Self = Self(Repr::Small { num: 0, den: 1 });
    /// One.
    pub const ONE: Self = Self(Repr::Small { num: 1, den: 1 });

    /// `num / den`, or `None` when `den` is zero.
    #[must_use]
    pub fn new(num: i64, den: i64) -> Option<Self> {
        if den == 0 {
            return None;
        }
        Some(Self::from_i128_parts(i128::from(num), i128::from(den)))
    }

    /// `num / den` for `den != 0`; both come from products and sums of `i64` pairs.
    fn from_i128_parts(num: i128, den: i128) -> Self {
        debug_assert!(den != 0, "callers rule out a zero denominator");
        let negative = (num < 0) != (den < 0);
        let (num, den) = (num.unsigned_abs(), den.unsigned_abs());
        if den == 1 {
            return Self::from_sign_magnitude(negative, num, den);
        }
        let divisor = gcd(num, den);
        Self::from_sign_magnitude(negative, num / divisor, den / divisor)
    }

    fn from_sign_magnitude(negative: bool, num: u128, den: u128) -> Self {
        match (i64::try_from(num), i64::try_from(den)) {
            (Ok(num), Ok(den)) => Self(Repr::Small { num: if negative { -num } else { num }, den }),
            _ => {
                let num = IBig::from(num);
                let num = if negative { -num } else { num };
                Self(Repr::Big(Box::new(RBig::from_parts(num, UBig::from(den)))))
            }
        }
    }

    /// A big rational, brought to canonical form.
    #[must_use]
    fn from_big(value: RBig) -> Self {
        let (num, den) = value.clone().into_parts();
        match (i64::try_from(&num), i64::try_from(&den)) {
            (Ok(num), Ok(den)) if num != i64::MIN => Self(Repr::Small { num, den }),
            _ => Self(Repr::Big(Box::new(value))),
        }
    }

    fn to_big(&self) -> RBig {
        match &self.0 {
            Repr::Small { num, den } => RBig::from_parts(IBig::from(*num), UBig::from(den.unsigned_abs())),
            Repr::Big(value) => (**value).clone(),
        }
    }

    /// `num / den` from big integers, or `None` when `den` is zero.
    #[must_use]
    pub fn from_big_parts(num: IBig, den: UBig) -> Option<Self> {
        if den == UBig::ZERO { None } else { Some(Self::from_big(RBig::from_parts(num, den))) }
    }

    /// The exact value of a finite float; `None` for NaN and infinities.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        if value.fract() == 0.0 && value.abs() < 9e15 {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "an integral f64 below 2^53 converts without rounding"
            )]
            return Some(Self::from(value as i64));
        }
        RBig::try_from(value).ok().map(Self::from_big)
    }

    /// The nearest `f64` (ties to even); infinite when out of range.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "up to 2^53 the conversion is exact")]
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            // Exact: |num| <= 2^53 converts without rounding.
            Repr::Small { num, den: 1 } if num.unsigned_abs() <= 1 << 53 => *num as f64,
            // Both operands exact, and IEEE division is correctly rounded.
            Repr::Small { num, den } if num.unsigned_abs() <= 1 << 53 && *den <= 1 << 53 => *num as f64 / *den as f64,
            _ => self.to_big().to_f64().value(),
        }
    }

    /// The nearest `f64` and a bound on its distance to the number; 0 and an infinite bound when that is out of range.
    ///
    /// The bound is zero exactly when the number is a float. Otherwise it may be larger than the distance, by a factor that
    /// depends on how near to the middle between two floats the number is.
    #[must_use]
    pub fn to_f64_within(&self) -> (f64, f64) {
        let float = self.to_f64();
        match &self.0 {
            // Soundness: a quotient in lowest terms is a float iff the denominator is a power of two (numerator and
            // exponent are in range), and rounding to nearest errs by at most half a unit in the last place; there is no
            // underflow, as the quotient is at least 2^-63.
            Repr::Small { num, den } if num.unsigned_abs() <= 1 << 53 => {
                let exact = den.count_ones() == 1;
                (float, if exact { 0.0 } else { (float.abs() * (f64::EPSILON / 2.0)).next_up() })
            }
            _ => match Self::from_f64(float) {
                Some(exact) if exact == *self => (float, 0.0),
                // Soundness: to_f64 rounds to nearest, so one step up makes the distance a bound.
                Some(exact) => (float, (self - &exact).abs().to_f64().next_up()),
                None => (0.0, f64::INFINITY),
            },
        }
    }

    /// The numerator in lowest terms (with the sign).
    #[must_use]
    pub fn numerator(&self) -> IBig {
        match &self.0 {
            Repr::Small { num, .. } => IBig::from(*num),
            Repr::Big(value) => value.numerator().clone(),
        }
    }

    /// The denominator in lowest terms (positive).
    #[must_use]
    pub fn denominator(&self) -> UBig {
        match &self.0 {
            Repr::Small { den, .. } => UBig::from(den.unsigned_abs()),
            Repr::Big(value) => value.denominator().clone(),
        }
    }

    /// Whether the number is an integer.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small { den, .. } => *den == 1,
            Repr::Big(value) => value.is_int(),
        }
    }

    /// The number as `i64`, when it is an integer of that range.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small { num, den: 1 } => Some(*num),
            Repr::Small { .. } => None,
            // i64::MIN is the one i64 that is not kept small.
            Repr::Big(value) if value.is_int() => i64::try_from(value.numerator()).ok(),
            Repr::Big(_) => None,
        }
    }

    /// Whether the number is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small { num: 0, .. })
    }

    /// -1, 0 or 1.
    #[must_use]
    pub fn signum(&self) -> i64 {
        match &self.0 {
            Repr::Small { num, .. } => num.signum(),
            Repr::Big(value) if value.is_negative() => -1,
            Repr::Big(_) => 1,
        }
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(&self) -> Self {
        match &self.0 {
            Repr::Small { num, den } => Self(Repr::Small { num: num.abs(), den: *den }),
            Repr::Big(value) => Self::from_big((**value).clone().abs()),
        }
    }

    /// The largest integer not above.
    #[must_use]
    pub fn floor(&self) -> Self {
        match &self.0 {
            Repr::Small { num, den } => Self::from(num.div_euclid(*den)),
            Repr::Big(value) => Self::from_big(RBig::from(value.floor())),
        }
    }

    /// The smallest integer not below.
    #[must_use]
    pub fn ceil(&self) -> Self {
        -&(-self).floor()
    }

    /// The integer nearest towards zero.
    #[must_use]
    pub fn trunc(&self) -> Self {
        if self.signum() < 0 { self.ceil() } else { self.floor() }
    }

    /// `self / other`, or `None` when `other` is zero.
    #[must_use]
    pub fn checked_div(&self, other: &Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        Some(match (&self.0, &other.0) {
            (Repr::Small { num: a, den: b }, Repr::Small { num: c, den: d }) => {
                Self::from_i128_parts(i128::from(*a) * i128::from(*d), i128::from(*b) * i128::from(*c))
            }
            _ => Self::from_big(self.to_big() / other.to_big()),
        })
    }

    /// `self` to a non-negative or negative integer power; `None` for `0` to a negative power.
    /// The caller bounds the exponent: the result has about `exponent` times as many digits.
    #[must_use]
    pub fn checked_pow(&self, exponent: i32) -> Option<Self> {
        let base = if exponent < 0 { Self::ONE.checked_div(self)? } else { self.clone() };
        let (num, den) = base.to_big().into_parts();
        let power = exponent.unsigned_abs() as usize;
        Self::from_big_parts(num.pow(power), den.pow(power))
    }

    /// The number of bits of numerator and denominator together: what operations on it cost.
    #[must_use]
    pub fn bit_size(&self) -> usize {
        use dashu_base::BitTest;
        match &self.0 {
            Repr::Small { .. } => 128,
            Repr::Big(value) => value.numerator().unsigned_abs().bit_len() + value.denominator().bit_len(),
        }
    }

    /// The smaller of two.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    /// The larger of two.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

impl Default for Rational {
    fn default() -> Self {
        Self::ZERO
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Self::from_i128_parts(i128::from(value), 1)
    }
}

impl From<IBig> for Rational {
    fn from(value: IBig) -> Self {
        Self::from_big(RBig::from(value))
    }
}

impl From<bool> for Rational {
    fn from(value: bool) -> Self {
        Self::from(i64::from(value))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small { num: a, den: b }, Repr::Small { num: c, den: d }) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            // |a d + c b| < 2^127 because every factor is below 2^63.
            (Repr::Small { num: a, den: b }, Repr::Small { num: c, den: d }) => {
                let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
                Rational::from_i128_parts(a * d + c * b, b * d)
            }
            _ => Rational::from_big(self.to_big() + other.to_big()),
        }
    }
}

impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Repr::Small { num: a, den: b }, Repr::Small { num: c, den: d }) => {
                Rational::from_i128_parts(i128::from(*a) * i128::from(*c), i128::from(*b) * i128::from(*d))
            }
            _ => Rational::from_big(self.to_big() * other.to_big()),
        }
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        match &self.0 {
            Repr::Small { num, den } => Rational(Repr::Small { num: -num, den: *den }),
            Repr::Big(value) => Rational::from_big(-(**value).clone()),
        }
    }
}

macro_rules! by_value {
    ($($trait:ident :: $method:ident),*) => {$(
        impl $trait for Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                $trait::$method(&self, &other)
            }
        }
    )*};
}
by_value!(Add::add, Sub::sub, Mul::mul);

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        -&self
    }
}

impl std::iter::Sum for Rational {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, |a, b| &a + &b)
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small { num, den: 1 } => write!(f, "{num}"),
            Repr::Small { num, den } => write!(f, "{num}/{den}"),
            Repr::Big(value) => write!(f, "{value}"),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::str::FromStr for Rational {
    type Err = ParseRationalError;

    /// Reads `-12`, `+1.50`, `1e-3`, `.5` and `3/4`, exactly.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || ParseRationalError::Malformed(shorten(text));
        if let Some((num, den)) = text.split_once('/') {
            // One fraction: no number is one of fractions.
            if den.contains('/') {
                return Err(malformed());
            }
            let (num, den) = (num.trim().parse::<Self>()?, den.trim().parse::<Self>()?);
            return num.checked_div(&den).ok_or_else(|| ParseRationalError::ZeroDenominator(shorten(text)));
        }
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().map_err(|_| malformed())?),
            None => (text, 0),
        };
        let (negative, digits) = match mantissa.as_bytes().first() {
            Some(b'-') => (true, &mantissa[1..]),
            Some(b'+') => (false, &mantissa[1..]),
            _ => (false, mantissa),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) {
            return Err(malformed());
        }
        if whole.len() > MAX_DIGITS {
            return Err(ParseRationalError::HugeNumber(shorten(text)));
        }
        let places = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
        if exponent.unsigned_abs() > MAX_EXPONENT.unsigned_abs() || places > MAX_EXPONENT {
            return Err(ParseRationalError::HugeExponent(shorten(text)));
        }
        let scale = exponent - places;
        if scale == 0 && digits.len() < 18 {
            let value: i64 = digits.trim_end_matches('.').parse().map_err(|_| malformed())?;
            return Ok(Self::from(if negative { -value } else { value }));
        }
        let joined = format!("{whole}{fraction}");
        let magnitude = UBig::from_str_radix(&joined, 10).map_err(|_| malformed())?;
        let num = if negative { -IBig::from(magnitude) } else { IBig::from(magnitude) };
        let ten_power =
            UBig::from(10u8).pow(usize::try_from(scale.unsigned_abs()).expect("at most twice the largest exponent"));
        let big = if scale >= 0 { RBig::from(num * IBig::from(ten_power)) } else { RBig::from_parts(num, ten_power) };
        Ok(Self::from_big(big))
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.to_owned()
    } else {
        format!("{}...", text.chars().take(40).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn r(text: &str) -> Rational {
        text.parse().expect("test literal")
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(r("0.7"), r("7/10"));
        assert_eq!(r("1e-3"), r("1/1000"));
        assert_eq!(r("-2.50E1"), r("-25"));
        assert_eq!(r("123456789012345678901234567890").to_string(), "123456789012345678901234567890");
        assert_eq!(r("0.0000000000000000000000001").to_string(), "1/10000000000000000000000000");
    }

    #[test]
    fn malformed_texts_are_refused() {
        for text in [
            "",
            "-",
            ".",
            "1.2.3",
            "0x10",
            "1e",
            "e5",
            "1/0",
            "1/2/3",
            "--1",
            "1e999999999",
            "1e-9223372036854775808",
            "1.5e-9223372036854775808",
            "1.5e9223372036854775807",
            "∞",
            "nan",
            "1 2",
        ] {
            assert!(text.parse::<Rational>().is_err(), "{text}");
        }
    }

    #[test]
    fn extremes_of_i64() {
        let min = Rational::from(i64::MIN);
        assert_eq!(min.to_i64(), Some(i64::MIN));
        assert_eq!((-&min).to_i64(), None);
        assert_eq!(-&-&min, min);
        assert_eq!(min.abs(), -&min);
        assert_eq!(min.floor(), min);
        assert_eq!(&min + &Rational::ONE, Rational::from(i64::MIN + 1));
    }

    #[test]
    fn rounding_to_integers() {
        for (text, floor, ceil, trunc) in [("7/2", 3, 4, 3), ("-7/2", -4, -3, -3), ("-4", -4, -4, -4), ("0", 0, 0, 0)] {
            assert_eq!(r(text).floor(), Rational::from(floor));
            assert_eq!(r(text).ceil(), Rational::from(ceil));
            assert_eq!(r(text).trunc(), Rational::from(trunc));
        }
    }

    #[test]
    fn nearest_float_of_a_fraction() {
        assert_eq!(r("1/3").to_f64(), 1.0 / 3.0);
        assert_eq!(r("0.1").to_f64(), 0.1);
        assert_eq!(r("1e400").to_f64(), f64::INFINITY);
    }

    proptest! {
        #[test]
        fn floats_are_as_near_as_they_say(num: i64, den in 1i64.., shift in 0u32..62) {
            for value in [
                Rational::new(num, den).unwrap(),
                Rational::new(num % 1000, den % 1000 + 1).unwrap(),
                Rational::new(num >> 11, 1 << shift).unwrap(),
            ] {
                let (float, distance) = value.to_f64_within();
                let exact = Rational::from_f64(float).unwrap();
                prop_assert!((&value - &exact).abs() <= Rational::from_f64(distance).unwrap());
                prop_assert_eq!(distance == 0.0, value == exact);
                prop_assert_eq!(float, value.to_f64());
            }
        }
    }

    proptest! {
        /// The small fast path agrees with big arithmetic, near the limits of i64 too.
        #[test]
        fn small_agrees_with_big(a: i64, b in 1i64.., c: i64, d in 1i64.., shift in 0u32..60) {
            let (a, c) = (a >> shift, c >> shift);
            let (x, y) = (Rational::new(a, b).unwrap(), Rational::new(c, d).unwrap());
            let big = |n: i64, m: i64| RBig::from_parts(IBig::from(n), UBig::from(m.unsigned_abs()));
            let (bx, by) = (big(a, b), big(c, d));
            prop_assert_eq!(&x + &y, Rational::from_big(bx.clone() + by.clone()));
            prop_assert_eq!(&x - &y, Rational::from_big(bx.clone() - by.clone()));
            prop_assert_eq!(&x * &y, Rational::from_big(bx.clone() * by.clone()));
            prop_assert_eq!(x.cmp(&y), bx.cmp(&by));
            if c != 0 {
                prop_assert_eq!(x.checked_div(&y).unwrap(), Rational::from_big(bx / by));
            }
        }

        #[test]
        fn floats_round_trip(bits: u64) {
            let value = f64::from_bits(bits);
            if let Some(exact) = Rational::from_f64(value) {
                prop_assert_eq!(exact.to_f64(), value);
            } else {
                prop_assert!(!value.is_finite());
            }
        }

        #[test]
        fn display_round_trips(a: i64, b in 1i64..) {
            let x = Rational::new(a, b).unwrap();
            prop_assert_eq!(x.to_string().parse::<Rational>().unwrap(), x);
        }
    }
}
