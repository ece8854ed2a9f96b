//! Scores of a network as it was read: so that Python can compare what we read with what it has.

use std::collections::BTreeMap;
use std::path::Path;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use surefoot_files::{Inputs, Origin};
use surefoot_network::eval::float::FloatNetwork;
use surefoot_network::{Activation, Network, ReadOptions, read_with};

use crate::failure::input;

/// A network, as the engines read it.
#[pyclass(name = "Network", module = "surefoot._native", frozen)]
pub(crate) struct PyNetwork {
    network: Network,
    float: FloatNetwork,
}

#[pymethods]
impl PyNetwork {
    /// Of bytes; the extension of the name says the format. `files` are what it names in its turn, and `activation` and `output` what it does not say.
    #[new]
    #[pyo3(signature = (name, data, files=None, activation=None, output=None))]
    fn new(
        name: &str,
        data: PyBackedBytes,
        files: Option<BTreeMap<String, PyBackedBytes>>,
        activation: Option<&str>,
        output: Option<String>,
    ) -> PyResult<Self> {
        let mut inputs = Inputs::default();
        for (name, bytes) in files.into_iter().flatten() {
            inputs.hold(name, &bytes[..]);
        }
        inputs.hold(name, &data[..]);
        let activation =
            activation.map(str::parse::<Activation>).transpose().map_err(|error| input(error.to_string()))?;
        let options = ReadOptions { activation, onnx_output: output, ..ReadOptions::default() };
        let read = read_with(&mut inputs, Path::new(name), Origin::Named, &options);
        let (network, _) = read.map_err(|error| input(error.to_string()))?;
        Ok(Self { float: FloatNetwork::new(&network), network })
    }

    /// How many numbers it reads.
    #[getter]
    fn inputs(&self) -> usize {
        self.network.input_len()
    }

    /// How many numbers it gives.
    #[getter]
    fn outputs(&self) -> usize {
        self.network.output_len()
    }

    /// What was inferred when it was read.
    #[getter]
    fn notices(&self) -> Vec<String> {
        self.network.notices().to_vec()
    }

    /// The scores at some points, one a row, in doubles.
    fn scores<'py>(&self, py: Python<'py>, points: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let points = points.as_array().to_owned();
        if points.ncols() != self.inputs() {
            return Err(input(format!(
                "the network reads {} numbers, and a point has {}",
                self.inputs(),
                points.ncols()
            )));
        }
        let scores = py.detach(|| {
            let mut scores = Array2::zeros((points.nrows(), self.outputs()));
            let mut scratch = self.float.scratch();
            for (point, mut row) in points.rows().into_iter().zip(scores.rows_mut()) {
                let values = self.float.eval(&point.to_vec(), 0.0, &mut scratch).values;
                row.iter_mut().zip(values).for_each(|(score, value)| *score = *value);
            }
            scores
        });
        Ok(scores.into_pyarray(py))
    }
}
