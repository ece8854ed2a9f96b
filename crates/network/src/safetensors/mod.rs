//! Networks in safetensors files: tensors, plus a description of the layers in `__metadata__`.
//!
//! The metadata (a map from strings to strings) holds
//!
//! * `surefoot.layers`: a JSON list, first layer first, of `{"weight": NAME, "bias": NAME, "activation": "relu"}`.
//!   Weights have shape `[outputs, inputs]` as in PyTorch; `bias` (shape `[outputs]`) may be left out for zero;
//!   `activation` is `"relu"`, `"tanh"` or another one by name, or `"identity"`.
//! * `surefoot.input_scale`, `surefoot.input_offset`, `surefoot.output_scale`, `surefoot.output_offset`: JSON lists of
//!   numbers *as text* (`"0.1"`, `"1/3"`), one per input or output: `x' = scale * x + offset`. They are exact rationals;
//!   text, because JSON numbers pass through floats in most tools. A missing scale is 1, a missing offset 0.
//!
//! Without `surefoot.layers` the file does not say what stands between its layers, and is refused unless the user says it
//! ([`ReadOptions::activation`]). Then names of PyTorch's `Sequential` are understood (`0.weight`, `0.bias`, `2.weight`,
//! ..., possibly behind one common prefix): layers in the order of their numbers, that activation between them, none at the
//! end. A notice says what was made of the file.

mod header;
mod layers;
mod tensors;

use safetensors::tensor::{Metadata, SafeTensors};
use surefoot_num::Rational;

use crate::layer::Activation;
use crate::network::Network;
use crate::normalisation::Normalisation;
use crate::read::ReadOptions;
use crate::shape::ShapeError;

/// The metadata entry that describes the layers.
const LAYERS: &str = "surefoot.layers";

/// Why a safetensors file gives no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SafetensorsError {
    /// The container is malformed.
    #[error("not a well-formed safetensors file ({0}); is it truncated?")]
    Container(String),
    /// A name that stands twice in the header.
    #[error("the header names '{0}' twice; each tensor and each metadata entry needs a name of its own")]
    Twice(String),
    /// A metadata entry that cannot be understood.
    #[error("metadata entry '{key}': {problem}")]
    Metadata {
        /// The entry.
        key: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No description of layers, and names that follow no known scheme.
    #[error(
        "cannot tell the layers: there is no metadata entry 'surefoot.layers', and the tensor '{tensor}' does not follow \
         the scheme of PyTorch's Sequential (0.weight, 0.bias, 2.weight, ...); add the entry when saving"
    )]
    UnknownScheme {
        /// The first tensor outside the scheme.
        tensor: String,
    },
    /// No description of layers, and nobody says what stands between them.
    #[error(
        "the file does not say which activation stands between its layers: there is no metadata entry 'surefoot.layers'"
    )]
    NoActivation,
    /// An activation was stated, but the numbers of two layers leave no room for it.
    #[error(
        "cannot tell whether an activation stands between the layers {number} and {next}: their numbers follow each \
         other, and there is no metadata entry 'surefoot.layers'; add the entry when saving"
    )]
    NoGap {
        /// The number of a layer.
        number: u32,
        /// The next number.
        next: u32,
    },
    /// No tensors.
    #[error("the file has no tensors")]
    Empty,
    /// An activation was stated, but the file has its own description.
    #[error(
        "the file describes its own layers (metadata entry 'surefoot.layers'), so no activation can be stated for it"
    )]
    StatedTwice,
    /// A tensor that is missing or unfit.
    #[error("tensor '{tensor}': {problem}")]
    Tensor {
        /// The tensor.
        tensor: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Parts that do not fit together.
    #[error("{0}")]
    Shape(#[from] ShapeError),
}

fn rationals(metadata: &Metadata, key: &str) -> Result<Option<Vec<Rational>>, SafetensorsError> {
    let Some(text) = metadata.metadata().as_ref().and_then(|map| map.get(key)) else { return Ok(None) };
    let bad = |problem: String| SafetensorsError::Metadata { key: key.to_owned(), problem };
    if let Some(problem) = header::not_json(text) {
        return Err(bad(problem));
    }
    let texts: Vec<String> = serde_json::from_str(text)
        .map_err(|_| bad("expected a list of numbers as text, such as [\"0.1\", \"1/3\"]".to_owned()))?;
    let number = |(at, text): (usize, &String)| {
        if text.len() > 1_000 {
            return Err(bad(format!("entry {at} has more than 1000 digits")));
        }
        text.parse().map_err(|error: surefoot_num::ParseRationalError| bad(format!("entry {at}: {error}")))
    };
    texts.iter().enumerate().map(number).collect::<Result<_, _>>().map(Some)
}

/// The normalisation of one side, and what had to be added to the file's own words.
fn normalisation(
    metadata: &Metadata,
    side: &str,
    len: usize,
) -> Result<Option<(Normalisation, Option<String>)>, SafetensorsError> {
    let entry = |what: &str| format!("surefoot.{side}_{what}");
    let scale = rationals(metadata, &entry("scale"))?;
    let offset = rationals(metadata, &entry("offset"))?;
    let inferred = match (&scale, &offset) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => None,
        (None, Some(_)) => Some(format!("there is no '{}', so every scale is 1", entry("scale"))),
        (Some(_), None) => Some(format!("there is no '{}', so every offset is 0", entry("offset"))),
    };
    for (what, list) in [("scale", &scale), ("offset", &offset)] {
        if let Some(found) = list.as_ref().map(Vec::len).filter(|found| *found != len) {
            let problem = format!("has {found} entries, but the network has {len} {side}s");
            return Err(SafetensorsError::Metadata { key: entry(what), problem });
        }
    }
    let scale = scale.unwrap_or_else(|| vec![Rational::ONE; len]);
    let offset = offset.unwrap_or_else(|| vec![Rational::ZERO; len]);
    Ok(Some((Normalisation::new(scale, offset)?, inferred)))
}

