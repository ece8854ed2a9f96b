//! The lines that replace the neurons of a layer: their slopes, chosen from the bounds of the neurons.
//!
//! A ReLU's lines are given by slopes alone: what they add follows from the bounds. Any other neuron has two lines with intercepts.

#![expect(
    clippy::cast_possible_truncation,
    reason = "layers have far fewer than 2^32 neurons, and these are inner loops"
)]

use pulp::Simd;

use surefoot_network::Activation;
use surefoot_num::FloatInterval;
use surefoot_num::function::lines::Lines;
use surefoot_num::round::{add_down, add_up};

use super::activation;
use super::kernel::{vectors, vectors_mut};
use super::setting::Setting;

/// Slopes of one layer.
#[derive(Debug, Default, Clone)]
pub(crate) struct Slopes {
    /// Upper line's slope.
    pub(crate) upper: Vec<f64>,
    /// Lower line's slope.
    pub(crate) lower: Vec<f64>,
    /// Upper line's intercept; empty for ReLUs and where nothing follows.
    pub(crate) above: Vec<f64>,
    /// Lower line's intercept.
    pub(crate) below: Vec<f64>,
    /// The larger size of a neuron's bounds.
    pub(crate) size: Vec<f64>,
    /// How far the lines are apart in the middle, roughly.
    pub(crate) gap: Vec<f64>,
    /// Neurons that are not surely inactive.
    pub(crate) used: Vec<u32>,
}

impl Slopes {
    /// Chooses slopes for a layer from its bounds in a node's data.
    #[inline(always)]
    pub(crate) fn set<S: Simd>(&mut self, simd: S, setting: &Setting, layer: usize, data: &[f64]) {
        let (lower, upper) = setting.range(layer);
        self.upper.resize(lower.len(), 0.0);
        self.lower.resize(lower.len(), 0.0);
        self.used.clear();
        self.above.clear();
        self.below.clear();
        self.size.clear();
        self.gap.clear();
        match setting.folded.layer(layer).activation {
            Activation::Identity => {
                self.upper.fill(1.0);
                self.lower.fill(1.0);
                self.used.extend_from_slice(&setting.folded.layer(layer).neurons);
                return;
            }
            Activation::Relu => {}
            Activation::Smooth(_) | Activation::LayerNorm { .. } => return self.set_lines(setting, layer, data),
        }
        let (zero, one) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0));
        let bounds = vectors(simd, &data[lower]).iter().zip(vectors(simd, &data[upper]));
        let slots = vectors_mut(simd, &mut self.upper).iter_mut().zip(vectors_mut(simd, &mut self.lower));
        for ((&l, &u), (s, a)) in bounds.zip(slots) {
            let active = simd.greater_than_or_equal_f64s(l, zero);
            let inactive = simd.less_than_or_equal_f64s(u, zero);
            // Any number in [0, 1] is right; what is not a number makes the row useless, not wrong.
            let slope = simd.div_f64s(u, simd.sub_f64s(u, l));
            let slope = simd.select_f64s(simd.less_than_f64s(slope, zero), zero, slope);
            let slope = simd.select_f64s(simd.greater_than_f64s(slope, one), one, slope);
            let steep = simd.greater_than_f64s(simd.add_f64s(u, l), zero);
            *s = simd.select_f64s(active, one, simd.select_f64s(inactive, zero, slope));
            *a = simd.select_f64s(active, one, simd.select_f64s(inactive, zero, simd.select_f64s(steep, one, zero)));
        }
        let neurons = setting.folded.layer(layer).len();
        for (i, (s, a)) in self.upper.iter().zip(&self.lower).enumerate().take(neurons) {
            if *s != 0.0 || *a != 0.0 {
                self.used.push(i as u32);
            }
        }
    }

    /// The same for neurons that are not ReLUs.
    fn set_lines(&mut self, setting: &Setting, layer: usize, data: &[f64]) {
        let (low, high) = setting.range(layer);
        let (stride, matrices) = (low.len(), setting.folded.layer(layer));
        for vector in [&mut self.above, &mut self.below, &mut self.size, &mut self.gap] {
            vector.resize(stride, 0.0);
        }
        self.upper.fill(0.0);
        self.lower.fill(0.0);
        for i in 0..matrices.len() {
            let over = FloatInterval { lower: data[low.start + i], upper: data[high.start + i] };
            let lines = activation::lines(matrices.activation, matrices.len(), over);
            let Lines { lower, upper } = lines;
            (self.upper[i], self.lower[i]) = (upper.slope, lower.slope);
            // What single precision makes of the function is this far from it at most.
            let rounding = setting.layers[layer].rounded.as_ref().map_or(0.0, |rounded| rounded.results[i]);
            self.above[i] = if rounding == 0.0 { upper.intercept } else { add_up(upper.intercept, rounding) };
            self.below[i] = if rounding == 0.0 { lower.intercept } else { add_down(lower.intercept, -rounding) };
            self.gap[i] = lines.gap(over.lower, over.upper);
            if upper.slope != 0.0 || lower.slope != 0.0 {
                // Lines over infinite intervals have no slopes.
                self.size[i] = over.lower.abs().max(over.upper.abs());
                self.used.push(i as u32);
            }
        }
    }

    /// Moves the lower slopes of unstable neurons towards 1 where they are active at a point, towards 0 where they are not, by
    /// a share of the way.
    pub(crate) fn tilt(&mut self, activations: &[f64], share: f64) {
        for ((s, a), z) in self.upper.iter().zip(&mut self.lower).zip(activations) {
            if *s > 0.0 && *s < 1.0 {
                let target = if *z > 0.0 { 1.0 } else { 0.0 };
                *a += share * (target - *a);
            }
        }
    }
}
