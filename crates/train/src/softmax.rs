//! Costs as a distribution over labels, scores as another, and the gradient of the cross-entropy between them.
//!
//! For costs `c` and a temperature `t` the wanted distribution is `w_a ~ exp(-(c_a - min c) / t)`: labels that cost nearly the same share it, so that nothing is made of
//! differences far below `t`, and one that is better by much more has all of it. For scores `z` the network's is `p_a ~ exp(z_a)`, and the gradient of `-sum w_a ln p_a` is
//! `p - w`. Both orders agree at the minimum: the largest score is the smallest cost.
//!
//! The exponential is our own, of operations that IEEE 754 defines: the same bits everywhere.

/// Writes the distribution proportional to `exp(x)`, in place.
pub fn softmax(x: &mut [f32]) {
    let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for x in x.iter_mut() {
        *x = exp(*x - most);
        sum += *x;
    }
    x.iter_mut().for_each(|x| *x /= sum);
}

/// Turns costs into the wanted distribution, in place.
pub fn wanted(costs: &mut [f32], temperature: f32) {
    costs.iter_mut().for_each(|cost| *cost /= -temperature);
    softmax(costs);
}

/// 1 over the factorials of 8 to 0: the exponential's Taylor series.
const SERIES: [f32; 9] = [1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

/// The exponential of a number that is not positive, to about seven digits; 0 from -87 down.
fn exp(x: f32) -> f32 {
    if x.is_nan() || x < -87.0 {
        return if x.is_nan() { x } else { 0.0 };
    }
    // 2^n e^r, with r from 0 to ln 2.
    let n = (x * std::f32::consts::LOG2_E).floor();
    let r = x - n * std::f32::consts::LN_2;
    let series = SERIES.iter().fold(0.0, |sum, coefficient| sum * r + coefficient);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 127: n is from -126 to 0")]
    let power = f32::from_bits(((127.0 + n) as u32) << 23);
    power * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_the_exponential() {
        for i in 0..8700u16 {
            let x = -f32::from(i) / 100.0;
            let expected = f64::from(x).exp();
            assert!((f64::from(exp(x)) / expected - 1.0).abs() < 1e-5, "{x}: {} is not {expected}", exp(x));
        }
        assert_eq!((exp(0.0), exp(-88.0), exp(f32::NEG_INFINITY)), (1.0, 0.0, 0.0));
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn costs_become_what_is_wanted() {
        let mut costs = [0.75, 0.5, 0.5, 100.0];
        wanted(&mut costs, 0.25);
        let sum = 2.0 + (-1.0f32).exp();
        for (found, expected) in costs.iter().zip([(-1.0f32).exp() / sum, 1.0 / sum, 1.0 / sum, 0.0]) {
            assert!((found - expected).abs() < 1e-6, "{costs:?}");
        }
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let (scores, mut target) = ([0.5f32, -1.25, 2.0, 0.0], [0.25f32, 1.0, 0.0, 0.5]);
        wanted(&mut target, 0.5);
        let entropy = |scores: [f64; 4]| -> f64 {
            let sum: f64 = scores.iter().map(|z| z.exp()).sum();
            scores.iter().zip(target).map(|(z, w)| -f64::from(w) * (z - sum.ln())).sum()
        };
        let mut p = scores;
        softmax(&mut p);
        for a in 0..4 {
            let moved = |by: f64| {
                let mut moved = scores.map(f64::from);
                moved[a] += by;
                entropy(moved)
            };
            let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((f64::from(p[a] - target[a]) - expected).abs() < 1e-5, "{a}");
        }
    }
}
