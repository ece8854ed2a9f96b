//! What an edge of the graph carries, and access to a node's inputs and attributes.

use std::rc::Rc;

use surefoot_num::Rational;

use super::constant::Constant;
use super::error::{Fault, problem};
use super::proto::{AttributeProto, NodeProto};
use super::signal::{Element, exact_f64};
use super::tensor::{Plan, Tensor};
use crate::sparse::SparseRows;

/// A tensor on an edge of the graph.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// Shapes, axes, indices.
    Int(Tensor<i64>),
    /// Stored numbers.
    Float(Tensor<f64>),
    /// A stored matrix, nearly all of it zero. Only products of matrices read it as it is (`interpret.rs`).
    Sparse(SparseMatrix),
    /// What depends on the network's inputs, and constants computed from stored numbers.
    Signal(Tensor<Element>),
    /// Integers and truth values that depend on the network's inputs.
    Whole(Tensor<Element>),
    /// What is known up to its order.
    Ranked(Tensor<Ranked>),
    /// Numbers of which nothing is known but that all entries of a row share one.
    Common(Tensor<Common>),
    /// The place of the largest of several scores.
    Choice(Tensor<Rc<Choice>>),
}

/// An entry after operators that keep the order of a row, such as `Softmax`: of two entries of a row the larger is the one
/// whose element is larger, and equal ones have equal elements.
#[derive(Debug, Clone)]
pub(super) struct Ranked {
    pub(super) element: Element,
    /// Entries of the same row compare.
    pub(super) row: usize,
    /// Whether it is positive.
    pub(super) positive: bool,
    /// The operator that it comes from.
    pub(super) after: Rc<str>,
}

/// A number that belongs to a row, such as the logarithm of a sum of exponentials.
#[derive(Debug, Clone)]
pub(super) struct Common {
    pub(super) row: usize,
    pub(super) positive: bool,
    pub(super) after: Rc<str>,
}

/// The place of the first largest of these scores.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) scores: Vec<Element>,
    pub(super) after: Rc<str>,
}

/// A matrix that is kept by its non-zero entries.
#[derive(Debug, Clone)]
pub(super) struct SparseMatrix {
    /// Rows and columns.
    shape: [usize; 2],
    pub(super) rows: SparseRows,
}

impl SparseMatrix {
    pub(super) fn new(rows: SparseRows) -> Self {
        Self { shape: [rows.len(), rows.columns()], rows }
    }

    /// With its zeros.
    pub(super) fn dense(&self) -> Tensor<f64> {
        Tensor { shape: self.shape.to_vec(), data: self.rows.dense() }
    }
}

/// Does the same to the tensor inside, whatever its entries are.
macro_rules! each {
    ($value:expr, $tensor:ident => $result:expr) => {
        match $value {
            Value::Sparse(matrix) => {
                let $tensor = &matrix.dense();
                Value::Float($result)
            }
            Value::Int($tensor) => Value::Int($result),
            Value::Float($tensor) => Value::Float($result),
            Value::Signal($tensor) => Value::Signal($result),
            Value::Whole($tensor) => Value::Whole($result),
            Value::Ranked($tensor) => Value::Ranked($result),
            Value::Common($tensor) => Value::Common($result),
            Value::Choice($tensor) => Value::Choice($result),
        }
    };
}

impl From<Constant> for Value {
    fn from(constant: Constant) -> Self {
        match constant {
            Constant::Int(tensor) => Self::Int(tensor),
            Constant::Float(tensor) => Self::Float(tensor),
            Constant::Sparse(rows) => Self::Sparse(SparseMatrix::new(rows)),
        }
    }
}

