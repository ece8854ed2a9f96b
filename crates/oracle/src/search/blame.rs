//! What a formula fails by: the score to be bounded, and what its row says about the box.

use super::compile::{Compiled, Part};
use super::region::Truth;

/// How far a part of a formula is from holding in a point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) value: f64,
    /// The undecided score that is to blame, with its part, and whether the part is false wherever the score fails.
    pub(crate) blame: Option<(u32, u32, bool)>,
}

/// What `a x + (max - max a x) >= 0` leaves of an interval, where `max` bounds the whole row from above; the interval itself where that
/// would be nothing, which cannot be.
pub(crate) fn cut(a: f64, max: f64, lower: f64, upper: f64, integral: bool) -> (f64, f64) {
    let (mut low, mut high) = (lower, upper);
    // Most rows cut nothing off; what is not a number does not either.
    let cuts = a.abs() * (upper - lower) > max;
    if !cuts {
        return (lower, upper);
    }
    // Soundness: the distance is rounded up, the bound then outward.
    let distance = (max / a.abs()).next_up();
    if a > 0.0 {
        let bound = (upper - distance).next_down();
        low = low.max(if integral { bound.ceil() } else { bound });
    } else {
        let bound = (lower + distance).next_up();
        high = high.min(if integral { bound.floor() } else { bound });
    }
    if low <= high { (low, high) } else { (lower, upper) }
}

/// How far a part of a formula is from holding in a point.
pub(crate) fn measure(compiled: &Compiled<'_>, part: u32, point: &[f64], outputs: &[f64], truth: &[Truth]) -> Measured {
    if truth[part as usize] == Truth::False {
        return Measured { value: f64::NEG_INFINITY, blame: None };
    }
    match &compiled.parts[part as usize] {
        Part::Row(row) => {
            let row = &compiled.rows[*row as usize];
            let value = row.terms.iter().fold(row.constant, |sum, (v, a)| sum + a * point[*v as usize]);
            Measured { value, blame: None }
        }
        Part::Score(index) => {
            let score = &compiled.scores[*index as usize];
            let products = score.terms.iter().map(|(output, d)| d * outputs[*output as usize]);
            let value = products.sum::<f64>() + score.constant + score.linear_at(point);
            Measured { value, blame: (!score.has_linear()).then_some((part, *index, true)) }
        }
        Part::All(children) => {
            let all = children.iter().map(|child| measure(compiled, *child, point, outputs, truth));
            extreme(all, f64::INFINITY, |value, worst| value < worst)
        }
        Part::Any(children) => {
            let open = children.iter().filter(|child| truth[**child as usize] != Truth::False).count();
            let any = children.iter().map(|child| {
                let Measured { value, blame } = measure(compiled, *child, point, outputs, truth);
                let blame = blame.map(|(part, score, required)| (part, score, required && open == 1));
                Measured { value, blame }
            });
            extreme(any, f64::NEG_INFINITY, |value, best| value > best)
        }
    }
}

/// The value that is further than all others, and the blame of the one that is further than all others with blame: rows and scores are
/// measured in different units, and only scores can be bounded.
fn extreme(parts: impl Iterator<Item = Measured>, neutral: f64, further: impl Fn(f64, f64) -> bool) -> Measured {
    let mut found = Measured { value: neutral, blame: None };
    let mut blamed: Option<f64> = None;
    for Measured { value, blame } in parts {
        if further(value, found.value) {
            found.value = value;
        }
        if blame.is_some() && blamed.is_none_or(|other| further(value, other)) {
            (found.blame, blamed) = (blame, Some(value));
        }
    }
    found
}
