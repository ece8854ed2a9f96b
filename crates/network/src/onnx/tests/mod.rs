//! Graphs built by hand and at random, against the plain meaning of their operators.

mod integers;
mod interface;
mod shapes;
mod smooth;
mod sparse;
mod written;

use super::proto::{
    AttributeProto, Dimension, GraphProto, ModelProto, NodeProto, OperatorSetId, StringPair, TensorProto, TensorShape,
    TensorType, TypeProto, ValueInfo, data_type,
};
use super::{OnnxError, from_bytes};
use crate::layer::Activation;
use crate::network::Network;
use crate::read::ReadOptions;
use proptest::prelude::*;
use prost::Message;
use surefoot_num::Rational;

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

fn floats(name: &str, dims: &[i64], values: &[f32]) -> TensorProto {
    let (dims, float_data, name) = (dims.to_vec(), values.to_vec(), name.to_owned());
    TensorProto { dims, data_type: data_type::FLOAT, float_data, name, ..TensorProto::default() }
}

fn ints(name: &str, values: &[i64]) -> TensorProto {
    let (dims, int64_data, name) = (vec![i64::try_from(values.len()).unwrap()], values.to_vec(), name.to_owned());
    TensorProto { dims, data_type: data_type::INT64, int64_data, name, ..TensorProto::default() }
}

fn int(name: &str, i: i64) -> AttributeProto {
    AttributeProto { name: name.to_owned(), i, kind: 2, ..AttributeProto::default() }
}

fn float(name: &str, f: f32) -> AttributeProto {
    AttributeProto { name: name.to_owned(), f, kind: 1, ..AttributeProto::default() }
}

fn info(name: &str, dims: &[Option<i64>]) -> ValueInfo {
    let dim = dims.iter().map(|d| Dimension { value: *d, param: None }).collect();
    let tensor = TensorType { elem_type: data_type::FLOAT, shape: Some(TensorShape { dim }) };
    ValueInfo { name: name.to_owned(), value_type: Some(TypeProto { tensor: Some(tensor) }) }
}

/// A graph under construction; each node is named like its output.
struct Graph {
    graph: GraphProto,
    opset: i64,
}

impl Graph {
    fn new(dims: &[Option<i64>]) -> Self {
        Self { graph: GraphProto { input: vec![info("x", dims)], ..GraphProto::default() }, opset: 13 }
    }

    fn constant(mut self, tensor: TensorProto) -> Self {
        self.graph.initializer.push(tensor);
        self
    }

    fn node(mut self, op: &str, inputs: &[&str], output: &str, attribute: Vec<AttributeProto>) -> Self {
        self.graph.node.push(NodeProto {
            input: inputs.iter().map(|&i| i.to_owned()).collect(),
            output: vec![output.to_owned()],
            name: output.to_owned(),
            op_type: op.to_owned(),
            attribute,
            domain: String::new(),
        });
        self
    }

    fn bytes(mut self, outputs: &[&str]) -> Vec<u8> {
        self.graph.output = outputs.iter().map(|name| info(name, &[])).collect();
        let opset_import = vec![OperatorSetId { domain: String::new(), version: self.opset }];
        ModelProto { ir_version: 8, opset_import, graph: Some(self.graph), ..ModelProto::default() }.encode_to_vec()
    }

    fn read(self, output: &str) -> Result<Network, OnnxError> {
        from_bytes(&self.bytes(&[output]), &ReadOptions::default(), None)
    }
}

fn at(network: &Network, point: &[&str]) -> Vec<String> {
    let point: Vec<Rational> = point.iter().map(|t| r(t)).collect();
    network.eval_reference(&point).iter().map(ToString::to_string).collect()
}

