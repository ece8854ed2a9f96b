//! Stored tensors: decoding `TensorProto`, including data in side files.
//!
//! A tensor's data may lie in another file (`external_data`: `location`, `offset`, `length`). The location must be a
//! plain relative path without `..`, below the model's own directory, links followed, and the stretch must lie inside that file: a
//! model must not be able to read elsewhere on the machine.

use std::cell::RefCell;
use std::ops::Range;
use std::path::{Component, Path};
use std::rc::Rc;

use surefoot_files::{Inputs, Kind, ReadError};

use super::error::OnnxError;
use super::proto::{TensorProto, data_type};
use super::tensor::{Tensor, element_count};
use crate::sparse::{self, SparseRows};

/// The files beside a model; each is read once, however many tensors it holds.
pub(super) struct SideFiles<'a> {
    /// Where they may lie; none: they are refused.
    directory: Option<&'a Path>,
    inputs: RefCell<&'a mut Inputs>,
    read: RefCell<Vec<(String, Rc<[u8]>)>>,
}

impl<'a> SideFiles<'a> {
    pub(super) fn new(inputs: &'a mut Inputs, directory: Option<&'a Path>) -> Self {
        Self { directory, inputs: RefCell::new(inputs), read: RefCell::default() }
    }

    fn read(&self, directory: &Path, location: &str) -> Result<Rc<[u8]>, ReadError> {
        if let Some((_, bytes)) = self.read.borrow().iter().find(|(known, _)| known == location) {
            return Ok(Rc::clone(bytes));
        }
        let bytes = self.inputs.borrow_mut().read_below(directory, Path::new(location), Kind::Weights)?;
        let bytes: Rc<[u8]> = bytes.into();
        self.read.borrow_mut().push((location.to_owned(), Rc::clone(&bytes)));
        Ok(bytes)
    }
}

/// A decoded constant.
#[derive(Debug, Clone)]
pub(super) enum Constant {
    Int(Tensor<i64>),
    Float(Tensor<f64>),
    /// A large matrix, nearly all of it zero.
    Sparse(SparseRows),
}

/// How many numbers are decoded at a time where only some of them are kept.
const PIECE: usize = 1 << 12;

