//! Operators that only move entries: reshaping, selecting, joining. They serve constants and signals alike.

use super::error::{Fault, problem};
use super::signal::Builder;
use super::tensor::{self, Tensor, broadcast, broadcast_shape, concat, element_count, pick, transpose};
use super::value::{Call, SparseMatrix, Value};

/// A dimension, or a number of them, as ONNX counts.
pub(super) fn as_dim(dim: usize) -> Result<i64, Fault> {
    i64::try_from(dim).or_else(|_| problem("a dimension is too large"))
}

/// `Reshape`, with 0 for "as before" and one -1 for "the rest".
pub(super) fn reshape(call: &Call<'_>) -> Result<Value, Fault> {
    let value = call.input(0)?;
    let wanted = &call.input(1)?.ints("the shape")?.data;
    let keep_zero = call.int("allowzero", 0)? != 0;
    let mut shape = Vec::with_capacity(wanted.len());
    let mut open = None;
    for (at, &dim) in wanted.iter().enumerate() {
        match dim {
            -1 if open.is_none() => {
                open = Some(at);
                shape.push(1);
            }
            0 if !keep_zero => match value.shape().get(at) {
                Some(&dim) => shape.push(dim),
                None => return problem(format!("shape entry {at} refers to a dimension that does not exist")),
            },
            _ => match usize::try_from(dim) {
                Ok(dim) => shape.push(dim),
                Err(_) => return problem(format!("{wanted:?} is no shape")),
            },
        }
    }
    let fixed = element_count(&shape);
    if let (Some(open), Some(fixed)) = (open, fixed.filter(|&fixed| fixed > 0)) {
        shape[open] = value.len() / fixed;
    }
    if element_count(&shape) != Some(value.len()) {
        return problem(format!("a tensor of shape {:?} cannot take shape {wanted:?}", value.shape()));
    }
    Ok(value.with_shape(shape))
}

/// `Flatten`: everything before the axis into rows, the rest into columns.
pub(super) fn flatten(call: &Call<'_>) -> Result<Value, Fault> {
    let value = call.input(0)?;
    let rank = value.shape().len();
    let at = call.int("axis", 1)?;
    // The axis may equal the rank.
    let at = if at == as_dim(rank)? { rank } else { tensor::axis(at, rank)? };
    let (rows, columns) = value.shape().split_at(at);
    Ok(value.with_shape(vec![rows.iter().product(), columns.iter().product()]))
}

pub(super) fn squeeze(call: &Call<'_>) -> Result<Value, Fault> {
    let value = call.input(0)?;
    let rank = value.shape().len();
    let drop: Vec<usize> = match call.ints_or_input("axes", 1)? {
        Some(axes) => axes.iter().map(|&axis| tensor::axis(axis, rank)).collect::<Result<_, _>>()?,
        None => (0..rank).filter(|&axis| value.shape()[axis] == 1).collect(),
    };
    if let Some(axis) = drop.iter().find(|&&axis| value.shape()[axis] != 1) {
        return problem(format!("axis {axis} of shape {:?} has not size 1", value.shape()));
    }
    Ok(value.with_shape((0..rank).filter(|axis| !drop.contains(axis)).map(|axis| value.shape()[axis]).collect()))
}

pub(super) fn unsqueeze(call: &Call<'_>) -> Result<Value, Fault> {
    let value = call.input(0)?;
    let Some(axes) = call.ints_or_input("axes", 1)? else { return problem("the axes are missing") };
    if axes.len() > 16 {
        return problem("more than 16 axes");
    }
    let rank = value.shape().len() + axes.len();
    let axes: Vec<usize> = axes.iter().map(|&axis| tensor::axis(axis, rank)).collect::<Result<_, _>>()?;
    let mut old = value.shape().iter().copied();
    let shape: Vec<usize> = (0..rank).map(|at| if axes.contains(&at) { 1 } else { old.next().unwrap_or(1) }).collect();
    if old.next().is_some() {
        return problem("an axis is named twice");
    }
    Ok(value.with_shape(shape))
}

