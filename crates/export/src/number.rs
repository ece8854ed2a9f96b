//! Probabilities in text.

use surefoot_num::Rational;

use crate::error::ExportError;
use crate::options::Numbers;

/// The nearest float of a probability.
///
/// # Errors
/// Where a positive probability would become zero.
pub(crate) fn nearest(value: &Rational) -> Result<f64, ExportError> {
    let float = value.to_f64();
    if float > 0.0 { Ok(float) } else { Err(ExportError::Vanishes(value.to_string())) }
}

/// A probability in text: a fraction, or the shortest decimal that reads back as the nearest float.
pub(crate) fn show(value: &Rational, numbers: Numbers) -> Result<String, ExportError> {
    match numbers {
        Numbers::Exact => Ok(value.to_string()),
        Numbers::Double => {
            let float = nearest(value)?;
            // `{:?}` has exponents where they are shorter, and `1.0` for whole numbers.
            let text = format!("{float:?}");
            Ok(text.strip_suffix(".0").map_or(text.clone(), str::to_owned))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(text: &str) -> Result<String, ExportError> {
        show(&text.parse().unwrap(), Numbers::Double)
    }

    #[test]
    fn decimals_are_short_and_read_back() {
        for (value, expected) in [("1", "1"), ("7/10", "0.7"), ("1/3", "0.3333333333333333"), ("1e-9", "1e-9")] {
            assert_eq!(double(value).unwrap(), expected);
            assert_eq!(expected.parse::<f64>().unwrap(), value.parse::<Rational>().unwrap().to_f64());
        }
        assert_eq!(show(&"0.7".parse().unwrap(), Numbers::Exact).unwrap(), "7/10");
    }

    #[test]
    fn a_positive_probability_never_becomes_zero() {
        assert!(matches!(double("1e-400"), Err(ExportError::Vanishes(_))));
        assert_eq!(double("5e-324").unwrap(), "5e-324");
    }
}
