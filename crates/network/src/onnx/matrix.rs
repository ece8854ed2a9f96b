//! Products with constant matrices: `MatMul` and `Gemm`.

use surefoot_num::Rational;

use super::compute::{elementwise, map, typed};
use super::error::{Fault, problem};
use super::signal::{Builder, Element};
use super::tensor::{Tensor, broadcast_shape, transpose};
use super::value::{Call, Value};
use crate::layer::Layer;
use crate::sparse::SparseRows;

/// A constant matrix, outputs by inputs.
#[derive(Debug)]
pub(crate) enum Matrix {
    /// All entries; of two dimensions.
    Dense(Tensor<f64>),
    /// Those that are not zero.
    Sparse(SparseRows),
}

impl Matrix {
    /// The matrix of a layer.
    pub(crate) fn of_layer(layer: &Layer) -> Self {
        match layer.sparse_rows() {
            Some(rows) => Self::Sparse(rows.clone()),
            None => {
                let shape = vec![layer.output_len(), layer.input_len()];
                Self::Dense(Tensor { shape, data: layer.weights().into_owned() })
            }
        }
    }

    /// What stands in a product; a single row where the value has one dimension. Says so when it is not constant.
    fn of_value(value: &Value) -> Result<Self, Fault> {
        if let Value::Sparse(matrix) = value {
            return Ok(Self::Sparse(matrix.rows.clone()));
        }
        let Some(tensor) = value.floats() else {
            let text = "one side of a matrix product must be constant numbers of double precision";
            return Err(Fault::Unsupported(text.to_owned()));
        };
        let sparse = match tensor.shape[..] {
            [length] => return Ok(Self::Dense(tensor.with_shape(vec![1, length]))),
            [_, columns] if columns > 0 => SparseRows::of_dense(columns, &tensor.data),
            // Of other shapes there is no product; callers say so.
            _ => None,
        };
        Ok(sparse.map_or(Self::Dense(tensor), Self::Sparse))
    }

    /// How many entries are kept, and rows.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.data.len(),
            Self::Sparse(rows) => rows.values().len() + rows.len(),
        }
    }

    /// Rows and columns.
    fn shape(&self) -> [usize; 2] {
        match self {
            Self::Dense(matrix) => [matrix.shape[0], matrix.shape[1]],
            Self::Sparse(rows) => [rows.len(), rows.columns()],
        }
    }

    fn transposed(self) -> Self {
        match self {
            Self::Dense(matrix) => Self::Dense(transposed(&matrix)),
            Self::Sparse(rows) => match rows.transposed() {
                Some(columns) => Self::Sparse(columns),
                None => {
                    Self::Dense(transposed(&Tensor { shape: vec![rows.len(), rows.columns()], data: rows.dense() }))
                }
            },
        }
    }
}

fn transposed<T: Clone>(tensor: &Tensor<T>) -> Tensor<T> {
    tensor.rearranged(&transpose(&tensor.shape, &[1, 0]))
}

/// The product of a signal (rows by `inner`) with a constant matrix given as outputs by `inner`.
fn product(signal: &Tensor<Element>, weights: &Matrix, builder: &mut Builder) -> Result<Tensor<Element>, Fault> {
    let (rows, inner, [outputs, columns]) = (signal.shape[0], signal.shape[1], weights.shape());
    if inner != columns || inner == 0 {
        let weights = [columns, outputs];
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
        let weights = Matrix::of_value(b)?;
        if rank(a) == 0 || rank(b) == 0 || rank(b) > 2 {
            return problem(format!("shapes {:?} and {:?} are not supported", a.shape(), b.shape()));
        }
        let columns = if rank(b) == 1 { weights } else { weights.transposed() };
        let (lead, inner) = a.shape().split_at(rank(a) - 1);
        let rows = a.signal()?.with_shape(vec![lead.iter().product(), inner[0]]);
        let result = product(&rows, &columns, builder)?;
        let mut shape = lead.to_vec();
        if rank(b) == 2 {
            shape.push(b.shape()[1]);
        }
        return Ok(Value::Signal(result.with_shape(shape)));
    }
    let rows = Matrix::of_value(a)?;
    if !matches!(rank(a), 1 | 2) || !matches!(rank(b), 1 | 2) {
        return problem(format!("shapes {:?} and {:?} are not supported", a.shape(), b.shape()));
    }
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
        let (weights, signal) = (Matrix::of_value(b)?, a.signal()?);
        let weights = if trans_b { weights } else { weights.transposed() };
        product(&if trans_a { transposed(&signal) } else { signal }, &weights, builder)?
    } else {
        let (weights, signal) = (Matrix::of_value(a)?, b.signal()?);
        let weights = if trans_a { weights.transposed() } else { weights };
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
