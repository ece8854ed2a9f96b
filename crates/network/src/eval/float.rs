//! Fast evaluation in `f64` with a proved bound on the error.
//!
//! **Claim.** Let `x` be exact inputs and `xh` the floats given, `|xh_j - x_j| <= input_error`. If
//! [`FloatNetwork::eval`] returns `yh` with a finite `error`, then `|yh_i - y_i| <= error` for every output `i`, where
//! `y` are the network's exact outputs at `x`.
//!
//! **Proof**, layer by layer, by induction over the pair (computed vector `xh`, bound `E` valid for all its entries).
//! `u = 2^-53`, `eta = 2^-1074`, `gamma_n = n u / (1 - n u)`.
//!
//! *An affine layer* with `n` inputs computes `yh_i` from `b_i` by adding `fl(w_ij xh_j)` for `j = 1..n`. Where only the
//! weights that are not zero are kept, it adds only their products, in the same order, and `n` is the most of them that a row has:
//! the others are zero, computed and exactly. Leaving them out changes no computed number, but perhaps the sign of a zero, on
//! which nothing depends. With `X = max |xh_j|`, `R = max_i sum_j |w_ij|`, `B = max |b_i|`:
//!
//! 1. *No overflow.* Evaluation stops with an infinite bound unless `M = R X + B < 2^1000` (rounded up). Every exact
//!    product and partial sum is at most `M` in magnitude, every computed one at most `(1 + gamma) M + n eta < 2^1001`,
//!    so all are finite. As the inputs are checked to be finite, no NaN or infinity ever arises; this is why comparisons
//!    below may ignore NaN.
//! 2. *Rounding.* A term passes at most one product and `n` sums, so (Higham, section 3.1) the computed sum differs
//!    from `sum_j w_ij xh_j + b_i` by at most `gamma_(n+1) (sum_j |w_ij| |xh_j| + |b_i|) <= gamma_(n+1) M`, plus, since a
//!    product may underflow, `n` times `eta / 2` grown by later roundings, together less than `n eta`. Sums do not
//!    underflow inexactly. Fused multiply-add would only remove roundings.
//! 3. *Inherited error.* `|sum_j w_ij (xh_j - x_j)| <= R E`.
//!
//! Hence `E' = R E + gamma_(n+1) M + n eta` is valid after the affine part, and after ReLU as well because
//! `|max(a, 0) - max(b, 0)| <= |a - b|` and the computed ReLU is exact. A smooth function, or the normalisation of a layer, changes the
//! bound as the module `after` shows.
//!
//! *A normalisation* `s_j x_j + o_j` with rational constants is computed as `fl(fl(sh_j xh_j) + oh_j)` from the nearest
//! floats. With `S = max |sh_j|`, `O = max |oh_j|`, `dS >= max |s_j - sh_j|`, `dO >= max |o_j - oh_j|`:
//! `|s_j x_j + o_j - (sh_j xh_j + oh_j)| <= dS |xh_j| + dO + |s_j| |x_j - xh_j|`, hence
//! `E' = (S + dS) E + dS X + dO + gamma_2 (S X + O) + eta`; overflow is excluded as in 1.
//!
//! *The bound itself* is computed with every operation rounded up ([`surefoot_num::round`]). Anything but a finite
//! non-negative number is returned as infinity, which tells the caller to evaluate exactly.

use surefoot_num::Rational;
use surefoot_num::round::{add_up, gamma, mul_up};

use super::after::After;
use crate::layer::{Activation, Layer};
use crate::network::Network;
use crate::normalisation::Normalisation;
use crate::sparse::SparseRows;

/// Outputs computed side by side; the inner loop vectorises over them.
const LANES: usize = 8;

/// Beyond this the evaluation gives up, far enough from overflow for the proof above.
const MAGNITUDE_LIMIT: f64 = f64::from_bits((1023 + 1000) << 52);

/// The smallest positive float, 2^-1074.
pub(super) const ETA: f64 = f64::from_bits(1);

