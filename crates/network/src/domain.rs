//! What a network asks of its inputs.

use surefoot_linear::{Linear, Space};
use surefoot_num::Rational;

/// What a network asks of one of its inputs: elsewhere it is another function than the file's.
///
/// A comparison of integers, for one, is made of ReLU units that mean it at integers only. Whoever feeds a network sees to it
/// that it gets what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InputDomain {
    /// Only integers.
    pub integral: bool,
    /// Nothing below.
    pub lower: Option<i64>,
    /// Nothing above.
    pub upper: Option<i64>,
}

impl InputDomain {
    /// What is wrong with a form over these symbols as that input, if it may have other values.
    #[must_use]
    pub fn excludes(&self, form: &Linear, space: &Space) -> Option<String> {
        if self.integral && !space.is_integral(form) {
            return Some("takes integers, and this need not be one".to_owned());
        }
        let range = space.range(form);
        let below = |bound: i64| range.lower.as_ref().is_none_or(|low| *low < Rational::from(bound));
        let above = |bound: i64| range.upper.as_ref().is_none_or(|high| *high > Rational::from(bound));
        if !self.lower.is_some_and(below) && !self.upper.is_some_and(above) {
            return None;
        }
        let bound = |bound: Option<i64>| bound.map_or("...".to_owned(), |bound| bound.to_string());
        let shown = |end: &Option<Rational>| end.as_ref().map_or("...".to_owned(), ToString::to_string);
        Some(format!(
            "takes integers from {} to {}, and this has values from {} to {}",
            bound(self.lower),
            bound(self.upper),
            shown(&range.lower),
            shown(&range.upper)
        ))
    }
}
