//! Exact arithmetic of the JANI operators on rationals.
//!
//! Numbers are exact, so `pow` and `log` are defined only where their value is rational: `pow` for integer exponents,
//! `log(x, b)` where `x` is an integer power of `b`. `%` is the Euclidean remainder: `0 <= a % b < |b|`.

use surefoot_num::Rational;

use crate::term::{ArithOp, CmpOp, RoundOp};

/// Results of `pow` beyond this many bits are refused: `pow(10, 10^9)` must not eat the memory.
const MAX_POWER_BITS: usize = 1 << 20;
/// Products beyond this many bits are refused: a square of a square of a square has twice as many each time.
const MAX_BITS: usize = 1 << 24;

/// Why an operation has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ArithmeticError {
    /// `/` or `%` by zero, or zero to a negative power.
    #[error("division by zero")]
    DivisionByZero,
    /// `pow` or `log` with an irrational value.
    #[error("the value of '{0}' is irrational here, and numbers are exact")]
    Irrational(&'static str),
    /// `log` of something that has none.
    #[error("the logarithm is undefined here")]
    UndefinedLogarithm,
    /// A power with more than a million bits.
    #[error("the value of 'pow' is too large")]
    HugePower,
    /// A number with millions of digits.
    #[error("the value has more than five million digits")]
    HugeNumber,
}

/// Compares two values.
#[must_use]
pub fn compare(op: CmpOp, a: &Rational, b: &Rational) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
    }
}

/// Applies an operator with one operand.
#[must_use]
pub fn unary(op: RoundOp, a: &Rational) -> Rational {
    match op {
        RoundOp::Floor => a.floor(),
        RoundOp::Ceil => a.ceil(),
        RoundOp::Trc => a.trunc(),
        RoundOp::Abs => a.abs(),
        RoundOp::Sgn => Rational::from(a.signum()),
    }
}

/// Applies an operator with two operands.
///
/// # Errors
/// Where the operator has no (rational) value.
pub fn binary(op: ArithOp, a: &Rational, b: &Rational) -> Result<Rational, ArithmeticError> {
    if matches!(op, ArithOp::Mul | ArithOp::Div | ArithOp::Mod) && a.bit_size().saturating_add(b.bit_size()) > MAX_BITS
    {
        return Err(ArithmeticError::HugeNumber);
    }
    Ok(match op {
        ArithOp::Add => a + b,
        ArithOp::Sub => a - b,
        ArithOp::Mul => a * b,
        ArithOp::Div => a.checked_div(b).ok_or(ArithmeticError::DivisionByZero)?,
        ArithOp::Mod => {
            let modulus = b.abs();
            let quotient = a.checked_div(&modulus).ok_or(ArithmeticError::DivisionByZero)?;
            a - &(&modulus * &quotient.floor())
        }
        ArithOp::Pow => power(a, b)?,
        ArithOp::Log => logarithm(a, b)?,
        ArithOp::Min => a.clone().min(b.clone()),
        ArithOp::Max => a.clone().max(b.clone()),
    })
}

fn power(base: &Rational, exponent: &Rational) -> Result<Rational, ArithmeticError> {
    if *base == Rational::ONE {
        return Ok(Rational::ONE);
    }
    if base.is_zero() && exponent.signum() > 0 {
        return Ok(Rational::ZERO);
    }
    if !exponent.is_integer() {
        return Err(ArithmeticError::Irrational("pow"));
    }
    let exponent = exponent.to_i64().and_then(|e| i32::try_from(e).ok()).ok_or(ArithmeticError::HugePower)?;
    if base.bit_size().saturating_mul(exponent.unsigned_abs() as usize) > MAX_POWER_BITS {
        return Err(ArithmeticError::HugePower);
    }
    base.checked_pow(exponent).ok_or(ArithmeticError::DivisionByZero)
}

/// `log_b x`, found by multiplying up from 1: exact, and short because every step at least moves by a factor `b`.
fn logarithm(x: &Rational, base: &Rational) -> Result<Rational, ArithmeticError> {
    if x.signum() <= 0 || base.signum() <= 0 || *base == Rational::ONE {
        return Err(ArithmeticError::UndefinedLogarithm);
    }
    // log_b x = -log_{1/b} x and = -log_b (1/x): make both at least 1.
    let invert = |v: &Rational| Rational::ONE.checked_div(v).ok_or(ArithmeticError::UndefinedLogarithm);
    let mut sign = 1;
    let (mut x, mut base) = (x.clone(), base.clone());
    if base < Rational::ONE {
        base = invert(&base)?;
        sign = -sign;
    }
    if x < Rational::ONE {
        x = invert(&x)?;
        sign = -sign;
    }
    let (mut power, mut exponent) = (Rational::ONE, 0i64);
    while power < x {
        power = &power * &base;
        exponent += 1;
        // A base barely above one would take for ever, and its powers have ever more digits than `x`.
        if power.bit_size() > 2 * x.bit_size() + 256 {
            return Err(ArithmeticError::Irrational("log"));
        }
    }
    if power == x { Ok(Rational::from(sign * exponent)) } else { Err(ArithmeticError::Irrational("log")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(text: &str) -> Rational {
        text.parse().unwrap()
    }

    #[test]
    fn squares_of_squares_come_to_an_end() {
        let mut value = r("3/2");
        let squared = (0..40).find_map(|_| match binary(ArithOp::Mul, &value, &value) {
            Ok(square) => {
                value = square;
                None
            }
            Err(error) => Some(error),
        });
        assert_eq!(squared, Some(ArithmeticError::HugeNumber));
    }

    #[test]
    fn remainder_is_euclidean() {
        for (a, b, expected) in
            [("7", "3", "1"), ("-7", "3", "2"), ("7", "-3", "1"), ("-7", "-3", "2"), ("6", "3", "0")]
        {
            assert_eq!(binary(ArithOp::Mod, &r(a), &r(b)), Ok(r(expected)), "{a} % {b}");
        }
        assert_eq!(binary(ArithOp::Mod, &r("1"), &r("0")), Err(ArithmeticError::DivisionByZero));
    }

    #[test]
    fn powers_and_logarithms_are_exact_or_refused() {
        assert_eq!(binary(ArithOp::Pow, &r("2/3"), &r("-2")), Ok(r("9/4")));
        assert_eq!(binary(ArithOp::Pow, &r("2"), &r("1/2")), Err(ArithmeticError::Irrational("pow")));
        assert_eq!(binary(ArithOp::Pow, &r("0"), &r("-1")), Err(ArithmeticError::DivisionByZero));
        assert_eq!(binary(ArithOp::Pow, &r("10"), &r("1000000000")), Err(ArithmeticError::HugePower));
        assert_eq!(binary(ArithOp::Log, &r("1024"), &r("2")), Ok(r("10")));
        assert_eq!(binary(ArithOp::Log, &r("1/9"), &r("3")), Ok(r("-2")));
        assert_eq!(binary(ArithOp::Log, &r("8"), &r("1/2")), Ok(r("-3")));
        assert_eq!(binary(ArithOp::Log, &r("10"), &r("2")), Err(ArithmeticError::Irrational("log")));
        assert_eq!(binary(ArithOp::Log, &r("10"), &r("1000001/1000000")), Err(ArithmeticError::Irrational("log")));
        assert_eq!(binary(ArithOp::Log, &r("0"), &r("2")), Err(ArithmeticError::UndefinedLogarithm));
    }
}
