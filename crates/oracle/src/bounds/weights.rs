//! The weights of a layer, dense or sparse, and the products that are formed with them.
//!
//! Nearly all layers are dense: their products are those of [`super::kernel`]. Layers that are wide and nearly all zeros keep what is not zero, row by row
//! (min-max lattices have a few weights in each of thousands of rows), and their products take time for that alone. Either way an
//! entry of a product is a sum of at most as many rounded products as the error analysis in [`super::setting`] allows for: terms that are
//! left out are zeros.

#![expect(
    clippy::cast_possible_truncation,
    reason = "layers have far fewer than 2^32 neurons, and these are inner loops"
)]

use std::borrow::Cow;
use std::iter::{Enumerate, Zip};
use std::slice::Iter;

use pulp::{Simd, WithSimd};
use surefoot_network::Layer;

use super::kernel::{Kernel, LANES, Matrix, multiply};

/// One row per neuron, one column per input.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    stored: Stored,
}

#[derive(Debug, Clone)]
enum Stored {
    Dense {
        matrix: Matrix,
        /// For evaluation.
        transposed: Matrix,
        /// Absolute values, transposed, for intervals.
        magnitudes: Matrix,
    },
    /// Where rows begin in the others, columns and what is there; none is zero.
    Sparse { starts: Vec<usize>, columns: Vec<u32>, values: Vec<f64> },
}

/// What is not zero in a row, by column.
#[derive(Debug, Clone)]
pub(crate) enum Terms<'a> {
    Dense(Enumerate<Iter<'a, f64>>),
    Sparse(Zip<Iter<'a, u32>, Iter<'a, f64>>),
}

impl Iterator for Terms<'_> {
    type Item = (usize, f64);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, f64)> {
        match self {
            Self::Dense(row) => row.find(|(_, w)| **w != 0.0).map(|(j, w)| (j, *w)),
            Self::Sparse(terms) => terms.next().map(|(j, w)| (*j as usize, *w)),
        }
    }
}

impl Weights {
    /// Those of a layer, stored as they are there.
    pub(crate) fn new(layer: &Layer) -> Self {
        let (rows, columns) = (layer.output_len(), layer.input_len());
        if layer.is_sparse() {
            return Self::sparse(columns, (0..rows).map(|i| layer.terms(i)));
        }
        let mut matrix = Matrix::zeros(rows, columns);
        for i in 0..rows {
            layer.terms(i).for_each(|(j, w)| matrix.row_mut(i)[j] = w);
        }
        Self::dense(matrix)
    }

    /// A dense matrix.
    pub(crate) fn dense(matrix: Matrix) -> Self {
        let transposed = matrix.transposed();
        let magnitudes = Matrix::from_fn(transposed.rows, transposed.columns, |i, j| transposed.row(i)[j].abs());
        Self { rows: matrix.rows, columns: matrix.columns, stored: Stored::Dense { matrix, transposed, magnitudes } }
    }