#[test]
fn normalisation_at_both_ends_is_rational() {
    let network = Graph::new(&[None, Some(2)])
        .constant(floats("mean", &[2], &[1.0, 0.0]))
        .constant(floats("range", &[2], &[3.0, 7.0]))
        .constant(floats("w", &[2, 2], &[1.0, 2.0, 3.0, 4.0]))
        .constant(floats("b", &[1, 2], &[0.5, -0.5]))
        .constant(floats("three", &[], &[3.0]))
        .node("Sub", &["x", "mean"], "centred", vec![])
        .node("Div", &["centred", "range"], "normal", vec![])
        .node("Gemm", &["normal", "w", "b"], "y", vec![])
        .node("Div", &["y", "three"], "z", vec![])
        .read("z")
        .unwrap();
    assert_eq!(network.layers().len(), 1);
    assert_eq!(*network.layers()[0].weights(), [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(network.layers()[0].bias(), [0.5, -0.5]);
    assert_eq!(network.input_normalisation().unwrap().scale(), [r("1/3"), r("1/7")]);
    assert_eq!(network.input_normalisation().unwrap().offset(), [r("-1/3"), r("0")]);
    assert_eq!(network.output_normalisation().unwrap().scale()[0], r("1/3"));
    // ((4 - 1) / 3, 7 / 7) = (1, 1); (1 + 3 + 0.5) / 3 and (2 + 4 - 0.5) / 3.
    assert_eq!(at(&network, &["4", "7"]), ["3/2", "11/6"]);
}

#[test]
fn matmul_add_relu_keeps_its_layers() {
    let network = Graph::new(&[Some(1), Some(2)])
        .constant(floats("w0", &[2, 3], &[1.0, 0.0, -1.0, 0.5, 1.0, 2.0]))
        .constant(floats("b0", &[3], &[0.0, -1.0, 0.25]))
        .constant(floats("w1", &[3, 1], &[1.0, 2.0, 3.0]))
        .node("MatMul", &["x", "w0"], "m", vec![])
        .node("Add", &["b0", "m"], "a", vec![])
        .node("Relu", &["a"], "h", vec![])
        .node("Identity", &["h"], "i", vec![])
        .node("Dropout", &["i"], "d", vec![])
        .node("MatMul", &["d", "w1"], "y", vec![])
        .read("y")
        .unwrap();
    assert_eq!((network.layers().len(), network.hidden_sizes()), (2, vec![3]));
    assert_eq!(*network.layers()[0].row(2), [-1.0, 2.0]);
    assert_eq!(network.layers()[0].bias(), [0.0, -1.0, 0.25]);
    assert_eq!(network.layers()[1].bias(), [0.0]);
    assert_eq!(at(&network, &["2", "2"]), ["47/4"]);
}

#[test]
fn constants_on_the_left_of_matmul() {
    let network = Graph::new(&[Some(2), Some(1)])
        .constant(floats("w", &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
        .node("MatMul", &["w", "x"], "y", vec![])
        .node("Squeeze", &["y"], "z", vec![])
        .read("z")
        .unwrap();
    assert_eq!(at(&network, &["1", "10"]), ["21", "43", "65"]);
}

#[test]
fn gemm_with_every_attribute() {
    let network = Graph::new(&[Some(2), Some(1)])
        .constant(floats("w", &[2, 2], &[1.0, 2.0, 3.0, 4.0]))
        .constant(floats("c", &[], &[10.0]))
        .node(
            "Gemm",
            &["x", "w", "c"],
            "y",
            vec![int("transA", 1), int("transB", 1), float("alpha", 0.5), float("beta", 2.0)],
        )
        .read("y")
        .unwrap();
    assert_eq!(at(&network, &["1", "2"]), ["45/2", "51/2"]);
}

#[test]
fn selections_fold_into_weights() {
    // Columns 2 and 0, the first entry again, a constant; then a matrix.
    let network = Graph::new(&[None, Some(3)])
        .constant(ints("choice", &[2, 0]))
        .constant(ints("zero", &[0]))
        .constant(ints("one", &[1]))
        .constant(floats("extra", &[1, 1], &[7.0]))
        .constant(floats("w", &[4, 1], &[1.0, 10.0, 100.0, 1000.0]))
        .node("Gather", &["x", "choice"], "g", vec![int("axis", 1)])
        .node("Slice", &["x", "zero", "one", "one"], "s", vec![])
        .node("Concat", &["g", "s", "extra"], "c", vec![int("axis", -1)])
        .node("MatMul", &["c", "w"], "y", vec![])
        .read("y")
        .unwrap();
    assert_eq!(network.layers().len(), 1);
    assert_eq!(*network.layers()[0].weights(), [110.0, 0.0, 1.0]);
    assert_eq!(at(&network, &["1", "5", "2"]), ["7112"]);
}

#[test]
fn shape_chains_fold() {
    let network = Graph::new(&[None, Some(1), Some(1), Some(4)])
        .constant(ints("i0", &[0]))
        .constant(ints("rest", &[-1]))
        .constant(floats("w", &[1, 4], &[1.0, 2.0, 3.0, 4.0]))
        .node("Shape", &["x"], "s", vec![])
        .node("Gather", &["s", "i0"], "n", vec![])
        .node("Concat", &["n", "rest"], "t", vec![int("axis", 0)])
        .node("Reshape", &["x", "t"], "f", vec![])
        .node("Transpose", &["w"], "wt", vec![])
        .node("MatMul", &["f", "wt"], "y", vec![])
        .read("y")
        .unwrap();
    assert_eq!(at(&network, &["1", "1", "1", "1"]), ["10"]);
}

#[test]
fn piecewise_linear_operators() {
    let graph = |op: &str, inputs: &[&str], attributes| {
        Graph::new(&[None, Some(1)])
            .constant(floats("lo", &[], &[-1.0]))
            .constant(floats("hi", &[], &[2.0]))
            .node(op, inputs, "y", attributes)
            .read("y")
            .unwrap()
    };
    let clip = graph("Clip", &["x", "lo", "hi"], vec![]);
    let leaky = graph("LeakyRelu", &["x"], vec![float("alpha", 0.25)]);
    let abs = graph("Abs", &["x"], vec![]);
    let max = graph("Max", &["lo", "x"], vec![]);
    let min = graph("Min", &["x", "hi"], vec![]);
    for (x, expected) in [
        ("-4", ["-1", "-1", "4", "-1", "-4"]),
        ("1/3", ["1/3", "1/3", "1/3", "1/3", "1/3"]),
        ("5", ["2", "5", "5", "5", "2"]),
    ] {
        let found = [&clip, &leaky, &abs, &max, &min].map(|network| at(network, &[x]).remove(0));
        assert_eq!(found, expected, "at {x}");
    }
    let old = graph("Clip", &["x"], vec![float("min", 0.0), float("max", 6.0)]);
    assert_eq!(at(&old, &["9"]), ["6"]);
}

#[test]
fn parallel_branches_and_skips() {
    // y = relu(relu(x) - 1) + x, with x carried past two layers of another branch.
    let network = Graph::new(&[None, Some(2)])
        .constant(floats("one", &[], &[1.0]))
        .node("Relu", &["x"], "a", vec![])
        .node("Sub", &["a", "one"], "b", vec![])
        .node("Relu", &["b"], "c", vec![])
        .node("Add", &["c", "x"], "y", vec![])
        .read("y")
        .unwrap();
    assert_eq!(at(&network, &["-5", "5/3"]), ["-5", "7/3"]);
}

#[test]
fn a_scale_in_the_middle_folds_only_exactly() {
    let graph = |factor: f32, op: &str| {
        Graph::new(&[None, Some(1)])
            .constant(floats("w", &[1, 1], &[0.1]))
            .constant(floats("f", &[], &[factor]))
            .node("MatMul", &["x", "w"], "a", vec![])
            .node("Relu", &["a"], "h", vec![])
            .node(op, &["h", "f"], "s", vec![])
            .node("MatMul", &["s", "w"], "b", vec![])
            .node("Relu", &["b"], "y", vec![])
            .read("y")
    };
    assert_eq!(graph(4.0, "Div").unwrap().layers().len(), 2);
    // Products of two floats are doubles; a layer is needed only for what is not.
    assert_eq!(graph(0.3, "Mul").unwrap().layers().len(), 2);
    let error = graph(3.0, "Div").unwrap_err();
    assert!(matches!(&error, OnnxError::NotExact { node, .. } if node == "b"), "{error}");
}

#[test]
fn a_scale_that_does_not_fold_becomes_a_layer() {
    let double = |name: &str, dims: &[i64], value: f64| TensorProto {
        dims: dims.to_vec(),
        data_type: data_type::DOUBLE,
        double_data: vec![value],
        name: name.to_owned(),
        ..TensorProto::default()
    };
    let network = Graph::new(&[None, Some(1)])
        .constant(double("w", &[1, 1], 0.1))
        .constant(double("f", &[], 0.3))
        .node("Relu", &["x"], "h", vec![])
        .node("Mul", &["h", "f"], "s", vec![])
        .node("MatMul", &["s", "w"], "y", vec![])
        .read("y")
        .unwrap();
    let activations: Vec<_> = network.layers().iter().map(|l| l.activation()).collect();
    assert_eq!(activations, [Activation::Relu, Activation::Identity, Activation::Identity]);
    let exact = |value: f64| Rational::from_f64(value).unwrap();
    assert_eq!(network.eval_reference(&[r("1")])[0], &exact(0.1) * &exact(0.3));
}

#[test]
fn tails_are_taken_off_with_a_notice() {
    let graph = || {
        Graph::new(&[None, Some(2)])
            .constant(floats("w", &[2, 2], &[1.0, 2.0, 3.0, 4.0]))
            .node("MatMul", &["x", "w"], "l", vec![])
            .node("Softmax", &["l"], "p", vec![int("axis", -1)])
            .node("ArgMax", &["p"], "a", vec![int("axis", 1), int("keepdims", 0)])
            .node("Cast", &["a"], "c", vec![int("to", 6)])
    };
    let network = graph().read("c").unwrap();
    assert_eq!(network.notices().len(), 2);
    assert_eq!(at(&network, &["1", "1"]), ["4", "6"]);
    assert_eq!(graph().read("p").unwrap().notices().len(), 1);
    // Over the batch instead of the outputs.
    let batch = graph().node("ArgMax", &["l"], "z", vec![int("axis", 0)]).read("z").unwrap_err();
    assert!(matches!(batch, OnnxError::Node { .. }), "{batch}");
    let last = graph().node("ArgMax", &["l"], "z", vec![int("axis", 1), int("select_last_index", 1)]);
    assert!(last.read("z").unwrap_err().to_string().contains("select_last_index"));
    // Not at the end.
    let middle = graph().node("Relu", &["p"], "z", vec![]).read("z").unwrap_err();
    assert!(middle.to_string().contains("only at the end"), "{middle}");
}

#[test]
fn several_outputs_and_a_chosen_one() {
    let graph = || {
        Graph::new(&[None, Some(1)])
            .node("Relu", &["x"], "policy", vec![])
            .node("Mish", &["x"], "value", vec![])
            .bytes(&["policy", "value"])
    };
    let network = from_bytes(&graph(), &ReadOptions::default(), None).unwrap();
    assert!(network.notices()[0].contains("value"));
    assert_eq!((network.layers().len(), network.layers()[0].activation()), (1, Activation::Relu));
    let options = |name: &str| ReadOptions { onnx_output: Some(name.to_owned()), ..ReadOptions::default() };
    let error = from_bytes(&graph(), &options("value"), None).unwrap_err().to_string();
    assert!(error.starts_with("node 'value' (Mish)") && error.contains("activation_fn=torch.nn.ReLU"), "{error}");
    assert!(from_bytes(&graph(), &options("none"), None).unwrap_err().to_string().contains("no output 'none'"));
}

#[test]
fn malformed_graphs_are_refused_by_place() {
    let base = || Graph::new(&[None, Some(2)]).constant(floats("w", &[3, 1], &[1.0, 2.0, 3.0]));
    let cycle = base().node("Relu", &["b"], "a", vec![]).node("Relu", &["a"], "b", vec![]);
    assert!(cycle.read("b").unwrap_err().to_string().contains("cycle"));
    assert!(
        base().node("MatMul", &["x", "w"], "y", vec![]).read("y").unwrap_err().to_string().contains("does not fit")
    );
    assert!(base().node("Mul", &["x", "x"], "y", vec![]).read("y").unwrap_err().to_string().contains("both depend"));
    assert!(base().read("nowhere").unwrap_err().to_string().contains("nothing produces"));
    let twice = base().node("Relu", &["x"], "y", vec![]).node("Abs", &["x"], "y", vec![]);
    assert!(twice.read("y").unwrap_err().to_string().contains("two nodes"));
    let nan = base().constant(floats("n", &[1], &[f32::NAN])).node("Add", &["x", "n"], "y", vec![]);
    assert!(matches!(nan.read("y"), Err(OnnxError::Tensor { .. })));
    let short = base().constant(floats("n", &[2, 2], &[1.0])).node("MatMul", &["x", "n"], "y", vec![]);
    assert!(short.read("y").unwrap_err().to_string().contains("tensor 'n': has 1 entries"));
    let huge = base().constant(floats("n", &[i64::MAX, 4], &[1.0])).node("MatMul", &["x", "n"], "y", vec![]);
    assert!(huge.read("y").unwrap_err().to_string().contains("too large"));
    let mut old = base().node("Relu", &["x"], "y", vec![]);
    old.opset = 5;
    assert_eq!(old.read("y").unwrap_err(), OnnxError::Opset { found: 5 });
    assert!(matches!(from_bytes(b"\xff\xff", &ReadOptions::default(), None), Err(OnnxError::Malformed(_))));
    assert!(matches!(from_bytes(b"", &ReadOptions::default(), None), Err(OnnxError::Graph(_))));
}

#[test]
fn names_that_stand_for_two_things_are_refused() {
    let base = || Graph::new(&[None, Some(2)]).node("Relu", &["x"], "y", vec![]);
    let two = base().constant(floats("w", &[1], &[1.0])).constant(floats("w", &[1], &[2.0]));
    assert!(two.read("y").unwrap_err().to_string().contains("two stored tensors (initializers) are named 'w'"));
    let twice = Graph::new(&[None, Some(2)]).node("LeakyRelu", &["x"], "y", vec![int("alpha", 1), int("alpha", 0)]);
    assert!(twice.read("y").unwrap_err().to_string().contains("has the attribute 'alpha' twice"));
    let beyond = Graph::new(&[None, Some(2)]).constant(ints("i", &[99]));
    let beyond = beyond.node("Gather", &["x", "i"], "y", vec![int("axis", 1)]);
    let message = beyond.read("y").unwrap_err().to_string();
    assert!(message.contains("index 99 does not exist: the axis has 2 entries"), "{message}");
}

#[test]
fn bombs_are_defused() {
    // Doubling by Concat, squaring constants, a chain of carried neurons.
    let mut doubling = Graph::new(&[None, Some(2)]);
    let mut squaring = Graph::new(&[None, Some(1)]).constant(floats("c0", &[1], &[0.1]));
    let mut chain = Graph::new(&[None, Some(1)]);
    let mut last = "x".to_owned();
    for step in 0..60 {
        let next = format!("n{step}");
        doubling = doubling.node("Concat", &[&last, &last], &next, vec![int("axis", 1)]);
        let (from, to) = (format!("c{step}"), format!("c{}", step + 1));
        squaring = squaring.node("Mul", &[&from, &from], &to, vec![]);
        last = next;
    }
    assert!(matches!(doubling.read("n59"), Err(OnnxError::TooLarge { .. })));
    assert!(matches!(squaring.node("Add", &["x", "c60"], "y", vec![]).read("y"), Err(OnnxError::TooLarge { .. })));
    let mut names = vec!["x".to_owned()];
    for step in 0..20_000 {
        let next = format!("n{step}");
        chain = chain.node("Relu", &[&names[step]], &next, vec![]);
        names.push(next);
    }
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    chain = chain.node("Concat", &all, "all", vec![int("axis", 1)]);
    // A maximum of a million entries is not begun.
    let largest = Graph::new(&[Some(1), Some(1 << 20)]).node("ReduceMax", &["x"], "y", vec![]);
    assert!(matches!(largest.read("y"), Err(OnnxError::TooLarge { op, .. }) if op == "ReduceMax"));
    // Found when the layers are arranged, which no single node is to blame for.
    let message = chain.read("all").unwrap_err().to_string();
    assert!(message.starts_with("output 'all': the graph unfolds to far more numbers"), "{message}");
}

#[test]
fn external_data_stays_in_its_directory() {
    let directory = std::env::temp_dir().join(format!("surefoot-external-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("w.data"), [0u8, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40]).unwrap();
    let read = |location: &str, offset: &str, length: Option<&str>| {
        let pair = |key: &str, value: &str| StringPair { key: key.to_owned(), value: value.to_owned() };
        let mut external_data = vec![pair("location", location), pair("offset", offset)];
        external_data.extend(length.map(|length| pair("length", length)));
        let tensor = TensorProto { external_data, data_location: 1, ..floats("w", &[1, 2], &[]) };
        let graph = Graph::new(&[None, Some(1)]).constant(tensor).node("MatMul", &["x", "w"], "y", vec![]);
        from_bytes(&graph.bytes(&["y"]), &ReadOptions::default(), Some(&directory)).map_err(|e| e.to_string())
    };
    assert_eq!(*read("w.data", "4", Some("8")).unwrap().layers()[0].weights(), [1.0, 2.0]);
    assert_eq!(*read("w.data", "4", None).unwrap().layers()[0].weights(), [1.0, 2.0]);
    for location in ["../w.data", "/etc/hostname", "", ".", "a/../w.data", "..\\w.data"] {
        assert!(read(location, "0", None).unwrap_err().contains("is refused"), "{location}");
    }
    assert!(read("w.data", "8", None).unwrap_err().contains("too short"));
    assert!(read("w.data", "18446744073709551615", None).unwrap_err().contains("too short"));
    assert!(read("w.data", "0", Some("4")).unwrap_err().contains("needs 8 bytes"));
    assert!(read("absent", "0", None).unwrap_err().contains("cannot be read"));
    std::fs::create_dir_all(directory.join("folder")).unwrap();
    assert!(read("folder", "0", None).unwrap_err().contains("'folder' cannot be read: it is a directory"));
    #[cfg(unix)]
    {
        let link = |name: &str, to: &std::path::Path| std::os::unix::fs::symlink(to, directory.join(name)).unwrap();
        link("in", std::path::Path::new("w.data"));
        link("out", std::path::Path::new("/etc/passwd"));
        link("endless", std::path::Path::new("/dev/zero"));
        assert!(read("in", "4", None).is_ok());
        assert!(read("out", "0", None).unwrap_err().contains("a link leads out of the folder"));
        assert!(read("endless", "0", None).unwrap_err().contains("it is a device"));
        let mut inputs = surefoot_files::Inputs::default();
        inputs.read_below(&directory, std::path::Path::new("in"), surefoot_files::Kind::Weights).unwrap();
        assert_eq!(inputs.hashes()[0].0, directory.join("in").display().to_string());
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

/// One random step on a row vector, and its plain meaning.
#[derive(Debug, Clone)]
enum Step {
    Relu,
    Leaky(i16),
    Clip(i16, i16),
    Scale(i16),
    Shift(i16),
    Reverse,
    Matrix(Vec<i16>),
    AddFirst,
    Slopes([i16; 3]),
    Hard(i16, i16),
    Rotate,
    BelowPeak,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Relu),
        1 => (-4i16..4).prop_map(Step::Leaky),
        1 => (-9i16..0, 0i16..9).prop_map(|(low, high)| Step::Clip(low, high)),
        2 => (-5i16..5).prop_map(Step::Scale),
        2 => (-9i16..9).prop_map(Step::Shift),
        1 => Just(Step::Reverse),
        3 => proptest::collection::vec(-9i16..9, 9).prop_map(Step::Matrix),
        1 => Just(Step::AddFirst),
        1 => proptest::array::uniform3(-4i16..9).prop_map(Step::Slopes),
        1 => (-4i16..4, -4i16..9).prop_map(|(alpha, beta)| Step::Hard(alpha, beta)),
        1 => Just(Step::Rotate),
        1 => Just(Step::BelowPeak),
    ]
}

fn eighths(n: i16) -> (f32, Rational) {
    (f32::from(n) / 8.0, Rational::new(i64::from(n), 8).unwrap())
}

/// Adds the step to the graph and applies it to the values; `first` is the result of the first step.
fn extend(
    mut graph: Graph,
    step: &Step,
    index: usize,
    values: &[Rational],
    first: &[Rational],
) -> (Graph, Vec<Rational>) {
    let (from, to) = (if index == 0 { "x".to_owned() } else { format!("s{}", index - 1) }, format!("s{index}"));
    let name = format!("c{index}");
    let zero = || Rational::ZERO;
    let each = |f: &dyn Fn(&Rational) -> Rational| values.iter().map(f).collect::<Vec<_>>();
    let result = match step {
        Step::Relu => {
            graph = graph.node("Relu", &[&from], &to, vec![]);
            each(&|v| v.clone().max(zero()))
        }
        Step::Leaky(n) => {
            let (alpha, slope) = eighths(*n);
            graph = graph.node("LeakyRelu", &[&from], &to, vec![float("alpha", alpha)]);
            each(&|v| if v.signum() < 0 { v * &slope } else { v.clone() })
        }
        Step::Clip(low, high) => {
            let ((low_f, low), (high_f, high)) = (eighths(*low), eighths(*high));
            graph = graph.node("Clip", &[&from], &to, vec![float("min", low_f), float("max", high_f)]);
            each(&|v| v.clone().max(low.clone()).min(high.clone()))
        }
        Step::Scale(n) => {
            let (factor_f, factor) = eighths(*n);
            graph = graph.constant(floats(&name, &[1], &[factor_f])).node("Mul", &[&name, &from], &to, vec![]);
            each(&|v| v * &factor)
        }
        Step::Shift(n) => {
            let (by_f, by) = eighths(*n);
            graph = graph.constant(floats(&name, &[1, 1], &[by_f])).node("Sub", &[&from, &name], &to, vec![]);
            each(&|v| v - &by)
        }
        Step::Reverse => {
            graph = graph.constant(ints(&name, &[2, 1, -3])).node("Gather", &[&from, &name], &to, vec![int("axis", 1)]);
            values.iter().rev().cloned().collect()
        }
        Step::Matrix(entries) => {
            let weights: Vec<f32> = entries.iter().map(|&n| eighths(n).0).collect();
            graph = graph.constant(floats(&name, &[3, 3], &weights)).node("MatMul", &[&from, &name], &to, vec![]);
            let column = |j: usize| (0..3).map(|i| &values[i] * &eighths(entries[3 * i + j]).1).sum();
            (0..3).map(column).collect()
        }
        Step::AddFirst => {
            let other = if index == 0 { "x" } else { "s0" };
            graph = graph.node("Add", &[&from, other], &to, vec![]);
            values.iter().zip(first).map(|(a, b)| a + b).collect()
        }
        Step::Slopes(slopes) => {
            let stored = slopes.map(|n| eighths(n).0);
            graph = graph.constant(floats(&name, &[3], &stored)).node("PRelu", &[&from, &name], &to, vec![]);
            let slope = |i: usize| eighths(slopes[i]).1;
            values.iter().enumerate().map(|(i, v)| if v.signum() < 0 { v * &slope(i) } else { v.clone() }).collect()
        }
        Step::Hard(alpha, beta) => {
            let ((alpha_f, alpha), (beta_f, beta)) = (eighths(*alpha), eighths(*beta));
            graph = graph.node("HardSigmoid", &[&from], &to, vec![float("alpha", alpha_f), float("beta", beta_f)]);
            each(&|v| (&(v * &alpha) + &beta).max(zero()).min(Rational::ONE))
        }
        Step::Rotate => {
            let (a, b) = (format!("a{index}"), format!("b{index}"));
            graph = graph.constant(ints(&name, &[1, 2])).node("Split", &[&from, &name], &a, vec![int("axis", 1)]);
            graph.graph.node.last_mut().unwrap().output.push(b.clone());
            graph = graph.node("Concat", &[&b, &a], &to, vec![int("axis", 1)]);
            vec![values[1].clone(), values[2].clone(), values[0].clone()]
        }
        Step::BelowPeak => {
            let peak = format!("p{index}");
            let axes = AttributeProto { name: "axes".to_owned(), ints: vec![1], kind: 7, ..AttributeProto::default() };
            graph = graph.node("ReduceMax", &[&from], &peak, vec![axes]).node("Sub", &[&from, &peak], &to, vec![]);
            let largest = values.iter().max().unwrap().clone();
            each(&|v| v - &largest)
        }
    };
    (graph, result)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Any sequence of operators means what it says, at any point.
    #[test]
    fn random_graphs_keep_their_meaning(
        steps in proptest::collection::vec(step(), 1..9),
        points in proptest::collection::vec(proptest::collection::vec((-40i64..40, 1i64..9), 3), 4),
    ) {
        for point in points {
            let point: Vec<Rational> = point.into_iter().map(|(n, d)| Rational::new(n, d).unwrap()).collect();
            let mut graph = Graph::new(&[None, Some(3)]);
            let mut values = point.clone();
            let mut first = point.clone();
            for (index, step) in steps.iter().enumerate() {
                (graph, values) = extend(graph, step, index, &values, &first);
                if index == 0 {
                    first.clone_from(&values);
                }
            }
            let network = graph.read(&format!("s{}", steps.len() - 1)).unwrap();
            prop_assert_eq!(network.eval_reference(&point), values);
            let back = from_bytes(&super::write(&network).unwrap(), &ReadOptions::default(), None).unwrap();
            prop_assert_eq!(back.eval_reference(&point), network.eval_reference(&point));
        }
    }
}
