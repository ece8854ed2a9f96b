//! How far single precision may lead a network from the real numbers, over a box of inputs.
//!
//! The computation is that of [`eval::float32`](crate::eval::float32). **Claim.** For inputs `|x_j| <= inputs[j]`, let `y` be what a layer
//! is given in single precision, and `z = W y + b` over the reals with the stored weights. What is computed for `z_i` differs from it by
//! at most [`LayerBand::sums`], and what is computed of the activation from the activation of that by at most [`LayerBand::results`]. In the
//! first layer `y` are the exact inputs, normalised exactly. Outputs that are normalised differ from the exact normalisation of what the
//! last layer computed by at most [`Band::scaling`]. Infinite numbers say nothing: something may overflow.
//!
//! **Proof.** With `u = 2^-24` and `eta = 2^-149`, one operation is off by `u` times its result and `eta / 2`. A sum of `n` products
//! and a bias is off by `gamma_(n+2)` times the sum of magnitudes, and `eta` for each product (Higham, section 3.1; sums do not underflow
//! inexactly), where `gamma_n = n u / (1 - n u)`. Weights are rounded before: their distances count with the magnitudes of the inputs.
//! Nothing overflows while magnitudes are below `2^126`. Everything here is computed in `f64` from numbers that are not negative; what
//! that rounds is less than the factor `1 + 2^-20` that all results are given.

use surefoot_num::Rational;
use surefoot_num::function::Function;

use crate::layer::{Activation, Layer};
use crate::network::Network;
use crate::normalisation::Normalisation;

/// `2^-24`.
const UNIT: f64 = 1.0 / 16_777_216.0;
/// The smallest positive number of single precision, `2^-149`.
const ETA: f64 = f64::from_bits((1023 - 149) << 52);
/// Far enough from overflow.
const MOST: f64 = f64::from_bits((1023 + 126) << 52);
/// More than `f64` rounds off here.
const GROW: f64 = 1.0 + 1.0 / 1_048_576.0;

/// What single precision may add to one layer.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerBand {
    /// To each sum; in the first layer with what is added to the inputs.
    pub sums: Vec<f64>,
    /// To what the activation makes of it.
    pub results: Vec<f64>,
}

/// What single precision may add to a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// To each layer.
    pub layers: Vec<LayerBand>,
    /// To the normalisation of each output; empty where there is none.
    pub scaling: Vec<f64>,
}

impl Activation {
    /// A bound on what it makes of a number of at most this magnitude, in a layer of `n`; over the reals.
    ///
    /// Soundness: `softplus(z) <= |z| + ln 2`, and the others but `elu` are between zero and their argument, or at most one. A vector of
    /// `n` numbers with mean zero and variance at most one has no entry beyond `sqrt(n)`.
    #[must_use]
    pub fn magnitude(self, n: usize, argument: f64) -> f64 {
        match self {
            Self::Identity | Self::Relu => argument,
            Self::LayerNorm { .. } => {
                #[expect(clippy::cast_precision_loss, reason = "layers have far fewer than 2^53 neurons")]
                let n = n as f64;
                n.sqrt().next_up()
            }
            Self::Smooth(function) => match function {
                Function::Tanh | Function::Sigmoid => 1.0,
                Function::Softplus => (argument + 1.0).next_up(),
                Function::Elu { alpha } => argument.max(alpha),
                Function::Gelu | Function::GeluTanh | Function::Silu => argument,
            },
        }
    }
}

/// `gamma_n` of single precision, rounded up; infinite for sums that are too long for it.
#[expect(clippy::cast_precision_loss, reason = "layers have far fewer than 2^53 neurons")]
fn gamma(n: usize) -> f64 {
    let nu = n as f64 * UNIT;
    if nu < 0.5 { nu / (1.0 - nu) * GROW } else { f64::INFINITY }
}

/// The distance of a number to the nearest of single precision, rounded up.
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
fn distance(number: f64) -> f64 {
    // Soundness: the difference of a float and the single next to it is a float, unless it overflows.
    (number - f64::from(number as f32)).abs()
}

/// A scale and an offset, in magnitude, and how far the ones that are used may be off.
fn constants(normalisation: &Normalisation, index: usize) -> [f64; 4] {
    let near = |number: &Rational| {
        let magnitude = number.abs().to_f64().next_up();
        // Rounded to double precision first, perhaps.
        (magnitude, 2.0 * UNIT * magnitude + ETA)
    };
    let ((scale, apart), (offset, shifted)) =
        (near(&normalisation.scale()[index]), near(&normalisation.offset()[index]));
    [scale, apart, offset, shifted]
}

