//! What a graph takes and gives: names, element types and shapes, as the file states them.

use std::collections::BTreeSet;

use prost::Message;

use super::error::OnnxError;
use super::proto::{ValueInfo, data_type};

/// A model without what makes it large: weights are skipped, but for their names.
#[derive(Clone, PartialEq, Message)]
struct ModelOutline {
    #[prost(message, optional, tag = "7")]
    graph: Option<GraphOutline>,
}

#[derive(Clone, PartialEq, Message)]
struct GraphOutline {
    #[prost(message, repeated, tag = "5")]
    initializer: Vec<TensorOutline>,
    #[prost(message, repeated, tag = "11")]
    input: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "12")]
    output: Vec<ValueInfo>,
}

#[derive(Clone, PartialEq, Message)]
struct TensorOutline {
    #[prost(string, tag = "8")]
    name: String,
}

/// An input or output of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// The name of its element type; none where it is no tensor.
    pub element: Option<String>,
    /// Its dimensions, those left open as `None`; none where the file does not say.
    pub shape: Option<Vec<Option<usize>>>,
}

/// All inputs and outputs of a graph, in its order. Inputs with a stored value are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// The inputs.
    pub inputs: Vec<Port>,
    /// The outputs.
    pub outputs: Vec<Port>,
}

/// The interface of an ONNX model.
///
/// # Errors
/// When the model is malformed.
pub fn interface(bytes: &[u8]) -> Result<Interface, OnnxError> {
    let model = ModelOutline::decode(bytes).map_err(|error| OnnxError::Malformed(error.to_string()))?;
    let Some(graph) = &model.graph else { return Err(OnnxError::Graph("the model has no graph".to_owned())) };
    let stored: BTreeSet<&str> = graph.initializer.iter().map(|tensor| tensor.name.as_str()).collect();
    let inputs = graph.input.iter().filter(|input| !stored.contains(input.name.as_str()));
    Ok(Interface { inputs: inputs.map(port).collect(), outputs: graph.output.iter().map(port).collect() })
}

fn port(value: &ValueInfo) -> Port {
    let tensor = value.value_type.as_ref().and_then(|value_type| value_type.tensor.as_ref());
    let size = |value: i64| usize::try_from(value).ok().filter(|size| *size > 0);
    let shape = tensor.and_then(|tensor| tensor.shape.as_ref());
    Port {
        name: value.name.clone(),
        element: tensor.map(|tensor| data_type::name(tensor.elem_type)),
        shape: shape.map(|shape| shape.dim.iter().map(|dim| dim.value.and_then(size)).collect()),
    }
}

impl Port {
    /// Whether a declared shape is this one: equal where the file states a size. A shape that the file leaves out fits anything.
    #[must_use]
    pub fn fits(&self, declared: &[usize]) -> bool {
        let Some(shape) = &self.shape else { return true };
        shape.len() == declared.len() && shape.iter().zip(declared).all(|(size, d)| size.is_none_or(|size| size == *d))
    }

    /// Its shape, `?` for dimensions left open: `[?,5]`.
    #[must_use]
    pub fn shown_shape(&self) -> String {
        let Some(shape) = &self.shape else { return "no shape".to_owned() };
        let size = |size: &Option<usize>| size.map_or_else(|| "?".to_owned(), |size| size.to_string());
        format!("[{}]", shape.iter().map(size).collect::<Vec<_>>().join(","))
    }
}
