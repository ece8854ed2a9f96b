//! What is wrong with the parts of a network: sizes that do not chain, numbers that are not finite.

/// Parts that do not fit together as a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// No layers at all.
    #[error("the network has no layers; at least one is needed")]
    NoLayers,
    /// A layer without inputs or without outputs.
    #[error("a layer has {inputs} inputs and {outputs} outputs; both must be positive")]
    EmptyLayer {
        /// Number of inputs.
        inputs: usize,
        /// Number of outputs.
        outputs: usize,
    },
    /// The number of weights is not inputs times outputs.
    #[error("a layer of {inputs} inputs and {outputs} outputs has {found} weights")]
    WeightCount {
        /// Number of inputs.
        inputs: usize,
        /// Number of outputs.
        outputs: usize,
        /// Number of weights found.
        found: usize,
    },
    /// More weights than can be counted.
    #[error("a layer has {inputs} inputs and {outputs} outputs; that is too large")]
    TooLarge {
        /// Number of inputs.
        inputs: usize,
        /// Number of outputs.
        outputs: usize,
    },
    /// Weights given by their inputs, which do not increase, or do not exist.
    #[error("neuron {neuron} has a weight for input {input} out of order, or beyond the {inputs} inputs")]
    Order {
        /// The neuron (row), counted from 0.
        neuron: usize,
        /// The input (column).
        input: usize,
        /// Number of inputs.
        inputs: usize,
    },
    /// NaN or infinity among weights or biases.
    #[error("the {} of neuron {neuron} is {value}; all parameters must be finite",
        input.map_or_else(|| "bias".to_owned(), |i| format!("weight from input {i}")))]
    NotFinite {
        /// The neuron (row), counted from 0.
        neuron: usize,
        /// The input (column), or none for the bias.
        input: Option<usize>,
        /// The offending number as text.
        value: String,
    },
    /// A parameter of an activation that it cannot have.
    #[error("{what} is {value}, which it cannot be")]
    Parameter {
        /// Which parameter.
        what: &'static str,
        /// Its value as text.
        value: String,
    },
    /// A layer that single precision computes in no one order.
    #[error("LayerNorm has no single order of operations in float32; use the real semantics for this network")]
    NotInSinglePrecision,
    /// A skip connection around smooth functions, which only real numbers carry past them.
    #[error(
        "its skip connections around smooth layers are exact over the reals only; use the real semantics for this network"
    )]
    CarriedOverReals,
    /// A layer does not take as many inputs as the one before has outputs.
    #[error("layer {layer} takes {found} inputs, but the layer before it has {expected} outputs")]
    Chain {
        /// The layer, counted from 0.
        layer: usize,
        /// Outputs of the layer before.
        expected: usize,
        /// Inputs of this layer.
        found: usize,
    },
    /// A per-input or per-output list of the wrong length.
    #[error("{what} has {found} entries, expected {expected}")]
    Length {
        /// Which list.
        what: &'static str,
        /// The length needed.
        expected: usize,
        /// The length found.
        found: usize,
    },
}
