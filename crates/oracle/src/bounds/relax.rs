//! Bounds on neurons and scores over a box, by backward linear relaxation.
//!
//! **Relaxation** (Singh et al., *An Abstract Domain for Certifying Neural Networks*, POPL 2019; Zhang et al., *Efficient
//! Neural Network Robustness Certification*, NeurIPS 2018). A form `sum_j lambda_j y_j + c` over the post-activations of a layer
//! is bounded from above by a form over its pre-activations: with `l_j <= z_j <= u_j`, `l_j < 0 < u_j`,
//!
//! * `lambda_j > 0`: `y_j <= s z_j + t` for any `s` in `[0, 1]` and `t = max(-s l_j, (1 - s) u_j)`, here `s = u_j / (u_j - l_j)`;
//! * `lambda_j < 0`: `y_j >= a z_j` for any `a` in `[0, 1]`.
//!
//! A neuron that is no ReLU has a line above, `y_j <= s z_j + t`, and one below, with floats for slopes and intercepts
//! ([`super::activation`]).
//!
//! Then `z = W y' + b` gives a form over the layer before, and so on down to the variables, where the box is known.
//!
//! Soundness: slopes are not trusted but *defined* by the floats that come out. With `p = fl(lambda s)` the slope is the
//! real number `p / lambda`, in `[0, 1]` because rounding is monotone, and the intercept is taken for that very slope:
//! `lambda t = max(-p l, (lambda - p) u)`. So the relaxation itself is exact; what remains are sums of products, whose error
//! [`super::setting`] bounds. Other lines have intercepts that were computed for their slopes `s`; the slope that is used differs by a
//! rounding, and by `u |p| |z|` the value, for which `|p|` times the largest `|z|` is among the sizes that `G` is multiplied with. Where
//! `p` underflows the difference is covered by what underflow costs the layer.

use pulp::{Simd, WithSimd};

use super::kernel::{Kernel, LANES, Matrix, sum, vectors, vectors_mut};
use super::rows::UpperRows;
use super::scattered::{Lines, Scattered};
use super::setting::{LayerError, Setting};
use super::slopes::Slopes;

/// Scratch space of backward passes.
#[derive(Debug, Default)]
pub(crate) struct Backward {
    slopes: Vec<Slopes>,
    current: Matrix,
    next: Matrix,
    scattered: Scattered,
    /// For the forms asked last: the multipliers on each layer's post-activations, kept on request.
    kept: Vec<Matrix>,
}

/// What a row adds up to besides its multipliers, and by how much float sums over it may be wrong.
struct RowSums {
    /// Intercepts and bias products.
    value: f64,
    /// `G` times their magnitudes, and what the multipliers make of the errors of pre-activations.
    error: f64,
}

impl Backward {
    /// Chooses slopes for a layer from its bounds in a node's data.
    #[inline(always)]
    pub(crate) fn set_slopes<S: Simd>(&mut self, simd: S, setting: &Setting, layer: usize, data: &[f64]) {
        if self.slopes.len() <= layer {
            self.slopes.resize(layer + 1, Slopes::default());
        }
        self.slopes[layer].set(simd, setting, layer, data);
    }

    /// Moves the lower slopes of a layer's unstable neurons towards 1 where they are active at a point, towards 0 where
    /// they are not, by a share of the way.
    pub(crate) fn tilt(&mut self, layer: usize, activations: &[f64], share: f64) {
        self.slopes[layer].tilt(activations, share);
    }

    /// How far the lines of a neuron that is no ReLU are apart, roughly.
    pub(crate) fn gap(&self, layer: usize, neuron: usize) -> f64 {
        self.slopes[layer].gap[neuron]
    }

    /// Starts a pass with `forms` forms over the post-activations of `layer`; fill the rows with [`Self::form`].
    #[inline(always)]
    pub(crate) fn start(&mut self, setting: &Setting, layer: usize, forms: usize) {
        self.current.reshape(forms, setting.folded.layer(layer).len());
    }

    /// The multipliers of a form, to be filled; padding must stay zero.
    #[inline(always)]
    pub(crate) fn form(&mut self, index: usize) -> &mut [f64] {
        self.current.row_mut(index)
    }

    /// The multipliers on a layer's post-activations, of the last pass that kept them.
    pub(crate) fn kept(&self, layer: usize) -> &Matrix {
        &self.kept[layer]
    }

