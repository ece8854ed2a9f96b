//! A form bounded with prices: any slope per neuron, where the phases of some neurons are taken for granted.
//!
//! **Definition** (after Wang et al., *Beta-CROWN: Efficient Bound Propagation with Per-neuron Split Constraints for Neural Network
//! Robustness Verification*, NeurIPS 2021). A form over post-activations is carried down to the variables layer by layer, as in
//! [`super::relax`]. A neuron `y = max(z, 0)` that meets the multiplier `m` passes on the slope `p`, whatever number that is:
//! `m y <= p z + t`, where the *intercept* `t` is the largest value of `m max(z, 0) - p z` in the range of `z`, which is at an end of the range
//! or at zero. A phase that is taken for granted cuts the range at zero. With the duals of the triangle program as slopes
//! this is its bound; slopes beyond those of the triangle are multipliers of phases (the betas), or of the ranges' ends.
//!
//! How much smaller a phase makes the intercept is what it is *worth*; where that is nothing it was not used. So the bound holds for
//! the phases with worth alone, and is larger by that much without them: slopes stay.
//!
//! Soundness: slopes are not trusted but defined by the floats that come out. So nothing but sums of products is in error, and these as
//! [`super::setting`] says.

use super::kernel::LANES;
use super::setting::Setting;

/// What is taken for granted of a neuron.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Phase {
    /// Nothing beyond its bounds.
    #[default]
    Free,
    /// Its sum is at least zero.
    Active,
    /// Its sum is at most zero.
    Inactive,
}

/// Where a neuron's sum crosses zero by no more than this share of its range, it has one phase as far as linear programs are concerned: a triangle with
/// such an end is nothing for floats.
const NEGLIGIBLE: f64 = 1e-9;

/// The same for what rounding may do to the sum: this many times as much is nothing but noise.
const NOISE: f64 = 1024.0;

/// The phase that a neuron has as far as linear programs are concerned, by its bounds and what rounding may do to its sum.
pub(crate) fn as_good_as(l: f64, u: f64, error: f64) -> Phase {
    let negligible = (NEGLIGIBLE * (u - l)).max(NOISE * error);
    if l >= -negligible {
        Phase::Active
    } else if u <= negligible {
        Phase::Inactive
    } else {
        Phase::Free
    }
}

/// Slopes and phases, layer by layer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prices {
    pub(crate) layers: Vec<LayerPrices>,
}

/// Those of one layer, one per neuron.
#[derive(Debug, Clone, Default)]
pub(crate) struct LayerPrices {
    /// The slope that a neuron of unknown phase passes on; for the others, what is passed on beside what they are.
    pub(crate) slopes: Vec<f64>,
    pub(crate) phases: Vec<Phase>,
}

/// How wrong sums over a region may be: [`super::setting`]'s analysis, with the sizes that neurons have in it. Intervals over the root box, which
/// it has otherwise, are larger by orders of magnitude where layers are many.
#[derive(Debug, Clone, Default)]
pub(crate) struct RegionErrors {
    /// Layer by layer, one per neuron.
    error: Vec<Vec<f64>>,
    /// The largest sizes of the variables.
    magnitude: Vec<f64>,
    /// Those of the post-activations of the layer where backward passes begin, padded.
    pub(crate) start_magnitude: Vec<f64>,
    inputs: Vec<f64>,
}

