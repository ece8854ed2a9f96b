//! The largest value of one variable under bounds that come and go: a dual simplex that starts where it last ended.
//!
//! A search over the phases of neurons asks one linear program again and again, each time with other bounds on a few of its
//! variables. Bounds change neither the rows nor what a basis costs, so a basis that was optimal stays *dual feasible*, and the dual simplex
//! goes on from it: mostly some exchanges instead of some hundred. All variables have finite bounds, so any basis becomes
//! dual feasible by moving columns to the bound that their reduced cost asks for.
//!
//! * Rows are `s_i = a_i x + c_i` with bounds on the *slack* `s_i`, which is a variable like any other. The tableau is explicit and dense
//!   (Dantzig; Chvatal, *Linear Programming*, chapters 8 and 10).
//! * The entering column is chosen with bound flips (Maros, *A generalized dual phase-2 simplex algorithm*, EJOR 2003): a column
//!   whose whole range cannot make up for the violation moves to its other bound, and the next one is asked.
//! * Bases drift away from the rows as they are exchanged; every so often the tableau is [made anew](tableau) from them.
//!
//! **What it says** is a hint, like all that floats say here: an upper bound of the objective that falls with every exchange, a point, and
//! prices of bounds (multipliers). Whoever wants to rely on prices adds the rows up again in outward-rounded arithmetic.

mod ratio;
mod tableau;
#[cfg(test)]
mod tests;

use tableau::{Place, Tableau};

/// By how much of its range a variable may be outside of its bounds.
const LEEWAY: f64 = 1e-9;

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is outside of its bounds: the objective is as large as it can be.
    Optimal,
    /// The objective is below what was asked for; it need not be optimal.
    Below,
    /// No point has all variables within their bounds.
    Infeasible,
    /// The limit was met, or floats were not enough.
    Limit,
}

/// A program that is solved again and again under other bounds; it keeps its basis, and scratch memory.
#[derive(Debug, Clone, Default)]
pub struct DualSimplex {
    tableau: Tableau,
    /// The prices of the last search, by variable.
    prices: Vec<f64>,
    /// Columns that may enter, with their ratios.
    candidates: Vec<(f64, usize)>,
    exchanges: u64,
}

impl DualSimplex {
    /// Begins anew, with the bounds of variables; rows follow. Finite numbers, or nothing that it says makes sense.
    pub fn reset(&mut self, lower: &[f64], upper: &[f64]) {
        self.tableau.reset(lower, upper);
    }

    /// Adds a row `s = a x + c` with bounds on `s`; the variable that `s` is.
    pub fn add_row(&mut self, coefficients: &[f64], constant: f64, lower: f64, upper: f64) -> usize {
        self.tableau.add_row(coefficients, constant, lower, upper)
    }

    /// Maximises a variable from now on; all rows are there.
    pub fn maximise(&mut self, variable: usize) {
        self.tableau.maximise(variable);
    }

    /// How many variables there are, slacks included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tableau.lower.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bounds of a variable.
    #[must_use]
    pub fn bounds(&self, variable: usize) -> (f64, f64) {
        (self.tableau.lower[variable], self.tableau.upper[variable])
    }

    /// Other bounds for a variable.
    pub fn set_bounds(&mut self, variable: usize, lower: f64, upper: f64) {
        self.tableau.set_bounds(variable, lower, upper);
    }

    /// The value of a variable at the point of the basis.
    #[must_use]
    pub fn value(&self, variable: usize) -> f64 {
        self.tableau.value(variable)
    }

    /// What the objective is at most, as far as the last search got.
    #[must_use]
    pub fn objective(&self) -> f64 {
        self.tableau.objective
    }

    /// The price of a variable's bounds after the last search. Where it is positive, it is the multiplier of `x - lower >= 0` in the
    /// sum that bounds the objective (or that is negative, where no point is feasible); where it is negative, that of
    /// `upper - x >= 0`, negated.
    #[must_use]
    pub fn price(&self, variable: usize) -> f64 {
        self.prices[variable]
    }

    /// Exchanges so far.
    #[must_use]
    pub fn exchanges(&self) -> u64 {
        self.exchanges
    }

    /// Numbers of the tableau: multiplications of an exchange.
    #[must_use]
    pub fn size(&self) -> usize {
        self.tableau.size()
    }

    /// Multiplications so far, about: the work of all searches.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.tableau.work
    }

    /// Goes on until the objective is optimal or below `cutoff`, nothing is feasible, or after so many exchanges. Deterministic.
    pub fn solve(&mut self, cutoff: f64, limit: usize) -> Ended {
        let ended = self.search(cutoff, limit);
        self.prices.clear();
        self.prices.resize(self.len(), 0.0);
        if ended != Ended::Infeasible {
            for (column, variable) in self.tableau.nonbasic.iter().enumerate() {
                self.prices[*variable] = -self.tableau.costs[column];
            }
        } else if let Some((row, sign)) = self.most_outside() {
            // The row's variable cannot come back, because of the bounds of all others in the row.
            self.prices[self.tableau.basic[row]] = sign;
            for (column, variable) in self.tableau.nonbasic.iter().enumerate() {
                self.prices[*variable] = -sign * self.tableau.entry(row, column);
            }
        }
        ended
    }

    fn search(&mut self, cutoff: f64, limit: usize) -> Ended {
        self.tableau.restore_costs();
        for _ in 0..limit {
            if !self.tableau.objective.is_finite() {
                return Ended::Limit;
            }
            if self.tableau.is_worn() {
                self.tableau.renew();
            }
            if self.tableau.objective < cutoff {
                return Ended::Below;
            }
            let Some((row, sign)) = self.most_outside() else { return Ended::Optimal };
            let Some(column) = self.entering(row, sign) else { return Ended::Infeasible };
            let to_upper = sign < 0.0;
            self.tableau.exchange(row, column, to_upper);
            self.exchanges += 1;
        }
        Ended::Limit
    }

    /// The basic variable that is furthest outside of its bounds, as a share of its first range, and the direction back.
    fn most_outside(&self) -> Option<(usize, f64)> {
        let tableau = &self.tableau;
        let mut most = LEEWAY;
        let mut found = None;
        for (row, (variable, value)) in tableau.basic.iter().zip(&tableau.values).enumerate() {
            let unit = tableau.units[*variable];
            let below = (tableau.lower[*variable] - value) * unit;
            let above = (value - tableau.upper[*variable]) * unit;
            if below > most {
                (most, found) = (below, Some((row, 1.0)));
            }
            if above > most {
                (most, found) = (above, Some((row, -1.0)));
            }
        }
        found
    }
}

impl Tableau {
    fn value(&self, variable: usize) -> f64 {
        match self.places[variable] {
            Place::Row(row) => self.values[row],
            Place::Column(column) => self.at(column),
        }
    }
}
