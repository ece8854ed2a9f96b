//! Random policies over a model's labels.

use std::collections::BTreeMap;
use std::sync::Arc;

use surefoot_fixtures::network::{in_single_precision, with_activations};
use surefoot_fixtures::{Random, random_network};
use surefoot_linear::{Linear, Symbol};
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork, Ties};
use surefoot_model::{LabelId, Model, TermId, TransientId};
use surefoot_network::Activation;
use surefoot_num::Rational;
use surefoot_num::function::Function;

/// A random policy: some labels, in any order, as outputs; some linear forms as inputs. With conditions, several networks
/// share the work, mostly with a last one for the rest. Now and then it computes transient variables instead. `None` if
/// the model has no labels.
#[must_use]
pub fn random_policy(random: &mut Random, model: &Model, conditions: &[TermId]) -> Option<Policy> {
    if model.labels.is_empty() {
        return None;
    }
    let mut labels: Vec<LabelId> = (0..model.labels.len()).map(LabelId::at).collect();
    for i in (1..labels.len()).rev() {
        labels.swap(i, random.below(i + 1));
    }
    let transients: Vec<TransientId> = (0..model.transients.len())
        .map(TransientId::at)
        .filter(|t| model.transients[t.0 as usize].ty.is_numeric() && random.percent(70))
        .collect();
    if !transients.is_empty() && random.percent(20) {
        let networks = vec![policy_network(random, model, transients.len(), None)];
        return Some(Policy { networks, outputs: Outputs::Transients(transients), filter: false, ties: Ties::First });
    }
    let least = labels.len().min(2);
    labels.truncate(least + random.below(labels.len() - least + 1));
    let mut networks = Vec::new();
    if random.percent(40) {
        for condition in conditions {
            if random.percent(50) {
                networks.push(policy_network(random, model, labels.len(), Some(*condition)));
            }
        }
    }
    // Without it there are states that no network is for.
    if networks.is_empty() || random.percent(80) {
        networks.push(policy_network(random, model, labels.len(), None));
    }
    let ties = *random.pick(&[Ties::First, Ties::First, Ties::Any, Ties::Plaja]);
    Some(Policy { networks, outputs: Outputs::Labels(labels), filter: random.percent(50), ties })
}

/// The same policy with smooth functions in place of ReLUs, or in single precision, if it chooses labels; networks with large weights
/// stay as they are, because of saturated functions no precision tells one from another.
///
/// # Panics
/// Never: shapes stay the same.
#[must_use]
pub fn curved(random: &mut Random, mut policy: Policy) -> Policy {
    if matches!(policy.outputs, Outputs::Transients(_)) {
        return policy;
    }
    let mut function = *random.pick(&[Function::Tanh, Function::Tanh, Function::Sigmoid, Function::Softplus]);
    for network in &mut policy.networks {
        let plain = &network.network;
        if plain.layers().iter().any(|layer| layer.weights().iter().any(|w| w.abs() > 100.0)) {
            continue;
        }
        let mut smooth = |activation: Activation| match activation {
            Activation::Relu => Activation::Smooth(function),
            activation => activation,
        };
        network.network = Arc::new(match random.below(4) {
            0 => in_single_precision(plain),
            1 => in_single_precision(&with_activations(plain, &mut smooth)),
            _ => with_activations(plain, &mut smooth),
        });
        function = *random.pick(&[function, Function::Silu, Function::Elu { alpha: 1.0 }]);
    }
    policy
}

fn policy_network(random: &mut Random, model: &Model, outputs: usize, when: Option<TermId>) -> PolicyNetwork {
    let inputs: Vec<Linear> = (0..1 + random.below(4)).map(|_| linear_form(random, model)).collect();
    let network = Arc::new(random_network(random, inputs.len(), outputs));
    PolicyNetwork { when, inputs, network, file: "random".to_owned() }
}

/// Mostly one slot as it is; else a few slots with rational coefficients.
fn linear_form(random: &mut Random, model: &Model) -> Linear {
    let slot = |random: &mut Random| Symbol::at(random.below(model.slots.len()));
    if random.percent(60) {
        return Linear::symbol(slot(random));
    }
    let number = |random: &mut Random| {
        let denominator = *random.pick(&[1, 2, 3, 7, 10, 1_000_003]);
        Rational::new(random.between(-9, 9), denominator).expect("not zero")
    };
    let mut terms = BTreeMap::new();
    for _ in 0..1 + random.below(3) {
        terms.insert(slot(random), number(random));
    }
    Linear::new(terms.into_iter().collect(), number(random))
}
