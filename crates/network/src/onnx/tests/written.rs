//! Functions written out in several operators, batch normalisation and skip connections, against plain evaluation of the graph in
//! doubles: as exporters write them, in other orders, and with one place changed. What is read must be the graph's function.

use super::*;
use crate::eval::FloatNetwork;
use surefoot_num::function::Function;

/// Values of a row, or one for all of them.
type Row = Vec<f64>;

fn zip(a: &Row, b: &Row, op: impl Fn(f64, f64) -> f64) -> Row {
    let at = |row: &Row, i: usize| row[if row.len() == 1 { 0 } else { i }];
    (0..a.len().max(b.len())).map(|i| op(at(a, i), at(b, i))).collect()
}

/// The series around zero; good to 1e-11 up to 3.
fn erf(x: f64) -> f64 {
    let (mut sum, mut term) = (0.0, x);
    for n in 0..80u32 {
        sum += term / f64::from(2 * n + 1);
        term *= -x * x / f64::from(n + 1);
    }
    if x.abs() < 3.5 { std::f64::consts::FRAC_2_SQRT_PI * sum } else { x.signum() }
}

fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// Plain evaluation, node by node.
fn run(graph: &GraphProto, x: &[f64], output: &str) -> Row {
    let mut values: std::collections::BTreeMap<&str, Row> = std::collections::BTreeMap::new();
    values.insert("x", x.to_vec());
    for tensor in &graph.initializer {
        values.insert(&tensor.name, tensor.float_data.iter().map(|f| f64::from(*f)).collect());
    }
    for node in &graph.node {
        let inputs: Vec<Row> =
            node.input.iter().map(|name| values.get(name.as_str()).cloned().unwrap_or_default()).collect();
        let map = |op: &dyn Fn(f64) -> f64| inputs[0].iter().map(|x| op(*x)).collect();
        let epsilon = || node.attribute.iter().find(|a| a.name == "epsilon").map_or(0.0, |a| f64::from(a.f));
        let result: Row = match node.op_type.as_str() {
            "Add" => zip(&inputs[0], &inputs[1], |a, b| a + b),
            "Sub" => zip(&inputs[0], &inputs[1], |a, b| a - b),
            "Mul" => zip(&inputs[0], &inputs[1], |a, b| a * b),
            "Div" => zip(&inputs[0], &inputs[1], |a, b| a / b),
            "Pow" => zip(&inputs[0], &inputs[1], f64::powf),
            "Greater" => zip(&inputs[0], &inputs[1], |a, b| truth(a > b)),
            "Less" => zip(&inputs[0], &inputs[1], |a, b| truth(a < b)),
            "Where" => {
                let chosen = zip(&inputs[0], &inputs[1], |c, a| if c == 0.0 { f64::NAN } else { a });
                zip(&chosen, &inputs[2], |a, b| if a.is_nan() { b } else { a })
            }
            "Erf" => map(&erf),
            "Tanh" => map(&f64::tanh),
            "Sigmoid" => map(&|x| 1.0 / (1.0 + (-x).exp())),
            "Exp" => map(&f64::exp),
            "Log" => map(&f64::ln),
            "Softplus" => map(&|x| x.max(0.0) + (-x.abs()).exp().ln_1p()),
            "Gelu" => map(&|x| 0.5 * x * (1.0 + erf(x / std::f64::consts::SQRT_2))),
            "Relu" => map(&|x| x.max(0.0)),
            "Sqrt" => map(&f64::sqrt),
            "Reciprocal" => map(&f64::recip),
            "ReduceMean" => vec![inputs[0].iter().sum::<f64>() / f64::from(u32::try_from(inputs[0].len()).unwrap())],
            "MatMul" => {
                let columns = inputs[1].len() / inputs[0].len();
                let entry = |j: usize| inputs[0].iter().enumerate().map(|(i, x)| x * inputs[1][i * columns + j]).sum();
                (0..columns).map(entry).collect()
            }
            "BatchNormalization" => {
                let part = |k: usize, i: usize| inputs[k][i];
                let entry =
                    |i: usize| part(1, i) * (part(0, i) - part(3, i)) / (part(4, i) + epsilon()).sqrt() + part(2, i);
                (0..inputs[0].len()).map(entry).collect()
            }
            other => panic!("{other} is not evaluated here"),
        };
        values.insert(&node.output[0], result);
    }
    values[output].clone()
}