impl RegionErrors {
    /// Measures a region with bounds in `data`, where variables are no larger than `magnitude`.
    pub(crate) fn measure(&mut self, setting: &Setting, data: &[f64], magnitude: &[f64]) {
        let folded = &setting.folded;
        let grow = 1.0 + setting.factor;
        self.magnitude.clear();
        self.magnitude.extend_from_slice(magnitude);
        self.inputs.clear();
        self.inputs.extend_from_slice(magnitude);
        self.error.resize_with(folded.start() + 1, Vec::new);
        for index in 0..=folded.start() {
            let (layer, whole) = (folded.layer(index), &setting.layers[index]);
            let error = &mut self.error[index];
            error.clear();
            let mut sizes = Vec::with_capacity(layer.weights.stride());
            for i in 0..layer.len() {
                let products = layer.weights.terms(i).map(|(j, w)| w.abs() * self.inputs[j]);
                let size = (products.sum::<f64>() + layer.bias[i].abs()) * grow;
                let mut wrong = (setting.factor * size + whole.underflow) * grow;
                if index == 0 {
                    wrong += folded.distance(i, magnitude) * grow;
                }
                // Soundness: either is a bound. What is in single precision has errors of another kind.
                error.push(if whole.rounded.is_some() { whole.error[i] } else { wrong.min(whole.error[i]) });
                sizes.push(size + error[i]);
            }
            if layer.is_bounded() {
                let (low, high) = setting.range(index);
                for (i, size) in sizes.iter_mut().enumerate() {
                    let (l, u) = (data[low.start + i], data[high.start + i]);
                    // Soundness: the neuron is within its bounds in all of the region.
                    let known = if layer.is_relu() { u.max(0.0) } else { l.abs().max(u.abs()) };
                    *size = layer.activation.magnitude(layer.len(), size.min(known));
                }
            }
            self.inputs.clear();
            self.inputs.extend_from_slice(&sizes);
        }
        self.start_magnitude.clone_from(&self.inputs);
    }
}

/// A phase that a bound rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Used {
    pub(crate) layer: usize,
    pub(crate) neuron: usize,
    /// By how much the bound is larger without it.
    pub(crate) worth: f64,
}

/// A row over the variables that bounds a form, as far as it goes.
#[derive(Debug, Clone, Default)]
pub(crate) struct PricedRow {
    pub(crate) coefficients: Vec<f64>,
    pub(crate) constant: f64,
    pub(crate) slack: f64,
    pub(crate) used: Vec<Used>,
}

impl Prices {
    /// Whether nothing is passed on but what neurons are.
    pub(crate) fn are_zero(&self) -> bool {
        self.layers.iter().all(|layer| layer.slopes.iter().all(|slope| *slope == 0.0))
    }

    /// Nothing is known of any neuron.
    pub(crate) fn reset(&mut self, setting: &Setting) {
        self.layers.resize_with(setting.folded.depth(), LayerPrices::default);
        for (index, layer) in self.layers.iter_mut().enumerate() {
            let neurons = setting.folded.layer(index).len();
            layer.slopes.clear();
            layer.slopes.resize(neurons, 0.0);
            layer.phases.clear();
            layer.phases.resize(neurons, Phase::Free);
        }
    }
}

impl PricedRow {
    /// Carries a form over the post-activations of the layer where backward passes begin down to the variables. `data` are bounds of a
    /// node; all layers are ReLUs or linear.
    pub(crate) fn carry(
        &mut self,
        setting: &Setting,
        errors: &RegionErrors,
        data: &[f64],
        prices: &Prices,
        form: &mut Vec<f64>,
    ) {
        (self.constant, self.slack) = (0.0, 0.0);
        self.used.clear();
        for index in (0..=setting.folded.start()).rev() {
            let layer = setting.folded.layer(index);
            if layer.is_relu() {
                self.relax(setting, &errors.error[index], index, data, &prices.layers[index], form);
            } else {
                self.pass_on(setting, &errors.error[index], index, form);
            }
            self.coefficients.clear();
            self.coefficients.resize(layer.weights.columns.next_multiple_of(LANES), 0.0);
            for (multiplier, row) in form.iter().zip(0..layer.len()).filter(|(multiplier, _)| **multiplier != 0.0) {
                layer.weights.add_row(row, *multiplier, &mut self.coefficients);
            }
            if index > 0 {
                std::mem::swap(&mut self.coefficients, form);
            }
        }
        let sizes = self.coefficients.iter().zip(&errors.magnitude).map(|(a, x)| a.abs() * x);
        self.slack += setting.factor * (sizes.sum::<f64>() + self.constant.abs());
    }

