//! Hints in floats: how far can all rows be satisfied at once?
//!
//! Maximises `t <= 1` subject to `a_i x + c_i >= t s_i` for `x` in a box, by the primal simplex for bounded variables
//! (Dantzig; Chvatal, *Linear Programming*, chapter 8) on an explicit dense tableau. A point with `t > 0` satisfies all
//! rows with room to spare; at an optimum `t < 0` the multipliers of the rows refute them (Farkas). Nothing here is
//! trusted: a point is checked exactly, multipliers by [`crate::refuted_by`].
//!
//! Variables are scaled to `[0, 1]` and rows by `1 / s_i`, so that absolute tolerances make sense. The slack of row `i`
//! is `w_i = (a_i x + c_i) / s_i - t`. The box's corner nearest to the given point, with `t` the smallest relative
//! slack, is feasible, and basic with `t` in place of the slack of the tightest row `r`; so there is no first phase, and
//! the tableau's row of `t` is the objective.
//!
//! Invariants: `t` stays basic in row `r` until it reaches 1, which ends the search; columns are at one of their
//! bounds. The loop is bounded by the limit, and every comparison is false on NaN, which ends in `finished = false`.

use crate::rows::FloatRows;

/// Entries below this are noise: no pivots, no improvement.
const TINY: f64 = 1e-10;
/// By how much a basic variable may leave its range for the sake of a larger pivot (Harris).
const LEEWAY: f64 = 1e-10;
/// Less than this is no progress.
const STANDSTILL: f64 = 1e-12;

/// What came out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hint<'a> {
    /// The smallest relative slack at the point, computed afresh, at most 1; `None` when the input is invalid, or floats were not
    /// enough.
    pub t: Option<f64>,
    /// A point of the box.
    pub point: &'a [f64],
    /// One per row, not negative, with `sum m_i s_i = 1`; all zero if `t` reached 1 or the input is invalid.
    pub multipliers: &'a [f64],
    /// Whether the point and the multipliers are optimal, but for rounding.
    pub finished: bool,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Optimal,
    /// `t` reached 1.
    Enough,
    Limit,
}

/// The scratch memory of the solver; reused from call to call.
#[derive(Debug, Clone, Default)]
pub struct FloatSimplex {
    variables: usize,
    /// One row per given row and one column more than variables.
    entries: Vec<f64>,
    /// Value of each row's basic variable.
    values: Vec<f64>,
    /// Variables: those of the box, then the slacks, then `t`.
    basic: Vec<usize>,
    free: Vec<usize>,
    at_upper: Vec<bool>,
    pivot_row: Vec<f64>,
    point: Vec<f64>,
    multipliers: Vec<f64>,
}

