//! Rounding to single precision, correctly: the `f32` nearest to a real number, of two the one with the even last bit.

use std::cmp::Ordering;

use super::{Ball, Function};
use crate::rational::Rational;
use crate::round::{add_down, add_up};

/// Precision beyond which a value is taken to lie between two floats for good.
const MOST_BITS: usize = 4096;

fn exact(value: f32) -> Rational {
    Rational::from_f64(f64::from(value)).expect("finite")
}

/// The single-precision number nearest to a rational one; infinite beyond the largest.
///
/// Soundness: rounding to `f64` first may end on the wrong side of a tie between two `f32`, but not farther; neighbours are compared exactly.
#[must_use]
pub fn nearest(value: &Rational) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "rounding is the point")]
    let near = value.to_f64() as f32;
    if !near.is_finite() {
        // What rounds to infinity is at least half a step beyond the largest number; a double lies there, so it is seen exactly.
        let border = &exact(f32::MAX) + &Rational::from(2).checked_pow(103).expect("small");
        return if value.abs() < border { f32::MAX.copysign(near) } else { near };
    }
    let mut best = near;
    for other in [near.next_down(), near.next_up()] {
        if !other.is_finite() {
            continue;
        }
        let distance = |x: f32| (&exact(x) - value).abs();
        match distance(other).cmp(&distance(best)) {
            Ordering::Less => best = other,
            Ordering::Equal if other.to_bits() & 1 == 0 => best = other,
            _ => {}
        }
    }
    best
}

impl Function {
    /// Its value, correctly rounded to single precision; none where no precision tried tells the side.
    #[must_use]
    pub fn rounded(self, x: f32) -> Option<f32> {
        let argument = f64::from(x);
        let (value, error) = (self.at(argument), self.error(argument.abs()));
        #[expect(clippy::cast_possible_truncation, reason = "rounding is the point")]
        let (low, high) = (add_down(value, -error) as f32, add_up(value, error) as f32);
        // Soundness: rounding is monotone, so what is between rounds to the same.
        if low == high && low.is_finite() {
            return Some(low);
        }
        let argument = exact(x);
        if let Some(value) = self.rational_at(&argument) {
            return Some(nearest(&value));
        }
        let mut bits = 128;
        while bits <= MOST_BITS {
            let (low, high) = self.over_ball(&Ball::rational(&argument, bits)).ends();
            let (low, high) = (nearest(&low), nearest(&high));
            if low == high {
                return Some(low);
            }
            bits *= 2;
        }
        None
    }
}
