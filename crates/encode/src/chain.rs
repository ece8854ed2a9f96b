//! A policy's network as a chain of exact affine maps.
//!
//! Inputs are linear forms over slots, and everything affine on the way is put together: the forms, the normalisation of inputs and the first
//! layer are one map over slots; the last layer and the normalisation of outputs are one map over neurons. What is left is a row of
//! linear forms per layer, over slots first and then over the neurons of the layer before (symbol `j` is neuron `j`), each followed by ReLU or nothing.
//!
//! A normalisation that scales all outputs by the same positive number, and moves them by the same, changes no choice and is left out.

use surefoot_linear::{Linear, Symbol};
use surefoot_model::policy::PolicyNetwork;
use surefoot_network::{Activation, Normalisation};
use surefoot_num::Rational;

/// A layer.
#[derive(Debug, Clone)]
pub(crate) struct Affine {
    /// One form per neuron.
    pub(crate) rows: Vec<Linear>,
    /// Whether ReLU follows.
    pub(crate) relu: bool,
}

/// The layers of a network, the last without ReLU or not, its rows the scores.
///
/// The network is exact: piecewise linear, over the reals. Whoever asks has seen to it.
pub(crate) fn chain(network: &PolicyNetwork) -> Vec<Affine> {
    let PolicyNetwork { inputs, network, .. } = network;
    let mut below = match network.input_normalisation() {
        Some(normalisation) => normalisation.apply_to_forms(inputs),
        None => inputs.clone(),
    };
    let mut layers = Vec::with_capacity(network.layers().len() + 1);
    for layer in network.layers() {
        let row = |(output, bias): (usize, &f64)| {
            let weights: Vec<(usize, Rational)> = layer.terms(output).map(|(input, w)| (input, number(w))).collect();
            let sum = Linear::combination(weights.iter().map(|(input, w)| (&below[*input], w)));
            Linear::constant_form(number(*bias)).plus_scaled(&sum, &Rational::ONE)
        };
        let rows: Vec<Linear> = layer.bias().iter().enumerate().map(row).collect();
        below = Symbol::first(rows.len()).map(Linear::symbol).collect();
        layers.push(Affine { rows, relu: layer.activation() == Activation::Relu });
    }
    match network.output_normalisation().filter(|normalisation| matters(normalisation)) {
        None => {}
        Some(normalisation) => match layers.last_mut().filter(|last| !last.relu) {
            Some(last) => last.rows = normalisation.apply_to_forms(&last.rows),
            None => layers.push(Affine { rows: normalisation.apply_to_forms(&below), relu: false }),
        },
    }
    layers
}

/// Whether a normalisation of outputs can change which of them is largest.
fn matters(normalisation: &Normalisation) -> bool {
    let (scale, offset) = (normalisation.scale(), normalisation.offset());
    let same = |numbers: &[Rational]| numbers.windows(2).all(|pair| pair[0] == pair[1]);
    !(same(scale) && same(offset) && scale.iter().all(|s| s.signum() > 0))
}

/// A weight, exactly; those of networks are finite.
fn number(weight: f64) -> Rational {
    Rational::from_f64(weight).unwrap_or(Rational::ZERO)
}
