//! One application in one question: how large its neurons can be, and how wrong float sums over them.
//!
//! **Error analysis.** Let `u = 2^-53` and `gamma_n = n u / (1 - n u)`. A float sum of at most `n` products differs from the
//! exact sum by at most `gamma_(n+1)` times the sum of the absolute values of its terms, plus `n` times the smallest
//! float where products underflow (Higham, section 3.1). Fix `N`, larger than the number of terms of any sum formed
//! here, and `G = 8 gamma_N`: room for every computed magnitude being itself rounded, and for a handful of operations
//! on top.
//!
//! Bounds are computed over boxes inside the root box, where `|x_v| <= X_v` and post-activations of layer `l` satisfy
//! `|y_j| <= Y_j`. For neuron `i` of a layer with inputs bounded by `Y`, `m_i = sum_j |w_ij| Y_j + |b_i|` bounds every
//! partial sum. [`LayerError::error`] is `e_i = G m_i + d_i + underflow`, where `d_i` is the distance that folding
//! contributes in the first layer. Then
//!
//! * evaluating or bounding `z_i` from bounds on its inputs errs by at most `e_i`;
//! * replacing `sum_i lambda_i z_i` by the float row `fl(lambda W) y + fl(lambda b)` errs by at most `sum_i |lambda_i| e_i`,
//!   because `sum_j gamma_N (sum_i |lambda_i| |w_ij|) Y_j = gamma_N sum_i |lambda_i| sum_j |w_ij| Y_j`.
//!
//! Underflow of a product `lambda_i w_ij` or `lambda_i s` is an absolute error, which no `|lambda_i|` scales: at most the smallest
//! float for each of the layer's products and a few sums, times `Y_j`. [`LayerError::underflow`] is that for a layer, and
//! is added once per form. A sum of nothing but zeros has no error at all.
//!
//! So one dot product per layer bounds the error of a whole backward pass.
//!
//! **Single precision.** Where the network is computed so, `z_i` is what is computed, and differs from the exact sum over what is computed
//! before by at most what [`Band`] says. That is one more summand of `e_i`, and the relaxation is that of the network as it is
//! computed. Where anything may overflow no bound says anything.

#![expect(clippy::cast_precision_loss, reason = "sizes of layers and their products are far below 2^53")]

use std::sync::Arc;

use surefoot_linear::{Linear, Symbol};
use surefoot_network::Arithmetic;
use surefoot_network::band::{Band, LayerBand};
use surefoot_num::Rational;
use surefoot_num::round::gamma;

use super::activation;
use super::kernel::{Kernel, LANES};
use super::prepare::Folded;
use super::weights::Weights;

/// Per layer: `e_i` and the offset of the layer's bounds in a node's data.
#[derive(Debug, Clone, Default)]
pub(crate) struct LayerError {
    /// `e_i`, padded with zeros.
    pub(crate) error: Vec<f64>,
    /// Where the lower bounds start in a node's data; the upper bounds follow, both padded.
    pub(crate) offset: usize,
    /// What underflow may cost a form that passes the layer.
    pub(crate) underflow: f64,
    /// What single precision may add, where the network is computed so.
    pub(crate) rounded: Option<LayerBand>,
}

/// An application over a root box, and over any smaller one: the error bounds only grow with the box.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) folded: Arc<Folded>,
    /// `X`, padded with zeros.
    magnitude: Vec<f64>,
    variables: usize,
    /// Where its bounds begin and end in a node's data.
    span: (usize, usize),
    pub(crate) layers: Vec<LayerError>,
    /// `Y` of the layer that scores are forms over ([`Folded::start`]).
    pub(crate) start_magnitude: Vec<f64>,
    /// `Y_o` of the outputs.
    pub(crate) output_magnitude: Vec<f64>,
    /// How far an output may be from its normalised sum over the layer that scores are forms over; empty over the reals.
    pub(crate) output_rounding: Vec<f64>,
    /// `G`.
    pub(crate) factor: f64,
    /// Some layer is sparse, so forms are carried one by one.
    pub(crate) is_sparse: bool,
}