    /// Carries the forms from the post-activations of layer `top` down to the variables; `constants` and `slacks` must
    /// hold one entry per form already and are added to. Slopes of layers `0..=top` must be set.
    pub(crate) fn run(
        &mut self,
        kernel: Kernel,
        setting: &Setting,
        top: usize,
        data: &[f64],
        keep: bool,
        rows: &mut UpperRows,
    ) {
        struct Run<'a>(&'a mut Backward, &'a Setting, usize, &'a [f64], bool, &'a mut UpperRows);
        impl WithSimd for Run<'_> {
            type Output = ();
            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                self.0.carry(simd, self.1, self.2, self.3, self.4, self.5);
            }
        }
        kernel.run(Run(self, setting, top, data, keep, rows));
    }

    /// [`Self::run`], for callers that a kernel runs.
    #[inline(always)]
    fn carry<S: Simd>(
        &mut self,
        simd: S,
        setting: &Setting,
        top: usize,
        data: &[f64],
        keep: bool,
        rows: &mut UpperRows,
    ) {
        if keep && self.kept.len() <= top {
            self.kept.resize_with(top + 1, Matrix::default);
        }
        if setting.is_sparse {
            return self.scatter(setting, top, data, keep, rows);
        }
        for layer in (0..=top).rev() {
            if keep {
                self.kept[layer].copy(&self.current);
            }
            let slopes = &self.slopes[layer];
            let relaxed = Relaxed::new(setting, layer, slopes, data);
            for form in 0..self.current.rows {
                relaxed.form(simd, self.current.row_mut(form), rows, form);
            }
            self.pass(simd, setting, layer, rows);
        }
    }

    /// Carries the pre-activations of neurons of a layer down to the variables: an upper row for each, then an upper row of what is
    /// negated.
    #[inline(always)]
    pub(crate) fn neurons<S: Simd>(
        &mut self,
        simd: S,
        setting: &Setting,
        layer: usize,
        neurons: &[u32],
        data: &[f64],
        rows: &mut UpperRows,
    ) {
        let matrices = setting.folded.layer(layer);
        rows.reset(2 * neurons.len());
        if setting.is_sparse {
            return self.scatter_neurons(setting, layer, neurons, data, rows);
        }
        self.start(setting, layer - 1, 2 * neurons.len());
        let relaxed = Relaxed::new(setting, layer - 1, &self.slopes[layer - 1], data);
        for (k, &i) in neurons.iter().enumerate() {
            let weights = matrices.weights.row(i as usize).expect("no layer is sparse");
            let weights = vectors(simd, weights);
            let bias = matrices.bias[i as usize];
            let rounding = setting.layers[layer].rounded.as_ref().map_or(0.0, |rounded| rounded.sums[i as usize]);
            for (form, sign) in [(2 * k, 1.0), (2 * k + 1, -1.0)] {
                let factor = simd.splat_f64s(sign);
                let row = self.current.row_mut(form);
                for (m, w) in vectors_mut(simd, row).iter_mut().zip(weights) {
                    *m = simd.mul_f64s(factor, *w);
                }
                rows.constants[form] = sign * bias;
                rows.slacks[form] = rounding;
                relaxed.form(simd, row, rows, form);
            }
        }
        self.pass(simd, setting, layer - 1, rows);
        if layer > 1 {
            self.carry(simd, setting, layer - 2, data, false, rows);
        }
    }

    /// [`Self::carry`], form by form.
    fn scatter(&mut self, setting: &Setting, top: usize, data: &[f64], keep: bool, rows: &mut UpperRows) {
        let Self { slopes, scattered, current, kept, .. } = self;
        if keep {
            for (layer, kept) in kept.iter_mut().enumerate().take(top + 1) {
                kept.reshape(current.rows, setting.folded.layer(layer).len());
            }
        }
        rows.coefficients.reshape(current.rows, setting.magnitude().len());
        let lines = Lines { setting, slopes, data };
        for form in 0..current.rows {
            scattered.begin(setting, top, current.row(form).iter().copied().enumerate());
            let kept = keep.then_some(&mut kept[..]);
            scattered.carry(&lines, top, kept, rows, form);
        }
    }

    /// [`Self::neurons`], form by form; rows begin at zero.
    fn scatter_neurons(
        &mut self,
        setting: &Setting,
        layer: usize,
        neurons: &[u32],
        data: &[f64],
        rows: &mut UpperRows,
    ) {
        let matrices = setting.folded.layer(layer);
        rows.coefficients.reshape(2 * neurons.len(), setting.magnitude().len());
        let lines = Lines { setting, slopes: &self.slopes, data };
        for (k, i) in neurons.iter().map(|i| *i as usize).enumerate() {
            let rounding = setting.layers[layer].rounded.as_ref().map_or(0.0, |rounded| rounded.sums[i]);
            for (form, sign) in [(2 * k, 1.0), (2 * k + 1, -1.0)] {
                (rows.constants[form], rows.slacks[form]) = (sign * matrices.bias[i], rounding);
                self.scattered.begin(setting, layer - 1, matrices.weights.terms(i).map(|(j, w)| (j, sign * w)));
                self.scattered.carry(&lines, layer - 1, None, rows, form);
            }
        }
    }

    /// From the pre-activations of a layer to what it is computed from.
    #[inline(always)]
    fn pass<S: Simd>(&mut self, simd: S, setting: &Setting, layer: usize, rows: &mut UpperRows) {
        let (matrices, used) = (setting.folded.layer(layer), &self.slopes[layer].used);
        if layer > 0 {
            matrices.weights.backward(simd, &self.current, used, &mut self.next);
            std::mem::swap(&mut self.current, &mut self.next);
            return;
        }
        matrices.weights.backward(simd, &self.current, used, &mut rows.coefficients);
        // Whoever sums up a row over a box errs by no more than this.
        for form in 0..rows.coefficients.rows {
            let terms = magnitude_sum(simd, rows.coefficients.row(form), setting.padded_magnitude());
            rows.slacks[form] += setting.factor * (terms + rows.constants[form].abs());
        }
    }
}