/// A network over the reals, whatever its arithmetic, laid out for fast evaluation. Shared freely between threads; scratch space is the caller's.
#[derive(Debug, Clone)]
pub struct FloatNetwork {
    input: Option<FloatDiagonal>,
    layers: Vec<FloatLayer>,
    output: Option<FloatDiagonal>,
    input_len: usize,
    output_len: usize,
    /// The widest vector on the way, padded.
    width: usize,
}

/// Caller-provided space, from [`FloatNetwork::scratch`].
#[derive(Debug, Clone)]
pub struct FloatScratch {
    current: Vec<f64>,
    next: Vec<f64>,
}

/// Computed outputs, each within `error` of the exact one.
#[derive(Debug, Clone, Copy)]
pub struct Outputs<'s> {
    /// The computed outputs; meaningless when the error is infinite.
    pub values: &'s [f64],
    /// The bound on the distance to the exact outputs; infinite when none is known.
    pub error: f64,
}

#[derive(Debug, Clone)]
struct FloatLayer {
    inputs: usize,
    outputs: usize,
    relu: bool,
    /// What comes after the affine part and is not piecewise linear.
    after: Option<After>,
    weights: FloatWeights,
    bias: Vec<[f64; LANES]>,
    /// R, rounded up.
    row_sum: f64,
    /// B.
    bias_max: f64,
    /// gamma_(n+1), rounded up.
    gamma: f64,
    /// n eta.
    underflow: f64,
}

#[derive(Debug, Clone)]
enum FloatWeights {
    /// For each block of outputs, for each input, the weights of the block; rows beyond the last output are zero.
    Blocks(Vec<[f64; LANES]>),
    /// Those that are not zero, where they are kept so.
    Rows(SparseRows),
}

#[derive(Debug, Clone)]
struct FloatDiagonal {
    scale: Vec<f64>,
    offset: Vec<f64>,
    /// S, O, dS, dO, the last two rounded up.
    scale_max: f64,
    offset_max: f64,
    scale_error: f64,
    offset_error: f64,
}

/// The largest absolute value; numbers only, as step 1 of the proof guarantees.
pub(super) fn max_abs(values: &[f64]) -> f64 {
    let larger = |max: f64, v: f64| if v.abs() > max { v.abs() } else { max };
    // Four chains, so that the processor need not wait for each comparison.
    let (chunks, rest) = values.as_chunks::<4>();
    let mut max = [0.0f64; 4];
    for chunk in chunks {
        for lane in 0..4 {
            max[lane] = larger(max[lane], chunk[lane]);
        }
    }
    rest.iter().chain(&max).fold(0.0, |max, v| larger(max, *v))
}

impl FloatLayer {
    fn new(layer: &Layer) -> Self {
        let (inputs, outputs) = (layer.input_len(), layer.output_len());
        let blocks = outputs.div_ceil(LANES);
        let mut bias = vec![[0.0; LANES]; blocks];
        bias.as_flattened_mut()[..outputs].copy_from_slice(layer.bias());
        let sum = |output| layer.terms(output).fold(0.0, |sum, (_, w)| add_up(sum, w.abs()));
        let row_sum = (0..outputs).map(sum).fold(0.0, f64::max);
        let (weights, most) = match layer.sparse_rows() {
            Some(rows) => (FloatWeights::Rows(rows.clone()), rows.longest()),
            None => {
                let mut weights = vec![[0.0; LANES]; blocks * inputs];
                for (output, (row, _)) in layer.rows().enumerate() {
                    for (input, weight) in row.iter().enumerate() {
                        weights[output / LANES * inputs + input][output % LANES] = *weight;
                    }
                }
                (FloatWeights::Blocks(weights), inputs)
            }
        };
        Self {
            inputs,
            outputs,
            relu: layer.activation() == Activation::Relu,
            after: After::new(layer.activation(), outputs),
            weights,
            bias,
            row_sum,
            bias_max: max_abs(layer.bias()),
            gamma: gamma(most + 1),
            #[expect(clippy::cast_precision_loss, reason = "exact: gamma is only for fewer than 10^13 inputs")]
            underflow: most as f64 * ETA,
        }
    }

