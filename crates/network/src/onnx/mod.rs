//! ONNX: reading the subset that policies use, writing plain chains of layers.
//!
//! The graph is interpreted once with symbolic values, which turns it into neurons, then arranged into layers. No step
//! rounds, but for batch normalisation (`batch.rs`): the result is the graph's function over the reals with the stored weights,
//! or the graph is refused. What is read as another function (`written.rs`) is told, with the largest difference.
//!
//! *Read*: `Gemm`, `MatMul`, `Conv`, `Add`, `Sub`, `Mul` and `Div` with constants (also sums of two signals), `Relu`, `LeakyRelu`, `PRelu`,
//! `HardSigmoid`, `Abs`, `Neg`, `Max`, `Min`, `Clip`, smooth activations and LayerNorm (`smooth.rs`), also written out in several operators
//! (`written.rs`), reductions (`reduce.rs`), operators that move entries (`moves.rs`), casts that change no value, and on integers
//! comparisons, logic, `Where`, `OneHot` and tables (`whole.rs`). Operator sets 9 to 25.
//! *Taken off*, with a notice: what does not change which output is maximal, and the choice itself (`rank.rs`).
//! *Inputs*: float, double or integers, `[n]` or with leading dimensions of 1 or a symbolic batch; a fixed batch counts as one observation.
//! Several inputs are joined in the graph's order. *Outputs*: the one that is the policy, or the one asked for by name (`outputs.rs`).
//!
//! To support another operator, add it to the tables in `interpret.rs` and `refusal.rs`; operators that only move entries belong in
//! `moves.rs`, those that compute in `compute.rs` or beside it.

mod batch;
mod cast;
pub(crate) mod compute;
mod constant;
pub(crate) mod error;
mod expressions;
mod gate;
mod inputs;
mod integer;
mod interface;
mod interpret;
pub(crate) mod layering;
pub(crate) mod matrix;
mod moves;
mod names;
mod outputs;
mod proto;
mod rank;
mod reduce;
mod refusal;
mod row;
pub(crate) mod signal;
mod smooth;
mod spread;
pub(crate) mod tensor;
#[cfg(test)]
mod tests;
mod value;
mod whole;
mod write;
mod written;

use std::path::Path;

use prost::Message;
use surefoot_files::Inputs;

pub use error::OnnxError;
pub use interface::{Interface, Port, interface};
pub use refusal::operators;
pub use write::{OnnxWriteError, tensor_file, write};

/// The operator sets that are read without a notice, first and last.
pub const OPERATOR_SETS: (i64, i64) = (9, 25);

use crate::network::Network;
use crate::read::ReadOptions;
use constant::SideFiles;

/// Reads an ONNX model; `directory` is where side files with external data may lie (none: they are refused).
///
/// # Errors
/// When the model is malformed or outside the supported subset; the message names the node or tensor.
pub fn from_bytes(bytes: &[u8], options: &ReadOptions, directory: Option<&Path>) -> Result<Network, OnnxError> {
    from_bytes_with(&mut Inputs::default(), bytes, options, directory)
}

/// The same; side files become inputs.
pub(crate) fn from_bytes_with(
    inputs: &mut Inputs,
    bytes: &[u8],
    options: &ReadOptions,
    directory: Option<&Path>,
) -> Result<Network, OnnxError> {
    let model = proto::ModelProto::decode(bytes).map_err(|error| OnnxError::Malformed(error.to_string()))?;
    interpret::read(&model, options, &SideFiles::new(inputs, directory))
}