    /// Through a layer that nothing follows.
    fn pass_on(&mut self, setting: &Setting, error: &[f64], index: usize, form: &[f64]) {
        let layer = setting.folded.layer(index);
        let (mut value, mut size, mut wrong) = (0.0, 0.0, 0.0);
        for ((multiplier, b), e) in form.iter().zip(&layer.bias).zip(error).take(layer.len()) {
            value += multiplier * b;
            size += (multiplier * b).abs();
            wrong += multiplier.abs() * e;
        }
        self.add(setting, index, value, size, wrong);
    }

    /// Through ReLUs.
    fn relax(
        &mut self,
        setting: &Setting,
        error: &[f64],
        index: usize,
        data: &[f64],
        prices: &LayerPrices,
        form: &mut [f64],
    ) {
        let layer = setting.folded.layer(index);
        let (low, high) = setting.range(index);
        let (mut value, mut size, mut wrong) = (0.0, 0.0, 0.0);
        for i in 0..layer.len() {
            let (l, u, m) = (data[low.start + i], data[high.start + i], form[i]);
            // Soundness: any slope is right; what it costs where the neuron is in the other phase is in the intercept.
            let p = if as_good_as(l, u, setting.layers[index].error[i]) == Phase::Active {
                m + prices.slopes[i]
            } else {
                prices.slopes[i]
            };
            let mut t = intercept(m, p, l, u);
            if l < 0.0 && u > 0.0 {
                let with = match prices.phases[i] {
                    Phase::Free => t,
                    Phase::Active => intercept(m, p, 0.0, u),
                    Phase::Inactive => intercept(m, p, l, 0.0),
                };
                if with < t {
                    self.used.push(Used { layer: index, neuron: i, worth: t - with });
                    t = with;
                }
            }
            let product = p * layer.bias[i];
            value += t + product;
            size += t.abs() + product.abs();
            wrong += p.abs() * error[i];
            form[i] = p;
        }
        form[layer.len()..].fill(0.0);
        self.add(setting, index, value, size, wrong);
    }

    fn add(&mut self, setting: &Setting, index: usize, value: f64, size: f64, wrong: f64) {
        self.constant += value;
        let error = wrong + setting.factor * size;
        self.slack += error + setting.factor * self.constant.abs() + setting.layers[index].underflow;
    }
}

/// The largest value of `m max(z, 0) - p z` for `z` in `[l, u]`.
fn intercept(m: f64, p: f64, l: f64, u: f64) -> f64 {
    // Soundness: a multiplier that overflowed, or is no number for that reason, is forgotten with the slope that replaces it, and
    // comparisons drop what is no number: only here can it be seen that nothing is known.
    if !m.is_finite() {
        return f64::INFINITY;
    }
    let at = |z: f64| if z > 0.0 { (m - p) * z } else { -p * z };
    let ends = at(l).max(at(u));
    if l < 0.0 && u > 0.0 { ends.max(0.0) } else { ends }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intercepts_are_the_largest_values() {
        let numbers = [-3.0, -1.0, -0.25, 0.0, 0.5, 2.0];
        for m in numbers {
            for p in numbers {
                for (l, u) in [(-2.0, 3.0), (-1.0, 0.5), (0.0, 2.0), (-4.0, 0.0), (1.0, 2.0), (-2.0, -1.0)] {
                    let at = |k: i32| {
                        let z = l + (u - l) * f64::from(k) / 64.0;
                        m * z.max(0.0) - p * z
                    };
                    let largest = (0..=64).map(at).fold(f64::NEG_INFINITY, f64::max);
                    let found = intercept(m, p, l, u);
                    assert!(found >= largest && found <= largest + 0.5, "{m} {p} [{l}, {u}]: {found}, not {largest}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_known_of_multipliers_that_overflowed() {
        for m in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for p in [0.0, 1.0, -2.0] {
                assert_eq!(intercept(m, p, -1.0, 2.0), f64::INFINITY);
                assert_eq!(intercept(m, p, 0.0, 2.0), f64::INFINITY);
            }
        }
    }
}
