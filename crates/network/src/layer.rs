//! A layer: an affine map, and what follows it.
//!
//! Invariants, established by the constructor: inputs and outputs, all weights and biases finite, the activation's parameter one that
//! it may have.

use std::borrow::Cow;
use std::fmt;
use std::iter::{Enumerate, Zip};
use std::slice::Iter;
use std::str::FromStr;

use surefoot_num::function::Function;

use crate::shape::ShapeError;
use crate::sparse::{self, SparseRows};

/// What follows the affine part of a layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Activation {
    /// `max(x, 0)`.
    Relu,
    /// Nothing.
    Identity,
    /// A smooth function of each neuron.
    Smooth(Function),
    /// All neurons of the layer less their mean, over the root of their variance and `epsilon`: `(x - m) / sqrt(v + epsilon)`, where
    /// `v` is the mean of `(x - m)^2`. A scale and an offset that follow belong to the next layer.
    LayerNorm {
        /// What keeps the divisor from zero; positive and finite.
        epsilon: f64,
    },
}

impl Activation {
    /// Whether linear pieces make it up, so that rational numbers stay rational.
    #[must_use]
    pub fn is_piecewise_linear(self) -> bool {
        matches!(self, Self::Relu | Self::Identity)
    }

    /// Whether its parameter is one that it may have.
    fn check(self) -> Result<(), ShapeError> {
        let (what, value, fits) = match self {
            Self::Smooth(Function::Elu { alpha }) => ("the alpha of ELU", alpha, alpha.is_finite() && alpha >= 0.0),
            Self::LayerNorm { epsilon } => ("the epsilon of LayerNorm", epsilon, epsilon.is_finite() && epsilon > 0.0),
            Self::Relu | Self::Identity | Self::Smooth(_) => return Ok(()),
        };
        if fits { Ok(()) } else { Err(ShapeError::Parameter { what, value: value.to_string() }) }
    }
}

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relu => write!(f, "relu"),
            Self::Identity => write!(f, "identity"),
            Self::Smooth(function) => write!(f, "{function}"),
            Self::LayerNorm { epsilon } => write!(f, "layer_norm({epsilon})"),
        }
    }
}

impl FromStr for Activation {
    type Err = String;

    /// The names that files use for what stands between layers.
    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "identity" => Self::Identity,
            "relu" => Self::Relu,
            "tanh" => Self::Smooth(Function::Tanh),
            "sigmoid" => Self::Smooth(Function::Sigmoid),
            "softplus" => Self::Smooth(Function::Softplus),
            "elu" => Self::Smooth(Function::Elu { alpha: 1.0 }),
            "gelu" => Self::Smooth(Function::Gelu),
            "gelu_tanh" => Self::Smooth(Function::GeluTanh),
            "silu" => Self::Smooth(Function::Silu),
            _ => return Err(format!("activation \"{name}\" is not known; expected one of {ACTIVATIONS}")),
        })
    }
}

/// The names of activations, for messages.
const ACTIVATIONS: &str = "relu, tanh, sigmoid, softplus, elu, gelu, gelu_tanh, silu, identity";

/// How the weights are kept: always the same way for the same weights, so that equal layers are stored equally.
#[derive(Debug, Clone, PartialEq)]
enum Weights {
    /// Row-major, one row per output.
    Dense(Vec<f64>),
    /// The others that are not zero, where they are few of many.
    Sparse(SparseRows),
}

/// An affine map followed by an activation.
///
/// Where a layer has more than 16,384 weights and at most one in eight is not zero, only those are kept: memory and time of everything
/// that reads [`Layer::terms`] are linear in their number. What hands out the zeros as well ([`Layer::weights`], [`Layer::row`],
/// [`Layer::rows`]) makes them on request there. A weight that is zero counts as zero whatever its sign.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    inputs: usize,
    weights: Weights,
    bias: Vec<f64>,
    activation: Activation,
}

