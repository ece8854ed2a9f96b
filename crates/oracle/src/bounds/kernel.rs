//! Dense matrices, padded for vector units, and the one product that nearly all time goes into.
//!
//! Products are formed column block by column block, each entry being a sum over `i` in a fixed order, multiplication
//! and addition rounded apart. So results do not depend on how wide the machine's vectors are, and every entry is a
//! sum of at most `used.len()` products in the sense of the error analysis in [`super::setting`].

use pulp::{Simd, WithSimd};

/// Entries that are computed side by side; rows are padded with zeros to a multiple of this.
pub(crate) const LANES: usize = 8;

/// A row-major matrix whose rows are padded with zeros to a multiple of [`LANES`].
///
/// Invariant: `data` holds at least `rows * stride` entries; more are left over from larger shapes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) stride: usize,
    data: Vec<f64>,
}

impl Matrix {
    /// All zeros.
    pub(crate) fn zeros(rows: usize, columns: usize) -> Self {
        let stride = columns.next_multiple_of(LANES);
        Self { rows, columns, stride, data: vec![0.0; rows * stride] }
    }

    /// The matrix with the given entries.
    pub(crate) fn from_fn(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut matrix = Self::zeros(rows, columns);
        for i in 0..rows {
            for (j, value) in matrix.row_mut(i)[..columns].iter_mut().enumerate() {
                *value = entry(i, j);
            }
        }
        matrix
    }

    /// Rows and columns exchanged.
    pub(crate) fn transposed(&self) -> Self {
        Self::from_fn(self.columns, self.rows, |i, j| self.row(j)[i])
    }

    /// A row with its padding.
    #[inline(always)]
    pub(crate) fn row(&self, index: usize) -> &[f64] {
        &self.data[index * self.stride..(index + 1) * self.stride]
    }

    /// A row with its padding, which must stay zero.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, index: usize) -> &mut [f64] {
        &mut self.data[index * self.stride..(index + 1) * self.stride]
    }

    /// Gives the matrix another shape, entries unspecified; allocates only to grow.
    #[inline(always)]
    pub(crate) fn reshape(&mut self, rows: usize, columns: usize) {
        self.rows = rows;
        self.columns = columns;
        self.stride = columns.next_multiple_of(LANES);
        if self.data.len() < rows * self.stride {
            self.data.resize(rows * self.stride, 0.0);
        }
    }

    /// Takes the shape and the entries of another matrix.
    #[inline(always)]
    pub(crate) fn copy(&mut self, other: &Self) {
        self.reshape(other.rows, other.columns);
        let len = other.rows * other.stride;
        self.data[..len].copy_from_slice(&other.data[..len]);
    }
}

/// Picks the widest vectors that the machine has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kernel(pulp::Arch);

impl Kernel {
    pub(crate) fn new() -> Self {
        Self(pulp::Arch::new())
    }

    /// Runs what is written for any vector unit on the machine's.
    #[inline]
    pub(crate) fn run<W: WithSimd>(self, work: W) -> W::Output {
        self.0.dispatch(work)
    }

    /// `out = left * right`, summing over the rows of `right` listed in `used` only: the others meet zeros.
    pub(crate) fn multiply(self, left: &Matrix, used: &[u32], right: &Matrix, out: &mut Matrix) {
        struct Multiply<'a>(&'a Matrix, &'a [u32], &'a Matrix, &'a mut Matrix);
        impl WithSimd for Multiply<'_> {
            type Output = ();
            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                multiply(simd, self.0, self.1, self.2, self.3);
            }
        }
        self.run(Multiply(left, used, right, out));
    }
}

/// A padded row as vectors.
#[inline(always)]
pub(crate) fn vectors<S: Simd>(_: S, row: &[f64]) -> &[S::f64s] {
    let (vectors, rest) = S::as_simd_f64s(row);
    debug_assert!(rest.is_empty(), "rows are padded");
    vectors
}

/// A padded row as vectors, to be changed.
#[inline(always)]
pub(crate) fn vectors_mut<S: Simd>(_: S, row: &mut [f64]) -> &mut [S::f64s] {
    let (vectors, rest) = S::as_mut_simd_f64s(row);
    debug_assert!(rest.is_empty(), "rows are padded");
    vectors
}

