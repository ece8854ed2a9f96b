//! Smooth activations: which layers they become, and what has no exact form. Their values are compared with torch in tests/python.

use super::*;
use surefoot_num::function::Function;

fn layers(network: &Network) -> Vec<Activation> {
    network.layers().iter().map(|layer| layer.activation()).collect()
}

fn plain(graph: Graph) -> Graph {
    graph
        .constant(floats("w", &[2, 3], &[0.5, -1.0, 0.25, 1.5, 0.75, -2.0]))
        .constant(floats("b", &[3], &[0.1, 0.2, -0.3]))
        .constant(floats("u", &[3, 2], &[1.0, -1.0, 0.5, 2.0, -0.25, 1.0]))
        .node("Gemm", &["x", "w", "b"], "a", vec![])
}

#[test]
fn chains_keep_their_activations() {
    for (op, attributes, function) in [
        ("Tanh", vec![], Function::Tanh),
        ("Sigmoid", vec![], Function::Sigmoid),
        ("Softplus", vec![], Function::Softplus),
        ("Elu", vec![float("alpha", 0.5)], Function::Elu { alpha: 0.5 }),
        ("Gelu", vec![], Function::Gelu),
    ] {
        let network = plain(Graph::new(&[None, Some(2)]))
            .node(op, &["a"], "h", attributes)
            .node("MatMul", &["h", "u"], "y", vec![])
            .read("y")
            .unwrap();
        assert_eq!(layers(&network), [Activation::Smooth(function), Activation::Identity]);
        assert_eq!(network.layers()[0].bias(), [0.1f32, 0.2, -0.3].map(f64::from));
    }
}

#[test]
fn swish_is_recognised_and_other_products_are_not() {
    let graph = || plain(Graph::new(&[None, Some(2)])).node("Sigmoid", &["a"], "s", vec![]);
    let network =
        graph().node("Mul", &["a", "s"], "h", vec![]).node("MatMul", &["h", "u"], "y", vec![]).read("y").unwrap();
    assert_eq!(layers(&network), [Activation::Smooth(Function::Silu), Activation::Identity]);
    let other = graph().node("Relu", &["a"], "r", vec![]).node("Mul", &["r", "s"], "y", vec![]).read("y").unwrap_err();
    assert!(other.to_string().contains("x * sigmoid(x)"), "{other}");
}

#[test]
fn layer_norm_takes_its_whole_vector() {
    let network = plain(Graph::new(&[None, Some(2)]))
        .constant(floats("g", &[3], &[1.5, 0.5, 2.0]))
        .constant(floats("o", &[3], &[0.0, 1.0, -1.0]))
        .constant(ints("first", &[0]))
        .node("LayerNormalization", &["a", "g", "o"], "n", vec![float("epsilon", 1e-5)])
        .node("Gather", &["n", "first"], "y", vec![int("axis", 1)])
        .read("y")
        .unwrap();
    // Only one entry is read, and the others still belong to the mean.
    assert_eq!(network.hidden_sizes(), [3]);
    assert_eq!(layers(&network)[0], Activation::LayerNorm { epsilon: f64::from(1e-5f32) });
    assert_eq!(*network.layers()[1].weights(), [1.0, 0.0, 0.0]);
    assert_eq!(network.output_normalisation().unwrap().scale(), [r("3/2")]);
}

#[test]
fn skips_around_tanh_are_refused() {
    let skip = Graph::new(&[None, Some(2)]).node("Tanh", &["x"], "t", vec![]).node("Sub", &["x", "t"], "y", vec![]);
    let message = skip.read("y").unwrap_err().to_string();
    assert!(message.contains("skip connection"), "{message}");
    let two = Graph::new(&[None, Some(1)]).node("Tanh", &["x"], "t", vec![]).node("Sigmoid", &["x"], "s", vec![]).node(
        "Concat",
        &["t", "s"],
        "y",
        vec![int("axis", 1)],
    );
    assert!(two.read("y").unwrap_err().to_string().contains("another activation"));
}
