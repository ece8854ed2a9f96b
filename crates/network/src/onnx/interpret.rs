//! Runs through the graph once, node by node, with symbolic values.
//!
//! ONNX demands that nodes are stored in topological order, so a node whose input is not there yet is an error; cycles
//! end the same way. Only nodes that the chosen output depends on are looked at: a value head, say, may be anything.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::constant::{SideFiles, decode};
use super::error::{Fault, OnnxError, problem};
use super::expressions::Expressions;
use super::inputs::{Entries, inputs};
use super::moves::as_dim;
use super::proto::{GraphProto, ModelProto, NodeProto, TensorProto, data_type};
use super::signal::Builder;
use super::value::{Call, Value};
use super::written::Written;
use super::{
    OPERATOR_SETS, batch, cast, compute, layering, matrix, moves, names, outputs, rank, reduce, refusal, smooth, whole,
};
use crate::network::Network;
use crate::read::ReadOptions;

/// Work and memory allowed beyond what the stored tensors explain.
const BASE_BUDGET: u64 = 1 << 22;
/// Numbers that may be made per stored number.
const BUDGET_PER_NUMBER: u64 = 64;

/// A node's name, or its output's where it has none.
pub(super) fn describe(node: &NodeProto) -> String {
    match (node.name.as_str(), node.output.first()) {
        ("", Some(output)) => format!("-> {output}"),
        (name, _) => name.to_owned(),
    }
}

fn first_output(node: &NodeProto) -> Option<&str> {
    node.output.first().map(String::as_str)
}

pub(super) fn graph_error<T>(text: impl Into<String>) -> Result<T, OnnxError> {
    Err(OnnxError::Graph(text.into()))
}

/// Evaluates one node; the values of its outputs, or of the first of them.
fn evaluate(call: &Call<'_>, builder: &mut Builder, side: &SideFiles<'_>, opset: i64) -> Result<Vec<Value>, Fault> {
    let value = match call.node.op_type.as_str() {
        "Gemm" => matrix::gemm(call, builder),
        "MatMul" => matrix::matmul(call, builder),
        "Add" | "Sub" | "Mul" | "Div" => compute::arithmetic(call, builder),
        "Relu" => compute::relu(call, builder),
        "LeakyRelu" => compute::leaky_relu(call, builder),
        "PRelu" => compute::prelu(call, builder),
        "HardSigmoid" => compute::hard_sigmoid(call, builder),
        "Tanh" | "Sigmoid" | "Softplus" | "Elu" | "Selu" | "Celu" | "Gelu" | "Swish" => {
            smooth::activation(call, builder)
        }
        "LayerNormalization" => smooth::layer_normalisation(call, builder),
        "BatchNormalization" => batch::normalisation(call, builder),
        "Abs" => compute::abs(call, builder),
        "Neg" => compute::neg(call, builder),
        "Max" | "Min" => compute::extremum(call, builder),
        "Clip" => compute::clip(call, builder),
        "Cast" => cast::cast(call, builder),
        "ReduceSum" | "ReduceMean" | "ReduceMax" | "ReduceMin" => reduce::reduction(call, builder),
        "Conv" => reduce::convolution(call, builder),
        "MaxPool" | "AveragePool" | "GlobalMaxPool" | "GlobalAveragePool" => reduce::pooling(call, builder),
        "Equal" | "Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual" => whole::comparison(call, builder),
        "Not" | "And" | "Or" | "Xor" => whole::logic(call, builder),
        "Sign" => whole::sign(call, builder),
        "Where" => whole::either(call, builder),
        "OneHot" => whole::encode(call, builder),
        "Gather" => whole::gather(call, builder),
        "Softmax" | "LogSoftmax" => rank::softmax(call, builder, opset),
        "Exp" | "Log" => rank::exponential(call, builder),
        "ReduceLogSumExp" => rank::reduced(call, builder),
        "ArgMax" => rank::argmax(call, builder),
        "TopK" => return rank::top(call, builder),
        "Split" => return moves::split(call, builder),
        "Identity" => Ok(call.input(0)?.clone()),
        "Dropout" => dropout(call),
        "Flatten" => moves::flatten(call),
        "Reshape" => moves::reshape(call),
        "Squeeze" => moves::squeeze(call),
        "Unsqueeze" => moves::unsqueeze(call),
        "Transpose" => moves::transposed(call),
        "Expand" => moves::expand(call, builder),
        "ConstantOfShape" => moves::filled(call, builder, stored_value(call, side)?),
        "Concat" => moves::joined(call, builder),
        "Slice" => moves::slice(call, builder),
        "Shape" => moves::shape(call),
        "Constant" => constant(call, side),
        other => Err(Fault::Unsupported(refusal::advice(other))),
    };
    Ok(vec![value?])
}

/// The tensor in the attribute `value`.
fn stored_value(call: &Call<'_>, side: &SideFiles<'_>) -> Result<Option<Value>, Fault> {
    let inner = |error: OnnxError| Fault::Problem(error.to_string());
    let tensor = call.attribute("value").and_then(|attribute| attribute.t.as_ref());
    tensor.map(|tensor| Ok(decode(tensor, side).map_err(inner)?.into())).transpose()
}

