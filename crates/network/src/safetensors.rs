//! Networks in safetensors files: tensors, plus a description of the layers in `__metadata__`.
//!
//! The metadata (a map from strings to strings) may hold
//!
//! * `surefoot.layers`: a JSON list, first layer first, of `{"weight": NAME, "bias": NAME, "activation": "relu"}`.
//!   Weights have shape `[outputs, inputs]` as in PyTorch; `bias` (shape `[outputs]`) may be left out for zero;
//!   `activation` is `"relu"` or `"identity"`.
//! * `surefoot.input_scale`, `surefoot.input_offset`, `surefoot.output_scale`, `surefoot.output_offset`: JSON lists of
//!   numbers *as text* (`"0.1"`, `"1/3"`), one per input or output: `x' = scale * x + offset`. They are exact rationals;
//!   text, because JSON numbers pass through floats in most tools. A missing scale is 1, a missing offset 0.
//!
//! Without `surefoot.layers`, names of PyTorch's `Sequential` are understood (`0.weight`, `0.bias`, `2.weight`, ...,
//! possibly behind one common prefix): layers in the order of their numbers, ReLU where a number is skipped, none at the
//! end. As the file does not say that it is ReLU, a notice does.
//!
//! `F64`, `F32`, `F16` and `BF16` tensors are read; all widen to `f64` exactly.

use std::collections::BTreeMap;

use safetensors::tensor::{Dtype, Metadata, SafeTensors, TensorView};
use serde::Deserialize;
use surefoot_num::Rational;

use crate::network::{Activation, Layer, Network, Normalisation, ShapeError};

/// Why a safetensors file gives no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SafetensorsError {
    /// The container is malformed.
    #[error("not a well-formed safetensors file ({0}); is it truncated?")]
    Container(String),
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
        /// The first tensor outside the scheme, or a remark that there is none.
        tensor: String,
    },
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

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct LayerEntry {
    weight: String,
    bias: Option<String>,
    activation: ActivationEntry,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ActivationEntry {
    Relu,
    Identity,
}

/// An IEEE half-precision number, widened exactly.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    // Exact: powers of two, and fractions of at most 11 bits.
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

fn problem(tensor: &str, problem: impl Into<String>) -> SafetensorsError {
    SafetensorsError::Tensor { tensor: tensor.to_owned(), problem: problem.into() }
}

fn view<'a>(file: &SafeTensors<'a>, name: &str) -> Result<TensorView<'a>, SafetensorsError> {
    file.tensor(name).map_err(|_| problem(name, "named in the layer list, but not in the file"))
}

fn numbers(name: &str, tensor: &TensorView<'_>) -> Result<Vec<f64>, SafetensorsError> {
    let data = tensor.data();
    let values: Vec<f64> = match tensor.dtype() {
        Dtype::F64 => data.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
        Dtype::F32 => data.as_chunks::<4>().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect(),
        Dtype::F16 => data.as_chunks::<2>().0.iter().map(|b| half(u16::from_le_bytes(*b))).collect(),
        Dtype::BF16 => {
            let widen = |b: &[u8; 2]| f64::from(f32::from_bits(u32::from(u16::from_le_bytes(*b)) << 16));
            data.as_chunks::<2>().0.iter().map(widen).collect()
        }
        other => return Err(problem(name, format!("type {other:?}; expected F32, F64, F16 or BF16"))),
    };
    match values.iter().position(|v| !v.is_finite()) {
        Some(at) => Err(problem(name, format!("entry {at} is {}; all weights must be finite", values[at]))),
        None => Ok(values),
    }
}

fn read_layer(file: &SafeTensors<'_>, entry: &LayerEntry) -> Result<Layer, SafetensorsError> {
    let weight = view(file, &entry.weight)?;
    let [outputs, inputs] = *weight.shape() else {
        let shape = weight.shape();
        return Err(problem(&entry.weight, format!("shape {shape:?}; expected [outputs, inputs]")));
    };
    let weights = numbers(&entry.weight, &weight)?;
    let bias = match &entry.bias {
        // A layer without inputs would make `outputs` cost nothing in the file.
        None if inputs == 0 => Vec::new(),
        None => vec![0.0; outputs],
        Some(name) => {
            let bias = view(file, name)?;
            if *bias.shape() != [outputs] {
                return Err(problem(name, format!("shape {:?}; expected [{outputs}]", bias.shape())));
            }
            numbers(name, &bias)?
        }
    };
    let activation = match entry.activation {
        ActivationEntry::Relu => Activation::Relu,
        ActivationEntry::Identity => Activation::Identity,
    };
    Layer::new(inputs, weights, bias, activation).map_err(|error| problem(&entry.weight, error.to_string()))
}