fn outputs(network: &Network, x: &[f64]) -> Row {
    let float = FloatNetwork::new(network);
    let mut scratch = float.scratch();
    let outputs = float.eval(x, 0.0, &mut scratch);
    assert!(outputs.error < 1e-9, "{}", outputs.error);
    outputs.values.to_vec()
}

/// What the reader makes of the graph is what the graph computes; none where it is refused.
fn agree(graph: Graph, output: &str, points: &[[f64; 2]], tolerance: f64) -> Result<Option<Network>, TestCaseError> {
    let plain = graph.graph.clone();
    let Ok(network) = graph.read(output) else { return Ok(None) };
    if network.order_only() {
        // A head keeps the order, not the values.
        return Ok(None);
    }
    for x in points {
        let (expected, found) = (run(&plain, x, output), outputs(&network, x));
        prop_assert_eq!(expected.len(), found.len());
        for (e, f) in expected.iter().zip(&found).filter(|(e, _)| e.is_finite()) {
            prop_assert!((e - f).abs() <= tolerance * (1.0 + e.abs()), "{e} {f} at {x:?}: {:?}", plain.node);
        }
    }
    Ok(Some(network))
}

/// A graph whose expressions are written in an order that `bits` choose.
struct Writer {
    graph: Graph,
    bits: u32,
    count: usize,
}

impl Writer {
    fn bit(&mut self) -> bool {
        self.bits = self.bits.rotate_right(1);
        self.bits >> 31 == 1
    }

    fn node(&mut self, op: &str, inputs: &[&str]) -> String {
        self.count += 1;
        let output = format!("e{}", self.count);
        let graph = std::mem::replace(&mut self.graph, Graph::new(&[]));
        let axes = AttributeProto { name: "axes".to_owned(), ints: vec![-1], kind: 7, ..AttributeProto::default() };
        let attributes = if op == "ReduceMean" { vec![axes] } else { vec![] };
        self.graph = graph.node(op, inputs, &output, attributes);
        output
    }

    fn number(&mut self, value: f32) -> String {
        self.count += 1;
        let name = format!("c{}", self.count);
        let dims: &[i64] = if self.bit() { &[1] } else { &[] };
        let graph = std::mem::replace(&mut self.graph, Graph::new(&[]));
        self.graph = graph.constant(floats(&name, dims, &[value]));
        name
    }

    /// A sum or a product, either way round.
    fn pair(&mut self, op: &str, a: &str, b: &str) -> String {
        if self.bit() { self.node(op, &[a, b]) } else { self.node(op, &[b, a]) }
    }

    /// Times a constant, as a product or a quotient.
    fn times(&mut self, x: &str, factor: f32, inverse: f32) -> String {
        if self.bit() {
            let c = self.number(factor);
            self.pair("Mul", x, &c)
        } else {
            let c = self.number(inverse);
            self.node("Div", &[x, &c])
        }
    }

    fn half_of_product(&mut self, x: &str, gate: &str) -> String {
        match (self.bit(), self.bit()) {
            (true, _) => {
                let product = self.pair("Mul", x, gate);
                self.times(&product, 0.5, 2.0)
            }
            (false, true) => {
                let half = self.times(x, 0.5, 2.0);
                self.pair("Mul", &half, gate)
            }
            (false, false) => {
                let half = self.times(gate, 0.5, 2.0);
                self.pair("Mul", x, &half)
            }
        }
    }

    fn plus_one(&mut self, x: &str) -> String {
        let one = self.number(1.0);
        self.pair("Add", &one, x)
    }

    fn power(&mut self, x: &str, exponent: f32) -> String {
        let exponent = self.number(exponent);
        self.node("Pow", &[x, &exponent])
    }