/// `Dropout` does nothing in inference.
fn dropout(call: &Call<'_>) -> Result<Value, Fault> {
    match call.optional(2) {
        Some(Value::Int(mode)) if mode.data.iter().all(|&on| on == 0) => {}
        None => {}
        Some(_) => return problem("is in training mode; export in inference mode (model.eval())"),
    }
    Ok(call.input(0)?.clone())
}

pub(super) fn constant(call: &Call<'_>, side: &SideFiles<'_>) -> Result<Value, Fault> {
    let inner = |error: OnnxError| Fault::Problem(error.to_string());
    if let Some(value) = stored_value(call, side)? {
        return Ok(value);
    }
    let tensor = if let Some(attribute) = call.attribute("value_float") {
        TensorProto { data_type: data_type::FLOAT, float_data: vec![attribute.f], ..TensorProto::default() }
    } else if let Some(attribute) = call.attribute("value_floats") {
        let (dims, float_data) = (vec![as_dim(attribute.floats.len())?], attribute.floats.clone());
        TensorProto { dims, data_type: data_type::FLOAT, float_data, ..TensorProto::default() }
    } else if let Some(attribute) = call.attribute("value_int") {
        TensorProto { data_type: data_type::INT64, int64_data: vec![attribute.i], ..TensorProto::default() }
    } else if let Some(attribute) = call.attribute("value_ints") {
        let (dims, int64_data) = (vec![as_dim(attribute.ints.len())?], attribute.ints.clone());
        TensorProto { dims, data_type: data_type::INT64, int64_data, ..TensorProto::default() }
    } else {
        return problem("has no numeric value (texts and sparse tensors are not supported)");
    };
    Ok(decode(&tensor, side).map_err(inner)?.into())
}

/// Functions that are written out, by the edge that carries their value.
type Functions<'a> = BTreeMap<&'a str, Written<'a>>;

/// The names that the output depends on.
fn needed_nodes<'a>(
    output: &'a str,
    producers: &BTreeMap<&'a str, &'a NodeProto>,
    functions: &Functions<'a>,
) -> BTreeSet<&'a str> {
    let mut needed = BTreeSet::new();
    let mut open = vec![output];
    while let Some(name) = open.pop() {
        if !needed.insert(name) {
            continue;
        }
        match (functions.get(name), producers.get(name)) {
            (Some(function), _) => open.push(function.argument),
            (None, Some(node)) => open.extend(node.input.iter().map(String::as_str)),
            (None, None) => {}
        }
    }
    needed
}

fn producers(graph: &GraphProto) -> Result<BTreeMap<&str, &NodeProto>, OnnxError> {
    let mut producers = BTreeMap::new();
    for node in &graph.node {
        for output in node.output.iter().filter(|output| !output.is_empty()) {
            if producers.insert(output.as_str(), node).is_some() {
                return graph_error(format!("two nodes produce '{output}'"));
            }
        }
    }
    Ok(producers)
}

fn check_opset(model: &ModelProto, notices: &mut Vec<String>) -> Result<i64, OnnxError> {
    let default = |domain: &str| domain.is_empty() || domain == "ai.onnx";
    let version = model.opset_import.iter().find(|set| default(&set.domain)).map(|set| set.version);
    let Some(version) = version else { return graph_error("the model names no ONNX operator set; export it again") };
    let (first, last) = OPERATOR_SETS;
    match version {
        ..7 => return Err(OnnxError::Opset { found: version }),
        _ if (first..=last).contains(&version) => {}
        _ => notices.push(format!("operator set {version} is outside the tested range {first} to {last}")),
    }
    Ok(version)
}

/// Reads a decoded model.
pub(super) fn read(model: &ModelProto, options: &ReadOptions, side: &SideFiles<'_>) -> Result<Network, OnnxError> {
    let Some(graph) = &model.graph else { return graph_error("the model has no graph; is the file truncated?") };
    let mut notices = Vec::new();
    let opset = check_opset(model, &mut notices)?;
    let (producers, stored) = (producers(graph)?, names::check(model, graph)?);
    let output = outputs::choose(graph, options.onnx_output.as_deref(), &producers, &mut notices)?;
    let expressions = Expressions::new(&producers, &stored, side);
    let function = |node| Some((first_output(node)?, expressions.function(node)?));
    let functions: Functions<'_> = graph.node.iter().filter_map(function).collect();
    let needed = needed_nodes(output, &producers, &functions);
    let Entries { mut values, domains, batch } = inputs(graph, &stored, &mut notices)?;

    let mut numbers = domains.len() as u64;
    for (name, tensor) in stored.iter().filter(|(name, _)| needed.contains(*name)) {
        let value = Value::from(decode(tensor, side)?);
        numbers = numbers.saturating_add(value.len() as u64);
        store(&mut values, name, value).map_err(|fault| fault.of_tensor(name))?;
    }
    let budget = BASE_BUDGET.saturating_add(numbers.saturating_mul(BUDGET_PER_NUMBER));
    let nodes = || graph.node.iter().filter(|node| node.output.iter().any(|name| needed.contains(name.as_str())));
    let is_function = |node: &NodeProto| first_output(node).is_some_and(|output| functions.contains_key(output));
    refusal::check(nodes().filter(|node| !is_function(node)))?;
    let goal = Goal { output, opset, batch, side, functions: &functions };
    let len = domains.len();
    let result = match goal.build(nodes(), values.clone(), Builder::new(len, budget).with_domains(&domains)) {
        // An input used with and without its scale: see whether everything can be said without normalisation.
        Err(error @ OnnxError::NotExact { .. }) => {
            let builder = Builder::without_normalisation(len, budget).with_domains(&domains);
            goal.build(nodes(), values, builder).map_err(|_| error)
        }
        result => result,
    };
    let (network, told) = result?;
    notices.extend(told);
    Ok(notices.into_iter().fold(network, Network::with_notice))
}

