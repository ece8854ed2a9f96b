//! What can go wrong between a path and a network; the format's own error says where in the file.

use std::path::PathBuf;

use surefoot_files::ReadError;

use crate::foreign::Foreign;
use crate::nnet::NnetError;
use crate::onnx::OnnxError;
use crate::safetensors::SafetensorsError;

/// Why a network file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file cannot be read, or is none.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: ReadError,
    },
    /// An extension that names no supported format.
    #[error("{}: {}", path.display(), foreign.as_ref().map_or_else(
        || "unknown network format; supported: .nnet, .onnx, .safetensors".to_owned(),
        |foreign| format!("this is {}, which is not supported", foreign.what)))]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// What it is, where its name tells.
        foreign: Option<Foreign>,
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

impl NetworkError {
    /// What to do about it; `state` says how an activation is stated, where that is possible.
    #[must_use]
    pub fn help(&self, state: Option<&str>) -> Option<String> {
        const SAVE: &str = "save it with the metadata entry 'surefoot.layers' (docs/networks.md shows how)";
        match self {
            Self::UnknownFormat { foreign: Some(foreign), .. } => Some(foreign.help.to_owned()),
            Self::UnknownFormat { foreign: None, .. } => {
                Some("convert it, or give the file its usual extension".to_owned())
            }
            Self::Safetensors { source: SafetensorsError::NoActivation, .. } => Some(match state {
                Some(state) => format!("{SAVE}, or {state}"),
                None => SAVE.to_owned(),
            }),
            Self::Safetensors { source: SafetensorsError::StatedTwice, .. } => {
                Some("leave the statement out".to_owned())
            }
            _ => None,
        }
    }

    /// The error and what to do about it, as one sentence.
    #[must_use]
    pub fn with_help(&self) -> String {
        match self.help(None) {
            Some(help) => format!("{self}; {help}"),
            None => self.to_string(),
        }
    }
}
