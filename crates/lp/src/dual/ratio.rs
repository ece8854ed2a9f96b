//! Which column enters: the dual ratio test with bound flips.
//!
//! Row `r` is to move by `direction`. A column helps if its move within its bounds moves the row there. Its *ratio*, reduced cost over entry,
//! says how long its reduced cost keeps its sign. In ascending order of ratios each column takes its share of the violation: one whose whole range
//! leaves some of it moves to its other bound, the first that leaves none enters.

use super::{DualSimplex, LEEWAY};

/// Entries below this are noise.
const TINY: f64 = 1e-9;

/// Ratios this near to each other are the same: the largest entry among them is the best pivot.
const NEAR: f64 = 1e-9;

impl DualSimplex {
    /// The column to be exchanged with a row that is to move by `direction`, columns flipped on the way; `None` when all of them
    /// together do not bring it back.
    pub(super) fn entering(&mut self, row: usize, direction: f64) -> Option<usize> {
        let tableau = &self.tableau;
        let entries = tableau.row(row);
        self.candidates.clear();
        for (column, (entry, variable)) in entries.iter().zip(&tableau.nonbasic).enumerate() {
            let helps = if tableau.at_upper[column] { -entry * direction } else { entry * direction };
            if helps > TINY && tableau.lower[*variable] < tableau.upper[*variable] {
                self.candidates.push((tableau.costs[column].abs() / helps, column));
            }
        }
        self.candidates.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let variable = tableau.basic[row];
        let value = tableau.values[row];
        let mut left = if direction > 0.0 { tableau.lower[variable] - value } else { value - tableau.upper[variable] };
        // What rounding leaves of a violation is none.
        let leeway = LEEWAY / tableau.units[variable];
        let mut last = None;
        for (position, (_, column)) in self.candidates.iter().enumerate() {
            left -= entries[*column].abs() * tableau.width(*column);
            if left <= leeway {
                last = Some(position);
                break;
            }
        }
        let last = last?;
        // Of those with the same ratio any may enter.
        let ratio = self.candidates[last].0;
        let near = |candidate: &(f64, usize)| (candidate.0 - ratio).abs() <= NEAR;
        let first = self.candidates[..last].iter().rposition(|candidate| !near(candidate)).map_or(0, |p| p + 1);
        let end = self.candidates[last..]
            .iter()
            .position(|candidate| !near(candidate))
            .map_or(self.candidates.len(), |p| last + p);
        let best = (first..end).max_by(|a, b| {
            let size = |p: &usize| entries[self.candidates[*p].1].abs();
            size(a).total_cmp(&size(b)).then(b.cmp(a))
        })?;
        // Whole ranges of columns with smaller ratios are not enough.
        for position in 0..first {
            self.tableau.flip(self.candidates[position].1);
        }
        Some(self.candidates[best].1)
    }
}
