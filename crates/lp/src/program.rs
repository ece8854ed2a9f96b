//! A linear feasibility problem over a box, and what settles it.

use surefoot_linear::{Atom, Linear};
use surefoot_num::Rational;

/// A row `form >= 0`, `form > 0` or `form = 0` (never `!=`).
pub type Row = Atom;

/// Is there a point of the box that satisfies all rows?
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// Smallest and largest value of each variable, symbols from 0.
    pub bounds: Vec<(Rational, Rational)>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// What settles a [`Program`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Feasibility {
    /// A point of the box that satisfies all rows.
    Feasible(Vec<Rational>),
    /// One multiplier per row (Farkas): not negative unless the row is an equality, and such that the sum of the rows
    /// times their multipliers is, over the box, nowhere positive, and even negative if no row with a positive
    /// multiplier is strict. Empty when the box itself is empty.
    Infeasible(Vec<Rational>),
}

impl Program {
    /// The rows' sum with the given multipliers.
    #[must_use]
    pub fn combine(&self, multipliers: &[Rational]) -> Linear {
        let rows = self.rows.iter().zip(multipliers).filter(|(_, multiplier)| !multiplier.is_zero());
        rows.fold(Linear::default(), |sum, (row, multiplier)| sum.plus_scaled(&row.form, multiplier))
    }
}
