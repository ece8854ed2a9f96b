//! A layer: an affine map, and what follows it.
//!
//! Invariants, established by the constructor: inputs and outputs, all weights and biases finite, the activation's parameter one that
//! it may have.

use std::fmt;
use std::str::FromStr;

use surefoot_num::function::Function;

use crate::shape::ShapeError;

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

/// An affine map followed by an activation.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    inputs: usize,
    weights: Vec<f64>,
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
        if let Some(neuron) = bias.iter().position(|b| !b.is_finite()) {
            return Err(ShapeError::NotFinite { neuron, input: None, value: bias[neuron].to_string() });
        }
        activation.check()?;
        Ok(Self { inputs, weights, bias, activation })
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

    /// All weights, row-major: one row per output.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The weights of one output.
    #[must_use]
    pub fn row(&self, output: usize) -> &[f64] {
        &self.weights[output * self.inputs..(output + 1) * self.inputs]
    }

    /// The rows with their biases.
    pub fn rows(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.weights.chunks_exact(self.inputs).zip(self.bias.iter().copied())
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
