//! Bounds on differences of outputs over a box, in floats with outward rounding.
//!
//! Every neuron is enclosed by `c + sum a_i e_i + [-r, r]` for `e_i` in `[-1, 1]`, one `e_i` per parameter (affine arithmetic
//! with a single rest). A neuron whose sign is not clear is enclosed by `lambda z + [0, d]` for some slope `lambda` in `[0, 1]`.
//!
//! Soundness: a sum of products computed in floats differs from the exact one by at most `gamma` times the sum of the
//! absolute values, which is carried along for that purpose; every rest is rounded up. An answer is a strict inequality
//! between outputs that holds all over the box; no answer says nothing.

use surefoot_network::{Activation, Network, Normalisation};
use surefoot_num::round::{add_down, add_up, gamma, mul_up};
use surefoot_symbolic::Linear;

/// Products below this may underflow; rests are at least so much larger.
const TINY: f64 = 1e-290;

/// A network laid out for bounds.
#[derive(Debug, Clone)]
pub struct FloatLayers {
    input: Option<Vec<(f64, f64)>>,
    layers: Vec<(usize, Vec<f64>, Vec<f64>, bool)>,
    output: Option<Vec<(f64, f64)>>,
}

/// Enclosures of a layer's neurons: per neuron the centre, the slopes, the rest and a bound on the size.
#[derive(Debug, Clone, Default)]
struct Enclosures {
    /// Length of one enclosure.
    stride: usize,
    numbers: Vec<f64>,
}

impl FloatLayers {
    /// Lays out a network.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        let layer = |layer: &surefoot_network::Layer| {
            let relu = layer.activation() == Activation::Relu;
            (layer.input_len(), layer.weights().to_vec(), layer.bias().to_vec(), relu)
        };
        let floats = |normalisation: &Normalisation| {
            let pairs = normalisation.scale().iter().zip(normalisation.offset());
            pairs.map(|(scale, offset)| (scale.to_f64(), offset.to_f64())).collect()
        };
        Self {
            input: network.input_normalisation().map(floats),
            layers: network.layers().iter().map(layer).collect(),
            output: network.output_normalisation().map(floats),
        }
    }

    /// Bounds on everything that the network computes over the box; `None` where they are not finite.
    #[must_use]
    pub fn enclose(&self, inputs: &[Linear], bounds: &[(f64, f64)]) -> Option<Enclosed> {
        let mut current = self.enclose_inputs(inputs, bounds);
        let mut neurons = Vec::with_capacity(self.layers.len());
        for (width, weights, bias, relu) in &self.layers {
            current = current.layer(*width, weights, bias, false);
            neurons.push(current.numbers.chunks_exact(current.stride).map(range).collect::<Vec<_>>());
            if *relu {
                current.numbers.chunks_exact_mut(current.stride).for_each(rectify);
            }
        }
        if let Some(scales) = &self.output {
            current.scale(scales);
        }
        let finite = neurons.iter().flatten().all(|(low, high)| low.is_finite() && high.is_finite());
        (finite && current.numbers.iter().all(|x| x.is_finite())).then_some(Enclosed { neurons, outputs: current })
    }

    /// The output that is larger than all other candidates by more than `margin` all over the box, if the bounds show one.
    #[must_use]
    pub fn winner(&self, inputs: &[Linear], bounds: &[(f64, f64)], candidates: &[usize], margin: f64) -> Option<usize> {
        let outputs = self.outputs(inputs, bounds)?;
        let centre = |output: usize| outputs.get(output)[0];
        let best = candidates.iter().copied().max_by(|a, b| centre(*a).total_cmp(&centre(*b)).then(b.cmp(a)))?;
        let ahead = |other: usize| other == best || outputs.least_difference(best, other) > margin;
        candidates.iter().all(|other| ahead(*other)).then_some(best)
    }

    fn outputs(&self, inputs: &[Linear], bounds: &[(f64, f64)]) -> Option<Enclosures> {
        let mut current = self.enclose_inputs(inputs, bounds);
        for (width, weights, bias, relu) in &self.layers {
            current = current.layer(*width, weights, bias, *relu);
        }
        if let Some(scales) = &self.output {
            current.scale(scales);
        }
        current.numbers.iter().all(|x| x.is_finite()).then_some(current)
    }

    /// Inputs over the box: `sum a_i (c_i + r_i e_i) + c`, scaled.
    ///
    /// Soundness: every number is rounded a few times, and every rounding error is at most a unit of the size of the terms that are
    /// summed, before they cancel; the box is an outer one.
    fn enclose_inputs(&self, inputs: &[Linear], bounds: &[(f64, f64)]) -> Enclosures {
        let stride = bounds.len() + 3;
        let mut numbers = Vec::with_capacity(inputs.len() * stride);
        let error = gamma(4 * stride + 16);
        for (j, form) in inputs.iter().enumerate() {
            let start = numbers.len();
            numbers.resize(start + stride, 0.0);
            let (scale, offset) = self.input.as_ref().map_or((1.0, 0.0), |input| input[j]);
            let constant = form.constant().to_f64();
            let (mut centre, mut size) = (constant, constant.abs());
            for (symbol, a) in form.terms() {
                let (lower, upper) = bounds[*symbol as usize];
                let a = a.to_f64();
                let middle = 0.5 * lower + 0.5 * upper;
                // Farther from the middle than this is no number of the box.
                let radius = add_up(upper, -middle).max(add_up(middle, -lower));
                centre += a * middle;
                numbers[start + 1 + *symbol as usize] = a * radius * scale;
                size += a.abs() * (middle.abs() + radius);
            }
            numbers[start] = centre * scale + offset;
            let size = (size * scale.abs() + offset.abs()) * (1.0 + error);
            let rest = mul_up(size, error) + TINY;
            numbers[start + stride - 2] = rest;
            numbers[start + stride - 1] = add_up(size, rest);
        }
        Enclosures { stride, numbers }
    }
}

