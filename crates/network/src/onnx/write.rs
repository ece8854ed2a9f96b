//! Writing ONNX: `Gemm`, `Relu`, `Tanh`, `Sigmoid` and `Softplus`, normalisation around them, nothing that rounds.
//!
//! Element type is float when every number is exactly a float, else double. A normalisation is written as `Mul` and
//! `Add` when scale and offset are representable, else as `Sub` and `Div` by mean and range when those are, else refused.

use std::borrow::Cow;

use prost::Message;
use surefoot_num::Rational;
use surefoot_num::function::Function;

use super::proto::{
    AttributeProto, Dimension, GraphProto, ModelProto, NodeProto, OperatorSetId, TensorProto, TensorShape, TensorType,
    TypeProto, ValueInfo, data_type,
};
use super::signal::exact_f64;
use crate::layer::{Activation, Layer};
use crate::network::Network;
use crate::normalisation::Normalisation;

/// Why a network has no exact ONNX form.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OnnxWriteError {
    /// A normalisation whose constants are not representable.
    #[error(
        "the normalisation of the {what} is not exactly representable in double precision, neither as scale and offset \
         nor as mean and range"
    )]
    NotExact {
        /// Inputs or outputs.
        what: &'static str,
    },
    /// An activation that is not written.
    #[error("layer {layer} is {found}, which is not written as ONNX; relu, tanh, sigmoid and softplus are")]
    Activation {
        /// The layer, counted from 0.
        layer: usize,
        /// What it has.
        found: Activation,
    },
}

/// Two nodes with their constants: `Mul` and `Add`, or `Sub` and `Div`.
struct Steps {
    ops: [&'static str; 2],
    constants: [Vec<f64>; 2],
}

fn steps(normalisation: &Normalisation, what: &'static str) -> Result<Steps, OnnxWriteError> {
    let floats = |values: &[Rational]| values.iter().map(exact_f64).collect::<Option<Vec<f64>>>();
    if let (Some(scale), Some(offset)) = (floats(normalisation.scale()), floats(normalisation.offset())) {
        return Ok(Steps { ops: ["Mul", "Add"], constants: [scale, offset] });
    }
    let pairs = || normalisation.scale().iter().zip(normalisation.offset());
    let mean = pairs().map(|(scale, offset)| exact_f64(&(-offset).checked_div(scale)?)).collect::<Option<Vec<f64>>>();
    let range = pairs().map(|(scale, _)| exact_f64(&Rational::ONE.checked_div(scale)?)).collect::<Option<Vec<f64>>>();
    match (mean, range) {
        (Some(mean), Some(range)) => Ok(Steps { ops: ["Sub", "Div"], constants: [mean, range] }),
        _ => Err(OnnxWriteError::NotExact { what }),
    }
}

/// A size as ONNX writes it.
fn dimension(len: usize) -> i64 {
    i64::try_from(len).expect("what is in memory has fewer than 2^63 entries")
}

struct Writer {
    graph: GraphProto,
    /// Float or double.
    data_type: i32,
    /// The tensor at the end so far.
    current: String,
}

impl Writer {
    /// A stored tensor; its numbers come in pieces, so that none needs to be there as a whole with all its zeros.
    fn tensor<'v>(&mut self, name: String, dims: &[usize], pieces: impl IntoIterator<Item = Cow<'v, [f64]>>) -> String {
        let mut raw_data = Vec::new();
        for piece in pieces {
            if self.data_type == data_type::FLOAT {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "the type was chosen so that every number is a float"
                )]
                raw_data.extend(piece.iter().flat_map(|&v| (v as f32).to_le_bytes()));
            } else {
                raw_data.extend(piece.iter().flat_map(|v| v.to_le_bytes()));
            }
        }
        let dims = dims.iter().copied().map(dimension).collect();
        let tensor =
            TensorProto { dims, data_type: self.data_type, raw_data, name: name.clone(), ..TensorProto::default() };
        self.graph.initializer.push(tensor);
        name
    }

    fn node(&mut self, op: &str, name: String, constants: Vec<String>, attribute: Vec<AttributeProto>) {
        let mut input = vec![std::mem::replace(&mut self.current, name.clone())];
        input.extend(constants);
        let output = vec![name.clone()];
        self.graph.node.push(NodeProto {
            input,
            output,
            name,
            op_type: op.to_owned(),
            attribute,
            domain: String::new(),
        });
    }

    fn normalisation(&mut self, side: &str, steps: &Steps) {
        for (op, values) in steps.ops.iter().zip(&steps.constants) {
            let name = format!("{side}_{}", op.to_lowercase());
            let constant = self.tensor(format!("{name}_constant"), &[values.len()], [Cow::from(values)]);
            self.node(op, name, vec![constant], Vec::new());
        }
    }

    fn info(&self, name: &str, len: usize) -> ValueInfo {
        let batch = Dimension { value: None, param: Some("batch".to_owned()) };
        let size = Dimension { value: Some(dimension(len)), param: None };
        let shape = TensorShape { dim: vec![batch, size] };
        let tensor = TensorType { elem_type: self.data_type, shape: Some(shape) };
        ValueInfo { name: name.to_owned(), value_type: Some(TypeProto { tensor: Some(tensor) }) }
    }
}

