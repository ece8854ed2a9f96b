//! The graph as expressions: which operator makes an edge, which edges carry the same value, products taken apart.
//!
//! Two edges count as the same value when they are the same edge, or come from equal operators of the same values, a few steps back.
//! Constants are those that are stored in the file, of few entries.

use std::collections::BTreeMap;

use surefoot_num::Rational;

use super::constant::{SideFiles, decode};
use super::interpret::constant;
use super::proto::{AttributeProto, NodeProto, TensorProto};
use super::tensor::Tensor;
use super::value::{Call, Value};

/// How far back two edges are compared that are not the same edge, and how many inputs such operators have.
pub(super) const DEPTH: usize = 3;
/// Constants of functions have few entries.
const FEW: i64 = 16;

/// A constant of one entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scalar {
    pub(super) value: f64,
    /// How many dimensions it has.
    pub(super) rank: usize,
}

/// A product of edges and constants.
#[derive(Debug, Default)]
pub(super) struct Product<'m> {
    pub(super) edges: Vec<&'m str>,
    pub(super) factor: Option<Rational>,
    pub(super) rank: usize,
}

/// The graph as expressions.
pub(super) struct Expressions<'m, 'f, 's> {
    producers: &'m BTreeMap<&'m str, &'m NodeProto>,
    stored: &'m BTreeMap<&'m str, &'m TensorProto>,
    side: &'f SideFiles<'s>,
}

impl<'m, 'f, 's> Expressions<'m, 'f, 's> {
    pub(super) fn new(
        producers: &'m BTreeMap<&'m str, &'m NodeProto>,
        stored: &'m BTreeMap<&'m str, &'m TensorProto>,
        side: &'f SideFiles<'s>,
    ) -> Self {
        Self { producers, stored, side }
    }

    /// The inputs of the node that makes an edge, when it is this operator with that many.
    pub(super) fn inputs<const N: usize>(&self, edge: &str, op: &str) -> Option<[&'m str; N]> {
        let node = self.node(edge, op)?;
        let inputs: Vec<&'m str> = node.input.iter().map(String::as_str).collect();
        inputs.try_into().ok()
    }

