//! Bounds on every neuron, and on differences of outputs, over a box: in floats with outward rounding.
//!
//! Every neuron is enclosed by `c + sum a_i e_i + [-r, r]` for `e_i` in `[-1, 1]`, one `e_i` per parameter (affine arithmetic
//! with a single rest). A neuron whose sign is not clear is enclosed by `lambda z + [0, d]` for some slope `lambda` in `[0, 1]`.
//!
//! These are the bounds for whoever needs one answer for a box. The oracle, which bounds the same network over millions of boxes
//! inside one another, has faster and tighter ones of its own (backward relaxation, vectorised); the error of evaluating at a point
//! is [`float`](crate::eval::float)'s.
//!
//! Soundness: what is computed is `fl(a op b) = (a op b)(1 + d) + t` with `|d|` at most the unit roundoff and, for products alone,
//! `|t|` at most half the smallest subnormal number. So a sum of products differs from the exact one by at most `gamma` times the
//! sum of the absolute values, which is carried along for that purpose, plus as many `t` as there are products, which `TINY`
//! is more than. Weights are floats. What is not (inputs as forms, scales, offsets) is put together exactly, and then
//! converted with a bound on the distance, which goes to the rest; relative errors are not assumed of it, as a number
//! that is nearly zero has none. Rests are rounded up. Where anything is not finite there is no answer. An answer is a
//! strict inequality between outputs that holds all over the box; no answer says nothing.

use surefoot_linear::Linear;
use surefoot_num::round::{add_down, add_up, gamma, mul_up};
use surefoot_num::{FloatInterval, Rational};

use crate::layer::{Activation, Layer};
use crate::network::Network;
use crate::normalisation::Normalisation;

/// More than all underflows together that the numbers of one enclosure suffer in one step: there would have to be 10^30 products.
const TINY: f64 = 1e-290;

/// A network laid out for bounds.
#[derive(Debug, Clone)]
pub struct BoundingNetwork {
    /// Scales and offsets of the inputs.
    input: Option<Normalisation>,
    layers: Vec<Layer>,
    /// Scales and offsets of the outputs.
    output: Option<Vec<(Near, Near)>>,
}

/// A float, and how far it is from the number that is meant.
type Near = (f64, f64);

/// Enclosures of a layer's neurons: per neuron the centre, the slopes, the rest and a bound on the size.
#[derive(Debug, Clone, Default)]
struct Enclosures {
    /// Length of one enclosure.
    stride: usize,
    numbers: Vec<f64>,
}

impl BoundingNetwork {
    /// Lays out a network; none where it is not exact ([`Network::is_exact`]).
    #[must_use]
    pub fn new(network: &Network) -> Option<Self> {
        if !network.is_exact() {
            return None;
        }
        let near = |(scale, offset): (&Rational, &Rational)| (scale.to_f64_within(), offset.to_f64_within());
        let output = |output: &Normalisation| output.scale().iter().zip(output.offset()).map(near).collect();
        Some(Self {
            input: network.input_normalisation().cloned(),
            layers: network.layers().to_vec(),
            output: network.output_normalisation().map(output),
        })
    }

    /// Bounds on everything that the network computes over the box; `None` where they are not finite.
    #[must_use]
    pub fn enclose(&self, inputs: &[Linear], bounds: &[FloatInterval]) -> Option<Enclosed> {
        let mut neurons = Vec::with_capacity(self.layers.len());
        let outputs = self.through(inputs, bounds, &mut |layer| {
            neurons.push(layer.numbers.chunks_exact(layer.stride).map(range).collect::<Vec<_>>());
        })?;
        let finite = neurons.iter().flatten().all(|range| range.is_finite());
        finite.then_some(Enclosed { neurons, outputs })
    }

    /// The output that is larger than all other candidates by more than `margin` all over the box, if the bounds show one.
    #[must_use]
    pub fn winner(
        &self,
        inputs: &[Linear],
        bounds: &[FloatInterval],
        candidates: &[usize],
        margin: f64,
    ) -> Option<usize> {
        let outputs = self.through(inputs, bounds, &mut |_| {})?;
        let centre = |output: usize| outputs.get(output)[0];
        let best = candidates.iter().copied().max_by(|a, b| centre(*a).total_cmp(&centre(*b)).then(b.cmp(a)))?;
        let ahead = |other: usize| other == best || outputs.least_difference(best, other) > margin;
        candidates.iter().all(|other| ahead(*other)).then_some(best)
    }

    /// The outputs; every layer is shown before its activation. `None` where anything is not finite.
    fn through(
        &self,
        inputs: &[Linear],
        bounds: &[FloatInterval],
        show: &mut dyn FnMut(&Enclosures),
    ) -> Option<Enclosures> {
        let mut current = self.enclose_inputs(inputs, bounds).finite()?;
        for layer in &self.layers {
            current = current.layer(layer).finite()?;
            show(&current);
            if layer.activation() == Activation::Relu {
                current.numbers.chunks_exact_mut(current.stride).for_each(rectify);
                current = current.finite()?;
            }
        }
        match &self.output {
            None => Some(current),
            Some(scales) => current.scaled(scales).finite(),
        }
    }