impl Value {
    pub(super) fn shape(&self) -> &[usize] {
        match self {
            Self::Int(tensor) => &tensor.shape,
            Self::Float(tensor) => &tensor.shape,
            Self::Sparse(matrix) => &matrix.shape,
            Self::Signal(tensor) | Self::Whole(tensor) => &tensor.shape,
            Self::Ranked(tensor) => &tensor.shape,
            Self::Common(tensor) => &tensor.shape,
            Self::Choice(tensor) => &tensor.shape,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.shape().iter().product()
    }

    pub(super) fn rearranged(&self, plan: &Plan) -> Self {
        each!(self, tensor => tensor.rearranged(plan))
    }

    pub(super) fn with_shape(&self, shape: Vec<usize>) -> Self {
        each!(self, tensor => tensor.with_shape(shape))
    }

    /// As integers, for shapes and indices.
    pub(super) fn ints(&self, what: &str) -> Result<&Tensor<i64>, Fault> {
        match self {
            Self::Int(tensor) => Ok(tensor),
            _ => problem(format!("{what} must be constant integers")),
        }
    }

    /// As a signal; integers are refused, because their arithmetic is another one.
    pub(super) fn signal(&self) -> Result<Tensor<Element>, Fault> {
        match self {
            Self::Signal(_) | Self::Float(_) | Self::Sparse(_) => self.elements(),
            Self::Int(_) | Self::Whole(_) => problem("integers where floating-point numbers are expected"),
            Self::Ranked(tensor) => only_at_the_end(tensor.data.first().map(|entry| &entry.after)),
            Self::Common(tensor) => only_at_the_end(tensor.data.first().map(|entry| &entry.after)),
            Self::Choice(tensor) => only_at_the_end(tensor.data.first().map(|entry| &entry.after)),
        }
    }

    /// As elements, integers too.
    pub(super) fn elements(&self) -> Result<Tensor<Element>, Fault> {
        match self {
            Self::Signal(tensor) | Self::Whole(tensor) => Ok(tensor.clone()),
            Self::Sparse(matrix) => Self::Float(matrix.dense()).elements(),
            Self::Float(tensor) => {
                let constant =
                    |value: &f64| Element::Const(Rational::from_f64(*value).expect("stored numbers are finite"));
                Ok(Tensor { shape: tensor.shape.clone(), data: tensor.data.iter().map(constant).collect() })
            }
            Self::Int(tensor) => {
                let data = tensor.data.iter().map(|value| Element::Const(Rational::from(*value))).collect();
                Ok(Tensor { shape: tensor.shape.clone(), data })
            }
            _ => self.signal(),
        }
    }

    /// Whether it holds integers or truth values.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Whole(_))
    }

    /// As constant numbers of double precision, when the value is that.
    pub(super) fn floats(&self) -> Option<Tensor<f64>> {
        match self {
            Self::Float(tensor) => Some(tensor.clone()),
            Self::Sparse(matrix) => Some(matrix.dense()),
            Self::Signal(tensor) => {
                let number = |element: &Element| match element {
                    Element::Const(value) => exact_f64(value),
                    Element::Term { .. } => None,
                };
                let data = tensor.data.iter().map(number).collect::<Option<_>>()?;
                Some(Tensor { shape: tensor.shape.clone(), data })
            }
            _ => None,
        }
    }

    /// Whether it does not depend on the network's inputs.
    pub(super) fn is_constant(&self) -> bool {
        match self {
            Self::Int(_) | Self::Float(_) | Self::Sparse(_) => true,
            Self::Signal(tensor) | Self::Whole(tensor) => {
                tensor.data.iter().all(|element| matches!(element, Element::Const(_)))
            }
            _ => false,
        }
    }
}

fn only_at_the_end<T>(after: Option<&Rc<str>>) -> Result<T, Fault> {
    let after = after.map_or("an operator", |after| after);
    Err(Fault::Unsupported(format!(
        "reads the result of {after}, which is understood only at the end of the graph, where nothing but the largest \
         output counts"
    )))
}

/// A node with its evaluated inputs.
pub(super) struct Call<'a> {
    pub(super) node: &'a NodeProto,
    pub(super) inputs: Vec<Option<Rc<Value>>>,
}

impl Call<'_> {
    /// A required input.
    pub(super) fn input(&self, index: usize) -> Result<&Value, Fault> {
        match self.optional(index) {
            Some(value) => Ok(value),
            None => problem(format!("input {index} is missing")),
        }
    }

    /// An input that may be left out.
    pub(super) fn optional(&self, index: usize) -> Option<&Value> {
        self.inputs.get(index)?.as_deref()
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&AttributeProto> {
        self.node.attribute.iter().find(|attribute| attribute.name == name)
    }

    fn typed(&self, name: &str, kind: i32) -> Result<Option<&AttributeProto>, Fault> {
        match self.attribute(name) {
            // Old files leave the kind out.
            Some(attribute) if attribute.kind == kind || attribute.kind == 0 => Ok(Some(attribute)),
            Some(_) => problem(format!("attribute '{name}' has an unexpected type")),
            None => Ok(None),
        }
    }

    pub(super) fn int(&self, name: &str, default: i64) -> Result<i64, Fault> {
        Ok(self.typed(name, 2)?.map_or(default, |attribute| attribute.i))
    }

    pub(super) fn ints(&self, name: &str) -> Result<Option<Vec<i64>>, Fault> {
        Ok(self.typed(name, 7)?.map(|attribute| attribute.ints.clone()))
    }

    /// A float attribute as the rational it is.
    pub(super) fn float(&self, name: &str) -> Result<Option<Rational>, Fault> {
        match self.typed(name, 1)? {
            None => Ok(None),
            Some(attribute) => match Rational::from_f64(f64::from(attribute.f)) {
                Some(value) => Ok(Some(value)),
                None => problem(format!("attribute '{name}' is {}", attribute.f)),
            },
        }
    }

    /// A list of integers that moved from an attribute to an input in later operator sets.
    pub(super) fn ints_or_input(&self, name: &str, index: usize) -> Result<Option<Vec<i64>>, Fault> {
        match self.optional(index) {
            Some(value) => Ok(Some(value.ints(name)?.data.clone())),
            None => self.ints(name),
        }
    }
}