impl Layer {
    /// A layer from its row-major weights (one row per output) and biases.
    ///
    /// # Errors
    /// When the layer is empty, the counts do not match, a number is not finite, or the activation's parameter is not one that it may have.
    pub fn new(inputs: usize, weights: Vec<f64>, bias: Vec<f64>, activation: Activation) -> Result<Self, ShapeError> {
        let outputs = bias.len();
        if inputs == 0 || outputs == 0 {
            return Err(ShapeError::EmptyLayer { inputs, outputs });
        }
        if inputs.checked_mul(outputs) != Some(weights.len()) {
            return Err(ShapeError::WeightCount { inputs, outputs, found: weights.len() });
        }
        if let Some(at) = weights.iter().position(|w| !w.is_finite()) {
            let value = weights[at].to_string();
            return Err(ShapeError::NotFinite { neuron: at / inputs, input: Some(at % inputs), value });
        }
        let weights = match SparseRows::of_dense(inputs, &weights) {
            Some(rows) => Weights::Sparse(rows),
            None => Weights::Dense(weights),
        };
        Self { inputs, weights, bias, activation }.checked()
    }

    /// A layer from the weights of each output that are not zero: pairs of an input and its weight, in order of the inputs.
    ///
    /// # Errors
    /// As for [`Layer::new`]; and when the inputs of a row do not increase, or are more than there are.
    pub fn sparse<R>(
        inputs: usize,
        rows: impl IntoIterator<Item = R>,
        bias: Vec<f64>,
        activation: Activation,
    ) -> Result<Self, ShapeError>
    where
        R: IntoIterator<Item = (usize, f64)>,
    {
        let outputs = bias.len();
        if inputs == 0 || outputs == 0 {
            return Err(ShapeError::EmptyLayer { inputs, outputs });
        }
        let (Some(entries), Some(mut kept)) = (inputs.checked_mul(outputs), SparseRows::new(inputs)) else {
            return Err(ShapeError::TooLarge { inputs, outputs });
        };
        for (neuron, row) in rows.into_iter().enumerate() {
            let mut next = 0;
            let mut terms = Vec::new();
            for (input, weight) in row {
                if input < next || input >= inputs {
                    return Err(ShapeError::Order { neuron, input, inputs });
                }
                if !weight.is_finite() {
                    return Err(ShapeError::NotFinite { neuron, input: Some(input), value: weight.to_string() });
                }
                next = input + 1;
                terms.push((input, weight));
            }
            kept.push(terms);
        }
        Self::of_rows(kept, entries, bias, activation)
    }

    /// A layer of stored rows, which may have too many entries to be kept so.
    pub(crate) fn of_rows(
        rows: SparseRows,
        entries: usize,
        bias: Vec<f64>,
        activation: Activation,
    ) -> Result<Self, ShapeError> {
        let (inputs, outputs) = (rows.columns(), bias.len());
        if rows.len() != outputs {
            return Err(ShapeError::Length {
                what: "the list of rows of weights",
                expected: outputs,
                found: rows.len(),
            });
        }
        let dense = !sparse::pays(entries, rows.values().len());
        let weights = if dense { Weights::Dense(rows.dense()) } else { Weights::Sparse(rows) };
        Self { inputs, weights, bias, activation }.checked()
    }

    /// The same when biases and activation are what they may be.
    fn checked(self) -> Result<Self, ShapeError> {
        if let Some(neuron) = self.bias.iter().position(|b| !b.is_finite()) {
            return Err(ShapeError::NotFinite { neuron, input: None, value: self.bias[neuron].to_string() });
        }
        self.activation.check()?;
        Ok(self)
    }

    /// The same layer over the first inputs: the others are not read.
    pub(crate) fn of_first_inputs(&self, kept: usize) -> Result<Self, ShapeError> {
        let (bias, activation) = (self.bias.clone(), self.activation);
        match &self.weights {
            Weights::Dense(weights) => {
                let weights = weights.chunks_exact(self.inputs).flat_map(|row| &row[..kept]).copied().collect();
                Self::new(kept, weights, bias, activation)
            }
            Weights::Sparse(rows) => {
                let rows = (0..rows.len()).map(|row| rows.terms(row).take_while(|(input, _)| *input < kept));
                Self::sparse(kept, rows, bias, activation)
            }
        }
    }