pub(super) fn transposed(call: &Call<'_>) -> Result<Value, Fault> {
    let value = call.input(0)?;
    let rank = value.shape().len();
    let permutation: Vec<usize> = match call.ints("perm")? {
        Some(axes) => axes.iter().map(|&axis| tensor::axis(axis, rank)).collect::<Result<_, _>>()?,
        None => (0..rank).rev().collect(),
    };
    let mut sorted = permutation.clone();
    sorted.sort_unstable();
    if sorted != (0..rank).collect::<Vec<_>>() {
        return problem(format!("{permutation:?} is no permutation of {rank} axes"));
    }
    if let (Value::Sparse(matrix), [1, 0]) = (value, &permutation[..])
        && let Some(rows) = matrix.rows.transposed()
    {
        return Ok(Value::Sparse(SparseMatrix::new(rows)));
    }
    Ok(value.rearranged(&transpose(value.shape(), &permutation)))
}

/// The indices that a slice takes from an axis of that length, by ONNX's clamping rules.
fn slice_indices(start: i64, end: i64, step: i64, len: usize) -> Result<Vec<usize>, Fault> {
    if step == 0 {
        return problem("a step of 0");
    }
    let len = as_dim(len)?;
    let wrap = |at: i64| if at < 0 { at.saturating_add(len) } else { at };
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let first = wrap(start).clamp(low.max(0), high.max(0));
    let last = wrap(end).clamp(low, high);
    let mut indices = Vec::new();
    let mut at = first;
    while at >= 0 && at < len && if step > 0 { at < last } else { at > last } {
        indices.push(usize::try_from(at).expect("from 0 on"));
        at = at.saturating_add(step);
    }
    Ok(indices)
}

pub(super) fn slice(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let missing = |what: &str| Fault::Problem(format!("the {what} are missing"));
    let starts = call.ints_or_input("starts", 1)?.ok_or_else(|| missing("starts"))?;
    let ends = call.ints_or_input("ends", 2)?.ok_or_else(|| missing("ends"))?;
    let axes = call.ints_or_input("axes", 3)?.unwrap_or_else(|| (0..).take(starts.len()).collect());
    let steps = call.ints_or_input("steps", 4)?.unwrap_or_else(|| vec![1; starts.len()]);
    if ends.len() != starts.len() || axes.len() != starts.len() || steps.len() != starts.len() {
        return problem("starts, ends, axes and steps differ in length");
    }
    let mut value = call.input(0)?.clone();
    if axes.len() > value.shape().len() {
        return problem("more axes than the tensor has");
    }
    for (((start, end), axis), step) in starts.iter().zip(&ends).zip(&axes).zip(&steps) {
        let axis = tensor::axis(*axis, value.shape().len())?;
        let indices = slice_indices(*start, *end, *step, value.shape()[axis])?;
        builder.charge(value.len())?;
        value = value.rearranged(&pick(value.shape(), axis, &indices, &[indices.len()]));
    }
    Ok(value)
}

pub(super) fn joined(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let parts: Vec<&Value> = (0..call.inputs.len()).map(|index| call.input(index)).collect::<Result<_, _>>()?;
    let Some(first) = parts.first() else { return problem("nothing to join") };
    let axis = tensor::axis(call.int("axis", 0)?, first.shape().len())?;
    builder.charge(parts.iter().map(|part| part.len()).sum())?;
    if parts.iter().all(|part| matches!(part, Value::Int(_))) {
        let parts: Vec<&Tensor<i64>> = parts.iter().map(|part| part.ints("the parts")).collect::<Result<_, _>>()?;
        return Ok(Value::Int(concat(&parts, axis)?));
    }
    if parts.iter().all(|part| matches!(part, Value::Choice(_))) {
        let choice = |part: &&Value| match part {
            Value::Choice(tensor) => tensor.clone(),
            _ => unreachable!("all of them are choices"),
        };
        let parts: Vec<_> = parts.iter().map(choice).collect();
        return Ok(Value::Choice(concat(&parts.iter().collect::<Vec<_>>(), axis)?));
    }
    let whole = parts.iter().all(|part| part.is_whole());
    let read = |part: &&Value| if whole { part.elements() } else { part.signal() };
    let parts: Vec<_> = parts.iter().map(read).collect::<Result<_, _>>()?;
    let result = concat(&parts.iter().collect::<Vec<_>>(), axis)?;
    Ok(if whole { Value::Whole(result) } else { Value::Signal(result) })
}