/// What is to be computed.
struct Goal<'a, 's> {
    output: &'a str,
    opset: i64,
    batch: Option<(usize, usize)>,
    side: &'a SideFiles<'s>,
    functions: &'a Functions<'a>,
}

impl Goal<'_, '_> {
    /// Evaluates the nodes and arranges the result into layers; with what was decided on the way.
    fn build<'n>(
        &self,
        nodes: impl Iterator<Item = &'n NodeProto>,
        mut values: BTreeMap<String, Rc<Value>>,
        mut builder: Builder,
    ) -> Result<(Network, Vec<String>), OnnxError> {
        for node in nodes {
            self.run(node, &mut values, &mut builder).map_err(|fault| fault.at(describe(node), &node.op_type))?;
        }
        let output = self.output;
        let Some(value) = values.get(output) else { return graph_error(format!("nothing produces '{output}'")) };
        let answer = outputs::answer(output, value, self.batch, &mut builder)?;
        let kept = match (self.batch, answer.first_row) {
            (Some((_, inputs)), true) => inputs,
            _ => builder.inputs.len(),
        };
        let at = |fault: Fault| fault.of_output(output);
        let network = layering::network(&mut builder, &answer.outputs, kept).map_err(at)??;
        let network = network.with_choices(answer.choices)?;
        let network = if answer.order_only { network.with_order_only() } else { network };
        let mut told = std::mem::take(&mut builder.notices);
        told.extend(answer.notices);
        Ok((network, told))
    }

    fn run(
        &self,
        node: &NodeProto,
        values: &mut BTreeMap<String, Rc<Value>>,
        builder: &mut Builder,
    ) -> Result<(), Fault> {
        if !node.domain.is_empty() && node.domain != "ai.onnx" {
            return Err(Fault::Unsupported(format!("operators of domain '{}' are not supported", node.domain)));
        }
        if let Some(attribute) = node.attribute.iter().find(|attribute| !attribute.ref_attr_name.is_empty()) {
            return problem(format!("attribute '{}' refers to a function's attribute", attribute.name));
        }
        // What knows nothing of matrices by their non-zero entries gets all entries.
        let sparse = matches!(node.op_type.as_str(), "MatMul" | "Gemm" | "Transpose" | "Identity");
        let mut input = |name: &String| match (name.as_str(), values.get(name)) {
            ("", _) => Ok(None),
            (_, Some(value)) if !sparse && let Value::Sparse(matrix) = &**value => {
                builder.charge(value.len())?;
                Ok(Some(Rc::new(Value::Float(matrix.dense()))))
            }
            (_, Some(value)) => Ok(Some(value.clone())),
            (name, None) => problem(format!(
                "its input '{name}' is not produced by an earlier node (a cycle, an unsorted graph or a missing tensor)"
            )),
        };
        if let Some((output, function)) = first_output(node).and_then(|output| self.functions.get_key_value(output)) {
            let argument = input(&function.argument.to_owned())?;
            let argument = argument.ok_or_else(|| Fault::Problem("its input is missing".to_owned()))?;
            let value = function.evaluate(&argument, builder)?;
            builder.charge(1 + value.len())?;
            return store(values, output, value);
        }
        let inputs = node.input.iter().map(input).collect::<Result<_, _>>()?;
        let call = Call { node, inputs };
        if node.output.is_empty() {
            return problem("has no output");
        }
        // Further outputs of other operators stay unknown: whoever reads one is told that nothing produces it.
        for (output, value) in node.output.iter().zip(evaluate(&call, builder, self.side, self.opset)?) {
            builder.charge(1 + value.len())?;
            if !output.is_empty() {
                store(values, output, value)?;
            }
        }
        Ok(())
    }
}

/// Keeps a value; empty tensors exist only as lists of integers, so that no loop runs over a shape without entries.
fn store(values: &mut BTreeMap<String, Rc<Value>>, name: &str, value: Value) -> Result<(), Fault> {
    if value.len() == 0 && !matches!(&value, Value::Int(list) if list.shape.len() == 1) {
        return problem(format!("'{name}' has shape {:?}, which has no entries", value.shape()));
    }
    match values.insert(name.to_owned(), Rc::new(value)) {
        None => Ok(()),
        Some(_) => problem(format!("'{name}' is defined twice")),
    }
}