/// What replaces the neurons of a layer.
struct Relaxed<'a> {
    slopes: &'a Slopes,
    lower: &'a [f64],
    upper: &'a [f64],
    bias: &'a [f64],
    error: &'a LayerError,
    factor: f64,
}

impl<'a> Relaxed<'a> {
    #[inline(always)]
    fn new(setting: &'a Setting, layer: usize, slopes: &'a Slopes, data: &'a [f64]) -> Self {
        let (lower, upper) = setting.range(layer);
        let bias = &setting.folded.layer(layer).bias;
        let (lower, upper) = (&data[lower], &data[upper]);
        Self { slopes, lower, upper, bias, error: &setting.layers[layer], factor: setting.factor }
    }

    /// Relaxes a form, given as its multipliers; what does not depend on the pre-activations is added to the form's row.
    #[inline(always)]
    fn form<S: Simd>(&self, simd: S, multipliers: &mut [f64], rows: &mut UpperRows, form: usize) {
        let sums =
            if self.slopes.above.is_empty() { self.row(simd, multipliers) } else { self.lines(simd, multipliers) };
        rows.constants[form] += sums.value;
        rows.slacks[form] += sums.error + self.factor * rows.constants[form].abs() + self.error.underflow;
    }

    /// Replaces multipliers on post-activations by multipliers on pre-activations.
    #[inline(always)]
    fn row<S: Simd>(&self, simd: S, multipliers: &mut [f64]) -> RowSums {
        let zero = simd.splat_f64s(0.0);
        let multipliers = vectors_mut(simd, multipliers);
        let count = multipliers.len();
        let (s, a) = (&vectors(simd, &self.slopes.upper)[..count], &vectors(simd, &self.slopes.lower)[..count]);
        let (l, u) = (&vectors(simd, self.lower)[..count], &vectors(simd, self.upper)[..count]);
        let (b, e) = (&vectors(simd, self.bias)[..count], &vectors(simd, &self.error.error)[..count]);
        let (mut values, mut errors) = ([0.0f64; LANES], [0.0f64; LANES]);
        // Sums are formed lane by lane, so that they are the same for vectors of any width.
        let width = LANES / S::F64_LANES;
        for part in 0..width {
            let (mut value, mut size, mut error) = (zero, zero, zero);
            let mut block = part;
            while block < count {
                let lambda = multipliers[block];
                let positive = simd.select_f64s(simd.greater_than_f64s(lambda, zero), lambda, zero);
                let p = simd.mul_f64s(positive, s[block]);
                let below = simd.sub_f64s(zero, simd.mul_f64s(p, l[block]));
                let above = simd.mul_f64s(simd.sub_f64s(positive, p), u[block]);
                let t = simd.select_f64s(simd.greater_than_f64s(below, above), below, above);
                // Soundness: t is not a number only where zero meets an infinite bound, and then the intercept is zero
                // or `above`; or where p is none, and then the row refutes nothing.
                let t = simd.select_f64s(simd.greater_than_f64s(t, zero), t, zero);
                let new = simd.add_f64s(p, simd.mul_f64s(simd.sub_f64s(lambda, positive), a[block]));
                let product = simd.mul_f64s(new, b[block]);
                value = simd.add_f64s(value, simd.add_f64s(t, product));
                size = simd.add_f64s(size, simd.add_f64s(t, magnitude(simd, product)));
                error = simd.add_f64s(error, simd.mul_f64s(magnitude(simd, new), e[block]));
                multipliers[block] = new;
                block += width;
            }
            vectors_mut(simd, &mut values)[part] = value;
            let size = simd.mul_f64s(simd.splat_f64s(self.factor), size);
            vectors_mut(simd, &mut errors)[part] = simd.add_f64s(error, size);
        }
        RowSums { value: sum(&values), error: sum(&errors) }
    }