/// `Split`: sizes as an input or an attribute, else equal parts, the last one smaller where they do not fit.
pub(super) fn split(call: &Call<'_>, builder: &mut Builder) -> Result<Vec<Value>, Fault> {
    let value = call.input(0)?;
    let axis = tensor::axis(call.int("axis", 0)?, value.shape().len())?;
    let (len, count) = (value.shape()[axis], call.node.output.len());
    let sizes: Vec<usize> = match call.ints_or_input("split", 1)? {
        Some(sizes) => {
            let size = |&size: &i64| usize::try_from(size).or_else(|_| problem("a part of negative size"));
            sizes.iter().map(size).collect::<Result<_, _>>()?
        }
        None => {
            let each = len.div_ceil(count.max(1));
            (0..count).map(|part| each.min(len.saturating_sub(part * each))).collect()
        }
    };
    if sizes.len() != count || sizes.iter().try_fold(0usize, |sum, &size| sum.checked_add(size)) != Some(len) {
        return problem(format!(
            "{count} parts of sizes {sizes:?} do not make up axis {axis}, which has {len} entries"
        ));
    }
    builder.charge(value.len())?;
    let mut start = 0;
    let mut parts = Vec::with_capacity(count);
    for size in sizes {
        let places: Vec<usize> = (start..start + size).collect();
        parts.push(value.rearranged(&pick(value.shape(), axis, &places, &[size])));
        start += size;
    }
    Ok(parts)
}

/// `Expand`: broadcasting to a shape.
pub(super) fn expand(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let value = call.input(0)?;
    let wanted = &call.input(1)?.ints("the shape")?.data;
    let dims: Option<Vec<usize>> = wanted.iter().map(|&dim| usize::try_from(dim).ok()).collect();
    let Some(dims) = dims else { return problem(format!("{wanted:?} is no shape")) };
    let shape = broadcast_shape(value.shape(), &dims)?;
    builder.charge(element_count(&shape).ok_or(Fault::TooLarge)?)?;
    Ok(value.rearranged(&broadcast(value.shape(), &shape)))
}

/// `ConstantOfShape`: one stored number, 0 by default.
pub(super) fn filled(call: &Call<'_>, builder: &mut Builder, fill: Option<Value>) -> Result<Value, Fault> {
    let wanted = &call.input(0)?.ints("the shape")?.data;
    let dims: Option<Vec<usize>> = wanted.iter().map(|&dim| usize::try_from(dim).ok()).collect();
    let Some(shape) = dims else { return problem(format!("{wanted:?} is no shape")) };
    builder.charge(element_count(&shape).ok_or(Fault::TooLarge)?)?;
    let fill = fill.unwrap_or(Value::Float(Tensor { shape: vec![1], data: vec![0.0] }));
    if fill.len() != 1 {
        return problem("its value must be one number");
    }
    let fill = fill.with_shape(vec![1; shape.len()]);
    Ok(fill.rearranged(&broadcast(fill.shape(), &shape)))
}

/// `Shape`, whole or a stretch of it. The batch dimension counts as 1, as it does everywhere here.
pub(super) fn shape(call: &Call<'_>) -> Result<Value, Fault> {
    let shape = call.input(0)?.shape();
    let rank = as_dim(shape.len())?;
    let wrap = |at: i64| if at < 0 { at.saturating_add(rank) } else { at };
    let bound = |at: i64| usize::try_from(wrap(at).clamp(0, rank)).expect("from 0 on");
    let (start, end) = (bound(call.int("start", 0)?), bound(call.int("end", rank)?));
    let data: Vec<i64> = shape[start..end.max(start)].iter().map(|&dim| as_dim(dim)).collect::<Result<_, _>>()?;
    Ok(Value::Int(Tensor { shape: vec![data.len()], data }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_clamp_as_in_numpy() {
        for (start, end, step, expected) in [
            (0, 3, 1, vec![0, 1, 2]),
            (-2, i64::MAX, 1, vec![3, 4]),
            (1, -1, 2, vec![1, 3]),
            (-1, i64::MIN, -2, vec![4, 2, 0]),
            (9, 0, -1, vec![4, 3, 2, 1]),
            (4, 2, 1, vec![]),
        ] {
            assert_eq!(slice_indices(start, end, step, 5).unwrap(), expected);
        }
        assert!(slice_indices(0, 1, 0, 5).is_err());
        assert!(slice_indices(3, 0, -1, 0).unwrap().is_empty());
    }
}
