//! Rows over the variables that bound forms from above.

use super::kernel::Matrix;

/// A row per form: `form(x) <= a.x + c + slack` for every `x` of the box, even if the sum is formed in floats.
#[derive(Debug, Default)]
pub(crate) struct UpperRows {
    /// `a`, one row per form.
    pub(crate) coefficients: Matrix,
    /// `c`.
    pub(crate) constants: Vec<f64>,
    /// The bound on all rounding errors.
    pub(crate) slacks: Vec<f64>,
}

impl UpperRows {
    /// Starts rows for this many forms; their constants and slacks begin at zero.
    pub(crate) fn reset(&mut self, forms: usize) {
        self.constants.clear();
        self.constants.resize(forms, 0.0);
        self.slacks.clear();
        self.slacks.resize(forms, 0.0);
    }

    /// Takes a row of another set in place of one of this.
    pub(crate) fn replace(&mut self, row: usize, other: &Self, form: usize) {
        self.coefficients.row_mut(row).copy_from_slice(other.coefficients.row(form));
        self.constants[row] = other.constants[form];
        self.slacks[row] = other.slacks[form];
    }

    /// Adds a row of another set to one of this.
    pub(crate) fn add(&mut self, row: usize, other: &Self, form: usize) {
        let sums = self.coefficients.row_mut(row).iter_mut().zip(other.coefficients.row(form));
        sums.for_each(|(a, b)| *a += b);
        self.constants[row] += other.constants[form];
        self.slacks[row] += other.slacks[form];
    }
}
