//! The shapes that exports have: heads, several outputs, several choices, fixed batches, reductions and grids.

use super::*;

fn shaped(name: &str, dims: &[i64]) -> ValueInfo {
    info(name, &dims.iter().map(|d| Some(*d)).collect::<Vec<_>>())
}

fn read_outputs(mut graph: Graph, outputs: Vec<ValueInfo>, wanted: Option<&str>) -> Result<Network, OnnxError> {
    graph.graph.output = outputs;
    let opset_import = vec![OperatorSetId { domain: String::new(), version: graph.opset }];
    let model = ModelProto { ir_version: 8, opset_import, graph: Some(graph.graph), ..ModelProto::default() };
    let options = ReadOptions { onnx_output: wanted.map(str::to_owned), ..ReadOptions::default() };
    from_bytes(&model.encode_to_vec(), &options, None)
}

/// Scores, a value beside them, and what distributions do with the scores.
fn actor_critic() -> Graph {
    Graph::new(&[Some(1), Some(2)])
        .constant(floats("w", &[2, 3], &[1.0, 2.0, -1.0, 3.0, 4.0, 0.5]))
        .constant(floats("v", &[2, 1], &[1.0, 1.0]))
        .constant(ints("last", &[-1]))
        .node("MatMul", &["x", "w"], "logits", vec![])
        .node("MatMul", &["x", "v"], "value", vec![])
        .node("ReduceLogSumExp", &["logits"], "total", vec![ints_attribute("axes", &[-1])])
        .node("Sub", &["logits", "total"], "normal", vec![])
        .node("Softmax", &["normal"], "probs", vec![int("axis", -1)])
        .node("ArgMax", &["probs"], "best", vec![int("axis", 1), int("keepdims", 0)])
        .node("Reshape", &["best", "last"], "action", vec![])
}

fn ints_attribute(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto { name: name.to_owned(), ints: values.to_vec(), kind: 7, ..AttributeProto::default() }
}

#[test]
fn the_policy_is_found_among_the_outputs() {
    let outputs = |names: &[(&str, &[i64])]| names.iter().map(|(name, dims)| shaped(name, dims)).collect::<Vec<_>>();
    // By what it is.
    let all = outputs(&[("value", &[1, 1]), ("action", &[1]), ("normal", &[1, 3])]);
    let network = read_outputs(actor_critic(), all.clone(), None).unwrap();
    assert_eq!(at(&network, &["1", "2"]), ["7", "10", "0"]);
    assert!(network.order_only());
    assert!(network.notices()[0].contains("place of the largest score"), "{:?}", network.notices());
    assert!(network.notices().iter().any(|n| n.contains("ReduceLogSumExp (node 'total')")), "{:?}", network.notices());
    // By the number of entries, by its name, as stated; never a value in silence.
    let by_size = read_outputs(actor_critic(), outputs(&[("value", &[1, 1]), ("normal", &[1, 3])]), None).unwrap();
    assert_eq!(by_size.output_len(), 3);
    let by_name = read_outputs(actor_critic(), outputs(&[("normal", &[1, 3]), ("logits", &[1, 3])]), None).unwrap();
    assert!(!by_name.order_only() && by_name.notices()[0].contains("by its name"));
    let stated = read_outputs(actor_critic(), all, Some("value")).unwrap();
    assert_eq!(at(&stated, &["1", "2"]), ["3"]);
    let unclear =
        read_outputs(actor_critic(), outputs(&[("normal", &[1, 3]), ("probs", &[1, 3]), ("logits", &[1, 3])]), None);
    assert!(unclear.unwrap_err().to_string().contains("nothing says which one is the policy"));
}