    /// One of the functions, of an edge.
    fn write(&mut self, form: u8, x: &str) -> String {
        match form {
            0 => {
                let inner = self.times(x, std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::SQRT_2);
                let erf = self.node("Erf", &[&inner]);
                let gate = self.plus_one(&erf);
                self.half_of_product(x, &gate)
            }
            1 => {
                let cube = if self.bit() {
                    self.power(x, 3.0)
                } else {
                    let square = self.node("Mul", &[x, x]);
                    self.pair("Mul", &square, x)
                };
                let b = self.number(0.044_715);
                let scaled = self.pair("Mul", &b, &cube);
                let sum = self.pair("Add", x, &scaled);
                let a = self.number(0.797_884_6);
                let inner = self.pair("Mul", &a, &sum);
                let tanh = self.node("Tanh", &[&inner]);
                let gate = self.plus_one(&tanh);
                self.half_of_product(x, &gate)
            }
            2 => {
                let mean = self.node("ReduceMean", &[x]);
                let centred = self.node("Sub", &[x, &mean]);
                // The same difference once more, as some exporters write it.
                let again = if self.bit() { centred.clone() } else { self.node("Sub", &[x, &mean]) };
                let squared = if self.bit() { self.power(&again, 2.0) } else { self.node("Mul", &[&again, &centred]) };
                let variance = self.node("ReduceMean", &[&squared]);
                let epsilon = self.number(1e-5);
                let under = self.pair("Add", &variance, &epsilon);
                let root = if self.bit() { self.node("Sqrt", &[&under]) } else { self.power(&under, 0.5) };
                if self.bit() {
                    return self.node("Div", &[&centred, &root]);
                }
                let inverse = self.node("Reciprocal", &[&root]);
                self.pair("Mul", &centred, &inverse)
            }
            3 => {
                let exp = self.node("Exp", &[x]);
                let sum = self.plus_one(&exp);
                self.node("Log", &[&sum])
            }
            _ => {
                let threshold = self.number(20.0);
                let two = self.number(2.0);
                let scaled = self.pair("Mul", x, &two);
                let softplus = self.node("Softplus", &[&scaled]);
                let value = self.node("Div", &[&softplus, &two]);
                let above = if self.bit() {
                    self.node("Greater", &[&scaled, &threshold])
                } else {
                    self.node("Less", &[&threshold, &scaled])
                };
                self.node("Where", &[&above, x, &value])
            }
        }
    }
}

const WEIGHTS: [f32; 6] = [0.5, -1.0, 0.25, 1.5, 0.75, -2.0];
const POINTS: [[f64; 2]; 6] = [[0.25, -0.5], [1.0, 0.125], [-0.75, 0.5], [0.0, 0.0], [1.5, -0.25], [-1.0, -0.625]];