/// Writes a network as an ONNX model (operator set 17).
///
/// # Errors
/// When a normalisation constant is not representable, or an activation is not written.
pub fn write(network: &Network) -> Result<Vec<u8>, OnnxWriteError> {
    let input = network.input_normalisation().map(|n| steps(n, "inputs")).transpose()?;
    let output = network.output_normalisation().map(|n| steps(n, "outputs")).transpose()?;
    let constants = [&input, &output].into_iter().flatten().flat_map(|steps| steps.constants.iter().flatten());
    let parameters = network.layers().iter().flat_map(Layer::numbers);
    #[expect(clippy::cast_possible_truncation, reason = "asks whether anything is lost")]
    let all_float = constants.copied().chain(parameters).all(|v| f64::from(v as f32) == v);
    let data_type = if all_float { data_type::FLOAT } else { data_type::DOUBLE };

    let graph = GraphProto { name: "network".to_owned(), ..GraphProto::default() };
    let mut writer = Writer { graph, data_type, current: "input".to_owned() };
    if let Some(steps) = &input {
        writer.normalisation("input", steps);
    }
    for (index, layer) in network.layers().iter().enumerate() {
        let (rows, columns) = (layer.output_len(), layer.input_len());
        let weight = writer.tensor(format!("layer{index}_weight"), &[rows, columns], layer.rows().map(|(row, _)| row));
        let bias = writer.tensor(format!("layer{index}_bias"), &[rows], [Cow::from(layer.bias())]);
        let trans_b = AttributeProto { name: "transB".to_owned(), i: 1, kind: 2, ..AttributeProto::default() };
        writer.node("Gemm", format!("layer{index}_gemm"), vec![weight, bias], vec![trans_b]);
        let operator = match layer.activation() {
            Activation::Identity => continue,
            Activation::Relu => "Relu",
            Activation::Smooth(Function::Tanh) => "Tanh",
            Activation::Smooth(Function::Sigmoid) => "Sigmoid",
            Activation::Smooth(Function::Softplus) => "Softplus",
            found => return Err(OnnxWriteError::Activation { layer: index, found }),
        };
        writer.node(operator, format!("layer{index}_{}", operator.to_lowercase()), Vec::new(), Vec::new());
    }
    if let Some(steps) = &output {
        writer.normalisation("output", steps);
    }
    writer.graph.input = vec![writer.info("input", network.input_len())];
    writer.graph.output = vec![writer.info(&writer.current, network.output_len())];
    let opset = OperatorSetId { domain: String::new(), version: 17 };
    let model = ModelProto {
        ir_version: 8,
        opset_import: vec![opset],
        producer_name: "surefoot".to_owned(),
        graph: Some(writer.graph),
    };
    Ok(model.encode_to_vec())
}

/// A tensor of floats in a file of its own, as ONNX has it, row by row; of double precision, or of single precision to which the
/// values are rounded.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
pub fn tensor_file(name: &str, shape: &[usize], values: &[f64], double: bool) -> Vec<u8> {
    let raw_data = match double {
        true => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        false => values.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect(),
    };
    let data_type = if double { data_type::DOUBLE } else { data_type::FLOAT };
    let dims = shape.iter().map(|size| i64::try_from(*size).unwrap_or(i64::MAX)).collect();
    TensorProto { dims, data_type, name: name.to_owned(), raw_data, ..TensorProto::default() }.encode_to_vec()
}
