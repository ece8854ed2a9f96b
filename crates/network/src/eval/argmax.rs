//! Which output is maximal, decided exactly.
//!
//! The float evaluation gives outputs `yh` and a bound `E` with `|yh_i - y_i| <= E`. If `yh_a - yh_b > 2 E` then
//! `y_a > y_b`: the order of two outputs farther apart than `2 E` is certain. Whenever the certain part does not decide
//! the question, in particular on every tie, the exact evaluation does. So answers never depend on rounding; the floats
//! only save time. Differences are rounded down and `2 E` is exact (or infinite).
//!
//! Ties go to the *first* maximal output, as in NumPy and PyTorch.

use std::sync::Arc;

use surefoot_num::{IBig, Rational, UBig};

use super::exact::{ExactNetwork, ScaledOutputs};
use super::float::{FloatNetwork, FloatScratch};
use crate::network::Network;

/// How often each way of evaluating decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Questions decided by the float evaluation.
    pub float: u64,
    /// Questions that needed exact evaluation.
    pub exact: u64,
}

/// Answers questions about maximal outputs. Cloning shares the network, so give each thread a clone.
#[derive(Debug, Clone)]
pub struct Evaluator {
    float: Arc<FloatNetwork>,
    exact: Arc<ExactNetwork>,
    scratch: FloatScratch,
    statistics: Statistics,
}

/// `a - b`, rounded down.
fn sub_down(a: f64, b: f64) -> f64 {
    (a - b).next_down()
}

/// The first index with the largest entry among the allowed ones.
fn first_largest<T: PartialOrd>(values: &[T], allowed: &impl Fn(usize) -> bool) -> Option<usize> {
    let mut best: Option<usize> = None;
    for index in (0..values.len()).filter(|&index| allowed(index)) {
        if best.is_none_or(|b| values[index] > values[b]) {
            best = Some(index);
        }
    }
    best
}

impl Evaluator {
    /// Prepares a network.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        let float = Arc::new(FloatNetwork::new(network));
        let scratch = float.scratch();
        Self { float, exact: Arc::new(ExactNetwork::new(network)), scratch, statistics: Statistics::default() }
    }

    /// The float form of the network.
    #[must_use]
    pub fn float(&self) -> &FloatNetwork {
        &self.float
    }

    /// The exact form of the network.
    #[must_use]
    pub fn exact(&self) -> &ExactNetwork {
        &self.exact
    }

    /// How often each way of evaluating decided so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The first maximal output among the allowed ones; none when nothing is allowed.
    ///
    /// `inputs` are within `input_error` of the exact inputs, which `exact_inputs` delivers when they are needed.
    ///
    /// # Panics
    /// When there is not one input per network input.
    pub fn argmax(
        &mut self,
        inputs: &[f64],
        input_error: f64,
        allowed: impl Fn(usize) -> bool,
        exact_inputs: impl FnOnce() -> Vec<Rational>,
    ) -> Option<usize> {
        let outputs = self.float.eval(inputs, input_error, &mut self.scratch);
        let best = first_largest(outputs.values, &allowed)?;
        if outputs.error < f64::INFINITY {
            let top = outputs.values[best];
            let gap = 2.0 * outputs.error;
            let decided =
                |(index, &value): (usize, &f64)| index == best || sub_down(top, value) > gap || !allowed(index);
            if outputs.values.iter().enumerate().all(decided) {
                self.statistics.float += 1;
                return Some(best);
            }
        }
        self.statistics.exact += 1;
        first_largest(&self.exact.eval_scaled(&exact_inputs()).numerators, &allowed)
    }

    /// Every maximal output among the allowed ones, in order.
    ///
    /// # Panics
    /// When there is not one input per network input.
    pub fn all_argmax(
        &mut self,
        inputs: &[f64],
        input_error: f64,
        allowed: impl Fn(usize) -> bool,
        exact_inputs: impl FnOnce() -> Vec<Rational>,
    ) -> Vec<usize> {
        self.within(inputs, input_error, allowed, &Rational::ZERO, exact_inputs)
    }

    /// Every allowed output `i` with `y_i >= max - tolerance`, the maximum taken over the allowed outputs, in order.
    /// A negative tolerance counts as zero.
    ///
    /// # Panics
    /// When there is not one input per network input.
    pub fn within(
        &mut self,
        inputs: &[f64],
        input_error: f64,
        allowed: impl Fn(usize) -> bool,
        tolerance: &Rational,
        exact_inputs: impl FnOnce() -> Vec<Rational>,
    ) -> Vec<usize> {
        let tolerance = if tolerance.signum() < 0 { &Rational::ZERO } else { tolerance };
        let outputs = self.float.eval(inputs, input_error, &mut self.scratch);
        if let Some(decided) = decide_within(outputs.values, outputs.error, &allowed, tolerance) {
            self.statistics.float += 1;
            return decided;
        }
        self.statistics.exact += 1;
        exactly_within(&self.exact.eval_scaled(&exact_inputs()), &allowed, tolerance)
    }
}

/// The outputs within the tolerance of the maximum, when the floats decide it.
///
/// With `top` the largest computed output, `|(top - yh_i) - (max - y_i)| <= 2 E`. An output is certainly out when
/// `top - yh_i - 2 E > tolerance`, certainly in when `top - yh_i + 2 E <= tolerance`, and also in when all others are
/// out, because a maximal output always belongs.
fn decide_within(
    values: &[f64],
    error: f64,
    allowed: &impl Fn(usize) -> bool,
    tolerance: &Rational,
) -> Option<Vec<usize>> {
    if error == f64::INFINITY {
        return None;
    }
    let Some(best) = first_largest(values, allowed) else { return Some(Vec::new()) };
    let slack = 2.0 * error;
    // Soundness: one step around the nearest float encloses the tolerance.
    let (low, high) = (tolerance.to_f64().next_down(), tolerance.to_f64().next_up());
    let mut candidates = Vec::new();
    let mut undecided = false;
    for index in (0..values.len()).filter(|&index| allowed(index)) {
        let gap = values[best] - values[index];
        if sub_down(gap.next_down(), slack) > high {
            continue;
        }
        let surely_in = (gap.next_up() + slack).next_up() <= low;
        undecided |= !surely_in;
        candidates.push(index);
    }
    if undecided && candidates.len() > 1 { None } else { Some(candidates) }
}

fn exactly_within(outputs: &ScaledOutputs, allowed: &impl Fn(usize) -> bool, tolerance: &Rational) -> Vec<usize> {
    let Some(best) = first_largest(&outputs.numerators, allowed) else { return Vec::new() };
    // (N_best - N_i) / D <= p / q  iff  (N_best - N_i) q <= p D, both denominators being positive.
    let limit = tolerance.numerator() * IBig::from(outputs.denominator.clone());
    let denominator: UBig = tolerance.denominator();
    let inside = |index: &usize| {
        (&outputs.numerators[best] - &outputs.numerators[*index]) * IBig::from(denominator.clone()) <= limit
    };
    (0..outputs.numerators.len()).filter(|&index| allowed(index)).filter(inside).collect()
}
