//! From a path to a network: the extension decides the format.

use std::path::Path;

use crate::network::Network;
use crate::{NetworkError, nnet, onnx, safetensors};

/// The precision to which decimal weights of `.nnet` files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NnetWeights {
    /// The nearest `f64`.
    #[default]
    F64,
    /// The nearest `f32`: for files printed from a network trained and deployed in single precision.
    F32,
}

/// How to read a network file.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The precision of decimal weights (`.nnet`).
    pub nnet_weights: NnetWeights,
    /// Which graph output to take (ONNX); the first one by default.
    pub onnx_output: Option<String>,
}

/// Reads a network file; `.nnet`, `.onnx` and `.safetensors` are known.
///
/// # Errors
/// When the file cannot be read, is malformed, or holds a network outside the supported class. The message names the
/// file and the place in it.
pub fn read_file(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Network, NetworkError> {
    let path = path.as_ref();
    let owned = || path.to_path_buf();
    let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let format = match extension.as_deref() {
        Some(known @ ("nnet" | "onnx" | "safetensors")) => known,
        _ => return Err(NetworkError::UnknownFormat { path: owned() }),
    };
    let bytes = std::fs::read(path).map_err(|source| NetworkError::Io { path: owned(), source })?;
    match format {
        "nnet" => nnet::from_bytes(&bytes, options.nnet_weights)
            .map_err(|source| NetworkError::Nnet { path: owned(), source }),
        "onnx" => onnx::from_bytes(&bytes, options, path.parent())
            .map_err(|source| NetworkError::Onnx { path: owned(), source }),
        _ => safetensors::from_bytes(&bytes).map_err(|source| NetworkError::Safetensors { path: owned(), source }),
    }
}
