//! Integers, tables and truth values, at every integer of a range, against what the operators say.

use super::*;

/// A graph whose input is integers.
fn whole(dims: &[Option<i64>]) -> Graph {
    let mut graph = Graph::new(dims);
    let tensor = graph.graph.input[0].value_type.as_mut().and_then(|t| t.tensor.as_mut()).unwrap();
    tensor.elem_type = data_type::INT64;
    graph
}

fn values(network: &Network, x: i64) -> Vec<i64> {
    network.eval_reference(&[Rational::from(x)]).iter().map(|v| v.to_i64().unwrap()).collect()
}

#[test]
fn one_hot_encodings_share_their_units() {
    let by_operator = whole(&[None])
        .constant(TensorProto { dims: Vec::new(), ..ints("depth", &[5]) })
        .constant(ints("values", &[0, 1]))
        .node("OneHot", &["x", "depth", "values"], "h", vec![int("axis", -1)])
        .node("Cast", &["h"], "y", vec![int("to", 1)])
        .read("y")
        .unwrap();
    let by_equal = whole(&[Some(1)])
        .constant(ints("axis", &[-1]))
        .constant(ints("all", &[0, 1, 2, 3, 4]))
        .node("Unsqueeze", &["x", "axis"], "u", vec![])
        .node("Equal", &["u", "all"], "e", vec![])
        .node("Cast", &["e"], "i", vec![int("to", 7)])
        .node("Cast", &["i"], "y", vec![int("to", 1)])
        .read("y")
        .unwrap();
    for network in [&by_operator, &by_equal] {
        assert_eq!(network.relu_count(), 7, "n + 2 units");
        assert!(network.input_domain(0).integral);
        for x in 0..5 {
            let expected: Vec<i64> = (0..5).map(|k| i64::from(k == x)).collect();
            assert_eq!(values(network, x), expected);
        }
    }
    // Negative indices count from the end in `OneHot`, so they are excluded; `Equal` is right at every integer.
    assert_eq!(by_operator.input_domain(0).lower, Some(0));
    assert_eq!((values(&by_equal, -3), values(&by_equal, 9)), (vec![0; 5], vec![0; 5]));
    assert_eq!(by_equal.input_domain(0).lower, None);
}

#[test]
fn embeddings_are_tables() {
    let table: Vec<f32> = (0u8..8).map(|n| f32::from(n) * 0.3 - 1.0).collect();
    let network = whole(&[None])
        .constant(floats("table", &[4, 2], &table))
        .node("Gather", &["table", "x"], "g", vec![])
        .node("Relu", &["g"], "y", vec![])
        .read("y")
        .unwrap();
    let domain = network.input_domain(0);
    assert_eq!((domain.integral, domain.lower, domain.upper), (true, Some(0), Some(3)));
    for x in 0..4usize {
        let expected = |k: usize| Rational::from_f64(f64::from(table[2 * x + k]).max(0.0)).unwrap();
        let found = network.eval_reference(&[Rational::from(i64::try_from(x).unwrap())]);
        assert_eq!(found, [expected(0), expected(1)]);
    }
}

#[test]
fn comparisons_logic_and_choices() {
    let network = whole(&[None, Some(1)])
        .constant(ints("two", &[2]))
        .constant(ints("five", &[5]))
        .constant(floats("low", &[1], &[-3.0]))
        .constant(floats("high", &[1], &[7.0]))
        .node("Greater", &["x", "two"], "a", vec![])
        .node("LessOrEqual", &["x", "five"], "b", vec![])
        .node("And", &["a", "b"], "both", vec![])
        .node("Or", &["a", "b"], "any", vec![])
        .node("Xor", &["a", "b"], "one", vec![])
        .node("Not", &["both"], "not", vec![])
        .node("Less", &["x", "two"], "less", vec![])
        .node("GreaterOrEqual", &["x", "two"], "least", vec![])
        .node("Sign", &["x"], "sign", vec![])
        .node("Where", &["both", "high", "low"], "w", vec![])
        .node("Concat", &["a", "b", "both", "any", "one", "not", "less", "least", "sign"], "all", vec![int("axis", 1)])
        .node("Cast", &["all"], "f", vec![int("to", 1)])
        .node("Concat", &["f", "w"], "y", vec![int("axis", 1)])
        .read("y")
        .unwrap();
    for x in -8..=12i64 {
        let (a, b) = (x > 2, x <= 5);
        let truths = [a, b, a && b, a || b, a != b, !(a && b), x < 2, x >= 2].map(i64::from);
        let expected = [&truths[..], &[x.signum(), if a && b { 7 } else { -3 }]].concat();
        assert_eq!(values(&network, x), expected, "at {x}");
    }
}

