//! A simplex tableau in integers: `d * basic = sum T * non-basic` for every row, with one denominator `d > 0`.
//!
//! Pivoting is fraction-free (Edmonds, *Systems of distinct representatives and linear algebra*, 1967; Bareiss 1968):
//! all entries are minors of the integer matrix the tableau began with, so divisions by the previous denominator leave
//! no remainder, no greatest common divisor is ever taken, and the size of the numbers is bounded by Hadamard's
//! inequality instead of growing with the number of pivots.
//!
//! Invariants: every variable is either the basic one of a row or the non-basic one of a column, as `place` says; the
//! rows hold for every assignment of the original variables.

use surefoot_num::IBig;

/// Where a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Basic, in this row.
    Row(usize),
    /// Non-basic, in this column.
    Column(usize),
}

/// The tableau. Variables are numbered: those it began with, then one per row that was pushed.
#[derive(Debug, Clone)]
pub(super) struct Tableau {
    denominator: IBig,
    rows: Vec<Vec<IBig>>,
    basic: Vec<usize>,
    free: Vec<usize>,
    place: Vec<Place>,
}

impl Tableau {
    /// No rows, and this many variables.
    pub(super) fn new(variables: usize) -> Self {
        let place = (0..variables).map(Place::Column).collect();
        Self { denominator: IBig::ONE, rows: Vec::new(), basic: Vec::new(), free: (0..variables).collect(), place }
    }

    pub(super) fn denominator(&self) -> &IBig {
        &self.denominator
    }

    /// The basic variable of each row.
    pub(super) fn basic(&self) -> &[usize] {
        &self.basic
    }

    /// The non-basic variable of each column.
    pub(super) fn free(&self) -> &[usize] {
        &self.free
    }

    pub(super) fn place(&self, variable: usize) -> Place {
        self.place[variable]
    }

    pub(super) fn row(&self, row: usize) -> &[IBig] {
        &self.rows[row]
    }

    /// Adds a variable that is a sum of variables; it becomes basic.
    pub(super) fn push(&mut self, terms: &[(usize, IBig)]) {
        let mut new = vec![IBig::ZERO; self.free.len()];
        for (variable, a) in terms {
            match self.place[*variable] {
                Place::Column(column) => new[column] += a * &self.denominator,
                Place::Row(row) => {
                    for (sum, entry) in new.iter_mut().zip(&self.rows[row]).filter(|(_, entry)| !entry.is_zero()) {
                        *sum += a * entry;
                    }
                }
            }
        }
        self.basic.push(self.place.len());
        self.place.push(Place::Row(self.rows.len()));
        self.rows.push(new);
    }

    /// Removes the variable that was pushed last, which must be basic.
    pub(super) fn pop(&mut self) {
        let Some(Place::Row(row)) = self.place.pop() else { unreachable!("the variable is basic") };
        self.rows.swap_remove(row);
        self.basic.swap_remove(row);
        if let Some(moved) = self.basic.get(row) {
            self.place[*moved] = Place::Row(row);
        }
    }