    /// Rows as what is not zero in them.
    pub(crate) fn sparse<R: Iterator<Item = (usize, f64)>>(width: usize, rows: impl Iterator<Item = R>) -> Self {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            for (column, value) in row.filter(|(_, value)| *value != 0.0) {
                columns.push(column as u32);
                values.push(value);
            }
            starts.push(columns.len());
        }
        Self { rows: starts.len() - 1, columns: width, stored: Stored::Sparse { starts, columns, values } }
    }

    /// Whether zeros are left out.
    pub(crate) fn is_sparse(&self) -> bool {
        matches!(self.stored, Stored::Sparse { .. })
    }

    /// How many neurons there are, padded.
    pub(crate) fn stride(&self) -> usize {
        self.rows.next_multiple_of(LANES)
    }

    /// Multiplications that a product with a vector takes.
    pub(crate) fn work(&self) -> usize {
        match &self.stored {
            Stored::Dense { .. } => self.rows * self.columns,
            Stored::Sparse { values, .. } => values.len(),
        }
    }

    /// What is not zero in a row.
    #[inline(always)]
    pub(crate) fn terms(&self, row: usize) -> Terms<'_> {
        match &self.stored {
            Stored::Dense { matrix, .. } => Terms::Dense(matrix.row(row)[..self.columns].iter().enumerate()),
            Stored::Sparse { starts, columns, values } => {
                let range = starts[row]..starts[row + 1];
                Terms::Sparse(columns[range.clone()].iter().zip(&values[range]))
            }
        }
    }

    /// A row with its padding, where zeros are stored.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> Option<&[f64]> {
        match &self.stored {
            Stored::Dense { matrix, .. } => Some(matrix.row(row)),
            Stored::Sparse { .. } => None,
        }
    }

    /// A row with its zeros.
    pub(crate) fn filled(&self, row: usize) -> Cow<'_, [f64]> {
        if let Some(row) = self.row(row) {
            return Cow::Borrowed(&row[..self.columns]);
        }
        let mut filled = vec![0.0; self.columns];
        self.terms(row).for_each(|(j, w)| filled[j] = w);
        Cow::Owned(filled)
    }

    /// `out = points * W^T`: the sums of all neurons at points, one per row. `inputs` are those that are not zero everywhere.
    #[inline(always)]
    pub(crate) fn forward<S: Simd>(&self, simd: S, points: &Matrix, inputs: &[u32], out: &mut Matrix) {
        match &self.stored {
            Stored::Dense { transposed, .. } => multiply(simd, points, inputs, transposed, out),
            Stored::Sparse { .. } => self.gather(points, |w| w, out),
        }
    }

    /// The same with absolute values.
    #[inline(always)]
    pub(crate) fn forward_magnitudes<S: Simd>(&self, simd: S, points: &Matrix, inputs: &[u32], out: &mut Matrix) {
        match &self.stored {
            Stored::Dense { magnitudes, .. } => multiply(simd, points, inputs, magnitudes, out),
            Stored::Sparse { .. } => self.gather(points, f64::abs, out),
        }
    }

    /// Adds `|W| x` to the sums of neurons.
    pub(crate) fn add_magnitudes(&self, x: &[f64], sums: &mut [f64]) {
        if let Stored::Dense { magnitudes, .. } = &self.stored {
            for (j, x) in x.iter().take(self.columns).enumerate() {
                sums.iter_mut().zip(magnitudes.row(j)).for_each(|(sum, w)| *sum += w * x);
            }
            return;
        }
        for (i, sum) in sums.iter_mut().enumerate().take(self.rows) {
            *sum += self.terms(i).map(|(j, w)| w.abs() * x[j]).sum::<f64>();
        }
    }

    /// Adds a multiple of a row.
    #[inline(always)]
    pub(crate) fn add_row(&self, row: usize, factor: f64, sums: &mut [f64]) {
        match self.row(row) {
            Some(row) => sums.iter_mut().zip(row).for_each(|(sum, w)| *sum += factor * w),
            None => self.terms(row).for_each(|(j, w)| sums[j] += factor * w),
        }
    }

    fn gather(&self, points: &Matrix, of: impl Fn(f64) -> f64, out: &mut Matrix) {
        out.reshape(points.rows, self.rows);
        for k in 0..points.rows {
            let (point, sums) = (points.row(k), out.row_mut(k));
            for (i, sum) in sums[..self.rows].iter_mut().enumerate() {
                *sum = self.terms(i).map(|(j, w)| of(w) * point[j]).sum();
            }
            sums[self.rows..].fill(0.0);
        }
    }

    /// `out = forms * W`: forms over the neurons as forms over the inputs, summing over the neurons listed in `used` only: the others meet zeros.
    #[inline(always)]
    pub(crate) fn backward<S: Simd>(&self, simd: S, forms: &Matrix, used: &[u32], out: &mut Matrix) {
        match &self.stored {
            Stored::Dense { matrix, .. } => multiply(simd, forms, used, matrix, out),
            Stored::Sparse { .. } => {
                out.reshape(forms.rows, self.columns);
                for k in 0..forms.rows {
                    let (form, sums) = (forms.row(k), out.row_mut(k));
                    sums.fill(0.0);
                    for (i, m) in used.iter().map(|i| (*i as usize, form[*i as usize])).filter(|(_, m)| *m != 0.0) {
                        self.terms(i).for_each(|(j, w)| sums[j] += m * w);
                    }
                }
            }
        }
    }

    /// `out = W * functions`: the sums of all neurons where inputs are functions, one per row.
    pub(crate) fn compose(&self, kernel: Kernel, functions: &Matrix, inputs: &[u32], out: &mut Matrix) {
        match &self.stored {
            Stored::Dense { matrix, .. } => kernel.multiply(matrix, inputs, functions, out),
            Stored::Sparse { .. } => {
                out.reshape(self.rows, functions.columns);
                for i in 0..self.rows {
                    let sums = out.row_mut(i);
                    sums.fill(0.0);
                    for (j, w) in self.terms(i) {
                        sums.iter_mut().zip(functions.row(j)).for_each(|(sum, a)| *sum += w * a);
                    }
                }
            }
        }
    }
}

