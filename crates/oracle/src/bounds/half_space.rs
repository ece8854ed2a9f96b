//! What a form can be where a row is not negative: less than on all of the box.
//!
//! **Definition** (after Zhou et al., *Clip-and-Verify: Linear Constraint-Driven Domain Clipping for Accelerating Neural Network Verification*, NeurIPS
//! 2025). Where `c.x + d >= 0`, a form that is bounded by `a.x + b` is at most `max (a + m c).x + b + m d` over the box, for any `m >= 0`. As a
//! function of `m` that is convex and piecewise linear; [`Clip::maximum`] closes in on its minimum between tangents, for a few steps.
//!
//! Soundness: any `m` will do, so how it was found does not matter. With floats, `fl(a + fl(m c))` is off by at most `2 u (|a| + m |c|)`, and a sum
//! with it over the box by a `gamma` times its terms, which are no larger than those of the two rows. The slack of the form has `8 gamma` for
//! its own terms where they are summed up, of which one is enough; `m` times [`HalfSpace::size`] is as much for those of the row, and
//! [`HalfSpace::least`] is for products that underflow.

use super::kernel::LANES;
use super::rows::UpperRows;

/// Values of `m` that are tried.
const STEPS: usize = 2;

/// A bound that is not smaller by this share is not worth a step.
const WORTHWHILE: f64 = 0.1;

/// Nor is what is left when the bound is so near to the least that there is.
const NEAR: f64 = 0.02;

/// `c.x + d >= 0`, for every point that matters.
#[derive(Debug, Clone, Default)]
pub(crate) struct HalfSpace {
    /// `c`, padded with zeros.
    coefficients: Vec<f64>,
    /// `d`.
    constant: f64,
    /// `G` times the largest values of its terms.
    size: f64,
    /// What underflow may cost.
    least: f64,
}

impl HalfSpace {
    /// A row over variables of at most these sizes; `factor` is the `G` of [`super::setting`].
    pub(crate) fn new(row: &[f64], constant: f64, magnitude: &[f64], factor: f64) -> Self {
        let mut coefficients = row.to_vec();
        coefficients.resize(row.len().next_multiple_of(LANES), 0.0);
        let terms: f64 = row.iter().zip(magnitude).map(|(a, x)| a.abs() * x).sum();
        let size = factor * (terms + constant.abs()) * (1.0 + factor);
        let least = f64::MIN_POSITIVE * (1.0 + magnitude.iter().sum::<f64>());
        Self { coefficients, constant, size, least }
    }
}

/// A half-space and the box that it cuts, laid out for many forms.
#[derive(Debug, Default)]
pub(crate) struct Clip {
    half_space: HalfSpace,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Where its row is largest.
    corner: Vec<f64>,
    largest: f64,
}

impl Clip {
    /// Takes a half-space and a box.
    pub(crate) fn set(&mut self, half_space: &HalfSpace, lower: &[f64], upper: &[f64]) {
        self.half_space.coefficients.clone_from(&half_space.coefficients);
        let HalfSpace { constant, size, least, .. } = *half_space;
        (self.half_space.constant, self.half_space.size, self.half_space.least) = (constant, size, least);
        let stride = half_space.coefficients.len();
        for (own, given) in [(&mut self.lower, lower), (&mut self.upper, upper)] {
            own.clear();
            own.extend_from_slice(given);
            own.resize(stride, 0.0);
        }
        let ends = half_space.coefficients.iter().zip(&self.lower).zip(&self.upper);
        self.corner.clear();
        self.corner.extend(ends.map(|((c, l), u)| if *c > 0.0 { *u } else { *l }));
        let products = half_space.coefficients.iter().zip(&self.corner).map(|(c, x)| c * x);
        self.largest = constant + products.sum::<f64>();
    }

    /// The largest value of `(sign a + m c).x + m d` on the box, and the slope of that in `m`.
    #[inline(always)]
    fn priced(&self, row: &[f64], sign: f64, multiplier: f64) -> (f64, f64) {
        // Side by side, for vectors: sums do not depend on how wide those of the machine are.
        let (mut values, mut slopes) = ([0.0; LANES], [0.0; LANES]);
        let coefficients = self.half_space.coefficients.as_chunks::<LANES>().0;
        let rows = row.as_chunks::<LANES>().0.iter().zip(coefficients);
        let bounds = self.lower.as_chunks::<LANES>().0.iter().zip(self.upper.as_chunks::<LANES>().0);
        for ((a, c), (l, u)) in rows.zip(bounds) {
            for k in 0..LANES {
                let sum = sign * a[k] + multiplier * c[k];
                let x = if sum > 0.0 { u[k] } else { l[k] };
                values[k] += sum * x;
                slopes[k] += c[k] * x;
            }
        }
        let constant = self.half_space.constant;
        (values.iter().sum::<f64>() + multiplier * constant, slopes.iter().sum::<f64>() + constant)
    }

