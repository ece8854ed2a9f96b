//! Matrices of which only the entries that are not zero are stored, row by row (compressed sparse rows).
//!
//! Invariants: `starts` has one entry more than there are rows and does not decrease; row `i` are the entries
//! `starts[i]..starts[i + 1]` of `places` and `values`; places of a row increase and are below the number of columns;
//! no value is zero.
//!
//! Zeros of either sign are left out. Over the reals there is only one zero. In single precision a sum starts with `+0` and
//! such a sum never becomes `-0` by adding (of two numbers that cancel it is `+0`), so adding a product that is a zero of either
//! sign changes no bit of it. In `f64` it may change the sign of a sum that is zero, on which nothing depends.

/// Matrices of fewer entries are stored densely: nothing is won.
const LARGE: usize = 1 << 14;
/// At most one entry in so many is not zero where a matrix is stored sparsely. Measured on 256 by 256 and 1000 by 1000 entries, a float
/// evaluation then takes 0.6 of the time of the dense form, which computes several rows at a time; at one entry in five they are even.
const RARE: usize = 8;

/// Whether a matrix of that many entries, so many of them not zero, is stored sparsely.
pub(crate) fn pays(entries: usize, nonzeros: usize) -> bool {
    entries > LARGE && nonzeros <= entries / RARE
}

/// A matrix by its non-zero entries.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SparseRows {
    columns: usize,
    starts: Vec<usize>,
    places: Vec<u32>,
    values: Vec<f64>,
}

impl SparseRows {
    /// A matrix without rows yet; none where a place would not fit into 32 bits.
    pub(crate) fn new(columns: usize) -> Option<Self> {
        u32::try_from(columns).ok()?;
        Some(Self { columns, starts: vec![0], places: Vec::new(), values: Vec::new() })
    }

    /// Adds a row; its places increase and are below the number of columns. Zeros are left out.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = (usize, f64)>) {
        let start = self.places.len();
        for (place, value) in row.into_iter().filter(|(_, value)| *value != 0.0) {
            let place = u32::try_from(place).expect("places are below the number of columns, which fits");
            debug_assert!((place as usize) < self.columns, "the place is a column");
            debug_assert!(self.places[start..].last().is_none_or(|last| *last < place), "places increase");
            self.places.push(place);
            self.values.push(value);
        }
        self.starts.push(self.places.len());
    }

    /// The non-zero entries of a matrix given row by row; none where that does not pay.
    pub(crate) fn of_dense(columns: usize, entries: &[f64]) -> Option<Self> {
        let nonzeros = || entries.iter().filter(|value| **value != 0.0).count();
        if entries.len() <= LARGE || !pays(entries.len(), nonzeros()) {
            return None;
        }
        let mut rows = Self::new(columns)?;
        for row in entries.chunks_exact(columns) {
            rows.push(row.iter().copied().enumerate());
        }
        Some(rows)
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// All values, row by row.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// Places and values of a row.
    pub(crate) fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let stretch = self.starts[row]..self.starts[row + 1];
        (&self.places[stretch.clone()], &self.values[stretch])
    }

    /// All rows: places and values.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&[u32], &[f64])> {
        (0..self.len()).map(|row| self.row(row))
    }

    /// The entries of a row, with their places.
    pub(crate) fn terms(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let (places, values) = self.row(row);
        places.iter().zip(values).map(|(place, value)| (*place as usize, *value))
    }

    /// How many entries the longest row has.
    pub(crate) fn longest(&self) -> usize {
        self.starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
    }

    /// A row with its zeros.
    pub(crate) fn dense_row(&self, row: usize) -> Vec<f64> {
        let mut dense = vec![0.0; self.columns];
        self.terms(row).for_each(|(place, value)| dense[place] = value);
        dense
    }

    /// All entries, zeros too, row by row.
    pub(crate) fn dense(&self) -> Vec<f64> {
        let mut dense = vec![0.0; self.len() * self.columns];
        for row in 0..self.len() {
            self.terms(row).for_each(|(place, value)| dense[row * self.columns + place] = value);
        }
        dense
    }

    /// Rows for columns; none where there are too many of them.
    pub(crate) fn transposed(&self) -> Option<Self> {
        let rows = self.len();
        u32::try_from(rows).ok()?;
        // Where each column starts; then where its next entry goes.
        let mut starts = vec![0usize; self.columns + 1];
        for place in &self.places {
            starts[*place as usize + 1] += 1;
        }
        for column in 0..self.columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let (mut places, mut values) = (vec![0u32; self.places.len()], vec![0.0; self.values.len()]);
        for row in 0..rows {
            for (column, value) in self.terms(row) {
                places[next[column]] = u32::try_from(row).expect("checked above");
                values[next[column]] = value;
                next[column] += 1;
            }
        }
        Some(Self { columns: rows, starts, places, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_columns_and_zeros() {
        let mut rows = SparseRows::new(4).unwrap();
        rows.push([(1, 2.0), (2, 0.0), (3, -1.0)]);
        rows.push([]);
        rows.push([(0, -0.0), (1, 5.0)]);
        assert_eq!((rows.len(), rows.columns(), rows.longest()), (3, 4, 2));
        assert_eq!(rows.values(), [2.0, -1.0, 5.0]);
        assert_eq!(rows.dense(), [0.0, 2.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0]);
        assert_eq!(rows.dense_row(2), [0.0, 5.0, 0.0, 0.0]);
        let columns = rows.transposed().unwrap();
        assert_eq!((columns.len(), columns.columns()), (4, 3));
        assert_eq!(columns.terms(1).collect::<Vec<_>>(), [(0, 2.0), (2, 5.0)]);
        assert_eq!(columns.transposed().unwrap(), rows);
    }

    #[test]
    fn only_large_and_rare_entries_pay() {
        let (columns, count) = (1 << 8, 1 << 15);
        let with = |nonzeros: usize| (0..count).map(|i| if i < nonzeros { 1.0 } else { -0.0 }).collect::<Vec<_>>();
        let rows = SparseRows::of_dense(columns, &with(count / 8)).unwrap();
        assert_eq!((rows.values().len(), rows.len()), (count / 8, count / columns));
        assert!(SparseRows::of_dense(columns, &with(count / 8 + 1)).is_none());
        assert!(SparseRows::of_dense(columns, &with(0)[..1 << 14]).is_none());
    }
}