#[test]
fn what_jumps_between_integers_is_refused() {
    let real = Graph::new(&[None, Some(1)])
        .constant(floats("half", &[1], &[0.5]))
        .node("Mul", &["x", "half"], "h", vec![])
        .constant(floats("zero", &[1], &[0.0]))
        .node("Greater", &["h", "zero"], "g", vec![])
        .node("Cast", &["g"], "y", vec![int("to", 1)]);
    let message = real.read("y").unwrap_err().to_string();
    assert!(message.starts_with("node 'g' (Greater)") && message.contains("need not be integers"), "{message}");
    // A float input that is compared must be fed integers, and the network says so.
    let asked = Graph::new(&[None, Some(1)])
        .constant(floats("one", &[1], &[1.0]))
        .node("Equal", &["x", "one"], "e", vec![])
        .node("Cast", &["e"], "y", vec![int("to", 1)])
        .read("y")
        .unwrap();
    assert!(asked.input_domain(0).integral);
    let mask = whole(&[None, Some(2)])
        .constant(ints("one", &[1]))
        .constant(floats("low", &[], &[-1e8]))
        .node("Equal", &["x", "one"], "allowed", vec![])
        .node("Cast", &["x"], "f", vec![int("to", 1)])
        .node("Where", &["allowed", "f", "low"], "y", vec![]);
    let message = mask.read("y").unwrap_err().to_string();
    assert!(message.contains("\"filter\": true"), "{message}");
    let rest = whole(&[None, Some(1)]).constant(ints("two", &[2])).node("Div", &["x", "two"], "y", vec![]);
    assert!(rest.read("y").unwrap_err().to_string().contains("drops the rest"));
}

/// Numbers beyond a type wrap around: inputs that are cast are bounded by the type, and narrow arithmetic is refused.
#[test]
fn narrow_integers_do_not_wrap_around_here() {
    let network = whole(&[None, Some(1)])
        .node("Cast", &["x"], "u", vec![int("to", 2)])
        .node("Cast", &["u"], "y", vec![int("to", 1)])
        .read("y")
        .unwrap();
    let domain = network.input_domain(0);
    assert_eq!((domain.integral, domain.lower, domain.upper), (true, Some(0), Some(255)));
    let computed = whole(&[None, Some(1)])
        .constant(ints("fifty", &[50]))
        .node("Mul", &["x", "fifty"], "m", vec![])
        .node("Cast", &["m"], "s", vec![int("to", 3)])
        .node("Cast", &["s"], "y", vec![int("to", 1)])
        .read("y");
    assert!(computed.is_err());
    let mut narrow = Graph::new(&[None, Some(1)]).constant(ints("large", &[1 << 30]));
    let tensor = narrow.graph.input[0].value_type.as_mut().and_then(|t| t.tensor.as_mut()).unwrap();
    tensor.elem_type = data_type::INT32;
    let narrow = narrow.node("Mul", &["x", "large"], "m", vec![]).node("Cast", &["m"], "y", vec![int("to", 1)]);
    let message = narrow.read("y").unwrap_err().to_string();
    assert!(message.contains("wrap around"), "{message}");
}

/// `Where` between a table of one input and a table, or a layer, of the other, at every pair of integers.
#[test]
fn choices_between_tables_are_exact() {
    let first: Vec<f32> = (0u8..10).map(|n| f32::from(n) * 0.7 - 3.0).collect();
    let second: Vec<f32> = (0u8..8).map(|n| 1.0 - f32::from(n) * f32::from(n) * 0.3).collect();
    let graph = || {
        whole(&[Some(1), Some(2)])
            .constant(floats("first", &[5, 2], &first))
            .constant(floats("second", &[4, 2], &second))
            .constant(floats("w", &[2, 2], &[0.5, -1.5, 2.0, 0.25]))
            .constant(ints("zero", &[0]))
            .constant(ints("one", &[1]))
            .constant(ints("flat", &[1, 2]))
            .constant(ints("two", &[2]))
            .node("Gather", &["x", "zero"], "i", vec![int("axis", 1)])
            .node("Gather", &["x", "one"], "j", vec![int("axis", 1)])
            .node("Gather", &["first", "i"], "a0", vec![])
            .node("Reshape", &["a0", "flat"], "a", vec![])
            .node("Gather", &["second", "j"], "b0", vec![])
            .node("Reshape", &["b0", "flat"], "b1", vec![])
            .node("MatMul", &["b1", "w"], "b2", vec![])
            .node("Relu", &["b2"], "b", vec![])
    };
    let exact = |x: f32| Rational::from_f64(f64::from(x)).unwrap();
    for op in ["Equal", "Less", "GreaterOrEqual"] {
        let network = graph()
            .node(op, &["i", "two"], "c", vec![])
            .node("Where", &["c", "a", "b"], "y", vec![])
            .read("y")
            .unwrap();
        for (i, j) in (0..5usize).flat_map(|i| (0..4usize).map(move |j| (i, j))) {
            let holds = match op {
                "Equal" => i == 2,
                "Less" => i < 2,
                _ => i >= 2,
            };
            let row = [exact(second[2 * j]), exact(second[2 * j + 1])];
            let layer = |u: &str, v: &str| (&row[0] * &r(u) + &row[1] * &r(v)).max(Rational::ZERO);
            let b = [layer("1/2", "2"), layer("-3/2", "1/4")];
            let expected = if holds { [exact(first[2 * i]), exact(first[2 * i + 1])] } else { b };
            let point = [i, j].map(|n| Rational::from(i64::try_from(n).unwrap()));
            assert_eq!(network.eval_reference(&point), expected, "{op} at {i}, {j}");
        }
    }
    // An integer of 64 bits has no bounds.
    let open = whole(&[Some(1), Some(1)])
        .constant(ints("two", &[2]))
        .node("Greater", &["x", "two"], "c", vec![])
        .node("Cast", &["x"], "f", vec![int("to", 1)])
        .node("Neg", &["f"], "n", vec![])
        .node("Where", &["c", "f", "n"], "y", vec![]);
    assert!(open.read("y").unwrap_err().to_string().contains("inputs without bounds"));
}
