//! Operators that are refused, and which of several is named.
//!
//! An unknown operator is often only a helper of the one that matters: an exported GRU begins with `Expand` for its first
//! state, GELU with `Erf` and a product. So all needed nodes are looked at before any is run, and the one is named that
//! says most about the network.

use super::error::{Fault, OnnxError};
use super::interpret::describe;
use super::proto::NodeProto;

/// Whether the interpreter has the operator.
fn is_known(op: &str) -> bool {
    const KNOWN: [&str; 25] = [
        "Gemm",
        "MatMul",
        "Add",
        "Sub",
        "Mul",
        "Div",
        "Relu",
        "LeakyRelu",
        "Abs",
        "Neg",
        "Max",
        "Min",
        "Clip",
        "Cast",
        "Identity",
        "Dropout",
        "Flatten",
        "Reshape",
        "Squeeze",
        "Unsqueeze",
        "Transpose",
        "Concat",
        "Slice",
        "Gather",
        "Shape",
    ];
    KNOWN.contains(&op) || op == "Constant"
}

/// How little an operator says about the network that it stands in.
fn rank(op: &str) -> u8 {
    match op {
        "RNN" | "LSTM" | "GRU" | "Loop" | "Scan" => 0,
        "Tanh" | "Sigmoid" | "Gelu" | "Elu" | "Selu" | "Softplus" | "Mish" | "HardSwish" | "Swish" | "Erf"
        | "Softsign" => 1,
        "Conv" | "MaxPool" | "AveragePool" | "GlobalAveragePool" | "Attention" | "If" => 2,
        "LayerNormalization" | "BatchNormalization" | "InstanceNormalization" | "GroupNormalization" => 2,
        "Softmax" | "LogSoftmax" | "ArgMax" | "Exp" | "HardSigmoid" => 3,
        _ => 4,
    }
}

/// Refuses a graph with an operator that is not supported, naming the most telling one.
pub(super) fn check<'n>(nodes: impl Iterator<Item = &'n NodeProto>) -> Result<(), OnnxError> {
    let own = |node: &&NodeProto| node.domain.is_empty() || node.domain == "ai.onnx";
    // The first of those that are equally telling.
    let refused = nodes.filter(own).filter(|node| !is_known(&node.op_type)).min_by_key(|node| rank(&node.op_type));
    match refused {
        Some(node) => Err(Fault::Unsupported(advice(&node.op_type)).at(describe(node), &node.op_type)),
        None => Ok(()),
    }
}

pub(super) fn advice(op: &str) -> String {
    match op {
        "Tanh" => "Tanh is not piecewise linear. Train with ReLU instead, in Stable-Baselines3: \
                   policy_kwargs=dict(activation_fn=torch.nn.ReLU)"
            .to_owned(),
        "Sigmoid" | "Gelu" | "Elu" | "Selu" | "Softplus" | "Mish" | "HardSwish" | "Swish" | "Erf" | "Exp"
        | "Softsign" => {
            format!("{op} is not piecewise linear; train with ReLU activations instead")
        }
        "Softmax" | "LogSoftmax" | "ArgMax" => {
            format!("{op} is understood only at the end of the graph, after everything else")
        }
        "LayerNormalization" | "BatchNormalization" | "InstanceNormalization" | "GroupNormalization" => format!(
            "{op} is not supported; train without it, or fold a batch normalisation into the weights before exporting"
        ),
        "Conv" | "MaxPool" | "AveragePool" | "GlobalAveragePool" => {
            format!("{op} is for images; only fully connected networks (Gemm, MatMul, Add, Relu) are supported")
        }
        "If" => "If makes the graph branch; export the network without it".to_owned(),
        "RNN" | "LSTM" | "GRU" | "Loop" | "Scan" => {
            format!("{op} makes the policy depend on its history; only feed-forward networks can be verified")
        }
        other => format!("operator {other} is not in the supported subset of feed-forward ReLU networks"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(op: &str) -> NodeProto {
        NodeProto { op_type: op.to_owned(), name: format!("the {op}"), ..NodeProto::default() }
    }

    #[test]
    fn the_operator_at_fault_is_named() {
        for (ops, named) in [
            (&["Shape", "Expand", "ConstantOfShape", "GRU"][..], "GRU"),
            (&["Gemm", "Exp", "Sigmoid", "Mul", "Expand"], "Sigmoid"),
            (&["Expand", "Where"], "Expand"),
        ] {
            let nodes: Vec<NodeProto> = ops.iter().map(|op| node(op)).collect();
            let message = check(nodes.iter()).unwrap_err().to_string();
            assert!(message.starts_with(&format!("node 'the {named}' ({named})")), "{message}");
        }
        assert!(check([node("Gemm"), node("Constant")].iter()).is_ok());
    }
}
