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
    let mut extreme: Option<Measured> = None;
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
            for &child in children {
                let measured = measure(compiled, child, point, outputs, truth);
                if extreme.is_none_or(|worst| measured.value < worst.value) {
                    extreme = Some(measured);
                }
            }
            extreme.unwrap_or(Measured { value: f64::INFINITY, blame: None })
        }
        Part::Any(children) => {
            let open = children.iter().filter(|child| truth[**child as usize] != Truth::False).count();
            for &child in children {
                let mut measured = measure(compiled, child, point, outputs, truth);
                measured.blame = measured.blame.map(|(part, score, required)| (part, score, required && open == 1));
                if extreme.is_none_or(|best| measured.value > best.value) {
                    extreme = Some(measured);
                }
            }
            extreme.unwrap_or(Measured { value: f64::NEG_INFINITY, blame: None })
        }
    }
}
