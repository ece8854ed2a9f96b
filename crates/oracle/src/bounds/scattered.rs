//! Backward passes through sparse layers: form by form, over the neurons that a form depends on and no others.
//!
//! The relaxation is that of [`super::relax`], and so is what comes out, but for the order of sums. There forms are rows of a matrix, and cost as much as layers are
//! wide; here a form costs as many products as there are weights between what it depends on. In a lattice of minima and maxima that is
//! the part of the tree below it: all of a layer's neurons together cost little more than one form through dense layers.

#![expect(
    clippy::cast_possible_truncation,
    reason = "layers have far fewer than 2^32 neurons, and these are inner loops"
)]

use super::kernel::Matrix;
use super::rows::UpperRows;
use super::setting::Setting;
use super::slopes::Slopes;

/// A form over neurons; what is not touched is zero.
#[derive(Debug, Default)]
struct Form {
    values: Vec<f64>,
    is_touched: Vec<bool>,
    touched: Vec<u32>,
}

impl Form {
    fn clear(&mut self, width: usize) {
        for i in self.touched.drain(..) {
            self.values[i as usize] = 0.0;
            self.is_touched[i as usize] = false;
        }
        if self.values.len() < width {
            self.values.resize(width, 0.0);
            self.is_touched.resize(width, false);
        }
    }

    #[inline]
    fn add(&mut self, i: usize, value: f64) {
        if !std::mem::replace(&mut self.is_touched[i], true) {
            self.touched.push(i as u32);
        }
        self.values[i] += value;
    }
}

/// What forms are carried through: an application, lines in place of its neurons, bounds in a node's data.
pub(super) struct Lines<'a> {
    pub(super) setting: &'a Setting,
    pub(super) slopes: &'a [Slopes],
    pub(super) data: &'a [f64],
}

/// Carries one form after the other; holds scratch memory.
#[derive(Debug, Default)]
pub(super) struct Scattered {
    current: Form,
    next: Form,
}

impl Scattered {
    /// Begins a form over the post-activations of a layer.
    pub(super) fn begin(&mut self, setting: &Setting, layer: usize, terms: impl Iterator<Item = (usize, f64)>) {
        self.current.clear(setting.folded.layer(layer).len());
        terms.filter(|(_, m)| *m != 0.0).for_each(|(i, m)| self.current.add(i, m));
    }

    /// Carries the form from the post-activations of layer `top` down to the variables, as [`super::relax::Backward::run`] does.
    pub(super) fn carry(
        &mut self,
        lines: &Lines<'_>,
        top: usize,
        mut kept: Option<&mut [Matrix]>,
        rows: &mut UpperRows,
        form: usize,
    ) {
        let setting = lines.setting;
        for layer in (0..=top).rev() {
            if let Some(kept) = &mut kept {
                let multipliers = kept[layer].row_mut(form);
                multipliers.fill(0.0);
                self.current.touched.iter().for_each(|i| multipliers[*i as usize] = self.current.values[*i as usize]);
            }
            self.relax(lines, layer, rows, form);
            let weights = &setting.folded.layer(layer).weights;
            if layer == 0 {
                let out = rows.coefficients.row_mut(form);
                out.fill(0.0);
                for i in &self.current.touched {
                    weights.add_row(*i as usize, self.current.values[*i as usize], out);
                }
                break;
            }
            self.next.clear(weights.columns);
            for i in &self.current.touched {
                let m = self.current.values[*i as usize];
                if m != 0.0 {
                    weights.terms(*i as usize).for_each(|(j, w)| self.next.add(j, m * w));
                }
            }
            std::mem::swap(&mut self.current, &mut self.next);
        }
        // Whoever sums up the row over a box errs by no more than this.
        let sizes = rows.coefficients.row(form).iter().zip(setting.padded_magnitude()).map(|(a, x)| a.abs() * x);
        rows.slacks[form] += setting.factor * (sizes.sum::<f64>() + rows.constants[form].abs());
    }

    /// Replaces multipliers on post-activations by multipliers on pre-activations; what does not depend on these is added to the form's
    /// row.
    fn relax(&mut self, lines: &Lines<'_>, layer: usize, rows: &mut UpperRows, form: usize) {
        let Lines { setting, slopes, data } = *lines;
        let slopes = &slopes[layer];
        let (low, high) = setting.range(layer);
        let (bias, error) = (&setting.folded.layer(layer).bias, &setting.layers[layer]);
        let (mut value, mut size, mut wrong) = (0.0, 0.0, 0.0);
        for i in self.current.touched.iter().map(|i| *i as usize) {
            let lambda = self.current.values[i];
            let (new, intercept, bend) = if slopes.above.is_empty() {
                let positive = if lambda > 0.0 { lambda } else { 0.0 };
                let p = positive * slopes.upper[i];
                let (below, above) = (-(p * data[low.start + i]), (positive - p) * data[high.start + i]);
                let t = if below > above { below } else { above };
                // Soundness: as in the other pass, t is not a number only where the intercept is zero, or the row refutes nothing.
                (p + (lambda - positive) * slopes.lower[i], if t > 0.0 { t } else { 0.0 }, 0.0)
            } else if lambda > 0.0 {
                (lambda * slopes.upper[i], lambda * slopes.above[i], slopes.size[i])
            } else {
                (lambda * slopes.lower[i], lambda * slopes.below[i], slopes.size[i])
            };
            let product = new * bias[i];
            value += intercept + product;
            size += intercept.abs() + product.abs() + new.abs() * bend;
            wrong += new.abs() * error.error[i];
            self.current.values[i] = new;
        }
        rows.constants[form] += value;
        rows.slacks[form] +=
            wrong + setting.factor * size + setting.factor * rows.constants[form].abs() + error.underflow;
    }
}
