//! From a path to a network: the extension decides the format.

use std::path::Path;

use surefoot_files::{Inputs, Kind, Origin, unpack, unpacked_name};

use crate::layer::Activation;
use crate::network::Network;
use crate::{NetworkError, foreign, nnet, onnx, safetensors};

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
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadOptions {
    /// The precision of decimal weights (`.nnet`), where the user states it; a notice tells the default.
    pub nnet_weights: Option<NnetWeights>,
    /// Which graph output to take (ONNX); the first one by default.
    pub onnx_output: Option<String>,
    /// What stands between the layers of a file that does not say it (safetensors), as the user states it.
    pub activation: Option<Activation>,
}

/// Reads a network file that a user names; `.nnet`, `.onnx` and `.safetensors` are known, and the same packed as `.gz`.
///
/// # Errors
/// When the file cannot be read, is malformed, or holds a network outside the supported class. The message names the
/// file and the place in it.
pub fn read_file(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Network, NetworkError> {
    read_with(&mut Inputs::default(), path.as_ref(), Origin::Named, options).map(|(network, _)| network)
}

/// The same; what is read becomes an input, files beside it included. Gives the file's bytes too, unpacked.
///
/// # Errors
/// As for [`read_file`]. What a file that another file names says is not quoted: it might be anybody's.
pub fn read_with(
    inputs: &mut Inputs,
    path: &Path,
    origin: Origin,
    options: &ReadOptions,
) -> Result<(Network, Vec<u8>), NetworkError> {
    let owned = || path.to_path_buf();
    let unpacked = unpacked_name(path);
    let extension = unpacked.as_deref().unwrap_or(path).extension();
    let extension = extension.and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let format = match extension.as_deref() {
        Some(known @ ("nnet" | "onnx" | "safetensors")) => known,
        _ => return Err(NetworkError::UnknownFormat { path: owned(), foreign: foreign::by_name(path) }),
    };
    // The extension says what it is, so standard input, which has none, cannot be meant.
    let bytes = inputs.read(path, Kind::Network, origin);
    let bytes = bytes.and_then(|bytes| if unpacked.is_some() { unpack(&bytes, Kind::Network) } else { Ok(bytes) });
    let bytes = bytes.map_err(|source| NetworkError::Io { path: owned(), source })?;
    let network = match format {
        "nnet" => nnet::from_bytes(&bytes, options.nnet_weights.unwrap_or_default())
            .map(|network| match options.nnet_weights {
                None => network.with_notice("the decimal weights are read to the nearest 64-bit float"),
                Some(_) => network,
            })
            .map_err(|mut source| {
                if origin == Origin::Reached {
                    source.problem.forget_what_was_found();
                }
                NetworkError::Nnet { path: owned(), source }
            }),
        "onnx" => onnx::from_bytes_with(inputs, &bytes, options, path.parent())
            .map_err(|source| NetworkError::Onnx { path: owned(), source }),
        _ => safetensors::from_bytes(&bytes, options)
            .map_err(|source| NetworkError::Safetensors { path: owned(), source }),
    };
    // An archive by the name of a network gets an answer about the archive, not about its first bytes.
    match network {
        Ok(network) => Ok((network, bytes)),
        Err(error) => Err(match foreign::by_content(&bytes) {
            Some(foreign) => NetworkError::UnknownFormat { path: owned(), foreign: Some(foreign) },
            None => error,
        }),
    }
}
