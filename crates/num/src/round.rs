//! Directed rounding on top of round-to-nearest hardware.
//!
//! IEEE 754 addition, subtraction, multiplication and division in `f64` return the representable number
//! nearest to the exact result, so the exact result lies strictly between the two neighbours of what was
//! returned. Stepping one neighbour outward gives a bound at the price of one unit in the last place.
//! Overflow is covered too: the neighbour below infinity is `f64::MAX`, and a result rounded to infinity
//! was larger than that.
//!
//! Soundness: rustc targets with x87 arithmetic (double rounding) are not supported.

/// The largest relative error of one rounding to nearest, 2^-53.
pub const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// `a + b`, rounded up.
#[must_use]
pub fn add_up(a: f64, b: f64) -> f64 {
    (a + b).next_up()
}

/// `a + b`, rounded down.
#[must_use]
pub fn add_down(a: f64, b: f64) -> f64 {
    (a + b).next_down()
}

/// `a * b`, rounded up.
#[must_use]
pub fn mul_up(a: f64, b: f64) -> f64 {
    (a * b).next_up()
}

/// `a * b`, rounded down.
#[must_use]
pub fn mul_down(a: f64, b: f64) -> f64 {
    (a * b).next_down()
}

/// An upper bound on the factor `gamma_n = n u / (1 - n u)` of the standard error analysis
/// (Higham, *Accuracy and Stability of Numerical Algorithms*, section 3.1): a sum of products of `n` terms,
/// evaluated in any order, differs from the exact one by at most `gamma_n` times the sum of absolute values,
/// as long as nothing underflows.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "exact: below 10^13, which the assertion sees to")]
pub fn gamma(n: usize) -> f64 {
    let nu = n as f64 * UNIT_ROUNDOFF;
    assert!(nu < 0.01, "gamma is only meant for sums of fewer than 10^13 terms");
    (nu / (1.0 - nu)).next_up().next_up()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rational;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn directed_results_enclose_the_exact_one(a in -1e9f64..1e9, b in -1e9f64..1e9) {
            let exact = |x: f64| Rational::from_f64(x).expect("finite");
            let (ea, eb) = (exact(a), exact(b));
            let sum = &ea + &eb;
            prop_assert!(exact(add_down(a, b)) < sum && sum < exact(add_up(a, b)));
            let product = &ea * &eb;
            prop_assert!(exact(mul_down(a, b)) < product && product < exact(mul_up(a, b)));
        }
    }
}
