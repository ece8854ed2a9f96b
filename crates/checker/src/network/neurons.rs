//! Neurons over a box, and forms on their way through them.
//!
//! Soundness of lines: for `l <= z <= u` with `l < 0 < u` and any `0 <= p <= c`, `c max(z, 0) <= p z + max(-p l, (c - p) u)`: the right side is at
//! least the left one at both ends, and the left one is convex. For `c < 0` and `c <= q <= 0`, `c max(z, 0) <= q z`: equal at 0, and right for either sign. So any slopes will do, as
//! long as the intercept is the one of the slope that is used, rounded up.

use super::TINY;

/// Whether a neuron's sign is open.
pub(super) fn is_unstable(lower: f64, upper: f64) -> bool {
    lower < 0.0 && upper > 0.0
}

/// The neurons of a layer over a box.
#[derive(Debug, Clone, Default)]
pub(super) struct Neurons {
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// At least the sum of the sizes of all terms of each pre-activation.
    pub(super) size: Vec<f64>,
    /// What replaces the ReLU from above, slope and intercept, and the slope of what replaces it from below.
    pub(super) above: Vec<f64>,
    pub(super) intercept: Vec<f64>,
    pub(super) below: Vec<f64>,
    pub(super) relu: bool,
}

/// A form on its way to the slots.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    pub(super) form: Vec<f64>,
    pub(super) next: Vec<f64>,
    pub(super) constant: f64,
    /// The sum of the sizes of all that was added to the constant.
    pub(super) size: f64,
    pub(super) slack: f64,
}

impl Work {
    pub(super) fn start(&mut self, form: impl Iterator<Item = f64>, constant: f64, slack: f64) {
        self.form.clear();
        self.form.extend(form);
        (self.constant, self.size, self.slack) = (constant, constant.abs(), slack);
    }
}

impl Work {
    /// Replaces what comes out of a layer by lines over what goes into its ReLUs, and its bias by numbers.
    ///
    /// Soundness: a slope times a coefficient is rounded, which moves the line by at most a rounding of the coefficient times `|z|`; the product with the weights
    /// that follows is off by at most `gamma` times the sizes of its terms. Both are part of what the sum of sizes adds to the slack. Where products underflow, each
    /// coefficient is off by less than `gamma` times the smallest normal number, however large what it multiplies is; that is at most the size of `z`.
    pub(super) fn relax(&mut self, neurons: &Neurons, bias: &[f64], error: f64) {
        let count = self.form.len();
        let (above, below) = (&neurons.above[..count], &neurons.below[..count]);
        let (intercept, sizes, bias) = (&neurons.intercept[..count], &neurons.size[..count], &bias[..count]);
        let (mut constant, mut size, mut reach) = (0.0, 0.0, 0.0);
        for (i, c) in self.form.iter_mut().enumerate() {
            let positive = c.max(0.0);
            let m = positive * above[i] + (*c - positive) * below[i];
            let (lifted, shifted) = (positive * intercept[i], m * bias[i]);
            constant += lifted + shifted;
            size += lifted + shifted.abs();
            reach += (m.abs() + f64::MIN_POSITIVE) * sizes[i];
            *c = m;
        }
        self.constant += constant;
        self.size += 4.0 * size;
        self.slack += error * reach;
    }
}

impl Neurons {
    pub(super) fn clear(&mut self) {
        self.lower.clear();
        self.upper.clear();
        self.size.clear();
    }

    /// Adds a neuron with values around a centre.
    pub(super) fn push(&mut self, centre: f64, radius: f64, size: f64, apart: f64, error: f64) {
        // Soundness: centre and radius are sums of terms whose sizes add up to at most `size` each.
        let slack = (2.0 * error * size + apart) * (1.0 + 4.0 * error) + TINY;
        self.lower.push(centre - radius - slack);
        self.upper.push(centre + radius + slack);
        self.size.push(size * (1.0 + 4.0 * error) + TINY);
    }

    /// Sets the lines that replace ReLUs; neurons whose sign is known are replaced by themselves, or by zero.
    pub(super) fn set_lines(&mut self, slopes: &mut impl Iterator<Item = Option<u8>>) {
        self.above.clear();
        self.intercept.clear();
        self.below.clear();
        for (l, u) in self.lower.iter().zip(&self.upper) {
            let given = slopes.next().flatten();
            let (above, intercept, below) = if !self.relu || *l >= 0.0 {
                (1.0, 0.0, 1.0)
            } else if *u <= 0.0 {
                (0.0, 0.0, 0.0)
            } else {
                let slope = (u / (u - l)).clamp(0.0, 1.0);
                // Rounded up: a few steps are more than three roundings.
                let intercept = (-slope * l).max((1.0 - slope) * u) * (1.0 + 8.0 * f64::EPSILON) + TINY;
                // The odd ratio keeps simple numbers away from where this changes.
                let usual = if 1000.0 * u > -1013.0 * l { 1.0 } else { 0.0 };
                (slope, intercept, given.map_or(usual, |fifteenths| f64::from(fifteenths.min(15)) / 15.0))
            };
            self.above.push(above);
            self.intercept.push(intercept);
            self.below.push(below);
        }
    }

    /// What comes out of a neuron.
    pub(super) fn after(&self, i: usize) -> (f64, f64) {
        if self.relu { (self.lower[i].max(0.0), self.upper[i].max(0.0)) } else { (self.lower[i], self.upper[i]) }
    }
}
