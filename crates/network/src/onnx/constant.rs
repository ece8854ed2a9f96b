//! Stored tensors: decoding `TensorProto`, including data in side files.
//!
//! A tensor's data may lie in another file (`external_data`: `location`, `offset`, `length`). The location must be a
//! plain relative path without `..`, below the model's own directory, and the stretch must lie inside that file: a
//! model must not be able to read elsewhere on the machine.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path};

use super::error::OnnxError;
use super::proto::{TensorProto, data_type};
use super::tensor::{Tensor, element_count};

/// A decoded constant.
#[derive(Debug, Clone)]
pub(super) enum Constant {
    Int(Tensor<i64>),
    Float(Tensor<f64>),
}

fn fault<T>(tensor: &TensorProto, problem: impl Into<String>) -> Result<T, OnnxError> {
    let name = if tensor.name.is_empty() { "(unnamed)" } else { &tensor.name };
    Err(OnnxError::Tensor { tensor: name.to_owned(), problem: problem.into() })
}

/// The bytes of a tensor stored in a side file.
fn external(tensor: &TensorProto, directory: Option<&Path>, needed: u64) -> Result<Vec<u8>, OnnxError> {
    let entry = |key: &str| tensor.external_data.iter().find(|pair| pair.key == key).map(|pair| pair.value.as_str());
    let number = |key: &str, default: u64| match entry(key) {
        None => Ok(default),
        Some(text) => text.parse::<u64>().or_else(|_| fault(tensor, format!("external {key} '{text}' is no number"))),
    };
    let Some(directory) = directory else {
        return fault(
            tensor,
            "its data is in another file, which cannot be followed here; read the model from its file",
        );
    };
    let location = entry("location").unwrap_or("");
    let path = Path::new(location);
    let plain = !location.is_empty() && path.components().all(|c| matches!(c, Component::Normal(_)));
    if !plain || location.contains('\\') {
        let text = format!("external data location '{location}' is refused: it must be a relative path without '..'");
        return fault(tensor, text);
    }
    let (offset, length) = (number("offset", 0)?, number("length", needed)?);
    if length != needed {
        return fault(tensor, format!("external data has length {length}, its shape needs {needed} bytes"));
    }
    let read = || -> std::io::Result<Option<Vec<u8>>> {
        let mut file = std::fs::File::open(directory.join(path))?;
        let metadata = file.metadata()?;
        // Checked before allocating, and before reading from something that is no plain file and might block.
        if !metadata.is_file() || offset.checked_add(needed).is_none_or(|end| end > metadata.len()) {
            return Ok(None);
        }
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(needed).read_to_end(&mut bytes)?;
        Ok(if bytes.len() as u64 == needed { Some(bytes) } else { None })
    };
    match read() {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => fault(tensor, format!("the external file '{location}' is too short for it")),
        Err(error) => fault(tensor, format!("the external file '{location}' cannot be read: {error}")),
    }
}

/// Decodes a stored tensor; `directory` is where external data may lie.
pub(super) fn decode(tensor: &TensorProto, directory: Option<&Path>) -> Result<Constant, OnnxError> {
    let dims: Option<Vec<usize>> = tensor.dims.iter().map(|&d| usize::try_from(d).ok()).collect();
    let Some(shape) = dims else { return fault(tensor, format!("shape {:?} has a negative dimension", tensor.dims)) };
    let width = match tensor.data_type {
        data_type::FLOAT | data_type::INT32 => 4usize,
        data_type::DOUBLE | data_type::INT64 => 8,
        data_type::BOOL => 1,
        other => {
            let name = data_type::name(other);
            return fault(tensor, format!("element type {name} is not supported; export in float or double"));
        }
    };
    let count = element_count(&shape).and_then(|count| Some((count, count.checked_mul(width)?)));
    let Some((count, bytes)) = count else { return fault(tensor, format!("shape {shape:?} is too large")) };
    let from_file;
    let raw = if tensor.data_location == 1 {
        from_file = external(tensor, directory, bytes as u64)?;
        Some(&from_file[..])
    } else if !tensor.raw_data.is_empty() {
        Some(&tensor.raw_data[..])
    } else {
        None
    };
    if let Some(raw) = raw.filter(|raw| raw.len() != bytes) {
        return fault(tensor, format!("has {} bytes of data, shape {shape:?} needs {bytes}", raw.len()));
    }
    let (four, eight) = (|raw: &[u8]| raw.as_chunks::<4>().0.to_vec(), |raw: &[u8]| raw.as_chunks::<8>().0.to_vec());
    let floats: Vec<f64> = match (tensor.data_type, raw) {
        (data_type::FLOAT, Some(raw)) => four(raw).into_iter().map(|b| f64::from(f32::from_le_bytes(b))).collect(),
        (data_type::FLOAT, None) => tensor.float_data.iter().map(|&f| f64::from(f)).collect(),
        (data_type::DOUBLE, Some(raw)) => eight(raw).into_iter().map(f64::from_le_bytes).collect(),
        (data_type::DOUBLE, None) => tensor.double_data.clone(),
        (kind, raw) => {
            let data: Vec<i64> = match (kind, raw) {
                (data_type::INT64, Some(raw)) => eight(raw).into_iter().map(i64::from_le_bytes).collect(),
                (data_type::INT64, None) => tensor.int64_data.clone(),
                (data_type::INT32, Some(raw)) => {
                    four(raw).into_iter().map(|b| i64::from(i32::from_le_bytes(b))).collect()
                }
                (_, Some(raw)) => raw.iter().map(|&b| i64::from(b)).collect(),
                (_, None) => tensor.int32_data.iter().map(|&i| i64::from(i)).collect(),
            };
            if data.len() != count {
                return fault(tensor, format!("has {} entries, shape {shape:?} needs {count}", data.len()));
            }
            return Ok(Constant::Int(Tensor { shape, data }));
        }
    };
    if floats.len() != count {
        return fault(tensor, format!("has {} entries, shape {shape:?} needs {count}", floats.len()));
    }
    match floats.iter().position(|f| !f.is_finite()) {
        Some(at) => fault(tensor, format!("entry {at} is {}; all constants must be finite", floats[at])),
        None => Ok(Constant::Float(Tensor { shape, data: floats })),
    }
}
