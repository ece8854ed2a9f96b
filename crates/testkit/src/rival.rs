//! A second policy beside a first: over the same labels, and mostly of the same opinion.

use std::sync::Arc;

use surefoot_fixtures::network::in_single_precision;
use surefoot_fixtures::{Random, random_network};
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork};
use surefoot_network::{Activation, Arithmetic, Layer, Network};

/// A policy over the labels of another, in another order: with some of its networks pruned, rounded or retrained, and the others as they are.
/// `None` for a policy that chooses no labels.
///
/// # Panics
/// Never: shapes stay as they were.
#[must_use]
pub fn rival(random: &mut Random, policy: &Policy) -> Option<Policy> {
    let Outputs::Labels(labels) = &policy.outputs else { return None };
    let mut order: Vec<usize> = (0..labels.len()).collect();
    if random.percent(60) {
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
    }
    let networks = policy.networks.iter().map(|network| {
        let plain = &network.network;
        let changed = match random.below(5) {
            0 => random_network(random, network.inputs.len(), labels.len()),
            1 => changed(plain, &mut |weight| if random.percent(25) { 0.0 } else { weight }),
            2 => changed(plain, &mut |weight| (weight * 4.0).round() / 4.0),
            3 => changed(plain, &mut |weight| if random.percent(10) { weight + 0.25 } else { weight }),
            _ => (**plain).clone(),
        };
        let sorted = reordered(&changed, &order);
        let network_of = if random.percent(10) && is_plain(&sorted) { in_single_precision(&sorted) } else { sorted };
        PolicyNetwork { network: Arc::new(network_of), ..network.clone() }
    });
    let networks = networks.collect();
    let filter = policy.filter != random.percent(15);
    let outputs = Outputs::Labels(order.iter().map(|output| labels[*output]).collect());
    Some(Policy { networks, outputs, filter, ties: policy.ties })
}

fn is_plain(network: &Network) -> bool {
    network.arithmetic() == Arithmetic::Real && network.layers().iter().all(|l| l.activation().is_piecewise_linear())
}

/// The same network with other weights.
fn changed(network: &Network, weight: &mut dyn FnMut(f64) -> f64) -> Network {
    let layer = |layer: &Layer| {
        let weights = layer.weights().iter().map(|w| weight(*w)).collect();
        made(layer.input_len(), weights, layer.bias().to_vec(), layer.activation())
    };
    with_layers(network, network.layers().iter().map(layer).collect())
}

/// The same network with its outputs in another order.
fn reordered(network: &Network, order: &[usize]) -> Network {
    let mut layers = network.layers().to_vec();
    if let Some(last) = layers.pop() {
        let weights = order.iter().flat_map(|output| last.row(*output).to_vec()).collect();
        let bias = order.iter().map(|output| last.bias()[*output]).collect();
        layers.push(made(last.input_len(), weights, bias, last.activation()));
    }
    with_layers(network, layers)
}

fn made(inputs: usize, weights: Vec<f64>, bias: Vec<f64>, activation: Activation) -> Layer {
    Layer::new(inputs, weights, bias, activation).expect("the same shape")
}

fn with_layers(network: &Network, layers: Vec<Layer>) -> Network {
    let changed = Network::new(layers).expect("the same shape");
    changed.with_arithmetic(network.arithmetic()).expect("it was computed so before")
}