/// Whether a neuron's pre-activation is a sum of nothing but zeros, given which of its inputs are zero. Such a sum is exact, and so
/// is every multiple of it; with an error of its own the neuron would be unstable in every box.
fn is_dead(folded: &Folded, index: usize, neuron: usize, dead: &[bool]) -> bool {
    let layer = folded.layer(index);
    let nothing = |weights: &Weights| weights.terms(neuron).all(|(j, _)| dead[j]);
    let exact = index > 0 || (folded.bias_error[neuron] == 0.0 && folded.weight_error.as_ref().is_none_or(nothing));
    exact && layer.bias[neuron] == 0.0 && nothing(&layer.weights)
}

/// `G` for an application.
pub(crate) fn error_factor(folded: &Folded) -> f64 {
    let widths: usize = (0..folded.depth()).map(|l| folded.layer(l).len() + folded.layer(l).weights.columns).sum();
    8.0 * gamma(widths + 64)
}

impl Setting {
    /// Measures an application over a root box given by `|x_v| <= magnitude[v]`; `offset` is where its bounds start.
    pub(crate) fn new(folded: Arc<Folded>, magnitude: &[f64], begin: usize) -> Self {
        let mut offset = begin;
        let factor = error_factor(&folded);
        let grow = 1.0 + factor;
        let mut layers = Vec::with_capacity(folded.depth());
        let mut inputs = magnitude.to_vec();
        let mut start_magnitude = Vec::new();
        let mut dead: Vec<bool> = magnitude.iter().map(|x| *x == 0.0).collect();
        let band = band(&folded, magnitude);
        for index in 0..folded.depth() {
            let layer = folded.layer(index);
            let largest: f64 = inputs.iter().sum::<f64>() + 1.0;
            let rounded = band.as_ref().map(|band| band.layers[index].clone());
            let mut underflow = f64::from_bits(1) * (4 * layer.len() * inputs.len() + 64) as f64 * largest * grow;
            let stride = layer.weights.stride();
            // m_i
            let mut sums: Vec<f64> = layer.bias.iter().map(|b| b.abs()).collect();
            layer.weights.add_magnitudes(&inputs, &mut sums);
            let mut error: Vec<f64> = sums.iter().map(|m| (factor * m + underflow) * grow).collect();
            error[layer.len()..].fill(0.0);
            if layer.is_bounded() && !layer.is_relu() {
                // A slope that underflows is off by the smallest float, times the sum it is a slope of.
                underflow += f64::from_bits(1) * sums.iter().sum::<f64>() * grow;
            }
            if index == 0 {
                for (i, e) in error[..layer.len()].iter_mut().enumerate() {
                    let distance = folded.distance(i, magnitude);
                    *e += distance * grow;
                    sums[i] += distance;
                }
            }
            dead = (0..layer.len()).map(|i| sums[i] == 0.0 && is_dead(&folded, index, i, &dead)).collect();
            error.iter_mut().zip(&dead).filter(|(_, dead)| **dead).for_each(|(e, _)| *e = 0.0);
            if let Some(rounded) = &rounded {
                for ((e, sum), rounding) in error.iter_mut().zip(&mut sums).zip(&rounded.sums) {
                    *e = (*e + rounding) * grow;
                    *sum += rounding;
                }
                dead.fill(false);
            }
            if layer.is_bounded() && !layer.is_relu() {
                dead.fill(false);
            }
            let underflow = underflow + f64::from_bits(64) * (layer.len() as f64);
            inputs = sums.iter().map(|m| layer.activation.magnitude(layer.len(), m * grow)).collect();
            if let Some(rounded) = &rounded {
                inputs.iter_mut().zip(&rounded.results).for_each(|(y, rounding)| *y = (*y + rounding) * grow);
            }
            layers.push(LayerError { error, offset, underflow, rounded });
            offset += 2 * stride;
            if index == folded.start() {
                start_magnitude.clone_from(&inputs);
            }
        }
        let is_sparse = (0..folded.depth()).any(|index| folded.layer(index).weights.is_sparse());
        let outputs = folded.layer(folded.depth() - 1).len();
        inputs.truncate(outputs);
        let variables = magnitude.len();
        let mut magnitude = magnitude.to_vec();
        magnitude.resize(variables.next_multiple_of(LANES), 0.0);
        let span = (begin, offset);
        let output_rounding = band.map_or_else(Vec::new, |band| output_rounding(&folded, &band));
        Self {
            folded,
            magnitude,
            variables,
            span,
            layers,
            start_magnitude,
            output_magnitude: inputs,
            output_rounding,
            factor,
            is_sparse,
        }
    }

