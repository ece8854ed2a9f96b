//! Questions about dense networks with most neurons switching in the box, of which several layers hide behind each other.

use std::sync::Arc;

use surefoot_fixtures::Random;
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_network::{Activation, Layer, Network};
use surefoot_oracle::{Application, Question, Variable};

/// A network with these hidden widths.
#[expect(clippy::cast_precision_loss, reason = "the numbers of a test are small")]
pub(crate) fn network(random: &mut Random, inputs: usize, widths: &[usize], outputs: usize) -> Network {
    let mut layers = Vec::new();
    let mut before = inputs;
    for (index, &width) in widths.iter().chain([&outputs]).enumerate() {
        let weights = (0..before * width).map(|_| random.between(-8, 8) as f64 / 4.0).collect();
        let bias = (0..width).map(|_| random.between(-8, 8) as f64 / 4.0).collect();
        let activation = if index < widths.len() { Activation::Relu } else { Activation::Identity };
        layers.push(Layer::new(before, weights, bias, activation).unwrap());
        before = width;
    }
    Network::new(layers).unwrap()
}

/// The question that has every point of a box around zero as its answer, whose sides end between two sizes; of its network's
/// outputs formulas can be made.
pub(crate) fn over_box(random: &mut Random, network: Network, sizes: (i64, i64), integers: bool) -> Question {
    let inputs = network.input_len();
    let variable = |random: &mut Random| {
        let (lower, upper) = (-random.between(sizes.0, sizes.1), random.between(sizes.0, sizes.1));
        if integers { Variable::integer(lower, upper) } else { Variable::real(lower.into(), upper.into()) }
    };
    let variables = (0..inputs).map(|_| variable(random)).collect();
    let inputs = Symbol::first(inputs).map(Linear::symbol).collect();
    let applications = vec![Application { network: Arc::new(network), inputs }];
    Question { variables, applications, formula: Formula::truth() }
}
