//! Random ReLU networks, with the cases that are hard for floats: exact ties, zero weights, large numbers.

use surefoot_network::{Activation, Layer, Network};

use crate::random::Random;

/// A random network.
///
/// Weights are small dyadic numbers (so that ties are exact), decimals (so that rounding matters), or of mixed size.
///
/// # Panics
/// Never: the layers fit together.
#[must_use]
pub fn random_network(random: &mut Random, inputs: usize, outputs: usize) -> Network {
    let mut layers = Vec::new();
    let mut width = inputs;
    let style = random.below(4);
    for _ in 0..random.below(3) {
        let next = 1 + random.below(5);
        layers.push(random_layer(random, width, next, Activation::Relu, style));
        width = next;
    }
    layers.push(random_layer(random, width, outputs, Activation::Identity, style));
    Network::new(layers).expect("layers fit together")
}

fn random_layer(random: &mut Random, inputs: usize, outputs: usize, activation: Activation, style: usize) -> Layer {
    let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
    for output in 0..outputs {
        // A row that repeats another gives a tie in every state.
        if output > 0 && random.percent(25) {
            rows.push(rows[random.below(output)].clone());
            continue;
        }
        let row = (0..inputs).map(|_| weight(random, style)).collect();
        rows.push((row, weight(random, style)));
    }
    let (weights, bias): (Vec<Vec<f64>>, Vec<f64>) = rows.into_iter().unzip();
    Layer::new(inputs, weights.concat(), bias, activation).expect("as many weights as inputs times outputs")
}

fn weight(random: &mut Random, style: usize) -> f64 {
    if random.percent(20) {
        return 0.0;
    }
    let small = random.between(-8, 8) as f64;
    match style {
        0 => small.signum(),
        1 => small / 4.0,
        2 => small / 10.0 + small / 3.0,
        // Differences near the tolerance of PlaJA, and sums that cancel.
        _ => small * [1.0, 1e-8, 1e8, 1e-7][random.below(4)],
    }
}
