//! ONNX: reading the subset that policies use, writing plain chains of layers.
//!
//! The graph is interpreted once with symbolic values, which turns it into neurons, then arranged into layers. No step
//! rounds: the result is the graph's function over the reals with the stored weights, or the graph is refused.
//!
//! *Read*: `Gemm`, `MatMul`, `Add`, `Sub`, `Mul` and `Div` with constants (also sums of two signals), `Relu`, `LeakyRelu`,
//! `Abs`, `Neg`, `Max`, `Min`, `Clip`, `Flatten`, `Reshape`, `Squeeze`, `Unsqueeze`, `Transpose`, `Concat`, `Slice`,
//! `Gather`, `Shape`, `Identity`, `Dropout` (inference), `Cast`, `Constant`. Operator sets 9 to 23.
//! *Stripped at the end*, with a notice: `Softmax`, `LogSoftmax`, `ArgMax` (they do not change which output is maximal).
//! *Inputs*: float or double, `[n]` or with leading dimensions of 1 or a symbolic batch. Several inputs are joined in the
//! graph's order. *Outputs*: the first one, or the one asked for by name.
//!
//! To support another operator, add it to the tables in `interpret.rs` and `refusal.rs`; operators that only move entries belong in
//! `moves.rs`, those that compute in `compute.rs`.

mod compute;
mod constant;
mod error;
mod interpret;
mod layering;
mod moves;
mod names;
mod proto;
mod refusal;
mod signal;
mod tail;
mod tensor;
#[cfg(test)]
mod tests;
mod value;
mod write;

use std::path::Path;

use prost::Message;
use surefoot_files::Inputs;

pub use error::OnnxError;
pub use write::{OnnxWriteError, write};

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