    /// The bound after this layer, given the largest computed input and the bound before; infinite when the layer
    /// might overflow.
    fn bound(&self, largest: f64, error: f64) -> f64 {
        let magnitude = add_up(mul_up(self.row_sum, largest), self.bias_max);
        // Written so that NaN gives up too.
        if !matches!(magnitude.partial_cmp(&MAGNITUDE_LIMIT), Some(std::cmp::Ordering::Less)) {
            return f64::INFINITY;
        }
        let inherited = mul_up(self.row_sum, error);
        add_up(add_up(inherited, mul_up(self.gamma, magnitude)), self.underflow)
    }

    /// Computes all (padded) outputs and returns the largest magnitude among them.
    fn apply(&self, inputs: &[f64], outputs: &mut [f64]) -> f64 {
        match &self.weights {
            FloatWeights::Blocks(weights) if self.relu => self.apply_blocks::<true>(weights, inputs, outputs),
            FloatWeights::Blocks(weights) => self.apply_blocks::<false>(weights, inputs, outputs),
            FloatWeights::Rows(rows) => self.apply_rows(rows, inputs, outputs),
        }
    }

    fn apply_rows(&self, rows: &SparseRows, inputs: &[f64], outputs: &mut [f64]) -> f64 {
        let inputs = &inputs[..self.inputs];
        let outputs = &mut outputs[..self.outputs];
        for ((out, (places, weights)), bias) in outputs.iter_mut().zip(rows.rows()).zip(self.bias.as_flattened()) {
            let mut sum = *bias;
            for (place, weight) in places.iter().zip(weights) {
                sum += weight * inputs[*place as usize];
            }
            *out = if self.relu && sum <= 0.0 { 0.0 } else { sum };
        }
        max_abs(outputs)
    }

    fn apply_blocks<const RELU: bool>(&self, weights: &[[f64; LANES]], inputs: &[f64], outputs: &mut [f64]) -> f64 {
        let inputs = &inputs[..self.inputs];
        let mut largest = [0.0f64; LANES];
        let blocks = weights.chunks_exact(self.inputs).zip(&self.bias);
        for ((weights, bias), out) in blocks.zip(outputs.as_chunks_mut::<LANES>().0) {
            let mut sums = *bias;
            for (weight, &x) in weights.iter().zip(inputs) {
                for (sum, w) in sums.iter_mut().zip(weight) {
                    *sum += w * x;
                }
            }
            // Comparisons, not `f64::max`: the same on numbers, and one instruction.
            if RELU {
                sums = sums.map(|sum| if sum > 0.0 { sum } else { 0.0 });
            }
            for (max, sum) in largest.iter_mut().zip(&sums) {
                let magnitude = if RELU { *sum } else { sum.abs() };
                *max = if magnitude > *max { magnitude } else { *max };
            }
            *out = sums;
        }
        max_abs(&largest)
    }
}

/// The nearest floats of rationals, and a bound on the distance.
fn nearest(values: &[Rational]) -> (Vec<f64>, f64) {
    let floats: Vec<f64> = values.iter().map(Rational::to_f64).collect();
    let distance = |(exact, float): (&Rational, &f64)| match Rational::from_f64(*float) {
        // Soundness: to_f64 rounds to nearest, so the step up makes it a bound.
        Some(float) if float == *exact => 0.0,
        Some(float) => (exact - &float).abs().to_f64().next_up(),
        None => f64::INFINITY,
    };
    let error = values.iter().zip(&floats).map(distance).fold(0.0, f64::max);
    (floats, error)
}

impl FloatDiagonal {
    fn new(normalisation: &Normalisation) -> Self {
        let (scale, scale_error) = nearest(normalisation.scale());
        let (offset, offset_error) = nearest(normalisation.offset());
        let (scale_max, offset_max) = (max_abs(&scale), max_abs(&offset));
        Self { scale, offset, scale_max, offset_max, scale_error, offset_error }
    }

