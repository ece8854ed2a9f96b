//! Answers to VNN-LIB properties as text for other tools to check.
//!
//! They evaluate networks in single precision, so the state is written as floats: of each coordinate the nearest
//! single-precision number inside its interval, or where that point does not satisfy the property, the nearest
//! double-precision one. Points are checked exactly. Where an interval has no float in it, the nearest one is written.

use surefoot_num::Rational;
use surefoot_oracle::{Question, Variable};
use surefoot_vnnlib::{Names, Property, assignment};

use super::Answered;

/// A result file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultFile {
    /// Its text.
    pub text: String,
    /// Whether the state in it satisfies the property exactly; true where there is no state.
    pub exact: bool,
}

/// The answer to a property as VNN-COMP wants it in a file: a word, and after `sat` the state with its outputs.
#[must_use]
pub fn result_file(property: &Property, question: &Question, answered: &Answered) -> ResultFile {
    // The competition has a word of its own for what the standard calls timed-out.
    let word = match (answered.word(), &property.names) {
        ("timed-out", Names::Flat) => "timeout",
        (word, _) => word,
    };
    let Some(state) = answered.state() else { return ResultFile { text: format!("{word}\n"), exact: true } };
    let point = |float: Float| -> Vec<f64> {
        state.iter().zip(&question.variables).map(|(value, variable)| float.inside(value, variable)).collect()
    };
    let points = [point(Float::Single), point(Float::Double)];
    let exactly = |point: &[f64]| point.iter().map(|value| Rational::from_f64(*value)).collect::<Option<Vec<_>>>();
    let good = |point: &&Vec<f64>| exactly(point).is_some_and(|point| question.is_witness(&point));
    let found = points.iter().find(good);
    let point = found.unwrap_or(&points[1]);
    let values = exactly(point).unwrap_or_else(|| state.to_vec());
    let outputs: Vec<f64> = question.symbol_values(&values)[values.len()..].iter().map(Rational::to_f64).collect();
    let text = format!("{word}\n{}", assignment(property, point, &outputs));
    ResultFile { text, exact: found.is_some() }
}

/// A precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Float {
    Single,
    Double,
}

/// The nearest float of single precision.
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
fn single(value: f64) -> f32 {
    value as f32
}

impl Float {
    /// The float nearest to a value of a variable that is inside the variable's interval; where there is none, nearest.
    fn inside(self, value: &Rational, variable: &Variable) -> f64 {
        let nearest = match self {
            Self::Single => f64::from(single(value.to_f64())),
            Self::Double => value.to_f64(),
        };
        // The nearest float is a neighbour of the value, so when it is outside, the neighbour on the other side is next to it.
        let clamped = if is_beyond(nearest, &variable.upper) {
            self.below(nearest)
        } else if is_beyond(-nearest, &-&variable.lower) {
            -self.below(-nearest)
        } else {
            return nearest;
        };
        let outside = is_beyond(clamped, &variable.upper) || is_beyond(-clamped, &-&variable.lower);
        // A value too large for the precision has no nearest float.
        if outside && nearest.is_finite() { nearest } else { clamped }
    }

    fn below(self, float: f64) -> f64 {
        match self {
            Self::Single => f64::from(single(float).next_down()),
            Self::Double => float.next_down(),
        }
    }
}

/// Whether a float, perhaps infinite, is larger than a number.
fn is_beyond(float: f64, most: &Rational) -> bool {
    Rational::from_f64(float).map_or(float > 0.0, |float| float > *most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_inside_their_interval_where_one_is() {
        let number = |text: &str| text.parse::<Rational>().unwrap();
        let (tenth, below, above) = (0.1_f32, 0.1_f32.next_down(), 0.7_f32.next_up());
        // In single precision 0.1 is larger than a tenth, and 0.7 smaller than seven tenths; in double precision too.
        for (value, lower, upper, single, double) in [
            ("0.1", "0", "1", f64::from(tenth), 0.1),
            ("0.1", "0", "0.1", f64::from(below), 0.1_f64.next_down()),
            ("-0.1", "-0.1", "0", -f64::from(below), -0.1_f64.next_down()),
            ("0.7", "0.7", "1", f64::from(above), 0.7_f64.next_up()),
            ("0.1", "0.1", "0.1", f64::from(tenth), 0.1),
            ("1e300", "0", "1e300", f64::from(f32::MAX), Rational::to_f64(&number("1e300"))),
            ("1", "1", "1", 1.0, 1.0),
            ("0", "0", "1e-400", 0.0, 0.0),
            ("1e-400", "1e-400", "1", f64::from(f32::from_bits(1)), f64::from_bits(1)),
        ] {
            let variable = Variable::real(number(lower), number(upper));
            let value = number(value);
            assert_eq!(Float::Single.inside(&value, &variable), single, "{value} in [{lower}, {upper}]");
            let found = Float::Double.inside(&value, &variable);
            let exact = Rational::from_f64(found).unwrap();
            assert!(lower == upper || (variable.lower <= exact && exact <= variable.upper), "{found}");
            assert!((found - double).abs() <= (double.next_up() - double).abs(), "{found} and {double}");
        }
    }
}
