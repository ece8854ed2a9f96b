//! Bounds on neurons and scores over a box, by backward linear relaxation.
//!
//! **Relaxation** (Singh et al., *An Abstract Domain for Certifying Neural Networks*, POPL 2019; Zhang et al., *Efficient
//! Neural Network Robustness Certification*, NeurIPS 2018). A form `sum_j lambda_j y_j + c` over the post-activations of a layer
//! is bounded from above by a form over its pre-activations: with `l_j <= z_j <= u_j`, `l_j < 0 < u_j`,
//!
//! * `lambda_j > 0`: `y_j <= s z_j + t` for any `s` in `[0, 1]` and `t = max(-s l_j, (1 - s) u_j)`, here `s = u_j / (u_j - l_j)`;
//! * `lambda_j < 0`: `y_j >= a z_j` for any `a` in `[0, 1]`.
//!
//! Then `z = W y' + b` gives a form over the layer before, and so on down to the variables, where the box is known.
//!
//! Soundness: slopes are not trusted but *defined* by the floats that come out. With `p = fl(lambda s)` the slope is the
//! real number `p / lambda`, in `[0, 1]` because rounding is monotone, and the intercept is taken for that very slope:
//! `lambda t = max(-p l, (lambda - p) u)`. So the relaxation itself is exact; what remains are sums of products, whose error
//! [`super::setting`] bounds.

use super::kernel::{Kernel, LANES, Matrix};
use super::setting::{LayerError, Setting};

/// A row per form: `form(x) <= a.x + c + slack` for every `x` of the box, even if the sum is formed in floats.
#[derive(Debug, Default)]
pub(crate) struct UpperRows {
    /// `a`, one row per form.
    pub(crate) coefficients: Matrix,
    /// `c`.
    pub(crate) constants: Vec<f64>,
    /// The bound on all rounding errors.
    pub(crate) slacks: Vec<f64>,
}

impl UpperRows {
    /// Starts rows for this many forms; their constants and slacks begin at zero.
    pub(crate) fn reset(&mut self, forms: usize) {
        self.constants.clear();
        self.constants.resize(forms, 0.0);
        self.slacks.clear();
        self.slacks.resize(forms, 0.0);
    }

    /// Takes a row of another set in place of one of this.
    pub(crate) fn replace(&mut self, row: usize, other: &Self, form: usize) {
        self.coefficients.row_mut(row).copy_from_slice(other.coefficients.row(form));
        self.constants[row] = other.constants[form];
        self.slacks[row] = other.slacks[form];
    }

    /// Adds a row of another set to one of this.
    pub(crate) fn add(&mut self, row: usize, other: &Self, form: usize) {
        let sums = self.coefficients.row_mut(row).iter_mut().zip(other.coefficients.row(form));
        sums.for_each(|(a, b)| *a += b);
        self.constants[row] += other.constants[form];
        self.slacks[row] += other.slacks[form];
    }
}

/// Slopes of one layer.
#[derive(Debug, Default, Clone)]
struct Slopes {
    /// Upper line's slope.
    upper: Vec<f64>,
    /// Lower line's slope.
    lower: Vec<f64>,
    /// Neurons that are not surely inactive.
    used: Vec<u32>,
}

/// Scratch space of backward passes.
#[derive(Debug, Default)]
pub(crate) struct Backward {
    slopes: Vec<Slopes>,
    current: Matrix,
    next: Matrix,
    /// For the forms asked last: the multipliers on each layer's post-activations, kept on request.
    kept: Vec<Matrix>,
}

/// Sums over one row in lanes: intercepts, bias products, error bounds.
struct RowSums {
    intercepts: f64,
    bias: f64,
    bias_magnitude: f64,
    error: f64,
}

impl Backward {
    /// Chooses slopes for a layer from its bounds in a node's data.
    pub(crate) fn set_slopes(&mut self, setting: &Setting, layer: usize, data: &[f64]) {
        if self.slopes.len() <= layer {
            self.slopes.resize(layer + 1, Slopes::default());
        }
        let (lower, upper) = setting.range(layer);
        let slopes = &mut self.slopes[layer];
        let neurons = setting.folded.layer(layer).len();
        slopes.upper.clear();
        slopes.lower.clear();
        slopes.used.clear();
        for (i, (&l, &u)) in data[lower].iter().zip(&data[upper]).enumerate() {
            let (s, a) = if !setting.folded.layer(layer).relu || l >= 0.0 {
                (1.0, 1.0)
            } else if u <= 0.0 {
                (0.0, 0.0)
            } else {
                // Any number in [0, 1] is right; what is not a number makes the row useless, not wrong.
                ((u / (u - l)).clamp(0.0, 1.0), if u > -l { 1.0 } else { 0.0 })
            };
            slopes.upper.push(s);
            slopes.lower.push(a);
            if i < neurons && (s != 0.0 || a != 0.0) {
                slopes.used.push(i as u32);
            }
        }
    }