/// Numbers of one of the floating-point types, as they are stored.
#[derive(Clone, Copy)]
enum Floats<'t> {
    RawSingle(&'t [[u8; 4]]),
    RawDouble(&'t [[u8; 8]]),
    Single(&'t [f32]),
    Double(&'t [f64]),
}

impl Floats<'_> {
    fn len(self) -> usize {
        match self {
            Self::RawSingle(raw) => raw.len(),
            Self::RawDouble(raw) => raw.len(),
            Self::Single(data) => data.len(),
            Self::Double(data) => data.len(),
        }
    }

    /// A stretch of the numbers, in place of what `into` held.
    fn read(self, stretch: Range<usize>, into: &mut Vec<f64>) {
        into.clear();
        match self {
            Self::RawSingle(raw) => into.extend(raw[stretch].iter().map(|b| f64::from(f32::from_le_bytes(*b)))),
            Self::RawDouble(raw) => into.extend(raw[stretch].iter().map(|b| f64::from_le_bytes(*b))),
            Self::Single(data) => into.extend(data[stretch].iter().map(|&x| f64::from(x))),
            Self::Double(data) => into.extend_from_slice(&data[stretch]),
        }
    }

    /// How many are not zero; or the place of one that is not finite, and that one.
    fn nonzeros(self) -> Result<usize, (usize, f64)> {
        let mut nonzeros = 0;
        let mut piece = Vec::new();
        for start in (0..self.len()).step_by(PIECE) {
            self.read(start..self.len().min(start + PIECE), &mut piece);
            if let Some(at) = piece.iter().position(|x| !x.is_finite()) {
                return Err((start + at, piece[at]));
            }
            nonzeros += piece.iter().filter(|x| **x != 0.0).count();
        }
        Ok(nonzeros)
    }

    /// As a tensor of this shape, which has as many entries; a large matrix of few that are not zero without the others.
    fn constant(self, shape: Vec<usize>, nonzeros: usize) -> Constant {
        if let [rows, columns] = shape[..]
            && sparse::pays(self.len(), nonzeros)
            && let Some(mut sparse) = SparseRows::new(columns)
        {
            let mut piece = Vec::new();
            for row in 0..rows {
                self.read(row * columns..(row + 1) * columns, &mut piece);
                sparse.push(piece.iter().copied().enumerate());
            }
            return Constant::Sparse(sparse);
        }
        let mut data = Vec::new();
        self.read(0..self.len(), &mut data);
        Constant::Float(Tensor { shape, data })
    }
}

fn fault<T>(tensor: &TensorProto, problem: impl Into<String>) -> Result<T, OnnxError> {
    let name = if tensor.name.is_empty() { "(unnamed)" } else { &tensor.name };
    Err(OnnxError::Tensor { tensor: name.to_owned(), problem: problem.into() })
}

/// The bytes of a tensor stored in a side file.
fn external(tensor: &TensorProto, side: &SideFiles<'_>, needed: u64) -> Result<Vec<u8>, OnnxError> {
    let entry = |key: &str| tensor.external_data.iter().find(|pair| pair.key == key).map(|pair| pair.value.as_str());
    let number = |key: &str, default: u64| match entry(key) {
        None => Ok(default),
        Some(text) => text.parse::<u64>().or_else(|_| fault(tensor, format!("external {key} '{text}' is no number"))),
    };
    let Some(directory) = side.directory else {
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
    let bytes = match side.read(directory, location) {
        Ok(bytes) => bytes,
        Err(error) => return fault(tensor, format!("the external file '{location}' cannot be read: {error}")),
    };
    let stretch = |offset: u64| {
        let start = usize::try_from(offset).ok()?;
        bytes.get(start..start.checked_add(usize::try_from(needed).ok()?)?)
    };
    match stretch(offset) {
        Some(stretch) => Ok(stretch.to_vec()),
        None => fault(tensor, format!("the external file '{location}' is too short for it")),
    }
}

/// Decodes a stored tensor; `side` is where external data may lie.
pub(super) fn decode(tensor: &TensorProto, side: &SideFiles<'_>) -> Result<Constant, OnnxError> {
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
        from_file = external(tensor, side, bytes as u64)?;
        Some(&from_file[..])
    } else if !tensor.raw_data.is_empty() {
        Some(&tensor.raw_data[..])
    } else {
        None
    };
    if let Some(raw) = raw.filter(|raw| raw.len() != bytes) {
        return fault(tensor, format!("has {} bytes of data, shape {shape:?} needs {bytes}", raw.len()));
    }
    let floats = match (tensor.data_type, raw) {
        (data_type::FLOAT, Some(raw)) => Floats::RawSingle(raw.as_chunks::<4>().0),
        (data_type::FLOAT, None) => Floats::Single(&tensor.float_data),
        (data_type::DOUBLE, Some(raw)) => Floats::RawDouble(raw.as_chunks::<8>().0),
        (data_type::DOUBLE, None) => Floats::Double(&tensor.double_data),
        (kind, raw) => {
            let data: Vec<i64> = match (kind, raw) {
                (data_type::INT64, Some(raw)) => {
                    raw.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b)).collect()
                }
                (data_type::INT64, None) => tensor.int64_data.clone(),
                (data_type::INT32, Some(raw)) => {
                    raw.as_chunks::<4>().0.iter().map(|b| i64::from(i32::from_le_bytes(*b))).collect()
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
    match floats.nonzeros() {
        Err((at, x)) => fault(tensor, format!("entry {at} is {x}; all constants must be finite")),
        Ok(nonzeros) => Ok(floats.constant(shape, nonzeros)),
    }
}
