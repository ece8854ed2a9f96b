//! Names that must be unique: tools differ in which of two they take, so a file with two means two networks.

use std::collections::{BTreeMap, BTreeSet};

use super::error::OnnxError;
use super::interpret::describe;
use super::proto::{GraphProto, ModelProto, TensorProto};

/// The first name that comes again.
fn twice<'n>(names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let mut seen = BTreeSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}

fn error<T>(text: String) -> Result<T, OnnxError> {
    Err(OnnxError::Graph(text))
}

/// The stored tensors by name, when no name of the model stands for two things.
pub(super) fn check<'m>(
    model: &ModelProto,
    graph: &'m GraphProto,
) -> Result<BTreeMap<&'m str, &'m TensorProto>, OnnxError> {
    // The default domain has two spellings.
    let domains = model.opset_import.iter().map(|set| if set.domain.is_empty() { "ai.onnx" } else { &*set.domain });
    if let Some(domain) = twice(domains) {
        return error(format!("two operator sets of the domain '{domain}' are imported; only one can be meant"));
    }
    if let Some(name) = twice(graph.initializer.iter().map(|tensor| tensor.name.as_str())) {
        return error(format!("two stored tensors (initializers) are named '{name}'; only one can be meant"));
    }
    if let Some(name) = twice(graph.output.iter().map(|output| output.name.as_str())) {
        return error(format!("there are two outputs '{name}'"));
    }
    for node in &graph.node {
        if let Some(name) = twice(node.attribute.iter().map(|attribute| attribute.name.as_str())) {
            let problem = format!("has the attribute '{name}' twice; only one can be meant");
            return Err(OnnxError::Node { node: describe(node), op: node.op_type.clone(), problem });
        }
    }
    for tensor in &graph.initializer {
        if let Some(name) = twice(tensor.external_data.iter().map(|pair| pair.key.as_str())) {
            let problem = format!("its external data has '{name}' twice; only one can be meant");
            return Err(OnnxError::Tensor { tensor: tensor.name.clone(), problem });
        }
    }
    Ok(graph.initializer.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect())
}