    /// An upper bound on `sign a.x + constant + slack` where the half-space meets the box; infinite where it is not worth finding one.
    #[inline(always)]
    pub(crate) fn maximum(&self, row: &[f64], sign: f64, constant: f64, slack: f64) -> f64 {
        let (whole, slope) = self.priced(row, sign, 0.0);
        let mut best = f64::INFINITY;
        // Where the form is largest the row is not negative: nothing is cut off there.
        if slope >= 0.0 || slope.is_nan() {
            return best;
        }
        let products = |chunk: (&[f64; LANES], &[f64; LANES])| -> f64 {
            let (a, x) = chunk;
            (0..LANES).map(|k| sign * a[k] * x[k]).sum()
        };
        let chunks = row.as_chunks::<LANES>().0.iter().zip(self.corner.as_chunks::<LANES>().0);
        let at_corner: f64 = chunks.map(products).sum();
        // Tangents on both sides of the minimum: at zero, and far away.
        let (mut left, mut right) = ((whole, slope), (at_corner, self.largest));
        for _ in 0..STEPS {
            let multiplier = (left.0 - right.0) / (right.1 - left.1);
            let least = left.0 + left.1 * multiplier;
            let worth = least + constant < (1.0 - WORTHWHILE) * (whole + constant);
            if !(worth && multiplier > 0.0 && multiplier < f64::INFINITY) {
                break;
            }
            let (value, slope) = self.priced(row, sign, multiplier);
            let HalfSpace { size, least: underflow, .. } = self.half_space;
            let found = (value + constant) + (slack + multiplier * size + underflow);
            if found < best {
                best = found;
            }
            if best < 0.0 || value - least <= NEAR * (whole + constant) {
                break;
            }
            let tangent = (value - slope * multiplier, slope);
            *if slope < 0.0 { &mut left } else { &mut right } = tangent;
        }
        best
    }

    /// The same of an upper row.
    #[inline(always)]
    pub(crate) fn of_row(&self, rows: &UpperRows, form: usize) -> f64 {
        self.maximum(rows.coefficients.row(form), 1.0, rows.constants[form], rows.slacks[form])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_fixtures::{Random, seeds};

    /// Points of a box where a row is not negative never make a form larger than the bound says, and that is mostly less than on all of the box.
    #[test]
    #[expect(clippy::cast_precision_loss, reason = "the numbers of a test are small")]
    fn no_point_of_a_half_space_is_beyond_the_bound() {
        let (mut clip, mut smaller) = (Clip::default(), 0);
        for seed in seeds(43_000_000, 400) {
            let random = &mut Random::new(seed);
            let n = 1 + random.below(9);
            let mut numbers =
                |count: usize| -> Vec<f64> { (0..count).map(|_| random.between(-32, 32) as f64 / 8.0).collect() };
            let (lower, c, mut a) = (numbers(n), numbers(n), numbers(n));
            let upper: Vec<f64> = lower.iter().zip(numbers(n)).map(|(l, width)| l + width.abs()).collect();
            let (constant, d, sign) = (numbers(1)[0], numbers(1)[0], if seed % 2 == 0 { 1.0 } else { -1.0 });
            let magnitude: Vec<f64> = lower.iter().zip(&upper).map(|(l, u)| l.abs().max(u.abs())).collect();
            clip.set(&HalfSpace::new(&c, d, &magnitude, 1e-12), &lower, &upper);
            a.resize(n.next_multiple_of(LANES), 0.0);
            let bound = clip.maximum(&a, sign, constant, 0.0);
            let (whole, _) = clip.priced(&a, sign, 0.0);
            smaller += usize::from(bound < whole + constant);
            let corner = |bits: usize| -> Vec<f64> {
                (0..n).map(|v| if bits >> v & 1 == 1 { upper[v] } else { lower[v] }).collect()
            };
            let dot = |a: &[f64], x: &[f64]| a.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
            // A form is largest where edges of the box leave the half-space, or at a corner.
            for bits in 0..1usize << n {
                let x = corner(bits);
                for v in 0..n {
                    let mut y = x.clone();
                    let rest = dot(&c, &x) - c[v] * x[v] + d;
                    if dot(&c, &x) + d < 0.0 {
                        y[v] = (-rest / c[v]).clamp(lower[v], upper[v]);
                    }
                    if dot(&c, &y) + d >= 0.0 {
                        assert!(sign * dot(&a, &y) + constant <= bound + 1e-9, "seed {seed}: {y:?} beyond {bound}");
                    }
                }
            }
        }
        assert!(smaller > 60, "{smaller}");
    }
}