    /// The same layer kept the other way, to hold one against the other.
    #[cfg(test)]
    pub(crate) fn kept_densely(&self) -> Self {
        Self { weights: Weights::Dense(self.weights().into_owned()), ..self.clone() }
    }

    /// Number of inputs (columns).
    #[must_use]
    pub fn input_len(&self) -> usize {
        self.inputs
    }

    /// Number of outputs (rows).
    #[must_use]
    pub fn output_len(&self) -> usize {
        self.bias.len()
    }

    /// Whether only the weights that are not zero are kept.
    #[must_use]
    pub fn is_sparse(&self) -> bool {
        matches!(self.weights, Weights::Sparse(_))
    }

    /// The weights that are kept, where those are only the ones that are not zero.
    pub(crate) fn sparse_rows(&self) -> Option<&SparseRows> {
        match &self.weights {
            Weights::Sparse(rows) => Some(rows),
            Weights::Dense(_) => None,
        }
    }

    /// The number of weights that are not zero.
    #[must_use]
    pub fn nonzeros(&self) -> usize {
        match &self.weights {
            Weights::Dense(weights) => weights.iter().filter(|w| **w != 0.0).count(),
            Weights::Sparse(rows) => rows.values().len(),
        }
    }

    /// The weights of one output that are not zero, with their inputs, in order.
    pub fn terms(&self, output: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        match &self.weights {
            Weights::Dense(weights) => {
                Terms::Dense(weights[output * self.inputs..(output + 1) * self.inputs].iter().enumerate())
            }
            Weights::Sparse(rows) => {
                let (places, values) = rows.row(output);
                Terms::Sparse(places.iter().zip(values))
            }
        }
    }

    /// The weights that are not zero, row by row, and then the biases.
    pub fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        let weights = match &self.weights {
            Weights::Dense(weights) => weights,
            Weights::Sparse(rows) => rows.values(),
        };
        weights.iter().filter(|w| **w != 0.0).chain(&self.bias).copied()
    }

    /// All weights, row-major: one row per output.
    #[must_use]
    pub fn weights(&self) -> Cow<'_, [f64]> {
        match &self.weights {
            Weights::Dense(weights) => Cow::Borrowed(weights),
            Weights::Sparse(rows) => Cow::Owned(rows.dense()),
        }
    }

    /// All weights of one output.
    #[must_use]
    pub fn row(&self, output: usize) -> Cow<'_, [f64]> {
        match &self.weights {
            Weights::Dense(weights) => Cow::Borrowed(&weights[output * self.inputs..(output + 1) * self.inputs]),
            Weights::Sparse(rows) => Cow::Owned(rows.dense_row(output)),
        }
    }

    /// The rows with their biases.
    pub fn rows(&self) -> impl Iterator<Item = (Cow<'_, [f64]>, f64)> {
        self.bias.iter().enumerate().map(|(output, bias)| (self.row(output), *bias))
    }

    /// The biases.
    #[must_use]
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// The activation.
    #[must_use]
    pub fn activation(&self) -> Activation {
        self.activation
    }
}

/// The non-zero weights of a row.
#[derive(Clone)]
enum Terms<'l> {
    Dense(Enumerate<Iter<'l, f64>>),
    Sparse(Zip<Iter<'l, u32>, Iter<'l, f64>>),
}