#[test]
fn heads_keep_the_order_and_nothing_else_is_taken_for_one() {
    let base = || actor_critic().constant(floats("two", &[], &[2.0])).constant(floats("minus", &[], &[-2.0]));
    let scaled = base().node("Div", &["normal", "two"], "y", vec![]).read("y").unwrap();
    assert!(scaled.order_only());
    let logs = base().node("Log", &["probs"], "y", vec![]).read("y").unwrap();
    assert_eq!(at(&logs, &["1", "2"]), ["7", "10", "0"]);
    // Exp over its sum is softmax written out.
    let written = base()
        .node("Exp", &["logits"], "e", vec![])
        .node("ReduceSum", &["e", "last"], "s", vec![])
        .node("Div", &["e", "s"], "y", vec![])
        .read("y")
        .unwrap();
    assert_eq!(at(&written, &["1", "2"]), ["7", "10", "0"]);
    let mut top = base().constant(ints("one", &[1])).node("TopK", &["probs", "one"], "values", vec![]);
    top.graph.node.last_mut().unwrap().output.push("places".to_owned());
    assert_eq!(top.read("places").unwrap().output_len(), 3);
    for (op, inputs) in [("Mul", ["normal", "minus"]), ("Sub", ["two", "normal"]), ("Add", ["normal", "logits"])] {
        let message = base().node(op, &inputs, "y", vec![]).read("y").unwrap_err().to_string();
        assert!(message.contains("only at the end"), "{op}: {message}");
    }
    // Different numbers added to the entries change their order.
    let uneven = base().constant(floats("c", &[3], &[0.0, 5.0, 9.0])).node("Add", &["normal", "c"], "z", vec![]);
    let uneven = uneven.node("ArgMax", &["z"], "y", vec![int("axis", 1)]).read("y").unwrap_err().to_string();
    assert!(uneven.contains("different rows"), "{uneven}");
}

#[test]
fn several_choices_are_several() {
    let mut graph = Graph::new(&[Some(1), Some(2)])
        .constant(floats("w", &[2, 5], &[1.0, 2.0, 3.0, 4.0, 5.0, 0.5, 1.5, 2.5, 3.5, 4.5]))
        .constant(ints("sizes", &[2, 3]))
        .constant(ints("one", &[1]))
        .node("MatMul", &["x", "w"], "logits", vec![])
        .node("Split", &["logits", "sizes"], "a", vec![int("axis", 1)]);
    graph.graph.node.last_mut().unwrap().output.push("b".to_owned());
    let network = graph
        .node("Softmax", &["a"], "pa", vec![])
        .node("ArgMax", &["pa"], "ia", vec![int("axis", 1), int("keepdims", 0)])
        .node("ArgMax", &["b"], "ib", vec![int("axis", 1), int("keepdims", 0)])
        .node("Unsqueeze", &["ia", "one"], "ua", vec![])
        .node("Unsqueeze", &["ib", "one"], "ub", vec![])
        .node("Concat", &["ua", "ub"], "y", vec![int("axis", 1)])
        .read("y")
        .unwrap();
    assert_eq!((network.choices(), network.output_len()), (&[2, 3][..], 5));
    let combined = crate::encode::combinations(&network, &[2, 3]).unwrap();
    assert_eq!(at(&combined, &["1", "0"]), ["4", "5", "6", "5", "6", "7"]);
    assert!(crate::encode::combinations(&network, &[2, 2]).is_err());
}

#[test]
fn a_fixed_batch_is_one_observation() {
    let graph = |rows: i64| {
        Graph::new(&[Some(rows), Some(2)])
            .constant(floats("w", &[2, 3], &[1.0, 2.0, -1.0, 3.0, 4.0, 0.5]))
            .constant(ints("shape", &[rows, 3]))
            .node("MatMul", &["x", "w"], "m", vec![])
            .node("Relu", &["m"], "r", vec![])
            .node("Reshape", &["r", "shape"], "z", vec![])
    };
    let network = graph(4).read("z").unwrap();
    assert_eq!((network.input_len(), at(&network, &["1", "2"])), (2, vec!["7".into(), "10".into(), "0".into()]));
    assert!(network.notices()[0].contains("4 observations"));
    let chosen = graph(4).node("ArgMax", &["z"], "y", vec![int("axis", 1), int("keepdims", 0)]).read("y").unwrap();
    assert_eq!((chosen.input_len(), chosen.output_len()), (2, 3));
    // Rows that are mixed are no batch.
    let mixed = graph(4)
        .constant(ints("zero", &[0]))
        .node("ReduceMean", &["z"], "mean", vec![ints_attribute("axes", &[0])])
        .node("Sub", &["z", "mean"], "y", vec![])
        .read("y")
        .unwrap_err()
        .to_string();
    assert!(mixed.contains("other rows"), "{mixed}");
    // So are rows that are normalised together, whatever their own sums are of.
    let mixed = graph(4)
        .constant(floats("scale", &[4, 3], &[1.0; 12]))
        .constant(floats("w2", &[3, 2], &[1.0, 2.0, -1.0, 3.0, 0.5, 0.25]))
        .node("LayerNormalization", &["z", "scale"], "n", vec![int("axis", 0)])
        .node("MatMul", &["n", "w2"], "y", vec![])
        .read("y")
        .unwrap_err()
        .to_string();
    assert!(mixed.contains("other rows"), "{mixed}");
    let tanh = graph(4).node("Tanh", &["z"], "y", vec![]).read("y").unwrap();
    assert_eq!(tanh.input_len(), 2);
}