/// The sum of [`LANES`] numbers, the same for vectors of any width.
#[inline(always)]
pub(crate) fn sum(lanes: &[f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// [`Kernel::multiply`], for callers that a kernel runs.
#[inline(always)]
pub(crate) fn multiply<S: Simd>(simd: S, left: &Matrix, used: &[u32], right: &Matrix, out: &mut Matrix) {
    debug_assert_eq!(left.columns, right.rows, "shapes fit");
    out.reshape(left.rows, right.columns);
    let mut first = 0;
    while first + 8 <= left.rows {
        tiles::<S, 8, 1>(simd, left, first, used, right, out);
        first += 8;
    }
    while first + 4 <= left.rows {
        tiles::<S, 4, 2>(simd, left, first, used, right, out);
        first += 4;
    }
    while first < left.rows {
        tiles::<S, 1, 4>(simd, left, first, used, right, out);
        first += 1;
    }
}

/// `R` rows of the product from row `first`, at most `C` vectors at a time.
#[inline(always)]
fn tiles<S: Simd, const R: usize, const C: usize>(
    simd: S,
    left: &Matrix,
    first: usize,
    used: &[u32],
    right: &Matrix,
    out: &mut Matrix,
) {
    let columns = right.stride / S::F64_LANES;
    let mut column = 0;
    while column + C <= columns {
        tile::<S, R, C>(simd, left, first, used, right, column, out);
        column += C;
    }
    while column < columns {
        tile::<S, R, 1>(simd, left, first, used, right, column, out);
        column += 1;
    }
}

/// `R` rows and `C` vectors of columns of the product; sums stay in registers.
#[inline(always)]
fn tile<S: Simd, const R: usize, const C: usize>(
    simd: S,
    left: &Matrix,
    first: usize,
    used: &[u32],
    right: &Matrix,
    column: usize,
    out: &mut Matrix,
) {
    let count = right.rows;
    let columns = right.stride / S::F64_LANES;
    let factors: [&[f64]; R] = std::array::from_fn(
        #[inline(always)]
        |r| &left.row(first + r)[..count],
    );
    let weights = &vectors(simd, &right.data)[..count * columns];
    let mut sums = [[simd.splat_f64s(0.0); C]; R];
    if used.len() == count {
        // The same sums without a list, which spares the look-ups.
        for (i, row) in weights.chunks_exact(columns).enumerate() {
            add_products(simd, &mut sums, &factors, i, &row[column..column + C]);
        }
    } else {
        for &i in used {
            let at = i as usize * columns + column;
            add_products(simd, &mut sums, &factors, i as usize, &weights[at..at + C]);
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        vectors_mut(simd, out.row_mut(first + r))[column..column + C].copy_from_slice(sums);
    }
}

#[inline(always)]
fn add_products<S: Simd, const R: usize, const C: usize>(
    simd: S,
    sums: &mut [[S::f64s; C]; R],
    factors: &[&[f64]; R],
    i: usize,
    weights: &[S::f64s],
) {
    for r in 0..R {
        let factor = simd.splat_f64s(factors[r][i]);
        for c in 0..C {
            sums[r][c] = simd.add_f64s(sums[r][c], simd.mul_f64s(factor, weights[c]));
        }
    }
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "the numbers of a test are small")]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_definition() {
        let left = Matrix::from_fn(7, 5, |i, j| (i as f64) - 2.0 * (j as f64));
        let right = Matrix::from_fn(5, 11, |i, j| 0.5 * (i as f64) + (j as f64));
        let mut out = Matrix::default();
        for used in [vec![0, 1, 2, 3, 4], vec![1, 3], vec![]] {
            Kernel::new().multiply(&left, &used, &right, &mut out);
            for i in 0..7 {
                for j in 0..11 {
                    let sum: f64 = used.iter().map(|&k| left.row(i)[k as usize] * right.row(k as usize)[j]).sum();
                    assert_eq!(out.row(i)[j], sum);
                }
                assert!(out.row(i)[11..].iter().all(|padding| *padding == 0.0));
            }
        }
        assert_eq!(right.transposed().row(10)[4], right.row(4)[10]);
    }
}
