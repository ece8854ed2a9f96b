//! The tableau: basic variables as affine functions of the others, which are at one of their bounds.
//!
//! Invariants: `values` are those of the basic variables where every other one is [at](Tableau::at) its bound, but for rounding; the objective is its value there;
//! a column whose reduced cost is positive is at its upper bound, negative at its lower one.

use pulp::Arch;

/// Where a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Row(usize),
    Column(usize),
}

/// Exchanges after which the tableau is made anew, beside its rows.
const WORN: usize = 100;

#[derive(Debug, Clone, Default)]
pub(super) struct Tableau {
    /// Rows as they were given, and their constants.
    given: Vec<f64>,
    constants: Vec<f64>,
    structural: usize,
    objective_variable: usize,
    entries: Vec<f64>,
    /// Reduced costs.
    pub(super) costs: Vec<f64>,
    pub(super) objective: f64,
    pub(super) values: Vec<f64>,
    pub(super) basic: Vec<usize>,
    pub(super) nonbasic: Vec<usize>,
    pub(super) at_upper: Vec<bool>,
    pub(super) places: Vec<Place>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// One over the range that a variable had first.
    pub(super) units: Vec<f64>,
    exchanged: usize,
    /// Multiplications so far.
    pub(super) work: u64,
    pivot: Vec<f64>,
    arch: Arch,
}

impl Tableau {
    pub(super) fn reset(&mut self, lower: &[f64], upper: &[f64]) {
        self.structural = lower.len();
        for vector in [&mut self.given, &mut self.constants, &mut self.lower, &mut self.upper, &mut self.units] {
            vector.clear();
        }
        self.lower.extend_from_slice(lower);
        self.upper.extend_from_slice(upper);
        self.units.extend(lower.iter().zip(upper).map(|(l, u)| unit(*l, *u)));
    }

    pub(super) fn add_row(&mut self, coefficients: &[f64], constant: f64, lower: f64, upper: f64) -> usize {
        self.given.extend_from_slice(&coefficients[..self.structural]);
        self.constants.push(constant);
        self.lower.push(lower);
        self.upper.push(upper);
        self.units.push(unit(lower, upper));
        self.lower.len() - 1
    }

    /// Slacks are basic, the objective's variable is at its upper bound.
    pub(super) fn maximise(&mut self, variable: usize) {
        self.objective_variable = variable;
        self.at_upper.clear();
        self.at_upper.resize(self.structural, false);
        self.at_upper[variable] = true;
        self.begin();
        self.evaluate();
    }

    /// The first tableau, values apart.
    fn begin(&mut self) {
        let (rows, columns) = (self.constants.len(), self.structural);
        self.entries.clone_from(&self.given);
        self.costs.clear();
        self.costs.resize(columns, 0.0);
        self.costs[self.objective_variable] = 1.0;
        self.basic.clear();
        self.basic.extend(columns..columns + rows);
        self.nonbasic.clear();
        self.nonbasic.extend(0..columns);
        self.places.clear();
        self.places.extend((0..columns).map(Place::Column));
        self.places.extend((0..rows).map(Place::Row));
        self.exchanged = 0;
    }