#[test]
fn reductions_dueling_and_quantile_heads() {
    // q = v + a - mean(a), with three actions: a third is no double, and yet it is exact.
    let dueling = Graph::new(&[None, Some(2)])
        .constant(floats("wa", &[2, 3], &[1.0, 0.1, -1.0, 3.0, 4.0, 0.5]))
        .constant(floats("wv", &[2, 1], &[0.7, 0.2]))
        .node("MatMul", &["x", "wa"], "a", vec![])
        .node("MatMul", &["x", "wv"], "v", vec![])
        .node("Add", &["v", "a"], "s", vec![])
        .node("ReduceMean", &["a"], "m", vec![ints_attribute("axes", &[1])])
        .node("Sub", &["s", "m"], "y", vec![])
        .read("y")
        .unwrap();
    let f = |value: f32| Rational::from_f64(f64::from(value)).unwrap();
    let point = [r("5"), r("-3")];
    let a = [&r("5") * &f(1.0) - r("9"), &(&r("5") * &f(0.1)) - &r("12"), r("-13/2")];
    let v = &(&r("5") * &f(0.7)) - &(&r("3") * &f(0.2));
    let mean = &(&(&a[0] + &a[1]) + &a[2]) * &r("1/3");
    let expected: Vec<Rational> = a.iter().map(|a| &(&v + a) - &mean).collect();
    assert_eq!(dueling.eval_reference(&point), expected);
    // The mean over the middle axis, as quantile networks have it.
    let quantiles = Graph::new(&[None, Some(1)])
        .constant(floats("w", &[1, 6], &[1.0, 2.0, 3.0, 4.0, 5.0, 9.0]))
        .constant(ints("shape", &[-1, 3, 2]))
        .node("MatMul", &["x", "w"], "m", vec![])
        .node("Reshape", &["m", "shape"], "s", vec![])
        .node("ReduceMean", &["s"], "y", vec![ints_attribute("axes", &[1]), int("keepdims", 0)])
        .read("y")
        .unwrap();
    assert_eq!(at(&quantiles, &["1"]), ["3", "5"]);
    for (op, expected) in [("ReduceMax", "9"), ("ReduceMin", "-4"), ("ReduceSum", "12")] {
        let network =
            Graph::new(&[None, Some(5)]).node(op, &["x"], "y", vec![ints_attribute("axes", &[1])]).read("y").unwrap();
        assert_eq!(at(&network, &["9", "-4", "2", "0", "5"]), [expected], "{op}");
    }
}

