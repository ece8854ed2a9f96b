//! Smaller networks for questions that are being shrunk.

use std::sync::Arc;

use surefoot_linear::Linear;
use surefoot_network::{Layer, Network, Normalisation};
use surefoot_num::Rational;
use surefoot_oracle::Question;

use super::shrink::remove_symbols;

/// Questions in which a network has less: no normalisation, fewer layers, neurons, inputs, outputs, simpler weights.
pub(crate) fn smaller_networks(question: &Question) -> Vec<Question> {
    let mut found = Vec::new();
    for index in 0..question.applications.len() {
        let network = &question.applications[index].network;
        if (0..index).any(|before| Arc::ptr_eq(&question.applications[before].network, network)) {
            continue;
        }
        let layers = network.layers();
        let (input, output) = (network.input_normalisation(), network.output_normalisation());
        let mut keep = |layers: Option<Vec<Layer>>, input: Option<&Normalisation>, output: Option<&Normalisation>| {
            let Some(built) = layers.and_then(|layers| build(layers, input, output)) else { return };
            if built.input_len() == network.input_len() && built.output_len() == network.output_len() {
                found.push(with_network(question, network, built));
            }
        };
        keep(Some(layers.to_vec()), None, output);
        keep(Some(layers.to_vec()), input, None);
        for gone in 0..layers.len() {
            let rest = layers.iter().enumerate().filter(|(layer, _)| *layer != gone).map(|(_, layer)| layer.clone());
            keep(Some(rest.collect()), input, output);
        }
        for layer in 0..layers.len() - 1 {
            for neuron in 0..layers[layer].output_len() {
                keep(without_neuron(layers, layer, neuron), input, output);
            }
        }
        for (at, layer) in layers.iter().enumerate() {
            for parameter in 0..layer.weights().len() + layer.bias().len() {
                for simpler in [0.0, 1.0, -1.0] {
                    keep(with_parameter(layers, at, parameter, |_| simpler), input, output);
                }
                keep(with_parameter(layers, at, parameter, |w| (w * 4.0).round() / 4.0), input, output);
            }
        }
        found.extend((0..network.output_len()).filter_map(|gone| without_output(question, network, gone)));
        found.extend((0..network.input_len()).filter_map(|gone| without_input(question, network, gone)));
    }
    found
}

fn build(layers: Vec<Layer>, input: Option<&Normalisation>, output: Option<&Normalisation>) -> Option<Network> {
    let mut network = Network::new(layers).ok()?;
    if let Some(given) = input {
        network = network.with_input_normalisation(given.clone()).ok()?;
    }
    if let Some(given) = output {
        network = network.with_output_normalisation(given.clone()).ok()?;
    }
    Some(network)
}

/// The question with one network in the place of another, wherever that is applied.
fn with_network(question: &Question, old: &Arc<Network>, new: Network) -> Question {
    let (mut less, new) = (question.clone(), Arc::new(new));
    for application in less.applications.iter_mut().filter(|a| Arc::ptr_eq(&a.network, old)) {
        application.network = Arc::clone(&new);
    }
    less
}

/// The items without one of them.
fn without<T: Clone>(items: &[T], gone: usize) -> Vec<T> {
    let kept = items.iter().enumerate().filter(|(index, _)| *index != gone);
    kept.map(|(_, item)| item.clone()).collect()
}

fn without_row(layer: &Layer, gone: usize) -> Option<Layer> {
    let rows: Vec<Vec<f64>> = layer.rows().map(|(row, _)| row.to_vec()).collect();
    let weights = without(&rows, gone).concat();
    Layer::new(layer.input_len(), weights, without(layer.bias(), gone), layer.activation()).ok()
}

fn without_column(layer: &Layer, gone: usize) -> Option<Layer> {
    let weights = layer.rows().flat_map(|(row, _)| without(&row, gone)).collect();
    Layer::new(layer.input_len() - 1, weights, layer.bias().to_vec(), layer.activation()).ok()
}

fn without_neuron(layers: &[Layer], layer: usize, neuron: usize) -> Option<Vec<Layer>> {
    let mut changed = layers.to_vec();
    changed[layer] = without_row(&layers[layer], neuron)?;
    changed[layer + 1] = without_column(&layers[layer + 1], neuron)?;
    Some(changed)
}

fn with_parameter(layers: &[Layer], at: usize, parameter: usize, change: impl Fn(f64) -> f64) -> Option<Vec<Layer>> {
    let layer = &layers[at];
    let (mut weights, mut bias) = (layer.weights().to_vec(), layer.bias().to_vec());
    let place = match parameter.checked_sub(weights.len()) {
        None => &mut weights[parameter],
        Some(neuron) => &mut bias[neuron],
    };
    *place = change(*place);
    let mut changed = layers.to_vec();
    changed[at] = Layer::new(layer.input_len(), weights, bias, layer.activation()).ok()?;
    Some(changed)
}

fn without_coordinate(normalisation: Option<&Normalisation>, gone: usize) -> Option<Normalisation> {
    let given = normalisation?;
    Normalisation::new(without(given.scale(), gone), without(given.offset(), gone)).ok()
}

fn without_output(question: &Question, network: &Arc<Network>, gone: usize) -> Option<Question> {
    let mut layers = network.layers().to_vec();
    let last = layers.pop()?;
    layers.push(without_row(&last, gone)?);
    let output = without_coordinate(network.output_normalisation(), gone);
    let new = build(layers, network.input_normalisation(), output.as_ref())?;
    let mut less = with_network(question, network, new);
    // From the last application to the first, so that earlier symbols stay where they are.
    for index in (0..question.applications.len()).rev() {
        if Arc::ptr_eq(&question.applications[index].network, network) {
            let symbol = question.output(index, gone).index();
            less.formula = remove_symbols(&less.formula, symbol, 1, &Rational::ZERO);
        }
    }
    Some(less)
}

fn without_input(question: &Question, network: &Arc<Network>, gone: usize) -> Option<Question> {
    let mut layers = network.layers().to_vec();
    layers[0] = without_column(&layers[0], gone)?;
    let input = without_coordinate(network.input_normalisation(), gone);
    let new = build(layers, input.as_ref(), network.output_normalisation())?;
    let mut less = with_network(question, network, new);
    for (application, old) in less.applications.iter_mut().zip(&question.applications) {
        if Arc::ptr_eq(&old.network, network) {
            application.inputs = without::<Linear>(&old.inputs, gone).into();
        }
    }
    Some(less)
}
