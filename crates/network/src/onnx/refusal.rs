//! Operators that are refused, and which of several is named.
//!
//! An unknown operator is often only a helper of the one that matters: an exported GRU begins with `Expand` for its first
//! state, GELU with `Erf` and a product. So all needed nodes are looked at before any is run, and the one is named that
//! says most about the network.

use super::error::{Fault, OnnxError};
use super::interpret::describe;
use super::proto::NodeProto;

/// The operators that the interpreter has.
#[rustfmt::skip]
const KNOWN: [&str; 69] = [
    "Abs", "Add", "And", "ArgMax", "AveragePool", "BatchNormalization", "Cast",
    "Celu", "Clip", "Concat", "Constant", "ConstantOfShape", "Conv", "Div",
    "Dropout", "Elu", "Equal", "Exp", "Expand", "Flatten", "Gather",
    "Gelu", "Gemm", "GlobalAveragePool", "GlobalMaxPool", "Greater", "GreaterOrEqual", "HardSigmoid",
    "Identity", "LayerNormalization", "LeakyRelu", "Less", "LessOrEqual", "Log", "LogSoftmax",
    "MatMul", "Max", "MaxPool", "Min", "Mul", "Neg", "Not",
    "OneHot", "Or", "PRelu", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
    "ReduceSum", "Relu", "Reshape", "Selu", "Shape", "Sigmoid", "Sign",
    "Slice", "Softmax", "Softplus", "Split", "Squeeze", "Sub", "Swish",
    "Tanh", "TopK", "Transpose", "Unsqueeze", "Where", "Xor",
];

/// The operators that are read, in alphabetical order.
#[must_use]
pub fn operators() -> &'static [&'static str] {
    &KNOWN
}

/// Whether the interpreter has the operator.
fn is_known(op: &str) -> bool {
    KNOWN.contains(&op)
}

/// How little an operator says about the network that it stands in.
fn rank(op: &str) -> u8 {
    match op {
        "RNN" | "LSTM" | "GRU" | "Loop" | "Scan" => 0,
        "Mish" | "HardSwish" | "Erf" | "Softsign" | "ThresholdedRelu" | "Shrink" => 1,
        "ConvTranspose" | "Attention" | "If" => 2,
        "InstanceNormalization" | "GroupNormalization" | "LpNormalization" => 2,
        "Pow" | "Sqrt" => 3,
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
        "Erf" => {
            "Erf is read only in GELU written out, x * 0.5 * (1 + Erf(x / sqrt(2))); export with opset_version=20 or \
                  later, which has Gelu"
                .to_owned()
        }
        "Mish" | "HardSwish" | "Softsign" | "ThresholdedRelu" | "Shrink" => format!(
            "{op} is not supported; train with ReLU, Tanh, Sigmoid, Softplus, ELU, GELU or SiLU (in Stable-Baselines3: \
             policy_kwargs=dict(activation_fn=torch.nn.ReLU))"
        ),
        "Pow" | "Sqrt" => format!(
            "{op} is read only in LayerNorm or GELU written out as PyTorch does; export with opset_version=20 or later, \
             which has LayerNormalization and Gelu"
        ),
        "InstanceNormalization" | "GroupNormalization" | "LpNormalization" => {
            format!("{op} is not supported; train without it")
        }
        "RandomNormal" | "RandomNormalLike" | "RandomUniform" | "RandomUniformLike" | "Multinomial" | "Bernoulli" => {
            format!("{op} draws a random number; export the deterministic policy: policy(obs, deterministic=True)")
        }
        "If" => "If makes the graph branch; export the network without it".to_owned(),
        "RNN" | "LSTM" | "GRU" | "Loop" | "Scan" => {
            format!("{op} makes the policy depend on its history; only feed-forward networks can be verified")
        }
        other => format!(
            "operator {other} is not in the supported subset (docs/networks.md lists it); export only the network that \
             scores the actions"
        ),
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
            (&["Gemm", "Pow", "Erf", "Mul", "Tile"], "Erf"),
            (&["NonZero", "Tile"], "NonZero"),
        ] {
            let nodes: Vec<NodeProto> = ops.iter().map(|op| node(op)).collect();
            let message = check(nodes.iter()).unwrap_err().to_string();
            assert!(message.starts_with(&format!("node 'the {named}' ({named})")), "{message}");
        }
        assert!(check([node("Gemm"), node("Constant")].iter()).is_ok());
    }
}
