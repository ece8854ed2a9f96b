//! The end of the graph: operators that do not change which output is maximal are taken off.
//!
//! `Softmax` and `LogSoftmax` are strictly increasing in each entry once the others are fixed and keep equal entries
//! equal, so over the reals the set of maximal entries is the same before and after. `ArgMax` answers the question we ask
//! ourselves; it takes the first maximal entry, as we do, unless it says otherwise.

use std::collections::BTreeMap;

use super::error::OnnxError;
use super::proto::NodeProto;
use super::tensor;

/// What was taken off, to be checked once the shape is known.
#[derive(Debug)]
pub(super) struct Stripped {
    pub(super) node: String,
    pub(super) op: String,
    axis: i64,
    /// Before operator set 13 softmax ran over all dimensions from the axis on.
    flattening: bool,
}

/// Nodes that may stand behind the operator: those that keep the values and at most change their shape.
fn reshapes(op: &str) -> bool {
    matches!(op, "Flatten" | "Reshape" | "Squeeze" | "Unsqueeze")
}

/// The name of the tensor in front of the tail, and what was taken off.
pub(super) fn strip(
    output: &str,
    producers: &BTreeMap<&str, &NodeProto>,
    opset: i64,
) -> Result<(String, Vec<Stripped>), OnnxError> {
    let mut from = output.to_owned();
    let mut stripped = Vec::new();
    let mut at = output;
    let mut integers = false;
    // Each step consumes a node; a cycle would come back to one already seen.
    for _ in 0..producers.len() {
        let Some(node) = producers.get(at) else { break };
        let Some(input) = node.input.first() else { break };
        let op = node.op_type.as_str();
        let int = |name: &str| node.attribute.iter().find(|a| a.name == name).map(|a| a.i);
        match op {
            // Probabilities cast to integers are no longer ordered.
            "Softmax" | "LogSoftmax" if integers => break,
            "Softmax" | "LogSoftmax" | "ArgMax" => {
                if int("select_last_index").unwrap_or(0) != 0 {
                    return Err(OnnxError::Unsupported {
                        node: super::interpret::describe(node),
                        op: op.to_owned(),
                        advice: "select_last_index=1 takes the last maximal output, here the first one is taken; \
                                 export without it"
                            .to_owned(),
                    });
                }
                let default = match op {
                    "ArgMax" => 0,
                    _ if opset >= 13 => -1,
                    _ => 1,
                };
                let flattening = op != "ArgMax" && opset < 13;
                let axis = int("axis").unwrap_or(default);
                integers = false;
                stripped.push(Stripped { node: super::interpret::describe(node), op: op.to_owned(), axis, flattening });
                from.clone_from(input);
            }
            "Identity" => {}
            // Indices may become any number type, and integers before an ArgMax are what it would compare.
            "Cast" if stripped.is_empty() => integers |= !matches!(int("to"), Some(1 | 11)),
            "Cast" if matches!(int("to"), Some(1 | 11)) => {}
            // Between two operators the shape must stay, because their axes are checked against one shape.
            _ if reshapes(op) && stripped.is_empty() => {}
            _ => break,
        }
        at = input;
    }
    Ok((from, stripped))
}

impl Stripped {
    /// That the operator ran over all outputs together, given the shape of what it read.
    pub(super) fn check(&self, shape: &[usize]) -> Result<(), OnnxError> {
        let whole: usize = shape.iter().product();
        let own: usize = match tensor::axis(self.axis, shape.len()) {
            Ok(axis) if self.flattening => shape[axis..].iter().product(),
            Ok(axis) => shape[axis],
            Err(_) => 0,
        };
        if own == whole {
            return Ok(());
        }
        let (node, op) = (self.node.clone(), self.op.clone());
        let problem = format!("axis {} of shape {shape:?} does not run over all outputs of the network", self.axis);
        Err(OnnxError::Node { node, op, problem })
    }

    pub(super) fn notice(&self) -> String {
        let Self { node, op, .. } = self;
        format!("{op} at the end (node '{node}') was taken off: it does not change which output is maximal")
    }
}