/// Bounds on everything that a network computes over a box.
#[derive(Debug, Clone)]
pub struct Enclosed {
    neurons: Vec<Vec<(f64, f64)>>,
    outputs: Enclosures,
}

impl Enclosed {
    /// Bounds of pre-activations, layer by layer.
    #[must_use]
    pub fn neurons(&self) -> &Vec<Vec<(f64, f64)>> {
        &self.neurons
    }

    /// Bounds of an output.
    #[must_use]
    pub fn output(&self, output: usize) -> (f64, f64) {
        range(self.outputs.get(output))
    }

    /// Whether an output is larger than another all over the box.
    #[must_use]
    pub fn is_ahead(&self, output: usize, other: usize) -> bool {
        self.outputs.least_difference(output, other) > 0.0
    }
}

impl Enclosures {
    fn get(&self, neuron: usize) -> &[f64] {
        &self.numbers[neuron * self.stride..(neuron + 1) * self.stride]
    }

    fn layer(&self, width: usize, weights: &[f64], bias: &[f64], relu: bool) -> Self {
        let (stride, slopes) = (self.stride, self.stride - 2);
        let mut numbers = vec![0.0; bias.len() * stride];
        // Every number is a sum of `width` products and a bias; a few roundings more are for the rests themselves.
        let error = gamma(width + 8);
        for ((row, bias), out) in weights.chunks_exact(width).zip(bias).zip(numbers.chunks_exact_mut(stride)) {
            for (w, x) in row.iter().zip(self.numbers.chunks_exact(stride)) {
                for (out, x) in out[..slopes].iter_mut().zip(x) {
                    *out += w * x;
                }
                let size = w.abs();
                out[slopes] += size * x[slopes];
                out[slopes + 1] += size * x[slopes + 1];
            }
            out[0] += bias;
            let size = (out[slopes + 1] + bias.abs()) * (1.0 + 2.0 * error);
            out[slopes] = (out[slopes] * (1.0 + 2.0 * error) + 2.0 * error * size) * (1.0 + 2.0 * error) + TINY;
            out[slopes + 1] = (size + out[slopes]) * (1.0 + 2.0 * error);
            if relu {
                rectify(out);
            }
        }
        Self { stride, numbers }
    }

    /// A scale and an offset per output, both rounded.
    fn scale(&mut self, scales: &[(f64, f64)]) {
        let slopes = self.stride - 2;
        let error = gamma(16);
        for (out, (scale, offset)) in self.numbers.chunks_exact_mut(self.stride).zip(scales) {
            let size = (out[slopes + 1] * scale.abs() + offset.abs()) * (1.0 + error);
            for x in &mut out[..slopes] {
                *x *= scale;
            }
            out[0] += offset;
            out[slopes] = (out[slopes] * scale.abs() * (1.0 + error) + error * size) * (1.0 + error) + TINY;
            out[slopes + 1] = (size + out[slopes]) * (1.0 + error);
        }
    }

    /// A lower bound on the difference of two outputs.
    fn least_difference(&self, a: usize, b: usize) -> f64 {
        let (a, b, slopes) = (self.get(a), self.get(b), self.stride - 2);
        let mut least = add_down(a[0], -b[0]);
        for i in 1..slopes {
            least = add_down(least, -(a[i] - b[i]).abs().next_up());
        }
        add_down(least, -add_up(a[slopes], b[slopes]))
    }
}

/// The smallest and the largest value of an enclosure.
fn range(x: &[f64]) -> (f64, f64) {
    let slopes = x.len() - 2;
    let spread = x[1..slopes].iter().fold(x[slopes], |sum, a| add_up(sum, a.abs()));
    (add_down(x[0], -spread), add_up(x[0], spread))
}

/// The enclosure of a neuron after its activation.
fn rectify(x: &mut [f64]) {
    let slopes = x.len() - 2;
    let (low, high) = range(x);
    if low >= 0.0 {
        return;
    }
    if high <= 0.0 {
        return x.fill(0.0);
    }
    let lambda = (high / (high - low)).clamp(0.0, 1.0);
    // For any slope in [0, 1], relu(z) - lambda z is at least 0, and largest at one of the ends.
    let most = mul_up(lambda, -low).max(mul_up((1.0 - lambda).next_up(), high));
    let half = 0.5 * most;
    let error = gamma(8);
    let size = add_up(x[slopes + 1], most);
    for a in &mut x[..slopes] {
        *a *= lambda;
    }
    x[0] += half;
    x[slopes] = add_up(add_up(mul_up(x[slopes], lambda), half), add_up(mul_up(error, size), TINY));
    x[slopes + 1] = add_up(size, x[slopes]);
}