    /// Exchanges the basic variable of a row with the non-basic one of a column, whose entry is not zero.
    pub(super) fn pivot(&mut self, row: usize, column: usize) {
        let mut pivot_row = std::mem::take(&mut self.rows[row]);
        let mut pivot = std::mem::replace(&mut pivot_row[column], IBig::ZERO);
        assert!(!pivot.is_zero(), "a pivot is not zero");
        // x_s = (d x_b - sum T_rj x_j) / p. For p < 0 expand by -1, so that the new denominator |p| is positive.
        let negative = pivot < IBig::ZERO;
        if negative {
            pivot = -pivot;
        } else {
            pivot_row.iter_mut().for_each(|entry| *entry = -std::mem::take(entry));
        }
        // Now x_s = (+-d x_b + sum pivot_row_j x_j) / pivot.
        for (_, entries) in self.rows.iter_mut().enumerate().filter(|(index, _)| *index != row) {
            let factor = std::mem::replace(&mut entries[column], IBig::ZERO);
            for (entry, other) in entries.iter_mut().zip(&pivot_row) {
                let mixed = match (entry.is_zero(), factor.is_zero() || other.is_zero()) {
                    (true, true) => continue,
                    (false, true) => &*entry * &pivot,
                    (true, false) => &factor * other,
                    (false, false) => &*entry * &pivot + &factor * other,
                };
                *entry = exact_quotient(mixed, &self.denominator);
            }
            entries[column] = if negative { -factor } else { factor };
        }
        let denominator = std::mem::replace(&mut self.denominator, pivot);
        pivot_row[column] = if negative { -denominator } else { denominator };
        self.rows[row] = pivot_row;
        std::mem::swap(&mut self.basic[row], &mut self.free[column]);
        self.place[self.basic[row]] = Place::Row(row);
        self.place[self.free[column]] = Place::Column(column);
    }
}

/// `a / b` where nothing remains.
fn exact_quotient(a: IBig, b: &IBig) -> IBig {
    if b.is_one() {
        return a;
    }
    debug_assert!((&a % b).is_zero(), "entries are minors");
    a / b
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_num::{Random, Rational};

    fn random(random: &mut Random) -> IBig {
        IBig::from(random.below(19)) - IBig::from(9)
    }

    /// Every row holds at a point given by values of the original variables.
    fn assert_holds(tableau: &Tableau, values: &[IBig]) {
        for (entries, basic) in tableau.rows.iter().zip(&tableau.basic) {
            let sum: IBig = entries.iter().zip(&tableau.free).map(|(a, variable)| a * &values[*variable]).sum();
            assert_eq!(sum, &tableau.denominator * &values[*basic]);
        }
        for (variable, place) in tableau.place.iter().enumerate() {
            match place {
                Place::Row(row) => assert_eq!(tableau.basic[*row], variable),
                Place::Column(column) => assert_eq!(tableau.free[*column], variable),
            }
        }
        assert!(tableau.denominator > IBig::ZERO);
    }

    #[test]
    fn rows_hold_through_pushes_pivots_and_pops() {
        let numbers = &mut Random::new(7);
        for _ in 0..60 {
            let columns = 1 + numbers.below(6);
            let mut tableau = Tableau::new(columns);
            let mut values: Vec<IBig> = (0..columns).map(|_| random(numbers)).collect();
            for _ in 0..40 {
                let rows = tableau.rows.len();
                match numbers.below(4) {
                    0 => {
                        let terms: Vec<(usize, IBig)> = (0..columns).map(|k| (k, random(numbers))).collect();
                        values.push(terms.iter().map(|(k, a)| a * &values[*k]).sum());
                        tableau.push(&terms);
                    }
                    1 if rows > 0 && matches!(tableau.place.last(), Some(Place::Row(_))) => {
                        tableau.pop();
                        values.pop();
                    }
                    _ if rows > 0 => {
                        let (row, column) = (numbers.below(rows), numbers.below(columns));
                        if !tableau.rows[row][column].is_zero() {
                            tableau.pivot(row, column);
                        }
                    }
                    _ => {}
                }
                assert_holds(&tableau, &values);
            }
        }
    }

    #[test]
    fn pivoting_twice_at_one_place_changes_nothing() {
        let mut tableau = Tableau::new(2);
        tableau.push(&[(0, IBig::from(-3)), (1, IBig::from(5))]);
        tableau.push(&[(0, IBig::from(2)), (1, IBig::from(7))]);
        let before = tableau.clone();
        tableau.pivot(0, 0);
        let ratio = |n: &IBig| Rational::from_big_parts(n.clone(), tableau.denominator.clone().into_parts().1).unwrap();
        assert_eq!(ratio(&tableau.rows[0][1]), Rational::new(5, 3).unwrap());
        tableau.pivot(0, 0);
        assert_eq!(tableau.rows, before.rows);
    }
}
