//! Answers to VNN-LIB properties as text for other tools to check.
//!
//! They evaluate networks in single precision, so the state is written as floats: the nearest single-precision point
//! where that satisfies the property, or else the nearest double-precision one, both checked exactly.

use surefoot_num::Rational;
use surefoot_oracle::Question;
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
    let single = |value: &Rational| f64::from(value.to_f64() as f32);
    let points = [state.iter().map(single).collect::<Vec<f64>>(), state.iter().map(Rational::to_f64).collect()];
    let exactly = |point: &[f64]| point.iter().map(|value| Rational::from_f64(*value)).collect::<Option<Vec<_>>>();
    let good = |point: &&Vec<f64>| exactly(point).is_some_and(|point| question.is_witness(&point));
    let found = points.iter().find(good);
    let point = found.unwrap_or(&points[1]);
    let values = exactly(point).unwrap_or_else(|| state.to_vec());
    let outputs: Vec<f64> = question.symbol_values(&values)[values.len()..].iter().map(Rational::to_f64).collect();
    let text = format!("{word}\n{}", assignment(property, point, &outputs));
    ResultFile { text, exact: found.is_some() }
}
