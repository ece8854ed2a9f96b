//! Why an ONNX model is not read, with the node or tensor at fault.

use crate::shape::ShapeError;

/// Why an ONNX model gives no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OnnxError {
    /// Not a protocol buffer of the ONNX schema.
    #[error("not an ONNX model ({0}); is the file truncated?")]
    Malformed(String),
    /// An operator set outside the understood range.
    #[error("operator set {found} is too old (understood: 9 to 25); export again with opset_version=17")]
    Opset {
        /// The version found.
        found: i64,
    },
    /// Something about the graph as a whole.
    #[error("{0}")]
    Graph(String),
    /// A stored tensor that is unfit.
    #[error("tensor '{tensor}': {problem}")]
    Tensor {
        /// The tensor.
        tensor: String,
        /// What is wrong and what is expected.
        problem: String,
    },
    /// An operator outside the piecewise-linear class.
    #[error("node '{node}' ({op}): {advice}")]
    Unsupported {
        /// The node.
        node: String,
        /// Its operator.
        op: String,
        /// Why not, and what to do.
        advice: String,
    },
    /// A constant that cannot be folded without rounding.
    #[error(
        "node '{node}' ({op}): {what} is not exactly representable in double precision, so reading would change the \
         network; fold the constant into the weights before exporting"
    )]
    NotExact {
        /// The node.
        node: String,
        /// Its operator.
        op: String,
        /// The number at fault.
        what: String,
    },
    /// A node whose inputs or attributes do not make sense.
    #[error("node '{node}' ({op}): {problem}")]
    Node {
        /// The node.
        node: String,
        /// Its operator.
        op: String,
        /// What is wrong and what is expected.
        problem: String,
    },
    /// The graph unfolds to far more numbers than the file holds.
    #[error(
        "node '{node}' ({op}): the graph unfolds to far more numbers than its file holds; refused, because a few bytes \
         could take all memory"
    )]
    TooLarge {
        /// The node.
        node: String,
        /// Its operator.
        op: String,
    },
    /// The resulting layers do not fit together.
    #[error("{0}")]
    Shape(#[from] ShapeError),
}

/// What goes wrong inside a node; the interpreter adds the node's name and operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    Problem(String),
    Unsupported(String),
    NotExact(String),
    TooLarge,
}

impl Fault {
    pub(super) fn at(self, node: String, op: &str) -> OnnxError {
        let op = op.to_owned();
        match self {
            Self::Problem(problem) => OnnxError::Node { node, op, problem },
            Self::Unsupported(advice) => OnnxError::Unsupported { node, op, advice },
            Self::NotExact(what) => OnnxError::NotExact { node, op, what },
            Self::TooLarge => OnnxError::TooLarge { node, op },
        }
    }
}

impl Fault {
    /// At a stored tensor.
    pub(super) fn of_tensor(self, tensor: &str) -> OnnxError {
        match self {
            Self::Problem(problem) => OnnxError::Tensor { tensor: tensor.to_owned(), problem },
            other => other.at(tensor.to_owned(), "initializer"),
        }
    }

    /// At an output, which no single node is to blame for.
    pub(super) fn of_output(self, output: &str) -> OnnxError {
        OnnxError::Graph(match self {
            Self::Problem(problem) | Self::Unsupported(problem) => format!("output '{output}': {problem}"),
            Self::NotExact(what) => format!(
                "output '{output}': {what} is not exactly representable in double precision, so reading would change \
                 the network; fold the constant into the weights before exporting"
            ),
            Self::TooLarge => {
                format!("output '{output}': the graph unfolds to far more numbers than its file holds; refused")
            }
        })
    }
}

/// A malformed node.
pub(super) fn problem<T>(text: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Problem(text.into()))
}
