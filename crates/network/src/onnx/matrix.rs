//! Products with constant matrices: `MatMul` and `Gemm`.

use surefoot_num::Rational;

use super::compute::{elementwise, map, typed};
use super::error::{Fault, problem};
use super::signal::{Builder, Element};
use super::tensor::{Tensor, broadcast_shape, transpose};
use super::value::{Call, Value};

/// A constant matrix for a product; says so when it is none.
fn matrix(value: &Value) -> Result<Tensor<f64>, Fault> {
    value.floats().ok_or_else(|| {
        Fault::Unsupported("one side of a matrix product must be constant numbers of double precision".to_owned())
    })
}

fn transposed<T: Clone>(tensor: &Tensor<T>) -> Tensor<T> {
    tensor.rearranged(&transpose(&tensor.shape, &[1, 0]))
}

/// The product of a signal (rows by `inner`) with a constant matrix given as outputs by `inner`.
fn product(signal: &Tensor<Element>, weights: &Tensor<f64>, builder: &mut Builder) -> Result<Tensor<Element>, Fault> {
    let (rows, inner, outputs) = (signal.shape[0], signal.shape[1], weights.shape[0]);
    if inner != weights.shape[1] || inner == 0 {
        let weights = [weights.shape[1], weights.shape[0]];
        return problem(format!("a matrix of shape {weights:?} does not fit values of shape {:?}", signal.shape));
    }
    let mut data = Vec::new();
    for row in signal.data.chunks_exact(inner) {
        data.extend(builder.apply(weights, row)?);
    }
    Ok(Tensor { shape: vec![rows, outputs], data })
}

/// `MatMul` with one constant side.
pub(super) fn matmul(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let (a, b) = (call.input(0)?, call.input(1)?);
    builder.charge(a.len().saturating_add(b.len()))?;
    let rank = |value: &Value| value.shape().len();
    if b.is_constant() {
        let weights = matrix(b)?;
        if rank(a) == 0 || rank(b) == 0 || rank(b) > 2 {
            return problem(format!("shapes {:?} and {:?} are not supported", a.shape(), b.shape()));
        }
        let columns = if rank(b) == 1 { weights.with_shape(vec![1, b.len()]) } else { transposed(&weights) };
        let (lead, inner) = a.shape().split_at(rank(a) - 1);
        let rows = a.signal()?.with_shape(vec![lead.iter().product(), inner[0]]);
        let result = product(&rows, &columns, builder)?;
        let mut shape = lead.to_vec();
        if rank(b) == 2 {
            shape.push(b.shape()[1]);
        }
        return Ok(Value::Signal(result.with_shape(shape)));
    }
    let weights = matrix(a)?;
    if !matches!(rank(a), 1 | 2) || !matches!(rank(b), 1 | 2) {
        return problem(format!("shapes {:?} and {:?} are not supported", a.shape(), b.shape()));
    }
    let rows = if rank(a) == 1 { weights.with_shape(vec![1, a.len()]) } else { weights };
    // (A B)^T = B^T A^T: the columns of B are the vectors.
    let signal = b.signal()?;
    let vectors = if rank(b) == 1 { signal.with_shape(vec![1, b.len()]) } else { transposed(&signal) };
    let result = transposed(&product(&vectors, &rows, builder)?);
    let mut shape = Vec::new();
    if rank(a) == 2 {
        shape.push(a.shape()[0]);
    }
    if rank(b) == 2 {
        shape.push(b.shape()[1]);
    }
    Ok(Value::Signal(result.with_shape(shape)))
}

/// `alpha * A' B' + beta * C` with A or B constant.
pub(super) fn gemm(call: &Call<'_>, builder: &mut Builder) -> Result<Value, Fault> {
    let (a, b) = (call.input(0)?, call.input(1)?);
    if a.shape().len() != 2 || b.shape().len() != 2 {
        return problem(format!("shapes {:?} and {:?}; expected two matrices", a.shape(), b.shape()));
    }
    builder.charge(a.len().saturating_add(b.len()))?;
    let (trans_a, trans_b) = (call.int("transA", 0)? != 0, call.int("transB", 0)? != 0);
    let result = if b.is_constant() {
        let (weights, signal) = (matrix(b)?, a.signal()?);
        let weights = if trans_b { weights } else { transposed(&weights) };
        product(&if trans_a { transposed(&signal) } else { signal }, &weights, builder)?
    } else {
        let (weights, signal) = (matrix(a)?, b.signal()?);
        let weights = if trans_a { transposed(&weights) } else { weights };
        let vectors = if trans_b { signal } else { transposed(&signal) };
        transposed(&product(&vectors, &weights, builder)?)
    };
    let one = || Rational::ONE;
    let (alpha, beta) = (call.float("alpha")?.unwrap_or_else(one), call.float("beta")?.unwrap_or_else(one));
    let mut result = Value::Signal(result);
    if alpha != Rational::ONE {
        result = map(&result, builder, |builder, x| builder.multiply(x, &alpha))?;
    }
    if let Some(c) = call.optional(2) {
        let shape = result.shape().to_vec();
        if broadcast_shape(&shape, c.shape())? != shape {
            return problem(format!("C of shape {:?} does not fit a result of shape {shape:?}", c.shape()));
        }
        let c =
            if beta == Rational::ONE { c.clone() } else { map(c, builder, |builder, x| builder.multiply(x, &beta))? };
        let sum = elementwise(&result, &c, builder, |builder, x, y| builder.add(x, 1, y))?;
        result = typed(&[&result, &c], sum)?;
    }
    Ok(result)
}
