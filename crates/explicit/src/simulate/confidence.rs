//! What shares and means of independent runs say about all runs, at a confidence of 95 %.
//!
//! A share has the interval of Clopper and Pearson (1934): with `k` of `n` runs, from the probability at which `k` or more would be seen in 2.5 % of
//! all cases to the one at which `k` or fewer would be. It contains the true probability in at least 95 % of all cases, for every `n`. (The numbers are
//! of floating point, right to about nine digits: nothing is decided by them.)
//!
//! A mean has the interval of the normal distribution, which is right for many runs, and only then.

/// One end leaves out so much.
const TAIL: f64 = 0.025;
/// The normal distribution has [`TAIL`] above this.
const DEVIATIONS: f64 = 1.959_963_984_540_054;
/// Halvings of an interval: floats of [0, 1] have no more digits.
const HALVINGS: u32 = 60;

/// An estimate, and an interval about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub mean: f64,
    /// From below.
    pub lower: f64,
    /// From above.
    pub upper: f64,
}

/// The share of `k` among `n`; of none nothing is known.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a share, for people")]
pub fn share(k: u64, n: u64) -> Option<Estimate> {
    if n == 0 {
        return None;
    }
    let (k, n) = (k.min(n) as f64, n as f64);
    // At most `k` of one kind are at least `n - k` of the other.
    Some(Estimate { mean: k / n, lower: lower_end(k, n), upper: 1.0 - lower_end(n - k, n) })
}

/// The mean of `n` lengths, from their sum and the sum of their squares; of fewer than two nothing is known.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a mean, for people")]
pub fn mean(n: u64, sum: u64, squares: u128) -> Option<Estimate> {
    if n < 2 {
        return None;
    }
    let mean = sum as f64 / n as f64;
    // In integers where they fit: n * squares - sum^2 is n * (n - 1) times the variance, and loses nothing where the lengths are nearly equal.
    let spread = u128::from(n).checked_mul(squares).map(|all| all.saturating_sub(u128::from(sum).pow(2)) as f64);
    let spread = spread.unwrap_or_else(|| (n as f64 * squares as f64 - (sum as f64).powi(2)).max(0.0));
    let error = (spread / (n as f64 - 1.0)).sqrt() / n as f64;
    Some(Estimate { mean, lower: (mean - DEVIATIONS * error).max(0.0), upper: mean + DEVIATIONS * error })
}

/// The probability at which `k` or more of `n` are seen in [`TAIL`] of all cases; zero where `k` is.
fn lower_end(k: f64, n: f64) -> f64 {
    if k == 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if incomplete_beta(k, n - k + 1.0, middle) < TAIL {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// The regularised incomplete beta function: at a probability `x`, that `a` or more of `a + b - 1` are seen.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    let front = (a * x.ln() + b * (-x).ln_1p() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp();
    // The fraction converges quickly on this side, and is symmetric.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * continued_fraction(a, b, x) / a
    } else {
        1.0 - front * continued_fraction(b, a, 1.0 - x) / b
    }
}

/// The continued fraction of the incomplete beta function, by the method of Lentz. It takes about `sqrt(a + b)` terms.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..1_000_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut factor = 1.0;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            factor *= c * d;
        }
        fraction *= factor;
        if (factor - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// The logarithm of the gamma function at 1 and above: Stirling's series, from where its terms are small.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < 12.0 {
        product *= x;
        x += 1.0;
    }
    let square = x * x;
    let series = (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - f64::ln(product)
}

#[cfg(test)]
mod tests {
    use surefoot_num::Rational;

    use super::*;

    /// The exact probability of `k` or more among `n`.
    fn tail(k: i64, n: i64, p: &Rational) -> Rational {
        let q = &Rational::ONE - p;
        let power = |base: &Rational, exponent: i64| (0..exponent).fold(Rational::ONE, |product, _| &product * base);
        let mut ways = Rational::ONE;
        let mut sum = Rational::ZERO;
        for i in 0..=n {
            if i >= k {
                sum = &sum + &(&(&ways * &power(p, i)) * &power(&q, n - i));
            }
            ways = &ways * &Rational::new(n - i, i + 1).unwrap();
        }
        sum
    }

    #[test]
    fn ends_leave_out_what_they_are_to() {
        for n in [1, 2, 7, 30, 41i64] {
            for k in 0..=n {
                let found = share(k.cast_unsigned(), n.cast_unsigned()).unwrap();
                assert!(found.lower <= found.mean && found.mean <= found.upper, "{k} of {n}: {found:?}");
                let (lower, upper) =
                    (Rational::from_f64(found.lower).unwrap(), Rational::from_f64(found.upper).unwrap());
                let below = tail(k, n, &lower).to_f64();
                let above = (&Rational::ONE - &tail(k + 1, n, &upper)).to_f64();
                assert!(if k == 0 { found.lower == 0.0 } else { (below - TAIL).abs() < 1e-9 }, "{k} of {n}: {below}");
                assert!(if k == n { found.upper == 1.0 } else { (above - TAIL).abs() < 1e-9 }, "{k} of {n}: {above}");
            }
        }
    }

    #[test]
    fn many_runs_are_as_the_normal_distribution_has_them() {
        for n in [1_000_000, 1_000_000_000, 1_000_000_000_000u64] {
            for part in [2, 3, 10] {
                let found = share(n / part, n).unwrap();
                #[expect(clippy::cast_precision_loss, reason = "an approximation")]
                let deviation = (found.mean * (1.0 - found.mean) / n as f64).sqrt() * DEVIATIONS;
                assert!(((found.upper - found.mean) / deviation - 1.0).abs() < 0.01, "{found:?}");
                assert!(((found.mean - found.lower) / deviation - 1.0).abs() < 0.01, "{found:?}");
            }
        }
        assert_eq!(share(0, 0), None);
    }

    #[test]
    fn means_have_their_own_interval() {
        assert_eq!(mean(1, 3, 9), None);
        assert_eq!(mean(4, 20, 100), Some(Estimate { mean: 5.0, lower: 5.0, upper: 5.0 }));
        // 1, 2, 3, 4: the variance is 5/3.
        let found = mean(4, 10, 30).unwrap();
        assert!((found.upper - 2.5 - DEVIATIONS * (5.0f64 / 12.0).sqrt()).abs() < 1e-12, "{found:?}");
    }
}
