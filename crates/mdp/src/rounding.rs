//! Bellman sums in floats, rounded outward once per choice.
//!
//! The value of a choice is `E = sum p_i x_i` with exact probabilities `p_i` and floats `x_i` in `[0, 1]`. We
//! compute `S`, the same sum in floats with each `p_i` replaced by its float `q_i`, and widen it:
//! [`down`]`(S, n) <= E <= `[`up`]`(S, n)` for `n` branches.
//!
//! Proof. Let `u = 2^-53`. `q_i = p_i (1 + d)` with `|d| <= 2u` (it is a neighbour of `p_i`), up to an absolute
//! error of `2^-1074` where `p_i` is subnormal. A product adds a factor `1 + d`, `|d| <= u`, up to an absolute
//! error of `2^-1075`; each of the `n - 1` additions adds a factor `1 + d`, `|d| <= u`, and no absolute error (sums
//! in the subnormal range are exact). All terms are non-negative, so `S = E (1 + t) + a` with `|t| <= g`, where
//! `g = (n + 2) u / (1 - (n + 2) u)` (Higham, *Accuracy and Stability of Numerical Algorithms*, Lemma 3.1), and
//! `|a| <= 2 n 2^-1074 (1 + g) < 10^-310` for `n < 2^32`. Hence `E >= S (1 - g) - 10^-309` and
//! `E <= S (1 + 2g) + 10^-309` as `g < 1/4`.
//!
//! The factors below are `1 -+ (n + 8) 2^-52 = 1 -+ (2n + 16) u`, computed with an error of at most `2u`, and their
//! use costs two more roundings, `2u`: what is left, `(2n + 12) u`, exceeds `g` and, for the upper side, so does
//! `(2n + 12) u >= 2g` whenever `(n + 2) u < 10^-3`, which `n < 2^32` implies. The absolute term `10^-300` exceeds the
//! absolute error. A lower result at or below zero becomes zero, which bounds every sum of non-negative terms; if the
//! product `S * factor` is subnormal the subtraction makes it negative, so the relative analysis is not needed
//! there. Likewise an upper result above one becomes one, as `E <= sum p_i = 1`. QED.
//!
//! Induction. If `x_i` are lower (upper) bounds of the exact values, `E` is a lower (upper) bound of the value
//! of the choice, since probabilities are non-negative; then so is `down(S)` (`up(S)`), and the maximum or minimum
//! over choices. An iteration that starts at sound bounds and takes `max(old, down)`, `min(old, up)` stays sound,
//! whatever the order of updates and wherever it is stopped. Both functions are monotone in `S`, and `S` is
//! monotone in the `x_i` (rounding to nearest is): larger bounds never give smaller results.

use crate::mdp::Branch;

/// Exceeds every absolute error of a sum; far below anything of interest.
const TINY: f64 = 1e-300;

/// `(n + 8) 2^-52`. A process has fewer than 2^32 branches; from 32 bits the conversion is one instruction.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a process has fewer than 2^32 branches")]
fn margin(n: usize) -> f64 {
    debug_assert!(u32::try_from(n).is_ok(), "more branches than a process can have");
    (f64::from(n as u32) + 8.0) * f64::EPSILON
}

/// A lower bound on the exact sum, from the float sum of `n` branches.
#[inline]
pub(crate) fn down(sum: f64, n: usize) -> f64 {
    (sum * (1.0 - margin(n)) - TINY).max(0.0)
}

/// An upper bound on the exact sum, from the float sum of `n` branches.
#[inline]
pub(crate) fn up(sum: f64, n: usize) -> f64 {
    (sum * (1.0 + margin(n)) + TINY).min(1.0)
}

/// Both float sums of a choice: over lower and over upper values.
#[inline]
pub(crate) fn sums(branches: &[Branch], nearest: &[f64], values: &[[f64; 2]]) -> [f64; 2] {
    let (mut lower, mut upper) = (0.0, 0.0);
    for branch in branches {
        let probability = nearest[branch.probability.0 as usize];
        let value = values[branch.target as usize];
        lower += probability * value[0];
        upper += probability * value[1];
    }
    [lower, upper]
}

/// `1 - x` rounded down and up, for `x` in `[0, 1]`; exact when the difference is a float.
///
/// Soundness: as `1 >= x`, the error of the subtraction is itself a float and is computed exactly by the second
/// line (Dekker's fast two-sum).
pub(crate) fn one_minus(x: f64) -> (f64, f64) {
    let difference = 1.0 - x;
    let error = (1.0 - difference) - x;
    (
        if error < 0.0 { difference.next_down() } else { difference },
        if error > 0.0 { difference.next_up() } else { difference },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probability::{ProbabilityId, ProbabilityTable};
    use proptest::prelude::*;
    use surefoot_num::Rational;

    fn exact(x: f64) -> Rational {
        Rational::from_f64(x).unwrap()
    }

    #[test]
    fn complements_of_simple_numbers_are_exact() {
        for x in [0.0, 1.0, 0.5, 0.25, 0.7, 0.999] {
            assert_eq!(one_minus(x), (1.0 - x, 1.0 - x));
        }
        assert_eq!(one_minus(1e-20), (1.0f64.next_down(), 1.0));
    }

    proptest! {
        #[test]
        fn sums_are_enclosed(
            weights in prop::collection::vec((1i64..1_000_000_000, 0.0f64..=1.0, 0usize..3), 1..20),
        ) {
            // Values spread over magnitudes, down to where products underflow.
            let total: i64 = weights.iter().map(|w| w.0).sum();
            let mut table = ProbabilityTable::default();
            let (mut branches, mut values, mut sum) = (Vec::new(), Vec::new(), Rational::ZERO);
            for (index, (weight, x, scale)) in weights.iter().enumerate() {
                let probability = Rational::new(*weight, total).unwrap();
                let x = x * [1.0, 1e-9, 1e-310][*scale];
                sum = &sum + &(&probability * &exact(x));
                let ProbabilityId(id) = table.intern(&probability).unwrap();
                branches.push(Branch { target: crate::mdp::number(index), probability: ProbabilityId(id) });
                values.push([x, x]);
            }
            let [lower, upper] = sums(&branches, table.nearest(), &values);
            prop_assert!(exact(down(lower, branches.len())) <= sum);
            prop_assert!(sum <= exact(up(upper, branches.len())));
        }

        #[test]
        fn complements_are_enclosed(x in 0.0f64..=1.0, scale in 0i32..40) {
            let x = x * 0.5f64.powi(scale);
            let (lower, upper) = one_minus(x);
            let difference = &Rational::ONE - &exact(x);
            prop_assert!(exact(lower) <= difference && difference <= exact(upper));
            prop_assert!(upper <= lower.next_up());
        }
    }
}
