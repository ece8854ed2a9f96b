//! Which bounds a certificate is to show, and of which start states.
//!
//! | asked for | at most | at least |
//! |---|---|---|
//! | the largest value | of all start states | of one |
//! | the smallest value | of one | of all |
//! | the value of the only start state | of all | of all |
//!
//! Of a comparison that was decided only what decides it is shown.

use surefoot_checker::probability::{Claim, Starts};
use surefoot_jani::syntax::BinaryOp;
use surefoot_num::Rational;
use surefoot_verdict::Verdict;

use super::Vectors;
use super::part::Part;
use crate::answer::quantity_takes_smallest;
use crate::bounds::BoundsOutcome;
use crate::problem::{Failure, Problem};
use crate::quantity::{Aggregate, Quantity, Threshold};
use crate::slice::lift_start;

/// Bounds to be shown.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    /// Whether it is to be at most something: of all start states, or of one.
    most: Option<Of>,
    /// The same for at least.
    least: Option<Of>,
    /// The comparison, and whether it holds.
    decided: Option<(Threshold, bool)>,
}

/// Of which start states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    All,
    One,
}

/// Bounds that vectors show.
#[derive(Debug, Clone)]
pub(super) struct Claims {
    pub(super) claims: Vec<Claim>,
    pub(super) verdict: Option<(Threshold, bool)>,
}

/// What is to be shown of an outcome; `everywhere` where all start states are known.
pub(super) fn wanted(quantity: &Quantity, outcome: &BoundsOutcome, everywhere: bool) -> Wanted {
    let smallest = quantity_takes_smallest(quantity);
    let decided = match (&quantity.threshold, &outcome.decision) {
        (Some(threshold), Some(Verdict::Holds(()))) => Some((threshold.clone(), true)),
        (Some(threshold), Some(Verdict::Violated(()))) => Some((threshold.clone(), false)),
        _ => None,
    };
    let single = quantity.aggregate == Aggregate::Single;
    let (mut most, mut least) = match (single, smallest) {
        (true, _) => (Some(Of::All), Some(Of::All)),
        (false, false) => (Some(Of::All), Some(Of::One)),
        (false, true) => (Some(Of::One), Some(Of::All)),
    };
    if let Some((threshold, holds)) = &decided {
        // What is asked of all start states and holds, or of some and does not, is so of all.
        let of = if single || (quantity.aggregate == Aggregate::Some) != *holds { Of::All } else { Of::One };
        let (low, high) = match (threshold.op, holds) {
            (BinaryOp::Lt | BinaryOp::Le, true) | (BinaryOp::Gt | BinaryOp::Ge, false) => (false, true),
            (BinaryOp::Lt | BinaryOp::Le, false) | (BinaryOp::Gt | BinaryOp::Ge, true) => (true, false),
            _ => (true, true),
        };
        (most, least) = (high.then_some(of), low.then_some(of));
    }
    // The other end is that of an abstraction, which is no part of the model.
    if outcome.abstracted.is_some() {
        if smallest { least = None } else { most = None }
    }
    let known = |of: &Of| everywhere || *of == Of::One;
    Wanted { most: most.filter(known), least: least.filter(known), decided }
}

impl Wanted {
    /// Whether nothing is.
    pub(super) fn is_empty(&self) -> bool {
        self.most.is_none() && self.least.is_none()
    }

    /// Whether an upper and a lower vector of the until are needed.
    pub(super) fn sides(&self, quantity: &Quantity) -> (bool, bool) {
        let (most, least) = (self.most.is_some(), self.least.is_some());
        if quantity.complement { (least, most) } else { (most, least) }
    }

    /// What vectors show; `None` where that is not what is needed.
    pub(super) fn claims(
        &self,
        problem: &Problem,
        quantity: &Quantity,
        part: &Part<'_>,
        vectors: &Vectors,
    ) -> Result<Option<Claims>, Failure> {
        let mut claims = Vec::new();
        for (at_most, of) in [(true, self.most), (false, self.least)] {
            let Some(of) = of else { continue };
            let vector = if at_most == quantity.complement {
                vectors.lower.as_ref().map(|lower| &lower.values)
            } else {
                vectors.upper.as_ref()
            };
            let Some(vector) = vector else { return Ok(None) };
            let value = |start: u32| {
                let value = &vector[start as usize];
                if quantity.complement { &Rational::ONE - value } else { value.clone() }
            };
            // Of all start states the worst is shown, of one the best.
            let largest = at_most == (of == Of::All);
            let best = (0..part.starts).map(|start| (value(start), start));
            let best = if largest { best.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1))) } else { best.min() };
            let Some((value, start)) = best else { return Ok(None) };
            let starts = match of {
                Of::All => Starts::All,
                Of::One => {
                    let mut values = vec![0; problem.model().slots.len()];
                    part.unpack(start, &mut values);
                    Starts::One(lift_start(problem, surefoot_model::State::from_ints(&values))?)
                }
            };
            claims.push(Claim { at_most, value, starts });
        }
        let verdict = self.decided.clone();
        let follows = |(threshold, holds): &(Threshold, bool)| {
            surefoot_checker::probability::implied(quantity.aggregate, threshold.op, &threshold.bound, &claims)
                == Some(*holds)
        };
        Ok(verdict.as_ref().is_none_or(follows).then_some(Claims { claims, verdict }))
    }
}

impl Claims {
    /// Whether they are as close as what was told, to a hundredth of the precision.
    pub(super) fn reach(&self, outcome: &BoundsOutcome, precision: f64) -> bool {
        let slack = Rational::from_f64(precision / 100.0).unwrap_or(Rational::ZERO);
        self.verdict.is_some()
            || self.claims.iter().all(|claim| {
                if claim.at_most {
                    claim.value <= &outcome.upper.exact() + &slack
                } else {
                    &claim.value + &slack >= outcome.lower.exact()
                }
            })
    }
}