#[test]
fn convolutions_are_linear_maps() {
    // A 3 by 3 grid, kernel 2 by 2 with a pad at the top and left, stride 1; then the largest of each 3 by 3 window.
    let kernel = [1.0, 2.0, 3.0, 4.0];
    let graph = Graph::new(&[None, Some(1), Some(3), Some(3)])
        .constant(floats("w", &[1, 1, 2, 2], &kernel))
        .constant(floats("b", &[1], &[0.5]))
        .node("Conv", &["x", "w", "b"], "c", vec![ints_attribute("pads", &[1, 1, 0, 0])])
        .node("MaxPool", &["c"], "p", vec![ints_attribute("kernel_shape", &[3, 3])])
        .node("GlobalAveragePool", &["c"], "g", vec![])
        .node("Concat", &["p", "g"], "j", vec![int("axis", 1)])
        .node("Flatten", &["j"], "y", vec![])
        .read("y")
        .unwrap();
    let grid: [i64; 9] = [1, -2, 3, 0, 5, -1, 2, 2, -7];
    let cell = |i: i64, j: i64| {
        if (0..3).contains(&i) && (0..3).contains(&j) { grid[usize::try_from(3 * i + j).unwrap()] } else { 0 }
    };
    let conv = |i: i64, j: i64| {
        Rational::from(cell(i - 1, j - 1) + 2 * cell(i - 1, j) + 3 * cell(i, j - 1) + 4 * cell(i, j)) + r("1/2")
    };
    let all: Vec<Rational> = (0..9).map(|k| conv(k / 3, k % 3)).collect();
    let mean = &all.iter().cloned().sum::<Rational>() * &r("1/9");
    let point: Vec<Rational> = grid.iter().map(|v| Rational::from(*v)).collect();
    assert_eq!(graph.eval_reference(&point), [all.iter().max().unwrap().clone(), mean]);
}

#[test]
fn slopes_and_batch_normalisation() {
    let network = Graph::new(&[None, Some(2)])
        .constant(floats("slope", &[2], &[0.25, -0.5]))
        .node("PRelu", &["x", "slope"], "p", vec![])
        .node("HardSigmoid", &["p"], "y", vec![float("alpha", 0.25), float("beta", 0.5)])
        .read("y")
        .unwrap();
    assert_eq!(at(&network, &["-4", "-4"]), ["1/4", "1"]);
    let normal = |variance: f32| {
        Graph::new(&[None, Some(1)])
            .constant(floats("scale", &[1], &[3.0]))
            .constant(floats("bias", &[1], &[1.0]))
            .constant(floats("mean", &[1], &[2.0]))
            .constant(floats("var", &[1], &[variance]))
            .node("BatchNormalization", &["x", "scale", "bias", "mean", "var"], "y", vec![float("epsilon", 0.25)])
            .read("y")
    };
    assert_eq!(at(&normal(2.0).unwrap(), &["4"]), ["5"]);
    assert!(normal(2.0).unwrap().notices().is_empty());
    // 3 / sqrt(5/4), whose square is 36/5, as the nearest double: between the middles to its neighbours.
    let network = normal(1.0).unwrap();
    let factor = network.input_normalisation().unwrap().scale()[0].to_f64();
    let middle = |other: f64| &(Rational::from_f64(factor).unwrap() + Rational::from_f64(other).unwrap()) * &r("1/2");
    let (low, high) = (middle(factor.next_down()), middle(factor.next_up()));
    assert!(&low * &low < r("36/5") && r("36/5") < &high * &high);
    assert!(network.notices()[0].contains("BatchNormalization (node 'y')"), "{:?}", network.notices());
    for variance in [-0.25, -1.0] {
        assert!(normal(variance).unwrap_err().to_string().contains("not positive"), "{variance}");
    }
}

/// Rows less their own largest entries, put together: their order is not that of the entries.
#[test]
fn largest_entries_of_several_rows_are_several() {
    let graph = Graph::new(&[Some(1), Some(2)])
        .constant(floats("w", &[2, 4], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]))
        .constant(ints("rows", &[2, 2]))
        .constant(ints("flat", &[1, 4]))
        .constant(ints("one", &[1]))
        .node("MatMul", &["x", "w"], "m", vec![])
        .node("Reshape", &["m", "rows"], "h", vec![])
        .node("TopK", &["h", "one"], "largest", vec![])
        .node("Sub", &["h", "largest"], "d", vec![])
        .node("Reshape", &["d", "flat"], "y", vec![]);
    let message = graph.read("y").unwrap_err().to_string();
    assert!(message.contains("cannot be compared with each other"), "{message}");
}
