//! Decimal numbers and fractions as text, with advice for those that cannot be read.

use surefoot_num::{ParseRationalError, Rational};

/// Numbers have at most so many digits after the point, and at most such an exponent.
const MOST: i64 = 5_000;
/// Texts are shown up to here.
const SHOWN: usize = 40;

/// Why a text is not read as a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberError {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: &'static str,
}

/// The exact value of a number such as `-12`, `0.5`, `1e-3` or `1/3`.
///
/// ```
/// use surefoot_vnnlib::parse_number;
/// assert_eq!(parse_number("0.5"), parse_number("1/2"));
/// assert_eq!(parse_number("1e6000").unwrap_err().message, "the exponent of 1e6000 is beyond 5000");
/// ```
///
/// # Errors
/// When the text is none, or too large to be worked with.
pub fn parse_number(text: &str) -> Result<Rational, NumberError> {
    let mut shown: String = text.chars().filter(|c| !c.is_control()).take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    let malformed = || NumberError {
        message: format!("{shown} is not a number"),
        help: "numbers are written like -12, 0.5 and 1e-3, fractions like 1/3",
    };
    // A text with several slashes would be divided and divided again.
    if text.matches('/').count() > 1 {
        return Err(malformed());
    }
    text.parse().map_err(|error| match error {
        ParseRationalError::ZeroDenominator(_) => {
            NumberError { message: format!("{shown} has the denominator zero"), help: "divide by another number" }
        }
        _ if text.split('/').any(has_huge_exponent) => NumberError {
            message: format!("the exponent of {shown} is beyond {MOST}"),
            help: "write a number with a smaller exponent",
        },
        ParseRationalError::HugeExponent(_) => NumberError {
            message: format!("{shown} has more than {MOST} digits after the point"),
            help: "round the number, or write it as a fraction",
        },
        ParseRationalError::HugeNumber(_) => NumberError {
            message: format!("{shown} has more than a million digits"),
            help: "write a number with fewer digits",
        },
        ParseRationalError::Malformed(_) => malformed(),
    })
}

/// Whether a well-formed number has an exponent that is too large, however many digits that has.
fn has_huge_exponent(text: &str) -> bool {
    let Some((mantissa, exponent)) = text.trim().split_once(['e', 'E']) else { return false };
    let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let huge = digits.trim_start_matches('0').parse::<i64>().map_or(digits.len() > 18, |value| value > MOST);
    plain && huge && !matches!(mantissa.parse::<Rational>(), Err(ParseRationalError::Malformed(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        let digits = format!("0.{}", "1".repeat(6000));
        for (text, expected) in [
            ("1e99999999999999999999", "the exponent of 1e99999999999999999999 is beyond 5000"),
            ("1e-99999999999999999999", "the exponent of 1e-99999999999999999999 is beyond 5000"),
            ("1e999999999", "the exponent of 1e999999999 is beyond 5000"),
            ("1/1e999999999", "the exponent of 1/1e999999999 is beyond 5000"),
            (&digits, "has more than 5000 digits after the point"),
            (&format!("{digits}e9"), "has more than 5000 digits after the point"),
            ("1/0", "1/0 has the denominator zero"),
            ("1e", "1e is not a number"),
            ("xe99999999999999999999", "xe99999999999999999999 is not a number"),
            ("1/2/3", "1/2/3 is not a number"),
            ("", " is not a number"),
        ] {
            let error = parse_number(text).unwrap_err();
            assert!(error.message.contains(expected) && error.message.len() < 200, "{text}: {error:?}");
        }
        for (text, expected) in [("1e00000000000000000000002", "100"), (" 1 / 3", "1/3"), ("1e5000/1e5000", "1")] {
            let expected: Rational = expected.parse().unwrap();
            assert_eq!(parse_number(text.trim()).unwrap(), expected, "{text}");
        }
    }
}
