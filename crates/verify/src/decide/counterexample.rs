//! Answers to VNN-LIB properties as text for other tools to check.
//!
//! They evaluate networks in single precision, so a state is written as single-precision numbers where such a state satisfies
//! the property: of each coordinate the nearest one inside its interval, and of coordinates that are linked to others the
//! value that follows. Where that point is no state, double-precision numbers are tried, and where that fails too the exact
//! state is written, as decimals if it has any. Points are checked exactly.

use surefoot_network::onnx::tensor_file;
use surefoot_num::Rational;
use surefoot_oracle::Variable;
use surefoot_vnnlib::{Names, Property, assignment};

use super::Answered;
use super::asked::Query;
use super::linked::Linked;

/// Decimals of at most so many digits are written.
const MOST_DIGITS: usize = 60;

/// A state as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assigned {
    /// The inputs.
    pub inputs: Vec<Rational>,
    /// The outputs in them.
    pub outputs: Vec<Rational>,
    /// How the inputs are written.
    pub precision: Precision,
}

/// How a state is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// As single-precision numbers that satisfy the property exactly.
    Single,
    /// As double-precision numbers that do.
    Double,
    /// As exact decimals.
    Decimal,
    /// Rounded to double precision: the state has no decimals, and what is written may not satisfy the property.
    Rounded,
}

/// The state of an answer as others may check it; none where there is no state.
#[must_use]
pub fn assigned(query: &Query, answered: &Answered) -> Option<Assigned> {
    let state = answered.state()?;
    let variables = &query.question.variables;
    let linked = query.links.then(|| Linked::new(query));
    let plain = |float: Float| -> Option<Vec<Rational>> {
        let values = state.iter().zip(variables).map(|(value, variable)| float.inside(value, variable));
        values.map(Rational::from_f64).collect()
    };
    let following = |float: Float| -> Option<Vec<Rational>> {
        let linked = linked.as_ref()?;
        let free = linked.free().zip(&linked.question.variables);
        let free = free.map(|(old, variable)| Rational::from_f64(float.inside(&state[old], variable)));
        let full = linked.full(&free.collect::<Option<Vec<_>>>()?);
        full.iter().all(|value| float.has(value)).then_some(full)
    };
    let good = |point: &Vec<Rational>| query.witnesses(point) == Some(true);
    let found = [Float::Single, Float::Double].into_iter().find_map(|float| {
        let point = plain(float).filter(good).or_else(|| following(float).filter(good))?;
        Some((point, if float == Float::Single { Precision::Single } else { Precision::Double }))
    });
    let (inputs, precision) = found.unwrap_or_else(|| {
        let decimal = state.iter().all(|value| decimals(value).is_some());
        let rounded = plain(Float::Double).filter(|_| !decimal);
        rounded.map_or_else(|| (state.to_vec(), Precision::Decimal), |point| (point, Precision::Rounded))
    });
    let outputs = query.question.symbol_values(&inputs).split_off(inputs.len());
    Some(Assigned { inputs, outputs, precision })
}

impl Assigned {
    /// The state in the form that goes with the property's version.
    #[must_use]
    pub fn text(&self, property: &Property) -> String {
        let input = |value: &Rational| match self.precision {
            Precision::Decimal => decimals(value).unwrap_or_else(|| value.to_f64().to_string()),
            _ => value.to_f64().to_string(),
        };
        let inputs: Vec<String> = self.inputs.iter().map(input).collect();
        let outputs: Vec<f64> = self.outputs.iter().map(Rational::to_f64).collect();
        assignment(property, &inputs, &outputs)
    }

    /// What is to be known about how it is written, where it is not as everyone expects.
    #[must_use]
    pub fn note(&self) -> Option<&'static str> {
        match self.precision {
            Precision::Single | Precision::Double => None,
            Precision::Decimal => Some("holds in exact decimals, and not when they are rounded to floats"),
            Precision::Rounded => Some("is rounded, and satisfies the property only before that"),
        }
    }
}

/// The answer to a property as VNN-COMP wants it in a file: a word, and after `sat` the state with its outputs.
#[must_use]
pub fn result_file(property: &Property, answered: &Answered, assigned: Option<&Assigned>) -> String {
    // The competition has a word of its own for what the standard calls timed-out.
    let word = match (answered.word(), &property.names) {
        ("timed-out", Names::Flat) => "timeout",
        (word, _) => word,
    };
    let state = assigned.map(|assigned| assigned.text(property)).unwrap_or_default();
    format!("{word}\n{state}")
}

/// The state as ONNX tensors, by the names of the inputs and outputs: of single precision where it is written so, else of
/// double precision.
#[must_use]
pub fn tensor_files(property: &Property, assigned: &Assigned) -> Vec<(String, Vec<u8>)> {
    let (mut inputs, mut outputs) = (assigned.inputs.iter(), assigned.outputs.iter());
    let mut files = Vec::new();
    for network in property.names.networks() {
        for (tensors, values) in [(&network.inputs, &mut inputs), (&network.outputs, &mut outputs)] {
            for tensor in tensors {
                let values: Vec<f64> = values.by_ref().take(tensor.len().unwrap_or(0)).map(Rational::to_f64).collect();
                let double = assigned.precision != Precision::Single;
                files.push((tensor.name.clone(), tensor_file(&tensor.name, &tensor.shape, &values, double)));
            }
        }
    }
    files
}

/// A number as a decimal, if it is one of not too many digits.
fn decimals(value: &Rational) -> Option<String> {
    let mut rest = value.abs();
    let mut scale = 0;
    while !rest.is_integer() {
        if scale == MOST_DIGITS {
            return None;
        }
        rest = &rest * &Rational::from(10);
        scale += 1;
    }
    let digits = format!("{rest:0>width$}", rest = rest.to_string(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if value.signum() < 0 { "-" } else { "" };
    Some(if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
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
    /// Whether a number is one of this precision.
    fn has(self, value: &Rational) -> bool {
        let float = match self {
            Self::Single => f64::from(single(value.to_f64())),
            Self::Double => value.to_f64(),
        };
        Rational::from_f64(float).is_some_and(|float| float == *value)
    }

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
    fn decimals_are_exact() {
        for (value, expected) in [
            ("1/10", Some("0.1")),
            ("-3/8", Some("-0.375")),
            ("12", Some("12")),
            ("0", Some("0")),
            ("1001/1000", Some("1.001")),
            ("1/3", None),
        ] {
            assert_eq!(decimals(&value.parse().unwrap()).as_deref(), expected, "{value}");
        }
    }

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
