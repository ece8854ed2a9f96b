//! Rows in floats, borrowed from whoever keeps them.

/// A box and rows `a_i x + c_i`, dense and row-major.
#[derive(Debug, Clone, Copy)]
pub struct FloatRows<'a> {
    /// Smallest value of each variable.
    pub lower: &'a [f64],
    /// Largest value of each variable.
    pub upper: &'a [f64],
    /// Row `i` begins at `i * stride`; what follows its coefficients, up to the next row, is not looked at.
    pub coefficients: &'a [f64],
    /// From one row to the next; at least the number of variables.
    pub stride: usize,
    /// One per row.
    pub constants: &'a [f64],
}

impl<'a> FloatRows<'a> {
    /// How many variables.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.lower.len()
    }

    /// How many rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.constants.len()
    }

    /// The coefficients of a row.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn row(&self, row: usize) -> &'a [f64] {
        &self.coefficients[row * self.stride..][..self.variables()]
    }

    /// Whether the lengths fit together, and the box is finite and not empty.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let last = self.rows().checked_sub(1).map_or(Some(0), |last| last.checked_mul(self.stride));
        let needed = last.and_then(|last| last.checked_add(if self.rows() == 0 { 0 } else { self.variables() }));
        self.upper.len() == self.lower.len()
            && self.stride >= self.variables()
            && needed.is_some_and(|needed| needed <= self.coefficients.len())
            && self.lower.iter().zip(self.upper).all(|(l, u)| l.is_finite() && u.is_finite() && l <= u)
    }
}
