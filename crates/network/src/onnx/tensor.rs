//! Tensors of anything, and the operators that only move entries around.
//!
//! Such an operator is a shape and, for each entry of the result, the index of the entry it comes from; the same plan
//! then serves integers, constants and signals.

use super::error::{Fault, problem};

/// A tensor, row-major.
#[derive(Debug, Clone)]
pub(crate) struct Tensor<T> {
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Vec<T>,
}

/// A rearrangement: the shape of the result, and where each entry comes from.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) shape: Vec<usize>,
    pub(super) source: Vec<usize>,
}

impl<T: Clone> Tensor<T> {
    pub(super) fn rearranged(&self, plan: &Plan) -> Self {
        let data = plan.source.iter().map(|&index| self.data[index].clone()).collect();
        Self { shape: plan.shape.clone(), data }
    }

    pub(super) fn with_shape(&self, shape: Vec<usize>) -> Self {
        debug_assert_eq!(element_count(&shape), Some(self.data.len()), "callers keep the number of entries");
        Self { shape, data: self.data.clone() }
    }
}

/// The number of entries of a shape, unless it overflows, also in part: `[0, 2^63, 4]` is no shape either.
pub(super) fn element_count(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |product, &dim| product.checked_mul(dim.max(1)))?;
    Some(shape.iter().product())
}

/// An index below `len`, negative ones counting from the end.
fn wrapped(index: i64, len: usize) -> Option<usize> {
    let signed = if index < 0 { index.checked_add_unsigned(len as u64) } else { Some(index) };
    signed.and_then(|index| usize::try_from(index).ok()).filter(|index| *index < len)
}

/// An axis, negative ones counting from the end.
pub(super) fn axis(axis: i64, rank: usize) -> Result<usize, Fault> {
    wrapped(axis, rank).map_or_else(|| problem(format!("axis {axis} does not exist in a tensor of rank {rank}")), Ok)
}

/// The place of an entry along an axis of length `len`, negative ones counting from the end.
pub(super) fn index(index: i64, len: usize) -> Result<usize, Fault> {
    wrapped(index, len).map_or_else(|| problem(format!("index {index} does not exist: the axis has {len} entries")), Ok)
}

/// Sizes before, at and after an axis.
fn around(shape: &[usize], axis: usize) -> (usize, usize, usize) {
    (shape[..axis].iter().product(), shape[axis], shape[axis + 1..].iter().product())
}

/// The entries along one axis, in the given order; `index_shape` replaces the axis in the result.
pub(super) fn pick(shape: &[usize], axis: usize, indices: &[usize], index_shape: &[usize]) -> Plan {
    let (outer, len, inner) = around(shape, axis);
    let mut source = Vec::with_capacity(outer * indices.len() * inner);
    for o in 0..outer {
        for &index in indices {
            source.extend((0..inner).map(|i| (o * len + index) * inner + i));
        }
    }
    let new_shape = [&shape[..axis], index_shape, &shape[axis + 1..]].concat();
    Plan { shape: new_shape, source }
}

/// A permutation of the axes.
pub(super) fn transpose(shape: &[usize], permutation: &[usize]) -> Plan {
    let mut strides = vec![1usize; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    let new_shape: Vec<usize> = permutation.iter().map(|&axis| shape[axis]).collect();
    let mut source = vec![0usize];
    for &axis in permutation {
        let (len, stride) = (shape[axis], strides[axis]);
        source = source.iter().flat_map(|&base| (0..len).map(move |i| base + i * stride)).collect();
    }
    Plan { shape: new_shape, source }
}

/// The common shape of two under NumPy's broadcasting rules.
pub(super) fn broadcast_shape(a: &[usize], b: &[usize]) -> Result<Vec<usize>, Fault> {
    let rank = a.len().max(b.len());
    let dim = |shape: &[usize], at: usize| (at + shape.len()).checked_sub(rank).map_or(1, |index| shape[index]);
    let common = |at: usize| match (dim(a, at), dim(b, at)) {
        (x, y) if x == y || y == 1 => Ok(x),
        (1, y) => Ok(y),
        _ => problem(format!("shapes {a:?} and {b:?} do not fit together")),
    };
    (0..rank).map(common).collect()
}

/// How a tensor of shape `from` fills the shape `to`, a broadcast of it.
pub(super) fn broadcast(from: &[usize], to: &[usize]) -> Plan {
    let lead = to.len() - from.len();
    let mut source = vec![0usize];
    for (at, &len) in to.iter().enumerate() {
        let own = if at < lead { 1 } else { from[at - lead] };
        // Row-major: the index so far times the tensor's own extent, plus the index here.
        source =
            source.iter().flat_map(|&base| (0..len).map(move |i| base * own + if own == 1 { 0 } else { i })).collect();
    }
    Plan { shape: to.to_vec(), source }
}

/// Joins tensors along an axis.
pub(super) fn concat<T: Clone>(parts: &[&Tensor<T>], axis: usize) -> Result<Tensor<T>, Fault> {
    let mut shape = parts[0].shape.clone();
    let mut total = 0usize;
    for part in parts {
        let fits =
            part.shape.len() == shape.len() && (0..shape.len()).all(|at| at == axis || part.shape[at] == shape[at]);
        if !fits {
            return problem(format!("shapes {:?} and {:?} cannot be joined along axis {axis}", shape, part.shape));
        }
        total += part.shape[axis];
    }
    shape[axis] = total;
    let outer: usize = shape[..axis].iter().product();
    let mut data = Vec::with_capacity(element_count(&shape).unwrap_or(0));
    for o in 0..outer {
        for part in parts {
            let chunk: usize = part.shape[axis..].iter().product();
            data.extend_from_slice(&part.data[o * chunk..(o + 1) * chunk]);
        }
    }
    Ok(Tensor { shape, data })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Tensor<i32> {
        Tensor { shape: vec![2, 3], data: vec![1, 2, 3, 4, 5, 6] }
    }

    #[test]
    fn entries_move_as_in_numpy() {
        let m = matrix();
        let t = m.rearranged(&transpose(&m.shape, &[1, 0]));
        assert_eq!((t.shape, t.data), (vec![3, 2], vec![1, 4, 2, 5, 3, 6]));
        let p = m.rearranged(&pick(&m.shape, 1, &[2, 0], &[2]));
        assert_eq!((p.shape, p.data), (vec![2, 2], vec![3, 1, 6, 4]));
        let scalar = m.rearranged(&pick(&m.shape, 0, &[1], &[]));
        assert_eq!((scalar.shape, scalar.data), (vec![3], vec![4, 5, 6]));
        let row = Tensor { shape: vec![3], data: vec![7, 8, 9] };
        let b = row.rearranged(&broadcast(&row.shape, &[2, 3]));
        assert_eq!(b.data, [7, 8, 9, 7, 8, 9]);
        let column = Tensor { shape: vec![2, 1], data: vec![7, 8] };
        let b = column.rearranged(&broadcast(&column.shape, &[2, 3]));
        assert_eq!(b.data, [7, 7, 7, 8, 8, 8]);
        let c = concat(&[&m, &m], 1).unwrap();
        assert_eq!((c.shape, c.data), (vec![2, 6], vec![1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6]));
        assert!(concat(&[&m, &row], 0).is_err());
        assert!(broadcast_shape(&[2, 3], &[2]).is_err());
        assert_eq!(broadcast_shape(&[2, 1], &[3]).unwrap(), [2, 3]);
        assert!(axis(-3, 2).is_err() && axis(2, 2).is_err() && axis(i64::MIN, 2).is_err());
        assert_eq!(axis(-1, 2).unwrap(), 1);
    }
}
