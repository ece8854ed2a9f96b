//! Numbers, exactly.
//!
//! A rational is a finite decimal iff its denominator in lowest terms has no prime factor but 2 and 5. Such numbers are
//! written as JSON numbers that read back to the same value; all others as a quotient of two integers.

use surefoot_num::{IBig, Rational, UBig};

use crate::write::json::Json;

/// Fractions of more digits are written with an exponent.
const PLAIN_DIGITS: usize = 30;
/// The reader refuses exponents, and fractions of more digits, beyond this.
const MAX_EXPONENT: usize = 5_000;

pub(super) fn write(out: &mut Json, value: &Rational) {
    if value.is_integer() {
        out.raw(&value.to_string());
    } else if let Some(decimal) = decimal(value) {
        out.raw(&decimal);
    } else {
        let (num, den) = (value.numerator(), value.denominator());
        out.raw(&format!("{{\"op\": \"/\", \"left\": {num}, \"right\": {den}}}"));
    }
}

/// The finite decimal that is exactly `value`, if there is one the reader accepts.
fn decimal(value: &Rational) -> Option<String> {
    let (twos, rest) = split(value.denominator(), 2);
    let (fives, rest) = split(rest, 5);
    if rest != UBig::ONE {
        return None;
    }
    let digits_after_point = twos.max(fives);
    let power = |base: u8, exponent: usize| UBig::from(base).pow(exponent);
    // value = numerator / (2^a 5^b) = (numerator 2^(k-a) 5^(k-b)) / 10^k
    let scaled = value.abs().numerator()
        * IBig::from(power(2, digits_after_point - twos) * power(5, digits_after_point - fives));
    let sign = if value.signum() < 0 { "-" } else { "" };
    let digits = scaled.to_string();
    if digits_after_point <= PLAIN_DIGITS {
        return Some(format!("{sign}{}", with_point(&digits, digits_after_point)));
    }
    let exponent = digits_after_point.min(MAX_EXPONENT);
    let rest = digits_after_point - exponent;
    (rest <= MAX_EXPONENT).then(|| format!("{sign}{}e-{exponent}", with_point(&digits, rest)))
}

/// How often `prime` divides a number other than 0, and what is left then.
fn split(mut rest: UBig, prime: u8) -> (usize, UBig) {
    let prime = UBig::from(prime);
    let mut count = 0;
    while &rest % &prime == UBig::ZERO {
        rest = &rest / &prime;
        count += 1;
    }
    (count, rest)
}

fn with_point(digits: &str, after: usize) -> String {
    if after == 0 {
        return digits.to_owned();
    }
    let padded = format!("{}{digits}", "0".repeat((after + 1).saturating_sub(digits.len())));
    let (whole, fraction) = padded.split_at(padded.len() - after);
    format!("{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(value: &Rational) -> String {
        let mut out = Json::default();
        write(&mut out, value);
        out.finish().trim_end().to_owned()
    }

    #[test]
    fn forms() {
        for (value, expected) in [
            ("0", "0"),
            ("-12", "-12"),
            ("0.5", "0.5"),
            ("-1/8", "-0.125"),
            ("12.50", "12.5"),
            ("1/3", "{\"op\": \"/\", \"left\": 1, \"right\": 3}"),
            ("-7/6", "{\"op\": \"/\", \"left\": -7, \"right\": 6}"),
            ("1e-40", "1e-40"),
            ("-2.5e-41", "-25e-42"),
            ("0.01e-5000", "0.01e-5000"),
            ("123456789012345678901234567890.5", "123456789012345678901234567890.5"),
        ] {
            let value: Rational = value.parse().expect("test literal");
            assert_eq!(written(&value), expected);
        }
    }

    proptest! {
        #[test]
        fn decimals_read_back(digits in -1_000_000_000i64..1_000_000_000, scale in -60i32..60) {
            let value: Rational = format!("{digits}e{scale}").parse().unwrap();
            prop_assert_eq!(written(&value).parse::<Rational>().unwrap(), value);
        }
    }
}
