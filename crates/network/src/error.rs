//! What can go wrong between a path and a network; the format's own error says where in the file.

use std::path::PathBuf;

use crate::nnet::NnetError;
use crate::onnx::OnnxError;
use crate::safetensors::SafetensorsError;

/// Why a network file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// An extension that names no supported format.
    #[error("{}: unknown network format; supported: .nnet, .onnx, .safetensors", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A malformed `.nnet` file.
    #[error("{}:{source}", path.display())]
    Nnet {
        /// The file.
        path: PathBuf,
        /// The place and the problem.
        source: NnetError,
    },
    /// An ONNX file that is malformed or outside the supported subset.
    #[error("{}: {source}", path.display())]
    Onnx {
        /// The file.
        path: PathBuf,
        /// The place and the problem.
        source: OnnxError,
    },
    /// A safetensors file that is malformed or describes no network.
    #[error("{}: {source}", path.display())]
    Safetensors {
        /// The file.
        path: PathBuf,
        /// The place and the problem.
        source: SafetensorsError,
    },
}