    /// Where its bounds begin in a node's data.
    pub(crate) fn begin(&self) -> usize {
        self.span.0
    }

    /// Where its bounds end in a node's data.
    pub(crate) fn end(&self) -> usize {
        self.span.1
    }

    /// Whether it was made for a root box of this magnitude, and bounds that begin there.
    pub(crate) fn is_for(&self, magnitude: &[f64], begin: usize) -> bool {
        self.span.0 == begin && self.magnitude() == magnitude
    }

    /// `X`, the largest magnitudes of the variables.
    pub(crate) fn magnitude(&self) -> &[f64] {
        &self.magnitude[..self.variables]
    }

    /// The same, padded with zeros.
    pub(crate) fn padded_magnitude(&self) -> &[f64] {
        &self.magnitude
    }

    /// Where a layer's bounds are in a node's data: lower ones, then upper ones.
    pub(crate) fn range(&self, layer: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let start = self.layers[layer].offset;
        let stride = self.folded.layer(layer).weights.stride();
        (start..start + stride, start + stride..start + 2 * stride)
    }

    /// Float evaluation at points, one per row; pre-activations of every layer are kept. No error bound: for guiding
    /// the search only.
    pub(crate) fn eval(&self, kernel: Kernel, trace: &mut Trace) {
        trace.layers.resize_with(self.folded.depth(), Default::default);
        for index in 0..self.folded.depth() {
            let layer = self.folded.layer(index);
            let (before, rest) = trace.layers.split_at_mut(index);
            let out = &mut rest[0];
            if let Some(last) = before.last() {
                trace.active.reshape(last.rows, last.columns);
                let before = self.folded.layer(index - 1);
                for i in 0..last.rows {
                    let active = trace.active.row_mut(i);
                    active.copy_from_slice(last.row(i));
                    activation::apply(before.activation, &mut active[..before.len()]);
                }
                kernel.forward(&layer.weights, &trace.active, &layer.inputs, out);
            } else {
                kernel.forward(&layer.weights, &trace.points, &layer.inputs, out);
            }
            for i in 0..out.rows {
                out.row_mut(i).iter_mut().zip(&layer.bias).for_each(|(z, b)| *z += b);
            }
        }
    }
}

/// What single precision may add, where the network is computed so, for variables that are at most this large; infinite all over where
/// anything may overflow.
fn band(folded: &Folded, magnitude: &[f64]) -> Option<Band> {
    let network = &folded.prepared.network;
    if network.arithmetic() == Arithmetic::Real {
        return None;
    }
    let grow = 1.0 + gamma(magnitude.len() + 64);
    let size = |form: &Linear| {
        let term = |(symbol, a): &(Symbol, Rational)| a.abs().to_f64().next_up() * magnitude[symbol.index()];
        (form.constant().abs().to_f64().next_up() + form.terms().iter().map(term).sum::<f64>()) * grow
    };
    let sizes: Vec<f64> = folded.inputs.iter().map(size).collect();
    let mut band = Band::new(network, &sizes);
    let finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
    // Soundness: where a number overflows there is no answer, whatever the others are.
    if !finite(&band.scaling) || !band.layers.iter().all(|layer| finite(&layer.sums) && finite(&layer.results)) {
        for layer in &mut band.layers {
            layer.sums.fill(f64::INFINITY);
        }
        band.scaling.fill(f64::INFINITY);
    }
    Some(band)
}

/// How far outputs may be from the exact normalisation of the exact last layer over what is computed before, where that layer is linear
/// and not the only one; else from the exact normalisation of it.
fn output_rounding(folded: &Folded, band: &Band) -> Vec<f64> {
    let last = folded.depth() - 1;
    let carried = folded.start() != last;
    let scale = folded.prepared.network.output_normalisation().map(|normalisation| normalisation.scale());
    let rounding = |output: usize| {
        let factor = scale.map_or(1.0, |scale| scale[output].abs().to_f64().next_up());
        let sum = if carried { band.layers[last].sums[output] * factor } else { 0.0 };
        (sum + band.scaling.get(output).copied().unwrap_or(0.0)) * (1.0 + 1e-9)
    };
    (0..folded.layer(last).len()).map(rounding).collect()
}

/// Points and the pre-activations of every layer at them.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) points: super::kernel::Matrix,
    pub(crate) layers: Vec<super::kernel::Matrix>,
    active: super::kernel::Matrix,
}
