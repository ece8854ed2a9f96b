//! Texts read, and errors as they are shown.

#![allow(dead_code, reason = "each test file uses some of it")]

use surefoot_num::Rational;
use surefoot_text::render;
use surefoot_text::source::SourceMap;
use surefoot_vnnlib::{Property, read};

/// The property, or the error as people see it.
pub(crate) fn try_read(text: &str) -> Result<Property, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("p.vnnlib", text);
    read(file, text).map_err(|error| render(&error, &sources))
}

pub(crate) fn number(text: &str) -> Rational {
    text.parse().expect("test literal")
}

/// One input in [-1, 1], one output, and these conditions.
pub(crate) fn one_by_one(conditions: &str) -> String {
    format!("(declare-const X_0 Real)(declare-const Y_0 Real)(assert (and (>= X_0 -1) (<= X_0 1)))\n{conditions}")
}

/// Whether a point satisfies a property.
pub(crate) fn holds(property: &Property, point: &[Rational]) -> bool {
    let inside = property.inputs.iter().zip(point).all(|((lower, upper), x)| lower <= x && x <= upper);
    let mut values = point.to_vec();
    for (left, right) in &property.products {
        values.push(&values[left.index()] * &values[right.index()]);
    }
    inside && property.formula.eval(&|symbol| values[symbol.index()].clone())
}
