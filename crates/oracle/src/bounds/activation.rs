//! What follows the sums of a layer, as bounds see it.
//!
//! ReLUs are replaced by lines that depend on their phase ([`super::slopes`]), smooth functions by the lines of
//! [`Function::lines`](surefoot_num::function::Function::lines). Layer normalisation has constants for lines: a vector of `n` numbers with
//! mean zero and variance at most one has no entry beyond `sqrt(n)`. That says little; over integers the search ends at points all the
//! same.

use surefoot_network::Activation;
use surefoot_num::FloatInterval;
use surefoot_num::function::Function;
use surefoot_num::function::lines::{Line, Lines};

/// Beyond this a smooth function is so near to its limits that bounds on its argument need not be better.
const SATURATED: f64 = 30.0;

/// An argument known as well as this needs no better bounds.
const NARROW: f64 = 1e-9;

/// The lines of a neuron that is not a ReLU, in a layer of `n`.
pub(crate) fn lines(activation: Activation, n: usize, over: FloatInterval) -> Lines {
    match activation {
        Activation::Smooth(function) => function.lines(over),
        Activation::LayerNorm { .. } => {
            let most = activation.magnitude(n, f64::INFINITY);
            let line = |intercept| Line { slope: 0.0, intercept };
            Lines { lower: line(-most), upper: line(most) }
        }
        Activation::Identity | Activation::Relu => unreachable!("these have slopes of their own"),
    }
}

/// All values of a neuron, given those of its sum, in a layer of `n`.
///
/// # Panics
/// When an end is not a number: bounds only ever change to better ones, which what is not a number is not, and `max` would make it a
/// zero.
pub(crate) fn values(activation: Activation, n: usize, over: FloatInterval) -> FloatInterval {
    let FloatInterval { lower, upper } = over;
    assert!(!lower.is_nan() && !upper.is_nan(), "the bound of a neuron is not a number");
    match activation {
        Activation::Identity => over,
        Activation::Relu => FloatInterval { lower: lower.max(0.0), upper: upper.max(0.0) },
        Activation::Smooth(function) if over.is_finite() => function.over(over),
        Activation::Smooth(_) | Activation::LayerNorm { .. } => {
            let Lines { lower, upper } = lines(activation, n, over);
            FloatInterval { lower: lower.intercept, upper: upper.intercept }
        }
    }
}

/// Whether a neuron's bounds are good enough: better ones would hardly move its lines.
pub(crate) fn is_settled(activation: Activation, l: f64, u: f64) -> bool {
    match activation {
        Activation::Identity => true,
        Activation::Relu => l >= 0.0 || u <= 0.0,
        Activation::Smooth(_) => u - l < NARROW || l > SATURATED || u < -SATURATED,
        // Its lines depend on nothing.
        Activation::LayerNorm { .. } => true,
    }
}

/// Whether no value is below zero.
pub(crate) fn is_nonnegative(activation: Activation) -> bool {
    matches!(activation, Activation::Relu | Activation::Smooth(Function::Sigmoid | Function::Softplus))
}

/// Where a smooth neuron begins to be flat, or straight: good places to cut its range.
pub(crate) fn knees(activation: Activation) -> &'static [f64] {
    match activation {
        Activation::Smooth(Function::Tanh) => &[-2.5, 0.0, 2.5],
        Activation::Smooth(Function::Sigmoid | Function::Silu) => &[-5.0, 0.0, 5.0],
        Activation::Smooth(Function::Softplus) => &[-4.0, 0.0, 4.0],
        Activation::Smooth(Function::Elu { .. }) => &[-3.0, 0.0],
        Activation::Smooth(Function::Gelu | Function::GeluTanh) => &[-3.0, 0.0, 3.0],
        Activation::Identity | Activation::Relu | Activation::LayerNorm { .. } => &[],
    }
}

/// Values of a layer's sums, in floats: for guiding the search only.
pub(crate) fn apply(activation: Activation, values: &mut [f64]) {
    match activation {
        Activation::Identity => {}
        Activation::Relu => values.iter_mut().for_each(|z| *z = if *z < 0.0 { 0.0 } else { *z }),
        Activation::Smooth(function) => values.iter_mut().for_each(|z| *z = function.at(*z)),
        Activation::LayerNorm { epsilon } => {
            #[expect(clippy::cast_precision_loss, reason = "layers have far fewer than 2^53 neurons")]
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let variance = values.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / n;
            let deviation = (variance + epsilon).sqrt();
            values.iter_mut().for_each(|z| *z = (*z - mean) / deviation);
        }
    }
}

/// How much a neuron changes with its sum, in floats: for guiding the search only.
pub(crate) fn slope(activation: Activation, z: f64) -> f64 {
    const STEP: f64 = 1e-4;
    match activation {
        Activation::Identity | Activation::LayerNorm { .. } => 1.0,
        Activation::Relu => f64::from(u8::from(z > 0.0)),
        Activation::Smooth(function) => (function.at(z + STEP) - function.at(z - STEP)) / (2.0 * STEP),
    }
}
