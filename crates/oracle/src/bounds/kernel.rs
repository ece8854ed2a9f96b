//! Dense matrices, padded for vector units, and the one product that nearly all time goes into.
//!
//! Products are formed column block by column block, each entry being a sum over `i` in a fixed order, multiplication
//! and addition rounded apart. So results do not depend on how wide the machine's vectors are, and every entry is a
//! sum of at most `used.len()` products in the sense of the error analysis in [`super::relax`].

/// Entries that are computed side by side; rows are padded with zeros to a multiple of this.
pub(crate) const LANES: usize = 8;

/// A row-major matrix whose rows are padded with zeros to a multiple of [`LANES`].
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
    pub(crate) fn reshape(&mut self, rows: usize, columns: usize) {
        self.rows = rows;
        self.columns = columns;
        self.stride = columns.next_multiple_of(LANES);
        self.data.resize(rows * self.stride, 0.0);
    }
}

/// Picks the widest vectors that the machine has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kernel(pulp::Arch);

impl Kernel {
    pub(crate) fn new() -> Self {
        Self(pulp::Arch::new())
    }

    /// Runs a closure compiled for the machine's vector unit.
    #[inline]
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        self.0.dispatch(work)
    }

    /// `out = left * right`, summing over the rows of `right` listed in `used` only: the others meet zeros.
    pub(crate) fn multiply(self, left: &Matrix, used: &[u32], right: &Matrix, out: &mut Matrix) {
        debug_assert_eq!(left.columns, right.rows, "shapes fit");
        out.reshape(left.rows, right.columns);
        self.run(
            #[inline(always)]
            || {
                let mut first = 0;
                while first + 8 <= left.rows {
                    rows::<8>(left, first, used, right, out);
                    first += 8;
                }
                while first + 4 <= left.rows {
                    rows::<4>(left, first, used, right, out);
                    first += 4;
                }
                while first < left.rows {
                    rows::<1>(left, first, used, right, out);
                    first += 1;
                }
            },
        );
    }
}

/// `R` rows of the product, from row `first`.
#[inline(always)]
fn rows<const R: usize>(left: &Matrix, first: usize, used: &[u32], right: &Matrix, out: &mut Matrix) {
    let count = right.rows;
    let factors: [&[f64]; R] = std::array::from_fn(|r| &left.row(first + r)[..count]);
    let stride = right.stride;
    for block in (0..stride).step_by(LANES) {
        let mut sums = [[0.0f64; LANES]; R];
        if used.len() == count {
            // The same sums without a list, which spares the look-ups.
            for (i, row) in right.data.chunks_exact(stride).take(count).enumerate() {
                let weights = row[block..].first_chunk::<LANES>().expect("rows are padded");
                add_products(&mut sums, &factors, i, weights);
            }
        } else {
            for &i in used {
                let i = i as usize;
                let weights = right.data[i * stride + block..].first_chunk::<LANES>().expect("rows are padded");
                add_products(&mut sums, &factors, i, weights);
            }
        }
        for (r, sum) in sums.iter().enumerate() {
            out.row_mut(first + r)[block..block + LANES].copy_from_slice(sum);
        }
    }
}

#[inline(always)]
fn add_products<const R: usize>(sums: &mut [[f64; LANES]; R], factors: &[&[f64]; R], i: usize, weights: &[f64; LANES]) {
    for r in 0..R {
        let factor = factors[r][i];
        for lane in 0..LANES {
            sums[r][lane] += factor * weights[lane];
        }
    }
}

#[cfg(test)]
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
