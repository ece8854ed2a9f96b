//! Where the tangent from a point of tanh to its other side touches.
//!
//! For `d > 0` that is the `t > 0` with `tanh'(t) (t + d) = tanh(t) + tanh(d)`: the line through `(-d, tanh(-d))` that touches the
//! concave side. A relaxation wants it for every neuron of every region, so it is looked up: solved once for numbers `d` of a grid,
//! linear in between, and roughly beyond. Nothing rests on its precision: a slope may be any float ([`super::lines`]), this one leaves a small area.
//!
//! Sigmoid is tanh shrunk by two, `sigmoid(z) = (1 + tanh(z / 2)) / 2`, so its tangents touch at twice those of half its points.

use std::sync::OnceLock;

use super::float::tanh;

/// Grid points per unit.
const FINE: usize = 16;

/// Where the fine grid ends, and the coarse one begins.
const NEAR: usize = 8;

/// Where the coarse grid ends.
const FAR: usize = 128;

/// Halvings of the search for a grid point's value.
const HALVINGS: usize = 40;

/// How much the tangent at `t` lacks of being above the point at `-d`: falls as `t` grows, from positive to negative.
fn missing(t: f64, d: f64) -> f64 {
    let y = tanh(t);
    (1.0 - y * y) * (t + d) - (y + tanh(d))
}

/// Solved by bisection. The tangent touches between zero and `d`, where the curve is as steep as at the point itself.
pub(super) fn solved(d: f64) -> f64 {
    let (mut low, mut high) = (0.0, d);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if missing(middle, d) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Where the tangent touches, from a finite distance.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "indices of a small table"
)]
pub(super) fn touch(d: f64) -> f64 {
    static TABLE: OnceLock<Vec<f64>> = OnceLock::new();
    if d >= FAR as f64 {
        return far(d);
    }
    let table = TABLE.get_or_init(|| {
        let fine = (0..NEAR * FINE).map(|i| i as f64 / FINE as f64);
        fine.chain((NEAR..=FAR).map(|i| i as f64)).map(solved).collect()
    });
    let place = if d < NEAR as f64 { d * FINE as f64 } else { d + (NEAR * (FINE - 1)) as f64 };
    let index = place as usize;
    let share = place - index as f64;
    table[index] + share * (table[index + 1] - table[index])
}

/// A little beyond where the tangent touches, from far away: there `4 e^(-2 t) (t + d)` is about two, and `t` half the logarithm of
/// little more than `2 d`, of which the exponent of the float tells enough.
fn far(d: f64) -> f64 {
    const EXPONENT_BIAS: u32 = 1023;
    let exponent = u32::try_from(d.to_bits() >> 52).map_or(0, |bits| bits.saturating_sub(EXPONENT_BIAS));
    0.5 * std::f64::consts::LN_2 * f64::from(exponent + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looked_up_is_solved() {
        for i in 0..2000 {
            let d = 0.05 + f64::from(i) * 0.06;
            let (quick, slow) = (touch(d), solved(d));
            assert!((quick - slow).abs() < 0.01 * slow, "{d}: {quick} instead of {slow}");
            // The line through both points is a tangent.
            let secant = (tanh(slow) + tanh(d)) / (slow + d);
            assert!((secant - (1.0 - tanh(slow) * tanh(slow))).abs() < 1e-9, "{d}");
        }
    }

    /// From far away it touches a little beyond, so that it is above the point.
    #[test]
    fn far_away_it_is_above() {
        // Further away bisection is lost in roundings.
        for exponent in 7..30 {
            for d in [2.0f64.powi(exponent), 1.99 * 2.0f64.powi(exponent)] {
                let (t, slow) = (touch(d), solved(d));
                assert!(slow <= t && t < slow + 1.1, "{d}: {t} instead of {slow}");
                assert!(missing(t, d) <= 0.0, "{d}");
            }
        }
    }
}