    /// The same for neurons with lines of their own.
    #[inline(always)]
    fn lines<S: Simd>(&self, simd: S, multipliers: &mut [f64]) -> RowSums {
        let zero = simd.splat_f64s(0.0);
        let multipliers = vectors_mut(simd, multipliers);
        let count = multipliers.len();
        let (s, a) = (&vectors(simd, &self.slopes.upper)[..count], &vectors(simd, &self.slopes.lower)[..count]);
        let (t, c) = (&vectors(simd, &self.slopes.above)[..count], &vectors(simd, &self.slopes.below)[..count]);
        let z = &vectors(simd, &self.slopes.size)[..count];
        let (b, e) = (&vectors(simd, self.bias)[..count], &vectors(simd, &self.error.error)[..count]);
        let (mut values, mut errors) = ([0.0f64; LANES], [0.0f64; LANES]);
        let width = LANES / S::F64_LANES;
        for part in 0..width {
            let (mut value, mut size, mut error) = (zero, zero, zero);
            let mut block = part;
            while block < count {
                let lambda = multipliers[block];
                let above = simd.greater_than_f64s(lambda, zero);
                let new = simd.mul_f64s(lambda, simd.select_f64s(above, s[block], a[block]));
                // Soundness: zero times an infinite intercept is not a number, and then the row refutes nothing.
                let intercept = simd.mul_f64s(lambda, simd.select_f64s(above, t[block], c[block]));
                let product = simd.mul_f64s(new, b[block]);
                value = simd.add_f64s(value, simd.add_f64s(intercept, product));
                let bend = simd.mul_f64s(magnitude(simd, new), z[block]);
                let sizes = simd.add_f64s(magnitude(simd, intercept), magnitude(simd, product));
                size = simd.add_f64s(size, simd.add_f64s(sizes, bend));
                error = simd.add_f64s(error, simd.mul_f64s(magnitude(simd, new), e[block]));
                multipliers[block] = new;
                block += width;
            }
            vectors_mut(simd, &mut values)[part] = value;
            let size = simd.mul_f64s(simd.splat_f64s(self.factor), size);
            vectors_mut(simd, &mut errors)[part] = simd.add_f64s(error, size);
        }
        RowSums { value: sum(&values), error: sum(&errors) }
    }
}

/// Absolute values.
#[inline(always)]
fn magnitude<S: Simd>(simd: S, value: S::f64s) -> S::f64s {
    let zero = simd.splat_f64s(0.0);
    simd.select_f64s(simd.greater_than_f64s(value, zero), value, simd.sub_f64s(zero, value))
}

/// `sum |a_v| x_v` of padded rows.
#[inline(always)]
fn magnitude_sum<S: Simd>(simd: S, row: &[f64], magnitudes: &[f64]) -> f64 {
    let (a, x) = (vectors(simd, row), vectors(simd, magnitudes));
    let count = a.len();
    let x = &x[..count];
    let mut lanes = [0.0f64; LANES];
    let width = LANES / S::F64_LANES;
    for part in 0..width {
        let mut sums = simd.splat_f64s(0.0);
        let mut block = part;
        while block < count {
            sums = simd.add_f64s(sums, simd.mul_f64s(magnitude(simd, a[block]), x[block]));
            block += width;
        }
        vectors_mut(simd, &mut lanes)[part] = sums;
    }
    sum(&lanes)
}
