//! Which output is maximal, decided exactly.
//!
//! The float evaluation gives outputs `yh` and a bound `E` with `|yh_i - y_i| <= E`. If `yh_a - yh_b > 2 E` then
//! `y_a > y_b`: the order of two outputs farther apart than `2 E` is certain. Whenever the certain part does not decide
//! the question, in particular on every tie, the exact evaluation does ([`scores`](super::scores) for a network with smooth functions). So
//! answers never depend on rounding; the floats only save time. A network in single precision is emulated: rounding is what is asked about.
//! Differences are rounded down and `2 E` is exact (or infinite).
//!
//! Ties go to the *first* maximal output, as in NumPy and PyTorch.

use std::sync::Arc;

use surefoot_num::{IBig, Rational, UBig};

use super::exact::{ExactNetwork, ScaledOutputs};
use super::float::{FloatNetwork, FloatScratch};
use super::float32::Float32Network;
use super::scores::{Scores, Undecided};
use crate::network::{Arithmetic, Network};

/// How often each way of evaluating decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Questions decided by the float evaluation.
    pub float: u64,
    /// Questions that needed exact evaluation.
    pub exact: u64,
}

/// What decides when floats do not.
#[derive(Debug, Clone)]
enum Slow {
    Exact(Arc<ExactNetwork>),
    Smooth(Arc<Network>),
    Float32(Arc<Float32Network>),
}

/// Answers questions about maximal outputs. Cloning shares the network, so give each thread a clone.
#[derive(Debug, Clone)]
pub struct Evaluator {
    float: Arc<FloatNetwork>,
    slow: Slow,
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
        let slow = match (network.arithmetic(), ExactNetwork::new(network)) {
            (Arithmetic::Float32, _) => Slow::Float32(Arc::new(Float32Network::new(network))),
            (Arithmetic::Real, Some(exact)) => Slow::Exact(Arc::new(exact)),
            (Arithmetic::Real, None) => Slow::Smooth(Arc::new(network.clone())),
        };
        Self { float, slow, scratch, statistics: Statistics::default() }
    }

    /// The float form of the network.
    #[must_use]
    pub fn float(&self) -> &FloatNetwork {
        &self.float
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
    /// # Errors
    /// Where scores cannot be compared ([`Undecided`]); never for an exact network.
    ///
    /// # Panics
    /// When there is not one input per network input.
    pub fn argmax(
        &mut self,
        inputs: &[f64],
        input_error: f64,
        allowed: impl Fn(usize) -> bool,
        exact_inputs: impl FnOnce() -> Vec<Rational>,
    ) -> Result<Option<usize>, Undecided> {
        if let Slow::Float32(network) = &self.slow {
            if !(0..self.float.output_len()).any(&allowed) {
                return Ok(None);
            }
            self.statistics.float += 1;
            let outputs = single(network, inputs, input_error, exact_inputs)?;
            return Ok(first_largest(&outputs, &allowed));
        }
        let outputs = self.float.eval(inputs, input_error, &mut self.scratch);
        let Some(best) = first_largest(outputs.values, &allowed) else { return Ok(None) };
        if outputs.error < f64::INFINITY {
            let top = outputs.values[best];
            let gap = 2.0 * outputs.error;
            let decided =
                |(index, &value): (usize, &f64)| index == best || sub_down(top, value) > gap || !allowed(index);
            if outputs.values.iter().enumerate().all(decided) {
                self.statistics.float += 1;
                return Ok(Some(best));
            }
        }
        self.statistics.exact += 1;
        match &self.slow {
            Slow::Exact(exact) => Ok(first_largest(&exact.eval_scaled(&exact_inputs()).numerators, &allowed)),
            Slow::Smooth(network) => {
                let candidates: Vec<usize> = (0..network.output_len()).filter(|output| allowed(*output)).collect();
                network.scores_at(&exact_inputs()).first_largest(&candidates)
            }
            Slow::Float32(_) => unreachable!("answered above"),
        }
    }

    /// Every maximal output among the allowed ones, in order.
    ///
    /// # Errors
    /// As [`Evaluator::argmax`].
    ///
    /// # Panics
    /// When there is not one input per network input.
    pub fn all_argmax(
        &mut self,
        inputs: &[f64],
        input_error: f64,
        allowed: impl Fn(usize) -> bool,
        exact_inputs: impl FnOnce() -> Vec<Rational>,
    ) -> Result<Vec<usize>, Undecided> {
        self.within(inputs, input_error, allowed, &Rational::ZERO, exact_inputs)
    }

    /// Every allowed output `i` with `y_i >= max - tolerance`, the maximum taken over the allowed outputs, in order.
    /// A negative tolerance counts as zero.
    ///
    /// # Errors
    /// As [`Evaluator::argmax`].
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
    ) -> Result<Vec<usize>, Undecided> {
        let tolerance = if tolerance.signum() < 0 { &Rational::ZERO } else { tolerance };
        let candidates = |outputs: usize| (0..outputs).filter(|output| allowed(*output)).collect::<Vec<_>>();
        if let Slow::Float32(network) = &self.slow {
            self.statistics.float += 1;
            let outputs = single(network, inputs, input_error, exact_inputs);
            return Scores::single(outputs).within(&candidates(self.float.output_len()), tolerance);
        }
        let outputs = self.float.eval(inputs, input_error, &mut self.scratch);
        if let Some(decided) = decide_within(outputs.values, outputs.error, &allowed, tolerance) {
            self.statistics.float += 1;
            return Ok(decided);
        }
        self.statistics.exact += 1;
        match &self.slow {
            Slow::Exact(exact) => Ok(exactly_within(&exact.eval_scaled(&exact_inputs()), &allowed, tolerance)),
            Slow::Smooth(network) => {
                network.scores_at(&exact_inputs()).within(&candidates(network.output_len()), tolerance)
            }
            Slow::Float32(_) => unreachable!("answered above"),
        }
    }
}

/// The outputs in single precision.
///
/// Soundness: a float that is the exact input is rounded once; one that is only near it could be rounded to another number than the
/// exact one.
fn single(
    network: &Float32Network,
    inputs: &[f64],
    input_error: f64,
    exact_inputs: impl FnOnce() -> Vec<Rational>,
) -> Result<Vec<f32>, Undecided> {
    if input_error == 0.0 {
        #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
        let inputs: Vec<f32> = inputs.iter().map(|x| *x as f32).collect();
        return network.eval(&inputs);
    }
    network.eval_at(&exact_inputs())
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