    pub(super) fn size(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.structural..][..self.structural]
    }

    pub(super) fn entry(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.structural + column]
    }

    /// The value of a column's variable.
    pub(super) fn at(&self, column: usize) -> f64 {
        let variable = self.nonbasic[column];
        if self.at_upper[column] { self.upper[variable] } else { self.lower[variable] }
    }

    /// The range of a column's variable.
    pub(super) fn width(&self, column: usize) -> f64 {
        let variable = self.nonbasic[column];
        self.upper[variable] - self.lower[variable]
    }

    /// Moves a column's variable.
    fn shift(&mut self, column: usize, by: f64) {
        if by != 0.0 {
            self.work += self.values.len() as u64;
            let entries = self.entries.iter().skip(column).step_by(self.structural);
            self.values.iter_mut().zip(entries).for_each(|(value, entry)| *value += entry * by);
            self.objective += self.costs[column] * by;
        }
    }

    /// Moves a column's variable to its other bound.
    pub(super) fn flip(&mut self, column: usize) {
        let by = if self.at_upper[column] { -self.width(column) } else { self.width(column) };
        self.at_upper[column] = !self.at_upper[column];
        self.shift(column, by);
    }

    pub(super) fn set_bounds(&mut self, variable: usize, lower: f64, upper: f64) {
        let before = match self.places[variable] {
            Place::Row(_) => None,
            Place::Column(column) => Some((column, self.at(column))),
        };
        (self.lower[variable], self.upper[variable]) = (lower, upper);
        if let Some((column, before)) = before {
            self.shift(column, self.at(column) - before);
        }
    }

    /// Moves columns to the bounds that their reduced costs ask for.
    pub(super) fn restore_costs(&mut self) {
        for column in 0..self.structural {
            let cost = self.costs[column];
            if cost != 0.0 && self.at_upper[column] != (cost > 0.0) {
                self.flip(column);
            }
        }
    }

    /// A row's variable leaves for one of its bounds, a column's enters.
    pub(super) fn exchange(&mut self, row: usize, column: usize, to_upper: bool) {
        let leaving = self.basic[row];
        let bound = if to_upper { self.upper[leaving] } else { self.lower[leaving] };
        let step = (bound - self.values[row]) / self.entry(row, column);
        let entered = self.at(column) + step;
        self.shift(column, step);
        self.swap(row, column);
        self.values[row] = entered;
        self.at_upper[column] = to_upper;
        self.exchanged += 1;
    }

    /// Exchanges a row's variable with a column's in the tableau, values apart.
    fn swap(&mut self, row: usize, column: usize) {
        let width = self.structural;
        let range = row * width..(row + 1) * width;
        let inverse = 1.0 / self.entries[range.start + column];
        self.pivot.clear();
        self.pivot.extend(self.entries[range.clone()].iter().map(|entry| -entry * inverse));
        self.pivot[column] = inverse;
        let Self { entries, pivot, arch, .. } = self;
        let changed = arch.dispatch(|| {
            let mut changed = 0;
            for entries in entries.chunks_exact_mut(width) {
                let factor = entries[column];
                if factor != 0.0 {
                    entries[column] = 0.0;
                    entries.iter_mut().zip(&*pivot).for_each(|(entry, pivot)| *entry += factor * pivot);
                    changed += 1;
                }
            }
            changed
        });
        self.work += (changed + 2) * width as u64;
        self.entries[range].copy_from_slice(&self.pivot);
        let factor = std::mem::replace(&mut self.costs[column], 0.0);
        if factor != 0.0 {
            self.costs.iter_mut().zip(&self.pivot).for_each(|(cost, pivot)| *cost += factor * pivot);
        }
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
        self.places[self.basic[row]] = Place::Row(row);
        self.places[self.nonbasic[column]] = Place::Column(column);
    }

    /// Values and the objective from the bounds that columns are at.
    fn evaluate(&mut self) {
        let at: Vec<f64> = (0..self.structural).map(|column| self.at(column)).collect();
        // Slacks that are columns take part with their bounds, so constants are those of the rows with other slacks put in.
        self.values.clear();
        let constants = self.basis_constants();
        for (row, constant) in constants.iter().enumerate() {
            let products = self.row(row).iter().zip(&at).map(|(a, x)| a * x);
            self.values.push(products.sum::<f64>() + constant);
        }
        self.objective = match self.places[self.objective_variable] {
            Place::Row(row) => self.values[row],
            Place::Column(column) => at[column],
        };
    }

    /// The constants of the rows of this basis: the values of basic variables where all others are zero.
    fn basis_constants(&self) -> Vec<f64> {
        // Where all columns are zero, so is every given row but for the constant: `s = a x + c` with the x that are basic.
        // The tableau maps slacks that are columns; a slack that is zero means `a x = -c`. So each given row contributes `c` through its
        // slack's column, or directly where its slack is basic.
        let mut constants = vec![0.0; self.basic.len()];
        for (given, c) in self.constants.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            match self.places[self.structural + given] {
                Place::Row(row) => constants[row] += c,
                Place::Column(column) => {
                    for (row, constant) in constants.iter_mut().enumerate() {
                        *constant -= self.entry(row, column) * c;
                    }
                }
            }
        }
        constants
    }

    pub(super) fn is_worn(&self) -> bool {
        self.exchanged > WORN + self.constants.len()
    }

    /// The same basis, made anew from the rows.
    pub(super) fn renew(&mut self) {
        let wanted: Vec<usize> = self.basic.iter().copied().filter(|v| *v < self.structural).collect();
        let upper: Vec<bool> = {
            let mut upper = vec![false; self.lower.len()];
            self.nonbasic.iter().zip(&self.at_upper).for_each(|(v, at)| upper[*v] = *at);
            upper
        };
        let leaving: Vec<bool> = {
            let mut leaving = vec![false; self.lower.len()];
            self.nonbasic.iter().for_each(|v| leaving[*v] = true);
            leaving
        };
        self.begin();
        for variable in wanted {
            let Place::Column(column) = self.places[variable] else { continue };
            let size = |row: &usize| self.entry(*row, column).abs();
            let rows = (0..self.basic.len()).filter(|row| leaving[self.basic[*row]]);
            let Some(row) = rows.max_by(|a, b| size(a).total_cmp(&size(b)).then(b.cmp(a))) else { continue };
            if size(&row) > 1e-11 {
                self.swap(row, column);
            }
        }
        for (at, variable) in self.at_upper.iter_mut().zip(&self.nonbasic) {
            *at = upper[*variable];
        }
        self.evaluate();
        self.restore_costs();
        self.exchanged = 0;
    }
}

fn unit(lower: f64, upper: f64) -> f64 {
    if upper > lower { 1.0 / (upper - lower) } else { 1.0 }
}