/// The layer list that the names of a PyTorch `Sequential` suggest.
fn sequential_layers(file: &SafeTensors<'_>) -> Result<Vec<LayerEntry>, SafetensorsError> {
    let mut names = file.names();
    names.sort_unstable();
    let mut layers: BTreeMap<u32, (Option<String>, Option<String>)> = BTreeMap::new();
    let mut common: Option<&str> = None;
    for name in names {
        let unknown = || SafetensorsError::UnknownScheme { tensor: name.to_owned() };
        let (stem, part) = name.rsplit_once('.').ok_or_else(unknown)?;
        let (prefix, number) = stem.rsplit_once('.').unwrap_or(("", stem));
        let number: u32 = number.parse().map_err(|_| unknown())?;
        if *common.get_or_insert(prefix) != prefix {
            return Err(unknown());
        }
        let layer = layers.entry(number).or_default();
        let slot = match part {
            "weight" => &mut layer.0,
            "bias" => &mut layer.1,
            _ => return Err(unknown()),
        };
        // `00.weight` beside `0.weight`.
        if slot.replace(name.to_owned()).is_some() {
            return Err(unknown());
        }
    }
    let last = layers.keys().next_back().copied();
    let numbers: Vec<u32> = layers.keys().copied().collect();
    let entry = |(number, (weight, bias)): (u32, (Option<String>, Option<String>))| {
        let unknown = || SafetensorsError::UnknownScheme { tensor: bias.clone().unwrap_or_default() };
        let weight = weight.ok_or_else(unknown)?;
        // Consecutive numbers leave no room for an activation between the two.
        let linear = Some(number) == last || number.checked_add(1).is_some_and(|next| numbers.contains(&next));
        let activation = if linear { ActivationEntry::Identity } else { ActivationEntry::Relu };
        Ok(LayerEntry { weight, bias, activation })
    };
    if layers.is_empty() {
        return Err(SafetensorsError::UnknownScheme { tensor: "(the file has no tensors)".to_owned() });
    }
    layers.into_iter().map(entry).collect()
}

fn rationals(metadata: &Metadata, key: &str) -> Result<Option<Vec<Rational>>, SafetensorsError> {
    let Some(text) = metadata.metadata().as_ref().and_then(|map| map.get(key)) else { return Ok(None) };
    let bad = |problem: String| SafetensorsError::Metadata { key: key.to_owned(), problem };
    let texts: Vec<String> = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    let number = |text: &String| {
        if text.len() > 1_000 {
            return Err(bad("a number of more than 1000 digits".to_owned()));
        }
        text.parse().map_err(|error: surefoot_num::ParseRationalError| bad(error.to_string()))
    };
    texts.iter().map(number).collect::<Result<_, _>>().map(Some)
}

fn normalisation(metadata: &Metadata, side: &str, len: usize) -> Result<Option<Normalisation>, SafetensorsError> {
    let scale = rationals(metadata, &format!("surefoot.{side}_scale"))?;
    let offset = rationals(metadata, &format!("surefoot.{side}_offset"))?;
    if scale.is_none() && offset.is_none() {
        return Ok(None);
    }
    let scale = scale.unwrap_or_else(|| vec![Rational::ONE; len]);
    let offset = offset.unwrap_or_else(|| vec![Rational::ZERO; len]);
    Ok(Some(Normalisation::new(scale, offset)?))
}