/// A function of a layer, scaled or not, beside another layer that nothing reads; and the edge of its value.
fn written(form: u8, bits: u32, scaled: bool) -> (Graph, String) {
    let other = WEIGHTS.map(|weight| 0.5 - weight);
    let graph = Graph::new(&[None, Some(2)]).constant(floats("w", &[2, 3], &WEIGHTS)).constant(floats(
        "other",
        &[2, 3],
        &other,
    ));
    let mut writer = Writer { graph, bits, count: 0 };
    writer.node("MatMul", &["x", "other"]);
    let mut x = writer.node("MatMul", &["x", "w"]);
    if scaled {
        let two = writer.number(2.0);
        x = writer.node("Mul", &[&x, &two]);
    }
    let output = writer.write(form, &x);
    (writer.graph, output)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// As they are written, in every order.
    #[test]
    fn functions_written_out_are_read(form in 0u8..5, bits: u32, scaled: bool) {
        let (graph, output) = written(form, bits, scaled);
        let network = agree(graph, &output, &POINTS, 3e-8)?;
        prop_assert!(network.is_some(), "refused");
        let network = network.unwrap();
        prop_assert!(network.notices().iter().any(|n| n.contains("read")), "{:?}", network.notices());
    }

    /// With one operator or constant changed: refused, or still the function of the graph.
    #[test]
    fn nothing_else_is_taken_for_one(
        form in 0u8..5, bits: u32, scaled: bool, at: prop::sample::Index, other: prop::sample::Index, change in 0u8..4,
    ) {
        let (mut graph, output) = written(form, bits, scaled);
        let index = at.index(graph.graph.node.len());
        let node = &mut graph.graph.node[index];
        let binary = ["Add", "Sub", "Mul", "Div", "Pow"];
        let unary = ["Erf", "Tanh", "Exp", "Log", "Softplus", "Sqrt", "Reciprocal", "Sigmoid"];
        match change {
            0 => node.input.reverse(),
            1 if binary.contains(&node.op_type.as_str()) => node.op_type = binary[other.index(5)].to_owned(),
            2 if unary.contains(&node.op_type.as_str()) => node.op_type = unary[other.index(8)].to_owned(),
            _ => {
                let count = graph.graph.initializer.len();
                graph.graph.initializer[other.index(count)].float_data[0] *= 1.001;
            }
        }
        agree(graph, &output, &POINTS, 3e-8)?;
    }

    /// Batch normalisation before and after an activation.
    #[test]
    fn batch_normalisation_is_folded(
        scale in prop::collection::vec(prop_oneof![-2.0f32..-0.1, 0.1f32..2.0], 3),
        bias in prop::collection::vec(-2.0f32..2.0, 3),
        mean in prop::collection::vec(-2.0f32..2.0, 3),
        variance in prop::collection::vec(0.01f32..3.0, 3),
        after: bool,
    ) {
        let graph = Graph::new(&[None, Some(2)])
            .constant(floats("w", &[2, 3], &WEIGHTS))
            .constant(floats("u", &[3, 2], &WEIGHTS))
            .constant(floats("s", &[3], &scale))
            .constant(floats("b", &[3], &bias))
            .constant(floats("m", &[3], &mean))
            .constant(floats("v", &[3], &variance))
            .node("MatMul", &["x", "w"], "a", vec![]);
        let normal = |graph: Graph, x: &str, y: &str| {
            graph.node("BatchNormalization", &[x, "s", "b", "m", "v"], y, vec![float("epsilon", 1e-5)])
        };
        let graph = if after {
            normal(graph.node("Relu", &["a"], "r", vec![]), "r", "h")
        } else {
            normal(graph, "a", "n").node("Relu", &["n"], "h", vec![])
        };
        let network = agree(graph.node("MatMul", &["h", "u"], "y", vec![]), "y", &POINTS, 1e-13)?.unwrap();
        prop_assert!(network.notices().iter().any(|n| n.contains("nearest double")));
        // Folded into the layer before it, or a layer of its own.
        let most = if after { 3 } else { 2 };
        prop_assert!(network.layers().len() <= most);
    }

    /// Skip connections around layers that hand on what they are given.
    #[test]
    fn skips_around_layers_are_carried(
        ops in prop::collection::vec(prop::sample::select(vec!["Relu", "Softplus", "Gelu", "Sigmoid"]), 1..4),
        around_first: bool,
    ) {
        let mut graph = Graph::new(&[None, Some(2)]).constant(floats("w", &[2, 2], &[0.5, -1.0, 0.25, 0.75]));
        let mut here = "x".to_owned();
        for (at, op) in ops.iter().enumerate() {
            let name = |what: &str| format!("{what}{at}");
            graph = graph.node("MatMul", &[&here, "w"], &name("a"), vec![]);
            graph = match *op {
                // SiLU, as it is written out.
                "Sigmoid" => graph
                    .node("Sigmoid", &[&name("a")], &name("s"), vec![])
                    .node("Mul", &[&name("a"), &name("s")], &name("h"), vec![]),
                op => graph.node(op, &[&name("a")], &name("h"), vec![]),
            };
            let from = if around_first { "x" } else { &here };
            graph = graph.node("Add", &[from, &name("h")], &name("y"), vec![]);
            here = name("y");
        }
        let network = agree(graph, &here, &POINTS, 1e-9)?.unwrap();
        let smooth = ops.iter().any(|op| *op != "Relu");
        prop_assert_eq!(network.real_only(), smooth);
        let single = network.with_arithmetic(crate::network::Arithmetic::Float32);
        prop_assert_eq!(single.is_err(), smooth);
    }
}