    fn node(&self, edge: &str, op: &str) -> Option<&'m NodeProto> {
        let node = *self.producers.get(edge)?;
        let own = node.domain.is_empty() || node.domain == "ai.onnx";
        (own && node.op_type == op && node.output.len() == 1).then_some(node)
    }

    /// The tensor that an edge carries, when it is stored and has few entries.
    pub(super) fn stored(&self, edge: &str) -> Option<Value> {
        let few = |tensor: &TensorProto| {
            let count = tensor.dims.iter().try_fold(1i64, |count, dim| count.checked_mul(*dim));
            tensor.dims.len() <= 8 && count.is_some_and(|count| (0..=FEW).contains(&count))
        };
        if let Some(tensor) = self.stored.get(edge) {
            return few(tensor).then(|| decode(tensor, self.side).ok()).flatten().map(Value::from);
        }
        let node = self.node(edge, "Constant")?;
        let short = |a: &AttributeProto| a.floats.len().max(a.ints.len()) <= DEPTH && a.t.as_ref().is_none_or(few);
        let short = node.attribute.iter().all(short);
        short.then(|| constant(&Call { node, inputs: Vec::new() }, self.side).ok()).flatten()
    }

    pub(super) fn scalar(&self, edge: &str) -> Option<Scalar> {
        match self.stored(edge)? {
            Value::Float(Tensor { shape, data }) if data.len() == 1 => {
                Some(Scalar { value: data[0], rank: shape.len() })
            }
            _ => None,
        }
    }

    /// Of two edges the one that is a constant, and the other.
    pub(super) fn with_constant(&self, [a, b]: [&'m str; 2]) -> Option<(Scalar, &'m str)> {
        self.scalar(a).map(|c| (c, b)).or_else(|| self.scalar(b).map(|c| (c, a)))
    }

    /// Whether two edges carry the same value.
    pub(super) fn same(&self, a: &str, b: &str, depth: usize) -> bool {
        if a == b {
            return true;
        }
        if let (Some(x), Some(y)) = (self.scalar(a), self.scalar(b)) {
            return x == y;
        }
        let (Some(x), Some(y)) = (self.producers.get(a), self.producers.get(b)) else { return false };
        depth > 0
            && x.op_type == y.op_type
            && x.domain == y.domain
            && x.attribute == y.attribute
            && (x.output.len(), y.output.len()) == (1, 1)
            && x.input.len() == y.input.len()
            && (1..=DEPTH).contains(&x.input.len())
            // What draws numbers at random gives others each time.
            && !x.op_type.starts_with("Random")
            && !matches!(x.op_type.as_str(), "Multinomial" | "Bernoulli" | "Dropout")
            && x.input.iter().zip(&y.input).all(|(x, y)| self.same(x, y, depth - 1))
    }

    /// Takes a product apart, down to `x` where it is met.
    pub(super) fn product(&self, edge: &'m str, x: Option<&str>, depth: usize, into: &mut Product<'m>) -> Option<()> {
        if x.is_some_and(|x| self.same(edge, x, DEPTH)) {
            into.edges.push(edge);
            return Some(());
        }
        if let Some(Scalar { value, rank }) = self.scalar(edge) {
            into.rank = into.rank.max(rank);
            let factor = into.factor.take().unwrap_or(Rational::ONE);
            into.factor = Some(&factor * &Rational::from_f64(value)?);
            return Some(());
        }
        if depth > 0
            && let Some([a, b]) = self.inputs(edge, "Mul")
        {
            self.product(a, x, depth - 1, into)?;
            return self.product(b, x, depth - 1, into);
        }
        if depth > 0
            && let Some([a, b]) = self.inputs(edge, "Div")
            && let Some(Scalar { value, rank }) = self.scalar(b)
        {
            into.rank = into.rank.max(rank);
            let factor = into.factor.take().unwrap_or(Rational::ONE);
            into.factor = Some(factor.checked_div(&Rational::from_f64(value)?)?);
            return self.product(a, x, depth - 1, into);
        }
        into.edges.push(edge);
        Some(())
    }

    /// The base of a power, and the dimensions of its exponent.
    pub(super) fn power(&self, edge: &str, exponent: f64) -> Option<(&'m str, usize)> {
        let [base, by] = self.inputs(edge, "Pow")?;
        match self.stored(by)? {
            Value::Float(Tensor { shape, data }) => (data == [exponent]).then_some((base, shape.len())),
            Value::Int(Tensor { shape, data }) => {
                let whole = [Rational::from_f64(exponent)?.to_i64()?];
                (data == whole).then_some((base, shape.len()))
            }
            _ => None,
        }
    }

    /// What is squared.
    pub(super) fn square(&self, edge: &str) -> Option<(&'m str, usize)> {
        let product = || self.inputs(edge, "Mul").filter(|[a, b]| self.same(a, b, DEPTH)).map(|[a, _]| (a, 0));
        self.power(edge, 2.0).or_else(product)
    }

    /// The argument of `ReduceMean` and the axes, where dimensions are kept.
    pub(super) fn mean(&self, edge: &str) -> Option<(&'m str, Vec<i64>)> {
        let node = self.node(edge, "ReduceMean")?;
        let call = Call { node, inputs: Vec::new() };
        let axes = match &node.input[..] {
            [_] => call.ints("axes").ok()?,
            [_, axes] => match self.stored(axes)? {
                Value::Int(axes) => Some(axes.data),
                _ => None,
            },
            _ => None,
        }?;
        (!axes.is_empty() && call.int("keepdims", 1).ok()? == 1).then_some((node.input[0].as_str(), axes))
    }
}
