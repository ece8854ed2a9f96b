//! What a formula fails by in a point: the critical score, which is to be bounded, and what its row says about the box.
//!
//! How far a formula is from holding is its *robustness* (Fainekos and Pappas, *Robustness of temporal logic specifications for
//! continuous-time signals*, TCS 2009): the least of its parts' for a conjunction, the largest for a disjunction.

use super::compiled::{Compiled, Part};
use super::region::Truth;

/// An undecided score that decides how far a formula is from holding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CriticalScore {
    pub(crate) part: u32,
    pub(crate) score: u32,
    /// Whether the formula is false wherever the score fails.
    pub(crate) required: bool,
}

/// How far a part of a formula is from holding in a point, and by which score.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Criticality {
    pub(crate) robustness: f64,
    pub(crate) score: Option<CriticalScore>,
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
pub(crate) fn criticality(
    compiled: &Compiled<'_>,
    part: u32,
    point: &[f64],
    outputs: &[f64],
    truth: &[Truth],
) -> Criticality {
    // What is decided everywhere in the region is not gone into again: of a formula with hundreds of parts, few are open.
    match truth[part as usize] {
        Truth::False => return Criticality { robustness: f64::NEG_INFINITY, score: None },
        Truth::True => return Criticality { robustness: f64::INFINITY, score: None },
        Truth::Unknown => {}
    }
    match &compiled.parts[part as usize] {
        Part::Row(row) => {
            let row = &compiled.rows[*row as usize];
            let robustness = row.terms.iter().fold(row.constant, |sum, (v, a)| sum + a * point[*v as usize]);
            Criticality { robustness, score: None }
        }
        Part::Score(index) => {
            let score = &compiled.scores[*index as usize];
            let products = score.terms.iter().map(|(output, d)| d * outputs[*output as usize]);
            let robustness = products.sum::<f64>() + score.constant + score.linear_at(point);
            let critical = CriticalScore { part, score: *index, required: true };
            Criticality { robustness, score: (!score.has_linear()).then_some(critical) }
        }
        Part::All(children) => {
            let all = children.iter().map(|child| criticality(compiled, *child, point, outputs, truth));
            extreme(all, f64::INFINITY, |value, worst| value < worst)
        }
        Part::Any(children) => {
            let open = children.iter().filter(|child| truth[**child as usize] != Truth::False).count();
            let any = children.iter().map(|child| {
                let Criticality { robustness, score } = criticality(compiled, *child, point, outputs, truth);
                let score = score.map(|score| CriticalScore { required: score.required && open == 1, ..score });
                Criticality { robustness, score }
            });
            extreme(any, f64::NEG_INFINITY, |value, best| value > best)
        }
    }
}

/// The robustness that is further than all others, and the score of the one that is further than all others with a score: rows and
/// scores are measured in different units, and only scores can be bounded.
fn extreme(parts: impl Iterator<Item = Criticality>, neutral: f64, further: impl Fn(f64, f64) -> bool) -> Criticality {
    let mut found = Criticality { robustness: neutral, score: None };
    let mut critical: Option<f64> = None;
    for Criticality { robustness, score } in parts {
        if further(robustness, found.robustness) {
            found.robustness = robustness;
        }
        if score.is_some() && critical.is_none_or(|other| further(robustness, other)) {
            (found.score, critical) = (score, Some(robustness));
        }
    }
    found
}
