//! What smooth functions and the normalisation of a layer do to floats and to the bound on their error.
//!
//! Let the computed neurons `zh` be within `E` of the exact ones `z`.
//!
//! *A smooth function* `f` with slopes of at most `L`: `|f(z) - f(zh)| <= L E`, and what is computed for `f(zh)` is off by at most what
//! [`Function::error`] says.
//!
//! *LayerNorm* of `n` neurons, `Z = max |zh|`, `u` and `gamma` as in [`float`](super::float): the mean of `zh` is computed within
//! `gamma_(n+1) Z`, so the centred neurons `ch` are within `D = 2 E + gamma_(n+1) Z + 2 u (Z + |mean|)`, which `2 E + 5 gamma_(n+1) Z`
//! covers. With `C = max |ch|`, squares are within `D (2 C + D)`, and so is their mean, which with `epsilon` is computed within another
//! `gamma_(n+4) (C^2 + epsilon)`: in all `V`. The divisor `sh` is the rounded root of the computed variance `vh`, and
//! `|s - sqrt vh| <= V / sqrt vh`, so it is within `S = V / sh (1 + 2 u) + u sh`. The exact one is at least `sh - S`, and at least the root
//! of epsilon; call the larger `s0`. Then `|c / s - ch / sh| <= D / s0 + |ch| S / (s0 sh)`, and the quotient is rounded once.

use surefoot_num::function::Function;
use surefoot_num::round::{UNIT_ROUNDOFF, add_down, add_up, gamma, mul_up};

use super::float::{ETA, max_abs};
use crate::layer::Activation;

/// What follows the affine part of a layer, where that is not piecewise linear.
#[derive(Debug, Clone, Copy)]
pub(super) enum After {
    Smooth(Function),
    LayerNorm { epsilon: f64, neurons: usize },
}

/// `a / b`, rounded up; of positive numbers.
fn div_up(a: f64, b: f64) -> f64 {
    (a / b).next_up()
}

impl After {
    pub(super) fn new(activation: Activation, neurons: usize) -> Option<Self> {
        match activation {
            Activation::Relu | Activation::Identity => None,
            Activation::Smooth(function) => Some(Self::Smooth(function)),
            Activation::LayerNorm { epsilon } => Some(Self::LayerNorm { epsilon, neurons }),
        }
    }

    /// Changes the neurons, which are at most `largest` in magnitude; returns the new largest magnitude and bound.
    pub(super) fn apply(self, values: &mut [f64], largest: f64, error: f64) -> (f64, f64) {
        match self {
            Self::Smooth(function) => {
                apply_function(function, values);
                let bound = add_up(mul_up(function.lipschitz(), error), function.error(largest));
                (max_abs(values), bound)
            }
            Self::LayerNorm { epsilon, neurons } => layer_norm(values, epsilon, neurons, largest, error),
        }
    }
}

/// One loop for each function, so that each can be vectorised.
fn apply_function(function: Function, values: &mut [f64]) {
    use surefoot_num::function::float;
    match function {
        Function::Tanh => values.iter_mut().for_each(|x| *x = float::tanh(*x)),
        Function::Sigmoid => values.iter_mut().for_each(|x| *x = float::sigmoid(*x)),
        Function::Softplus => values.iter_mut().for_each(|x| *x = float::softplus(*x)),
        Function::Elu { alpha } => values.iter_mut().for_each(|x| *x = float::elu(alpha, *x)),
        Function::Gelu => values.iter_mut().for_each(|x| *x = float::gelu(*x)),
        Function::GeluTanh => values.iter_mut().for_each(|x| *x = float::gelu_tanh(*x)),
        Function::Silu => values.iter_mut().for_each(|x| *x = float::silu(*x)),
    }
}

fn layer_norm(values: &mut [f64], epsilon: f64, neurons: usize, largest: f64, error: f64) -> (f64, f64) {
    #[expect(clippy::cast_precision_loss, reason = "a layer has fewer than 2^53 neurons")]
    let count = neurons as f64;
    let mean = values.iter().sum::<f64>() / count;
    values.iter_mut().for_each(|x| *x -= mean);
    let most = max_abs(values);
    let variance = values.iter().map(|x| x * x).sum::<f64>() / count + epsilon;
    let divisor = variance.sqrt();
    values.iter_mut().for_each(|x| *x /= divisor);

    let centred = add_up(mul_up(2.0, error), add_up(mul_up(mul_up(5.0, gamma(neurons + 1)), largest), ETA));
    let squares = mul_up(centred, add_up(mul_up(2.0, most), centred));
    let rounding = mul_up(gamma(neurons + 4), add_up(mul_up(most, most), epsilon));
    let off = add_up(add_up(squares, rounding), ETA * (count + 1.0));
    let spread = add_up(mul_up(div_up(off, divisor), 1.0 + 4.0 * UNIT_ROUNDOFF), mul_up(UNIT_ROUNDOFF, divisor));
    let least = add_down(divisor, -spread).max(epsilon.sqrt().next_down());
    let inherited = div_up(centred, least);
    let by_divisor = div_up(mul_up(most, spread), (least * divisor).next_down());
    let largest = max_abs(values);
    let bound = add_up(add_up(inherited, by_divisor), add_up(mul_up(UNIT_ROUNDOFF, largest), ETA));
    // Overflow on the way shows in the divisor; written so that what is no number gives up too.
    if divisor.is_finite() && divisor > 0.0 && bound.is_finite() && bound >= 0.0 {
        (largest, bound)
    } else {
        (largest, f64::INFINITY)
    }
}