impl Kernel {
    /// [`Weights::forward`].
    pub(crate) fn forward(self, weights: &Weights, points: &Matrix, inputs: &[u32], out: &mut Matrix) {
        struct Forward<'a>(&'a Weights, &'a Matrix, &'a [u32], &'a mut Matrix);
        impl WithSimd for Forward<'_> {
            type Output = ();
            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                self.0.forward(simd, self.1, self.2, self.3);
            }
        }
        self.run(Forward(weights, points, inputs, out));
    }

    /// [`Weights::backward`].
    pub(crate) fn backward(self, weights: &Weights, forms: &Matrix, used: &[u32], out: &mut Matrix) {
        struct Backward<'a>(&'a Weights, &'a Matrix, &'a [u32], &'a mut Matrix);
        impl WithSimd for Backward<'_> {
            type Output = ();
            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                self.0.backward(simd, self.1, self.2, self.3);
            }
        }
        self.run(Backward(weights, forms, used, out));
    }
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "the numbers of a test are small")]
mod tests {
    use super::*;

    /// Rows with a few terms each, one without any.
    fn matrix() -> Matrix {
        Matrix::from_fn(9, 5, |i, j| if i == 4 || (i * 3 + j * 7) % 4 != 0 { 0.0 } else { i as f64 - 1.5 * j as f64 })
    }

    #[test]
    fn sparse_products_are_the_dense_ones() {
        let dense = Weights::dense(matrix());
        let sparse = Weights::sparse(5, (0..9).map(|i| dense.terms(i)));
        assert!(sparse.is_sparse() && sparse.work() < dense.work() && sparse.stride() == dense.stride());
        let kernel = Kernel::new();
        let (inputs, neurons): (Vec<u32>, Vec<u32>) = ((0..5).collect(), (0..9).collect());
        let points = Matrix::from_fn(3, 5, |i, j| (i + 1) as f64 - 0.5 * j as f64);
        let forms = Matrix::from_fn(2, 9, |i, j| 0.25 * (i * j) as f64 - 1.0);
        let functions = Matrix::from_fn(5, 4, |i, j| (i * i) as f64 - j as f64);
        let all = |weights: &Weights| {
            let mut out = vec![Matrix::default(); 4];
            kernel.forward(weights, &points, &inputs, &mut out[0]);
            kernel.backward(weights, &forms, &neurons, &mut out[1]);
            kernel.backward(weights, &forms, &[1, 6, 8], &mut out[2]);
            weights.compose(kernel, &functions, &inputs, &mut out[3]);
            let rows = |m: &Matrix| (0..m.rows).map(|i| m.row(i).to_vec()).collect::<Vec<_>>();
            out.iter().map(rows).collect::<Vec<_>>()
        };
        assert_eq!(all(&sparse), all(&dense));
        assert!((0..9).all(|i| sparse.terms(i).eq(dense.terms(i))));
    }
}