impl Iterator for Terms<'_> {
    type Item = (usize, f64);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Dense(row) => row.find(|(_, weight)| **weight != 0.0).map(|(input, weight)| (input, *weight)),
            Self::Sparse(row) => row.next().map(|(input, weight)| (*input as usize, *weight)),
        }
    }

    /// So that a loop asks only once which of the two it is.
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, start: B, mut f: F) -> B {
        match self {
            Self::Dense(row) => row.filter(|(_, w)| **w != 0.0).fold(start, |sum, (input, w)| f(sum, (input, *w))),
            Self::Sparse(row) => row.fold(start, |sum, (input, weight)| f(sum, (*input as usize, *weight))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 by 200 with two entries in each row, one of them in the first column; zeros of both signs elsewhere.
    fn dense() -> Vec<f64> {
        let mut weights = vec![0.0; 200 * 200];
        for row in 0..200 {
            weights[200 * row] = 0.5;
            weights[200 * row + 1] = -0.0;
            weights[200 * row + 199 - row / 2] = -1.0 - f64::from(u8::try_from(row).unwrap());
        }
        weights
    }

    #[test]
    fn both_ways_of_keeping_weights_are_one_layer() {
        let weights = dense();
        let bias = vec![1.0; 200];
        let from_dense = Layer::new(200, weights.clone(), bias.clone(), Activation::Relu).unwrap();
        let row = |i: usize| vec![(0, 0.5), (1, 0.0), (199 - i / 2, weights[200 * i + 199 - i / 2])];
        let from_rows = Layer::sparse(200, (0..200).map(row), bias, Activation::Relu).unwrap();
        assert!(from_dense.is_sparse() && from_rows.is_sparse());
        assert_eq!(from_dense, from_rows);
        assert_eq!((from_rows.nonzeros(), from_rows.numbers().count()), (400, 600));
        assert_eq!(*from_rows.weights(), weights);
        assert!((0..200).all(|i| *from_rows.row(i) == weights[200 * i..200 * (i + 1)]));
        assert!(from_rows.rows().enumerate().all(|(i, (row, bias))| row == from_rows.row(i) && bias == 1.0));
        assert_eq!(from_rows.terms(3).collect::<Vec<_>>(), [(0, 0.5), (198, -4.0)]);
        assert_eq!(from_rows.terms(3).fold(0, |sum, (input, _)| sum + input), 198);
        let less = from_rows.of_first_inputs(190).unwrap();
        assert!(less.is_sparse() && less.input_len() == 190);
        assert_eq!((less.terms(3).count(), less.terms(199).count()), (1, 2));
    }

    #[test]
    fn few_weights_are_kept_densely_however_they_are_given() {
        let layer = Layer::sparse(3, [vec![(1, 2.0)], vec![]], vec![0.0; 2], Activation::Identity).unwrap();
        assert!(!layer.is_sparse());
        assert_eq!(*layer.weights(), [0.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(layer.terms(0).collect::<Vec<_>>(), [(1, 2.0)]);
        assert_eq!((layer.terms(1).count(), layer.nonzeros()), (0, 1));
        assert_eq!(*layer.of_first_inputs(2).unwrap().weights(), [0.0, 2.0, 0.0, 0.0]);
    }

    #[test]
    fn sparse_rows_are_checked() {
        let layer = |row: Vec<(usize, f64)>| Layer::sparse(2, [row], vec![0.0], Activation::Relu);
        assert!(matches!(layer(vec![(2, 1.0)]), Err(ShapeError::Order { neuron: 0, input: 2, inputs: 2 })));
        assert!(matches!(layer(vec![(1, 1.0), (0, 1.0)]), Err(ShapeError::Order { input: 0, .. })));
        assert!(matches!(layer(vec![(1, 1.0), (1, 1.0)]), Err(ShapeError::Order { input: 1, .. })));
        assert!(matches!(layer(vec![(1, f64::NAN)]), Err(ShapeError::NotFinite { input: Some(1), .. })));
        let rows = |count: usize| vec![Vec::new(); count];
        let layer = |inputs, count, bias| Layer::sparse(inputs, rows(count), bias, Activation::Relu);
        assert!(matches!(layer(2, 2, vec![0.0]), Err(ShapeError::Length { expected: 1, found: 2, .. })));
        assert!(matches!(layer(2, 1, vec![f64::NAN]), Err(ShapeError::NotFinite { input: None, .. })));
        assert!(matches!(layer(0, 1, vec![0.0]), Err(ShapeError::EmptyLayer { .. })));
        assert!(matches!(layer(usize::MAX, 2, vec![0.0; 2]), Err(ShapeError::TooLarge { .. })));
    }
}