/// What scaling a number of at most this magnitude adds, and a bound on the result's.
fn scaled(normalisation: &Normalisation, index: usize, magnitude: f64, error: f64) -> (f64, f64) {
    let [scale, apart, offset, shifted] = constants(normalisation, index);
    let product = (scale + apart) * (magnitude + error);
    let size = (product + offset + shifted) * (1.0 + 4.0 * UNIT) + 4.0 * ETA;
    let error = apart * (magnitude + error) + scale * error + shifted + 2.0 * UNIT * (product + size) + 2.0 * ETA;
    (if size < MOST { error * GROW } else { f64::INFINITY }, size * GROW)
}

/// The local errors of a layer whose inputs are at most so large, and bounds on what it computes.
fn layer(layer: &Layer, inputs: &[f64]) -> (LayerBand, Vec<f64>) {
    let factor = gamma(layer.input_len() + 2);
    #[expect(clippy::cast_precision_loss, reason = "layers have far fewer than 2^53 neurons")]
    let underflow = 2.0 * ETA * (layer.input_len() as f64 + 1.0);
    // Soundness: a weight of zero times what is no number is none either.
    let open = if inputs.iter().all(|y| y.is_finite()) { 0.0 } else { f64::INFINITY };
    let (mut band, mut sizes) = (LayerBand { sums: Vec::new(), results: Vec::new() }, Vec::new());
    for (output, bias) in layer.bias().iter().enumerate() {
        let (mut size, mut apart) = (bias.abs() + open, distance(*bias));
        for (input, w) in layer.terms(output) {
            size += w.abs() * inputs[input];
            apart += distance(w) * inputs[input];
        }
        let sum = (apart + factor * (size + apart) + underflow) * GROW;
        let size = (size + sum) * GROW;
        let sum = if size < MOST { sum } else { f64::INFINITY };
        let result = layer.activation().magnitude(layer.output_len(), size);
        let exact = layer.activation().is_piecewise_linear();
        band.sums.push(sum);
        // Correctly rounded; ReLU is exact.
        band.results.push(if exact { 0.0 } else { (UNIT * result + ETA) * GROW });
        sizes.push((result * (1.0 + 2.0 * UNIT) + ETA) * GROW);
    }
    (band, sizes)
}

/// What an output takes over of errors of its inputs.
fn carried(layer: &Layer, output: usize, errors: &[f64]) -> f64 {
    layer.terms(output).map(|(input, w)| w.abs() * errors[input]).sum()
}

impl Band {
    /// What single precision may add where no input is larger than these.
    #[must_use]
    pub fn new(network: &Network, inputs: &[f64]) -> Self {
        let mut sizes = Vec::with_capacity(inputs.len());
        let mut errors = Vec::with_capacity(inputs.len());
        for (j, x) in inputs.iter().enumerate() {
            let (mut error, mut size) = (2.0 * UNIT * x + ETA, x * GROW + ETA);
            if let Some(normalisation) = network.input_normalisation() {
                (error, size) = scaled(normalisation, j, size, error);
            }
            errors.push(if size < MOST { error } else { f64::INFINITY });
            sizes.push(size);
        }
        let mut layers = Vec::with_capacity(network.layers().len());
        for (index, this) in network.layers().iter().enumerate() {
            let (mut band, next) = layer(this, &sizes);
            if index == 0 {
                for (output, sum) in band.sums.iter_mut().enumerate() {
                    // Soundness: zero times an infinite error would not be a number; a weight of zero takes nothing over.
                    *sum = (*sum + carried(this, output, &errors)) * GROW;
                }
            }
            layers.push(band);
            sizes = next;
        }
        let scaling = network.output_normalisation().map_or_else(Vec::new, |normalisation| {
            sizes.iter().enumerate().map(|(output, size)| scaled(normalisation, output, *size, 0.0).0).collect()
        });
        Self { layers, scaling }
    }

    /// How far the outputs in single precision may be from those over the reals, one by one: the errors of all layers, each grown by
    /// those after it.
    #[must_use]
    pub fn outputs(&self, network: &Network) -> Vec<f64> {
        let mut errors = vec![0.0; network.input_len()];
        for (layer, band) in network.layers().iter().zip(&self.layers) {
            let slope = match layer.activation() {
                Activation::Identity | Activation::Relu => 1.0,
                Activation::Smooth(function) => function.lipschitz(),
                Activation::LayerNorm { .. } => f64::INFINITY,
            };
            let neuron = |i| ((carried(layer, i, &errors) + band.sums[i]) * slope + band.results[i]) * GROW;
            errors = (0..layer.output_len()).map(neuron).collect();
        }
        let Some(normalisation) = network.output_normalisation() else { return errors };
        let scaled = errors.iter().enumerate().zip(&self.scaling);
        scaled.map(|((i, error), scaling)| (error * constants(normalisation, i)[0] + scaling) * GROW).collect()
    }

    /// How far the difference of two outputs may be from that over the reals: where scores are closer than this, rounding may decide.
    #[must_use]
    pub fn width(&self, network: &Network) -> f64 {
        let mut errors = self.outputs(network);
        errors.sort_by(|a, b| b.total_cmp(a));
        errors.iter().take(2).sum::<f64>() * GROW
    }
}