/// Reads a network from safetensors bytes.
///
/// # Errors
/// When the container is malformed or describes no network; the message names the tensor or metadata entry.
pub fn from_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Network, SafetensorsError> {
    let container = |error: safetensors::SafeTensorError| SafetensorsError::Container(header::problem(&error));
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(container)?;
    let file = SafeTensors::deserialize(bytes).map_err(container)?;
    if let Some(name) = header::of(bytes).and_then(header::twice) {
        return Err(SafetensorsError::Twice(name));
    }
    let described = metadata.metadata().as_ref().and_then(|map| map.get(LAYERS));
    let entries = match (described, options.activation) {
        (Some(_), Some(_)) => return Err(SafetensorsError::StatedTwice),
        (Some(text), None) => layers::described(text)?,
        (None, stated) => layers::sequential(&file, stated)?,
    };
    // A tensor used by many layers would multiply memory.
    if entries.len() > file.len() {
        let problem = format!("{} layers from {} tensors", entries.len(), file.len());
        return Err(SafetensorsError::Metadata { key: LAYERS.to_owned(), problem });
    }
    let layers: Result<Vec<_>, _> = entries.iter().map(|entry| tensors::read_layer(&file, entry)).collect();
    let mut network = Network::new(layers?)?;
    let (input, output) = (
        normalisation(&metadata, "input", network.input_len())?,
        normalisation(&metadata, "output", network.output_len())?,
    );
    let mut notices = Vec::new();
    if described.is_none() {
        let between = match options.activation {
            Some(Activation::Relu) => "ReLU".to_owned(),
            Some(Activation::Identity) | None => "nothing".to_owned(),
            Some(smooth) => smooth.to_string(),
        };
        let normalised = if input.is_none() && output.is_none() { ", no normalisation" } else { "" };
        notices.push(format!(
            "the file does not describe its layers: they are taken in the order of the numbers in their names, with \
             {between} between them, as stated, and nothing after the last{normalised}"
        ));
    }
    if let Some((input, inferred)) = input {
        network = network.with_input_normalisation(input)?;
        notices.extend(inferred);
    }
    if let Some((output, inferred)) = output {
        network = network.with_output_normalisation(output)?;
        notices.extend(inferred);
    }
    Ok(notices.into_iter().fold(network, Network::with_notice))
}

#[cfg(test)]
mod tests;