    fn bound(&self, largest: f64, error: f64) -> f64 {
        let magnitude = add_up(mul_up(self.scale_max, largest), self.offset_max);
        if !matches!(magnitude.partial_cmp(&MAGNITUDE_LIMIT), Some(std::cmp::Ordering::Less)) {
            return f64::INFINITY;
        }
        let inherited = mul_up(add_up(self.scale_max, self.scale_error), error);
        let constants = add_up(mul_up(self.scale_error, largest), self.offset_error);
        let rounding = add_up(mul_up(gamma(2), magnitude), ETA);
        add_up(add_up(inherited, constants), rounding)
    }

    fn apply(&self, values: &mut [f64]) -> f64 {
        for ((value, scale), offset) in values.iter_mut().zip(&self.scale).zip(&self.offset) {
            *value = *value * scale + offset;
        }
        max_abs(&values[..self.scale.len()])
    }
}

impl FloatNetwork {
    /// Lays a network out for fast evaluation.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        let layers: Vec<_> = network.layers().iter().map(FloatLayer::new).collect();
        let widest = network.layers().iter().map(|l| l.input_len().max(l.output_len())).max().unwrap_or(0);
        Self {
            input: network.input_normalisation().map(FloatDiagonal::new),
            layers,
            output: network.output_normalisation().map(FloatDiagonal::new),
            input_len: network.input_len(),
            output_len: network.output_len(),
            width: widest.next_multiple_of(LANES),
        }
    }

    /// Space for evaluations; reusable, one per thread.
    #[must_use]
    pub fn scratch(&self) -> FloatScratch {
        FloatScratch { current: vec![0.0; self.width], next: vec![0.0; self.width] }
    }

    /// Number of inputs.
    #[must_use]
    pub fn input_len(&self) -> usize {
        self.input_len
    }

    /// Number of outputs.
    #[must_use]
    pub fn output_len(&self) -> usize {
        self.output_len
    }

    /// The outputs at `inputs`, each of which is within `input_error` of the exact input (0 when they are exact).
    /// Allocates nothing.
    ///
    /// # Panics
    /// When `inputs` has the wrong length or `scratch` comes from a smaller network.
    pub fn eval<'s>(&self, inputs: &[f64], input_error: f64, scratch: &'s mut FloatScratch) -> Outputs<'s> {
        assert_eq!(inputs.len(), self.input_len, "one value per network input");
        let FloatScratch { current, next } = scratch;
        let error = self.run(inputs, input_error, current, next);
        // Soundness: NaN and negative bounds (from a bad `input_error`) must not pass for a bound.
        let error = if error >= 0.0 { error } else { f64::INFINITY };
        Outputs { values: &current[..self.output_len], error }
    }

    fn run(&self, inputs: &[f64], input_error: f64, current: &mut Vec<f64>, next: &mut Vec<f64>) -> f64 {
        current[..inputs.len()].copy_from_slice(inputs);
        let finite = inputs.iter().fold(true, |finite, x| finite & x.is_finite());
        if !finite || !(0.0..f64::INFINITY).contains(&input_error) {
            return f64::INFINITY;
        }
        let mut largest = max_abs(inputs);
        let mut error = input_error;
        if let Some(normalisation) = &self.input {
            error = normalisation.bound(largest, error);
            if error == f64::INFINITY {
                return error;
            }
            largest = normalisation.apply(&mut current[..self.input_len]);
        }
        for layer in &self.layers {
            error = layer.bound(largest, error);
            if error == f64::INFINITY {
                return error;
            }
            largest = layer.apply(current, next);
            std::mem::swap(current, next);
            if let Some(after) = &layer.after {
                (largest, error) = after.apply(&mut current[..layer.outputs], largest, error);
                if error == f64::INFINITY {
                    return error;
                }
            }
        }
        if let Some(normalisation) = &self.output {
            error = normalisation.bound(largest, error);
            if error == f64::INFINITY {
                return error;
            }
            normalisation.apply(&mut current[..self.output_len]);
        }
        error
    }
}