    /// Inputs over the box: `sum a_i (c_i + r_i e_i) + c`, scaled.
    ///
    /// Soundness: the form is scaled exactly. With `a'` for the float near `a`, `a x` is `a' (c + r e)` and at most `|a - a'|` times the
    /// largest `|x|`; what is computed of the former is rounded a few times, see above. The box is an outer one.
    fn enclose_inputs(&self, inputs: &[Linear], bounds: &[FloatInterval]) -> Enclosures {
        let stride = bounds.len() + 3;
        let mut numbers = vec![0.0; inputs.len() * stride];
        let error = gamma(4 * stride + 16);
        for (j, (form, out)) in inputs.iter().zip(numbers.chunks_exact_mut(stride)).enumerate() {
            let scaled = self.input.as_ref().map(|input| input.apply_to_form(j, form));
            let form = scaled.as_ref().unwrap_or(form);
            let (constant, mut rest) = form.constant().to_f64_within();
            let (mut centre, mut size) = (constant, constant.abs());
            for (symbol, a) in form.terms() {
                let FloatInterval { lower, upper } = bounds[symbol.index()];
                let (a, distance) = a.to_f64_within();
                let middle = 0.5 * lower + 0.5 * upper;
                // Farther from the middle than this is no number of the box.
                let radius = add_up(upper, -middle).max(add_up(middle, -lower));
                let most = add_up(middle.abs(), radius);
                centre += a * middle;
                out[1 + symbol.index()] = a * radius;
                size += a.abs() * most;
                if distance > 0.0 {
                    rest = add_up(rest, mul_up(distance, most));
                }
            }
            let size = add_up(mul_up(size, 1.0 + error), TINY);
            out[0] = centre;
            out[stride - 2] = add_up(rest, add_up(mul_up(size, error), TINY));
            out[stride - 1] = add_up(size, out[stride - 2]);
        }
        Enclosures { stride, numbers }
    }
}

/// Bounds on everything that a network computes over a box.
#[derive(Debug, Clone)]
pub struct Enclosed {
    neurons: Vec<Vec<FloatInterval>>,
    outputs: Enclosures,
}

impl Enclosed {
    /// Bounds of pre-activations, layer by layer.
    #[must_use]
    pub fn neurons(&self) -> &[Vec<FloatInterval>] {
        &self.neurons
    }

    /// Bounds of an output.
    #[must_use]
    pub fn output(&self, output: usize) -> FloatInterval {
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

    fn finite(self) -> Option<Self> {
        self.numbers.iter().all(|x| x.is_finite()).then_some(self)
    }

    fn layer(&self, layer: &Layer) -> Self {
        let (stride, slopes) = (self.stride, self.stride - 2);
        let mut numbers = vec![0.0; layer.output_len() * stride];
        // Every number is a sum of at most as many products as there are inputs, and a bias; a few roundings more are for the rests
        // themselves. Products with zero are left out: all numbers here are finite.
        let error = gamma(layer.input_len() + 8);
        for ((output, bias), out) in layer.bias().iter().enumerate().zip(numbers.chunks_exact_mut(stride)) {
            for (input, w) in layer.terms(output) {
                let x = self.get(input);
                for (out, x) in out[..slopes].iter_mut().zip(x) {
                    *out += w * x;
                }
                let size = w.abs();
                out[slopes] += size * x[slopes];
                out[slopes + 1] += size * x[slopes + 1];
            }
            out[0] += bias;
            let size = add_up((out[slopes + 1] + bias.abs()) * (1.0 + 2.0 * error), TINY);
            let rest = (out[slopes] * (1.0 + 2.0 * error) + 2.0 * error * size) * (1.0 + 2.0 * error);
            out[slopes] = add_up(rest, TINY);
            out[slopes + 1] = add_up(size, out[slopes]);
        }
        Self { stride, numbers }
    }

    /// A scale and an offset per output.
    ///
    /// Soundness: as for inputs; no value is farther from zero than the size.
    fn scaled(mut self, scales: &[(Near, Near)]) -> Self {
        let slopes = self.stride - 2;
        let error = gamma(16);
        for (out, ((scale, apart), (offset, shifted))) in self.numbers.chunks_exact_mut(self.stride).zip(scales) {
            let most = out[slopes + 1];
            for x in &mut out[..slopes] {
                *x *= scale;
            }
            out[0] += offset;
            let size = add_up(mul_up(mul_up(most, scale.abs()) + offset.abs(), 1.0 + error), TINY);
            let distance = if *apart > 0.0 { add_up(*shifted, mul_up(most, *apart)) } else { *shifted };
            let rest = add_up(mul_up(out[slopes], scale.abs()), mul_up(error, size));
            out[slopes] = add_up(add_up(rest, distance), TINY);
            out[slopes + 1] = add_up(size, out[slopes]);
        }
        self
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
fn range(x: &[f64]) -> FloatInterval {
    let slopes = x.len() - 2;
    let spread = x[1..slopes].iter().fold(x[slopes], |sum, a| add_up(sum, a.abs()));
    FloatInterval { lower: add_down(x[0], -spread), upper: add_up(x[0], spread) }
}

/// The enclosure of a neuron after its activation.
fn rectify(x: &mut [f64]) {
    let slopes = x.len() - 2;
    let FloatInterval { lower: low, upper: high } = range(x);
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
