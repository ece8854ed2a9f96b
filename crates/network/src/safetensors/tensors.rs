//! Stored tensors to layers: `F64`, `F32`, `F16` and `BF16` widen to `f64` exactly.

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::SafetensorsError;
use super::layers::LayerEntry;
use crate::layer::Layer;

/// An IEEE half-precision number, widened exactly.
pub(super) fn half(bits: u16) -> f64 {
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

pub(super) fn read_layer(file: &SafeTensors<'_>, entry: &LayerEntry) -> Result<Layer, SafetensorsError> {
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
    Layer::new(inputs, weights, bias, entry.activation).map_err(|error| problem(&entry.weight, error.to_string()))
}