/// Every input of every operator in the place of every other, with another layer to choose from: refused, or the graph's function.
#[test]
fn no_operand_is_taken_for_another() {
    let (mut refused, mut same) = (0, 0);
    for (form, seed) in (0..5u8).flat_map(|form| (0..6u32).map(move |seed| (form, seed))) {
        let (graph, output) = written(form, seed.wrapping_mul(0x9e37_79b9), seed % 2 == 1);
        let graph = graph.graph;
        for (at, node) in graph.node.iter().enumerate().skip(2) {
            let edges = graph.node[..at].iter().map(|n| &n.output[0]);
            let known: Vec<&String> = edges.chain(graph.initializer.iter().skip(2).map(|t| &t.name)).collect();
            for (which, name) in (0..node.input.len()).flat_map(|which| known.iter().map(move |name| (which, name))) {
                let mut changed = graph.clone();
                changed.node[at].input[which].clone_from(name);
                match agree(Graph { graph: changed, opset: 13 }, &output, &POINTS, 3e-8).unwrap() {
                    None => refused += 1,
                    Some(_) => same += 1,
                }
            }
        }
    }
    assert!(refused > 1000 && same > 100, "{refused} {same}");
}

fn read(change: impl Fn(&mut Graph), form: u8) -> Result<Network, OnnxError> {
    // No bits: every pair the other way round, and quotients.
    let (mut graph, output) = written(form, 0, false);
    change(&mut graph);
    graph.read(&output)
}

fn replace(graph: &mut Graph, from: f32, to: f32) {
    let tensor = graph.graph.initializer.iter_mut().find(|t| t.float_data == [from]).unwrap();
    tensor.float_data = vec![to];
}

#[test]
fn constants_must_be_the_nearest_floats() {
    let layer = |network: Network| network.layers()[0].activation();
    assert_eq!(layer(read(|_| {}, 0).unwrap()), Activation::Smooth(Function::Gelu));
    assert_eq!(layer(read(|_| {}, 1).unwrap()), Activation::Smooth(Function::GeluTanh));
    assert_eq!(layer(read(|_| {}, 2).unwrap()), Activation::LayerNorm { epsilon: f64::from(1e-5f32) });
    assert_eq!(layer(read(|_| {}, 3).unwrap()), Activation::Smooth(Function::Softplus));
    assert_eq!(layer(read(|_| {}, 4).unwrap()), Activation::Smooth(Function::Softplus));
    let root = std::f32::consts::SQRT_2;
    for (form, from, to) in [
        (0, root, root.next_up()),
        (0, root, 1.41),
        (0, 1.0, 2.0),
        (0, 2.0, 4.0),
        (1, 0.044_715, 0.0447),
        (1, 0.797_884_6, 0.8),
        (1, 1.0, -1.0),
        (2, 1e-5, -1e-5),
        (2, 0.5, 0.25),
        (3, 1.0, 2.0),
        (4, 20.0, 5.0),
    ] {
        // A logarithm at the end of the graph is a head.
        let refused = read(|graph| replace(graph, from, to), form).map_or(true, |network| network.order_only());
        assert!(refused, "{form}: {from} {to}");
    }
    let message = read(|graph| replace(graph, root, 1.41), 0).unwrap_err().to_string();
    assert!(message.contains("Erf is read only in GELU"), "{message}");
}

#[test]
fn what_is_read_is_told() {
    let told = |form: u8| read(|_| {}, form).unwrap().notices().join("\n");
    assert!(told(0).contains("with 1.4142135381698608 for the square root of 2"), "{}", told(0));
    assert!(told(0).contains("at most 6e-9") && told(1).contains("at most 2e-8"));
    assert!(told(4).contains("jumps to its argument at 20") && told(4).contains("1.04e-9"), "{}", told(4));
}

#[test]
fn a_mean_over_other_dimensions_is_no_layer_norm() {
    for (axes, keepdims, fits) in [(vec![1], 1, true), (vec![-1], 0, false), (vec![0], 1, false), (vec![0, 1], 1, true)]
    {
        let change = |graph: &mut Graph| {
            for node in graph.graph.node.iter_mut().filter(|node| node.op_type == "ReduceMean") {
                node.attribute[0].ints.clone_from(&axes);
                node.attribute.push(int("keepdims", keepdims));
            }
        };
        assert_eq!(read(change, 2).is_ok(), fits, "{axes:?} {keepdims}");
    }
    // The two means over different dimensions.
    let uneven = |graph: &mut Graph| {
        graph.graph.node.iter_mut().find(|node| node.op_type == "ReduceMean").unwrap().attribute[0].ints = vec![0, 1];
    };
    assert!(read(uneven, 2).is_err());
}