    /// Moves the lower slopes of a layer's unstable neurons towards 1 where they are active at a point, towards 0 where
    /// they are not, by a share of the way.
    pub(crate) fn tilt(&mut self, layer: usize, activations: &[f64], share: f64) {
        let slopes = &mut self.slopes[layer];
        for ((s, a), z) in slopes.upper.iter().zip(&mut slopes.lower).zip(activations) {
            if *s > 0.0 && *s < 1.0 {
                let target = if *z > 0.0 { 1.0 } else { 0.0 };
                *a += share * (target - *a);
            }
        }
    }

    /// Starts a pass with `forms` forms over the post-activations of `layer`; fill the rows with [`Self::form`].
    pub(crate) fn start(&mut self, setting: &Setting, layer: usize, forms: usize) {
        self.current.reshape(forms, setting.folded.layer(layer).len());
    }

    /// The multipliers of a form, to be filled; padding must stay zero.
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
        if keep && self.kept.len() <= top {
            self.kept.resize_with(top + 1, Matrix::default);
        }
        for layer in (0..=top).rev() {
            let matrices = setting.folded.layer(layer);
            let (lower, upper) = setting.range(layer);
            let (lower, upper) = (&data[lower], &data[upper]);
            let slopes = &self.slopes[layer];
            let LayerError { error, underflow, .. } = &setting.layers[layer];
            if keep {
                self.kept[layer].clone_from(&self.current);
            }
            let current = &mut self.current;
            kernel.run(
                #[inline(always)]
                || {
                    for form in 0..current.rows {
                        let sums = relax_row(current.row_mut(form), slopes, lower, upper, &matrices.bias, error);
                        rows.constants[form] += sums.intercepts + sums.bias;
                        let magnitude = sums.intercepts + sums.bias_magnitude + rows.constants[form].abs();
                        rows.slacks[form] += sums.error + setting.factor * magnitude + underflow;
                    }
                },
            );
            if layer == 0 {
                kernel.multiply(&self.current, &slopes.used, &matrices.weights, &mut rows.coefficients);
                // Whoever sums up a row over a box errs by no more than this.
                for form in 0..rows.coefficients.rows {
                    let terms = rows.coefficients.row(form).iter().zip(setting.magnitude());
                    let magnitude: f64 = terms.map(|(a, x)| a.abs() * x).sum();
                    rows.slacks[form] += setting.factor * (magnitude + rows.constants[form].abs());
                }
            } else {
                kernel.multiply(&self.current, &slopes.used, &matrices.weights, &mut self.next);
                std::mem::swap(&mut self.current, &mut self.next);
            }
        }
    }
}

/// Replaces multipliers on post-activations by multipliers on pre-activations.
#[inline(always)]
fn relax_row(
    multipliers: &mut [f64],
    slopes: &Slopes,
    lower: &[f64],
    upper: &[f64],
    bias: &[f64],
    error: &[f64],
) -> RowSums {
    let mut intercepts = [0.0f64; LANES];
    let mut products = [0.0f64; LANES];
    let mut magnitudes = [0.0f64; LANES];
    let mut errors = [0.0f64; LANES];
    let (chunks, _) = multipliers.as_chunks_mut::<LANES>();
    let blocks = chunks.len();
    let s = &slopes.upper.as_chunks::<LANES>().0[..blocks];
    let a = &slopes.lower.as_chunks::<LANES>().0[..blocks];
    let l = &lower.as_chunks::<LANES>().0[..blocks];
    let u = &upper.as_chunks::<LANES>().0[..blocks];
    let b = &bias.as_chunks::<LANES>().0[..blocks];
    let e = &error.as_chunks::<LANES>().0[..blocks];
    for block in 0..blocks {
        let (s, a, l, u, b, e) = (&s[block], &a[block], &l[block], &u[block], &b[block], &e[block]);
        let chunk = &mut chunks[block];
        let mut new = [0.0f64; LANES];
        for lane in 0..LANES {
            let lambda = chunk[lane];
            let positive = if lambda > 0.0 { lambda } else { 0.0 };
            let p = positive * s[lane];
            let below = -(p * l[lane]);
            let above = (positive - p) * u[lane];
            let t = if below > above { below } else { above };
            // Soundness: t is not a number only where zero meets an infinite bound, and then the intercept is zero or
            // `above`; or where p is none, and then the row refutes nothing.
            intercepts[lane] += if t > 0.0 { t } else { 0.0 };
            new[lane] = p + (lambda - positive) * a[lane];
        }
        for lane in 0..LANES {
            let product = new[lane] * b[lane];
            products[lane] += product;
            magnitudes[lane] += product.abs();
            errors[lane] += new[lane].abs() * e[lane];
        }
        *chunk = new;
    }
    let sum = |lanes: [f64; LANES]| lanes.iter().sum::<f64>();
    RowSums { intercepts: sum(intercepts), bias: sum(products), bias_magnitude: sum(magnitudes), error: sum(errors) }
}
