//! Refutations verified in floats: is a sum of rows negative on the whole box, whatever the rounding?
//!
//! Wanted is an upper bound of `sum_i m_i (a_i x + c_i + e_i)` for `x` in the box, where `e_i >= 0` bounds what is not
//! known about row `i`. It is `sum_j g_j x_j + g`, with one sum `g_j = sum_i m_i a_ij` per column and `g = sum_i m_i
//! (c_i + e_i)`; the largest value of `g_j x_j` is at the end of `[l_j, u_j]` that the sign of `g_j` chooses.
//!
//! # Rounding
//! Let `k` be the number of rows, `u = 2^-53`, `h = 2^-1074` the smallest positive float, and mark computed values by a
//! hat. Rounding to nearest makes a product `fl(p) = p (1 + d) + f` with `|d| <= u`, `|f| <= h / 2`, and a sum
//! `fl(s) = s (1 + d)`: sums do not underflow (a sum of floats below the normal range is exact). Added from zero, `k`
//! products pass through at most `k` roundings each, and the underflows `f` through at most `k - 1`, so with
//! `M_j = sum_i m_i |a_ij|` and `gamma_k = k u / (1 - k u)`, `k u < 0.01`:
//!
//! * `|^g_j - g_j| <= gamma_k M_j + k (1 + gamma_k) h / 2 <= gamma_k M_j + k h`.
//! * `^M_j`, added up in the same way from terms that are not negative, is at least `(1 - gamma_k) M_j - k h`; so
//!   `M_j <= (^M_j + k h) / (1 - gamma_k) <= 2 (^M_j + k h)`, as `gamma_k < 1/2`.
//! * Hence `|^g_j - g_j| <= r_j := 2 gamma_k ^M_j + 2 k h`, because `2 gamma_k k h <= k h`.
//!
//! So `g_j x_j <= ^g_j x_j + r_j |x_j|` for every `x_j`, which is at most `max(^g_j l_j, ^g_j u_j) + r_j max(|l_j|,
//! |u_j|)`. The constants and the bounds `e_i` are columns whose variable is 1. The remaining handful of operations per
//! column is rounded up one by one with [`surefoot_num::round`], and so is `r_j`: `2 gamma_k` is exact given the bound
//! on `gamma_k`, `2 k h` is exact.
//!
//! Soundness: overflow cannot hide. If a partial sum of `^g_j` leaves the range, so does that of `^M_j`, which
//! dominates it (rounding is monotone and symmetric), and an `^M_j` that is infinite or NaN refutes nothing. In the
//! final sum an infinity or NaN compares as not negative, except a sum below the range, which is rounded up to a finite
//! number that bounds it.

use surefoot_num::round::{add_up, gamma, mul_up};

use crate::rows::FloatRows;

/// Columns that are summed together, so that the compiler can use vector instructions.
const LANES: usize = 8;

/// Whether `sum_i m_i (a_i x + c_i + e_i) < 0` for all `x` in the box, exactly, for the given multipliers `m_i` and
/// bounds `e_i` of the rows' errors. So there is no `x` with `a_i x + c_i + e_i >= 0` for all `i`.
///
/// False when it cannot tell, and for anything invalid: a negative or infinite number where none is allowed, NaN, an
/// empty or infinite box, lengths that do not fit. Rows with multiplier zero do not matter, whatever they contain.
#[must_use]
pub fn refuted_by(rows: &FloatRows<'_>, errors: &[f64], multipliers: &[f64]) -> bool {
    let valid = |x: &f64| x.is_finite() && *x >= 0.0;
    if !rows.is_sound() || errors.len() != rows.rows() || multipliers.len() != rows.rows() {
        return false;
    }
    if !multipliers.iter().all(valid) || !multipliers.iter().zip(errors).all(|(m, e)| *m == 0.0 || valid(e)) {
        return false;
    }
    let roundings = Roundings::new(rows.rows());
    let used = || multipliers.iter().enumerate().filter(|(_, multiplier)| **multiplier != 0.0);

    let mut total = 0.0;
    let mut add = |column: Column, lower: f64, upper: f64| {
        let end = if column.sum >= 0.0 { upper } else { lower };
        let radius = mul_up(roundings.radius(column.magnitude), lower.abs().max(upper.abs()));
        total = add_up(total, add_up(mul_up(column.sum, end), radius));
        column.magnitude.is_finite()
    };

    let mut one = [Column::default(); 2];
    for (row, multiplier) in used() {
        one[0].add(multiplier * rows.constants[row]);
        one[1].add(multiplier * errors[row]);
    }
    if !one.into_iter().all(|column| add(column, 1.0, 1.0)) {
        return false;
    }
    for start in (0..rows.variables()).step_by(LANES) {
        let end = rows.variables().min(start + LANES);
        let mut columns = [Column::default(); LANES];
        for (row, multiplier) in used() {
            for (column, a) in columns.iter_mut().zip(&rows.row(row)[start..end]) {
                column.add(multiplier * a);
            }
        }
        let bounds = rows.lower[start..end].iter().zip(&rows.upper[start..end]);
        if !columns.into_iter().zip(bounds).all(|(column, (lower, upper))| add(column, *lower, *upper)) {
            return false;
        }
    }
    total < 0.0
}

/// `^g_j` and `^M_j`.
#[derive(Debug, Clone, Copy, Default)]
struct Column {
    sum: f64,
    magnitude: f64,
}

impl Column {
    fn add(&mut self, product: f64) {
        self.sum += product;
        self.magnitude += product.abs();
    }
}

/// What sums over so many rows may be off.
struct Roundings {
    relative: f64,
    absolute: f64,
}

impl Roundings {
    #[expect(clippy::cast_precision_loss, reason = "exact below 10^13, beyond which gamma refuses")]
    fn new(rows: usize) -> Self {
        let smallest = f64::from_bits(1);
        Self { relative: 2.0 * gamma(rows), absolute: 2.0 * rows as f64 * smallest }
    }

    /// `r_j`, rounded up.
    fn radius(&self, magnitude: f64) -> f64 {
        add_up(mul_up(self.relative, magnitude), self.absolute)
    }
}