impl FloatSimplex {
    /// Solves with at most `limit` exchanges, from the corner nearest to `start`. Deterministic.
    ///
    /// # Panics
    /// Never; lengths that do not fit and numbers that are not finite give `finished = false`.
    pub fn solve(&mut self, rows: &FloatRows<'_>, scales: &[f64], start: &[f64], limit: usize) -> Hint<'_> {
        self.point.clear();
        self.multipliers.clear();
        self.multipliers.resize(rows.rows(), 0.0);
        if !rows.is_sound() || scales.len() != rows.rows() || start.len() != rows.variables() {
            return Hint { t: None, point: &self.point, multipliers: &self.multipliers, finished: false };
        }
        self.point.extend(start.iter().zip(rows.lower.iter().zip(rows.upper)).map(|(x, (l, u))| x.max(*l).min(*u)));
        if rows.rows() == 0 {
            return Hint { t: Some(1.0), point: &self.point, multipliers: &self.multipliers, finished: true };
        }
        let Some(tightest) = self.set_up(rows, scales) else {
            return Hint { t: None, point: &self.point, multipliers: &self.multipliers, finished: false };
        };
        let end = self.search(tightest, limit);
        self.read_point(rows);
        if end != End::Enough {
            self.read_multipliers(tightest, scales);
        }
        let relative = |row: usize| {
            let products = rows.row(row).iter().zip(&self.point).map(|(a, x)| a * x);
            (products.sum::<f64>() + rows.constants[row]) / scales[row]
        };
        let t = (0..rows.rows()).map(relative).fold(1.0, |t: f64, slack| if slack >= t { t } else { slack });
        let finished = end != End::Limit && t.is_finite() && self.values.iter().all(|value| value.is_finite());
        Hint { t: (!t.is_nan()).then_some(t), point: &self.point, multipliers: &self.multipliers, finished }
    }

    /// The first tableau; the tightest row, or nothing if a number is not finite.
    fn set_up(&mut self, rows: &FloatRows<'_>, scales: &[f64]) -> Option<usize> {
        let variables = rows.variables();
        self.variables = variables;
        self.at_upper.clear();
        let ranges = rows.lower.iter().zip(rows.upper);
        self.at_upper.extend(self.point.iter().zip(ranges.clone()).map(|(x, (l, u))| x - l > u - x));
        self.at_upper.push(false);
        self.values.clear();
        self.entries.clear();
        for (row, scale) in scales.iter().enumerate() {
            let mut value = rows.constants[row];
            let mut finite = *scale > 0.0 && scale.is_finite();
            for (j, (a, (l, u))) in rows.row(row).iter().zip(ranges.clone()).enumerate() {
                let entry = a * (u - l) / scale;
                finite &= entry.is_finite();
                self.entries.push(entry);
                value += a * if self.at_upper[j] { u } else { l };
            }
            self.entries.push(0.0);
            self.values.push(value / scale);
            if !finite || !self.values[row].is_finite() {
                return None;
            }
        }
        let compare = |a: &usize, b: &usize| self.values[*a].total_cmp(&self.values[*b]);
        let tightest = (0..rows.rows()).min_by(compare)?;
        self.exchange_t(tightest);
        Some(tightest)
    }

    /// `t` becomes basic instead of the tightest row's slack, which gets the last column: `t = a_r - w_r`, and the other
    /// slacks are `w_i = a_i - a_r + w_r`.
    fn exchange_t(&mut self, tightest: usize) {
        let width = self.variables + 1;
        let t = self.values[tightest];
        self.pivot_row.clear();
        self.pivot_row.extend_from_slice(&self.entries[tightest * width..][..width]);
        self.pivot_row[width - 1] = -1.0;
        for (row, entries) in self.entries.chunks_exact_mut(width).enumerate() {
            if row == tightest {
                entries.copy_from_slice(&self.pivot_row);
            } else {
                entries.iter_mut().zip(&self.pivot_row).for_each(|(entry, pivot)| *entry -= pivot);
                self.values[row] -= t;
            }
        }
        self.free.clear();
        self.free.extend(0..self.variables);
        self.free.push(self.variables + tightest);
        self.basic.clear();
        self.basic.extend((0..self.values.len()).map(|row| self.variables + row));
        self.basic[tightest] = self.variables + self.values.len();
    }

    /// Exchanges until nothing improves `t`. When `t` stands still for long, Bland's rule rules out cycles.
    fn search(&mut self, objective: usize, limit: usize) -> End {
        let patience = self.values.len() + self.free.len();
        let mut standing = 0;
        for _ in 0..limit {
            if self.values[objective] >= 1.0 {
                return End::Enough;
            }
            let Some(column) = self.entering(objective, standing > patience) else { return End::Optimal };
            let up = if self.at_upper[column] { -1.0 } else { 1.0 };
            let (leaving, step) = self.leaving(column, up, standing > patience);
            if !step.is_finite() {
                return End::Limit;
            }
            let before = self.values[objective];
            self.advance(column, up * step);
            standing = if self.values[objective] > before + STANDSTILL { 0 } else { standing + 1 };
            match leaving {
                Some(row) if row == objective => return End::Enough,
                Some(row) => self.exchange(row, column, up, step),
                None => self.at_upper[column] = !self.at_upper[column],
            }
        }
        End::Limit
    }

    /// A column that improves `t`: steepest, or with the smallest index.
    fn entering(&self, objective: usize, bland: bool) -> Option<usize> {
        let costs = &self.entries[objective * self.free.len()..][..self.free.len()];
        let gain = |column: usize| if self.at_upper[column] { -costs[column] } else { costs[column] };
        let columns = (0..self.free.len()).filter(|column| gain(*column) > TINY);
        if bland {
            return columns.min_by_key(|column| self.free[*column]);
        }
        columns.max_by(|a, b| gain(*a).total_cmp(&gain(*b)).then(b.cmp(a)))
    }

    /// How far a column can move, and the row that stops it, if it is not its own other bound.
    fn leaving(&self, column: usize, up: f64, bland: bool) -> (Option<usize>, f64) {
        let width = self.free.len();
        // Distance to the bound that the row's basic variable moves to, and how fast it does.
        let room = |row: usize| {
            let rate = self.entries[row * width + column] * up;
            let bounded_above =
                self.basic[row] < self.variables || self.basic[row] == self.variables + self.values.len();
            if rate < -TINY {
                Some((self.values[row], -rate))
            } else if rate > TINY && bounded_above {
                Some((1.0 - self.values[row], rate))
            } else {
                None
            }
        };
        let rows = || (0..self.values.len()).filter_map(|row| room(row).map(|(distance, rate)| (row, distance, rate)));
        let own = if self.free[column] < self.variables { 1.0 } else { f64::INFINITY };
        let leeway = if bland { 0.0 } else { LEEWAY };
        let most = rows().map(|(_, distance, rate)| (distance + leeway).max(0.0) / rate).fold(own, f64::min);
        if most >= own {
            return (None, own);
        }
        let near = rows().filter(|(_, distance, rate)| distance.max(0.0) / rate <= most);
        let chosen = if bland {
            near.min_by_key(|(row, ..)| self.basic[*row])
        } else {
            near.max_by(|(a, _, x), (b, _, y)| x.total_cmp(y).then(b.cmp(a)))
        };
        chosen.map_or((None, f64::NAN), |(row, distance, rate)| (Some(row), distance.max(0.0) / rate))
    }

    /// Moves a column's variable, and all basic ones with it.
    fn advance(&mut self, column: usize, step: f64) {
        let entries = self.entries.iter().skip(column).step_by(self.free.len());
        self.values.iter_mut().zip(entries).for_each(|(value, entry)| *value += entry * step);
    }

    /// Exchanges a row's basic variable, which has just reached a bound, with that of the column that moved.
    fn exchange(&mut self, row: usize, column: usize, up: f64, step: f64) {
        let width = self.free.len();
        let range = row * width..(row + 1) * width;
        let inverse = 1.0 / self.entries[range.start + column];
        self.pivot_row.clear();
        self.pivot_row.extend(self.entries[range.clone()].iter().map(|entry| -entry * inverse));
        self.pivot_row[column] = inverse;
        for entries in self.entries.chunks_exact_mut(width) {
            let factor = std::mem::replace(&mut entries[column], 0.0);
            if factor != 0.0 {
                entries.iter_mut().zip(&self.pivot_row).for_each(|(entry, pivot)| *entry += factor * pivot);
            }
        }
        self.entries[range].copy_from_slice(&self.pivot_row);
        let begun = if self.at_upper[column] { 1.0 } else { 0.0 };
        self.values[row] = begun + up * step;
        // The one that leaves grew if its entry and the movement have the same sign.
        self.at_upper[column] = inverse * up > 0.0;
        std::mem::swap(&mut self.basic[row], &mut self.free[column]);
    }

    /// The point of the final basis, in the given scale.
    fn read_point(&mut self, rows: &FloatRows<'_>) {
        let at = |at_upper: &bool| if *at_upper { 1.0 } else { 0.0 };
        let free = self.free.iter().copied().zip(self.at_upper.iter().map(at));
        let all = free.chain(self.basic.iter().copied().zip(self.values.iter().copied()));
        for (variable, value) in all.filter(|(variable, _)| *variable < rows.variables()) {
            let (lower, upper) = (rows.lower[variable], rows.upper[variable]);
            let inner = (lower + value * (upper - lower)).max(lower).min(upper);
            self.point[variable] = if value == 1.0 { upper } else { inner };
        }
    }

    /// The multipliers of the final basis: in `t = ... + sum cost * slack`, costs at an optimum are not positive, and
    /// those of all slacks add up to -1 (compare the coefficients of `t`).
    fn read_multipliers(&mut self, objective: usize, scales: &[f64]) {
        let costs = &self.entries[objective * self.free.len()..][..self.free.len()];
        let slacks = self.free.iter().zip(costs).filter(|(variable, _)| **variable >= self.variables);
        let slacks = slacks.map(|(variable, cost)| (*variable - self.variables, (-cost).max(0.0)));
        let sum: f64 = slacks.clone().map(|(_, multiplier)| multiplier).sum();
        for (row, multiplier) in slacks.filter(|_| sum > 0.0 && sum.is_finite()) {
            self.multipliers[row] = multiplier / sum / scales[row];
        }
    }
}