/// Reads a network from safetensors bytes.
///
/// # Errors
/// When the container is malformed or describes no network; the message names the tensor or metadata entry.
pub fn from_bytes(bytes: &[u8]) -> Result<Network, SafetensorsError> {
    let container = |error: safetensors::SafeTensorError| SafetensorsError::Container(error.to_string());
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(container)?;
    let file = SafeTensors::deserialize(bytes).map_err(container)?;
    const KEY: &str = "surefoot.layers";
    let described = metadata.metadata().as_ref().and_then(|map| map.get(KEY));
    let entries: Vec<LayerEntry> = match described {
        Some(text) => serde_json::from_str(text)
            .map_err(|error| SafetensorsError::Metadata { key: KEY.to_owned(), problem: error.to_string() })?,
        None => sequential_layers(&file)?,
    };
    // A tensor used by many layers would multiply memory.
    if entries.len() > file.len() {
        let problem = format!("{} layers from {} tensors", entries.len(), file.len());
        return Err(SafetensorsError::Metadata { key: KEY.to_owned(), problem });
    }
    let layers: Result<Vec<_>, _> = entries.iter().map(|entry| read_layer(&file, entry)).collect();
    let mut network = Network::new(layers?)?;
    if let Some(input) = normalisation(&metadata, "input", network.input_len())? {
        network = network.with_input_normalisation(input)?;
    }
    if let Some(output) = normalisation(&metadata, "output", network.output_len())? {
        network = network.with_output_normalisation(output)?;
    }
    if described.is_none() {
        network = network.with_notice(
            "the file does not describe its layers; taken as a PyTorch Sequential with ReLU where a number is skipped \
             and none at the end",
        );
    }
    Ok(network)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn file(tensors: &[(&str, Dtype, Vec<usize>, Vec<u8>)], metadata: &[(&str, &str)]) -> Vec<u8> {
        let views: Vec<_> = tensors
            .iter()
            .map(|(name, dtype, shape, data)| (*name, TensorView::new(*dtype, shape.clone(), data).unwrap()))
            .collect();
        let map: HashMap<String, String> = metadata.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        safetensors::serialize(views, if map.is_empty() { None } else { Some(map) }).unwrap()
    }

    fn f32s(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    fn sequential(prefix: &str) -> Vec<u8> {
        let name = |n: &str| format!("{prefix}{n}");
        let (w0, b0, w2) = (name("0.weight"), name("0.bias"), name("2.weight"));
        file(
            &[
                (&w0, Dtype::F32, vec![2, 1], f32s(&[0.1, -1.0])),
                (&b0, Dtype::F32, vec![2], f32s(&[0.0, 1.0])),
                (&w2, Dtype::BF16, vec![1, 2], vec![0x80, 0x3f, 0x00, 0xc0]),
            ],
            &[],
        )
    }

    #[test]
    fn a_sequential_is_recognised() {
        for prefix in ["", "policy."] {
            let network = from_bytes(&sequential(prefix)).unwrap();
            assert_eq!(network.layers()[0].weights(), [f64::from(0.1f32), -1.0]);
            assert_eq!(network.layers()[0].activation(), Activation::Relu);
            assert_eq!(network.layers()[1].weights(), [1.0, -2.0]);
            assert_eq!(network.layers()[1].activation(), Activation::Identity);
            assert_eq!(network.notices().len(), 1);
        }
    }

    #[test]
    fn described_layers_and_normalisation() {
        let tensors =
            [("w", Dtype::F64, vec![1usize, 2], [0.1f64, 2.0].iter().flat_map(|v| v.to_le_bytes()).collect())];
        let layers = ("surefoot.layers", r#"[{"weight": "w", "activation": "relu"}]"#);
        let network = from_bytes(&file(&tensors, &[layers, ("surefoot.input_scale", r#"["1/3", "0.1"]"#)])).unwrap();
        assert_eq!(network.input_normalisation().unwrap().scale()[1], "1/10".parse().unwrap());
        assert_eq!(network.layers()[0].activation(), Activation::Relu);
        assert!(network.notices().is_empty());
        for (metadata, expected) in [
            (vec![("surefoot.layers", "[{]")], "metadata entry 'surefoot.layers'"),
            (vec![("surefoot.layers", "[]")], "the network has no layers"),
            (vec![("surefoot.layers", r#"[{"weight": "v", "activation": "relu"}]"#)], "tensor 'v': named"),
            (vec![("surefoot.layers", r#"[{"weight": "w", "activation": "tanh"}]"#)], "metadata entry"),
            (vec![layers, ("surefoot.output_scale", r#"["0", "1"]"#)], "the normalisation offset has 1"),
            (vec![layers, ("surefoot.input_scale", r#"["nan", "1"]"#)], "metadata entry 'surefoot.input_scale'"),
            (vec![], "cannot tell the layers"),
        ] {
            let message = from_bytes(&file(&tensors, &metadata)).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn halves_widen_exactly() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x0001, 2f64.powi(-24)),
            (0x7bff, 65504.0),
            (0x3555, 0.333_251_953_125),
            (0x7c00, f64::INFINITY),
        ] {
            assert_eq!(half(bits), value);
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn infinities_and_odd_types_are_refused() {
        let inf = file(&[("0.weight", Dtype::F16, vec![1, 1], vec![0x00, 0x7c])], &[]);
        assert!(from_bytes(&inf).unwrap_err().to_string().contains("tensor '0.weight': entry 0 is inf"));
        let int = file(&[("0.weight", Dtype::I32, vec![1, 1], vec![0; 4])], &[]);
        assert!(from_bytes(&int).unwrap_err().to_string().contains("expected F32"));
        assert!(matches!(from_bytes(b"short"), Err(SafetensorsError::Container(_))));
    }
}
