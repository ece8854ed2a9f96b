//! What a policy would do in single precision.
//!
//! A verdict is about the network as a function over the reals. The program that runs the policy computes in
//! `f32`, so a decision by a narrow margin may come out differently there. This is the plainest such computation: every
//! number rounded to `f32`, products added from left to right, the bias last. Libraries add in other orders.

use surefoot_model::policy::{Outputs, Policy, Ties, plaja_tolerance};
use surefoot_model::{EvalError, Interpreter, LabelId, State};
use surefoot_network::{Activation, Network, Normalisation};
use surefoot_num::Rational;

use crate::problem::Problem;
use crate::replay::Replayed;

/// A decision in single precision.
#[derive(Debug, Clone, PartialEq)]
pub struct FloatDecision {
    /// The outputs.
    pub outputs: Vec<f32>,
    /// The labels chosen.
    pub labels: Vec<LabelId>,
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
fn single(number: &Rational) -> f32 {
    number.to_f64() as f32
}

fn normalise(values: &mut [f32], normalisation: Option<&Normalisation>) {
    if let Some(normalisation) = normalisation {
        let factors = normalisation.scale().iter().zip(normalisation.offset());
        for (value, (scale, offset)) in values.iter_mut().zip(factors) {
            *value = *value * single(scale) + single(offset);
        }
    }
}

/// The outputs of a network in single precision.
#[must_use]
pub fn forward(network: &Network, inputs: &[Rational]) -> Vec<f32> {
    let mut values: Vec<f32> = inputs.iter().map(single).collect();
    normalise(&mut values, network.input_normalisation());
    for layer in network.layers() {
        #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is the point")]
        let neuron = |(row, bias): (&[f64], f64)| {
            let sum = row.iter().zip(&values).fold(0.0f32, |sum, (weight, value)| sum + *weight as f32 * value);
            let sum = sum + bias as f32;
            match layer.activation() {
                Activation::Relu => sum.max(0.0),
                Activation::Identity => sum,
            }
        };
        values = layer.rows().map(neuron).collect();
    }
    normalise(&mut values, network.output_normalisation());
    values
}

/// The decision of a policy over labels in single precision.
///
/// # Errors
/// Where no network is asked in the state.
pub fn decide(
    policy: &Policy,
    interpreter: &Interpreter<'_>,
    state: &State,
    applicable: &[LabelId],
) -> Result<FloatDecision, EvalError> {
    let network = &policy.networks[policy.network_at(interpreter, state)?];
    let inputs: Vec<Rational> = network.inputs.iter().map(|form| state.value(form)).collect();
    let outputs = forward(&network.network, &inputs);
    let Outputs::Labels(labels) = &policy.outputs else {
        return Ok(FloatDecision { outputs, labels: Vec::new() });
    };
    let candidates: Vec<usize> =
        (0..labels.len()).filter(|i| !policy.filter || applicable.contains(&labels[*i])).collect();
    let best = candidates.iter().map(|i| outputs[*i]).fold(f32::NEG_INFINITY, f32::max);
    let tolerance = match policy.ties {
        Ties::First | Ties::Any => 0.0,
        Ties::Plaja => single(&plaja_tolerance()),
    };
    let mut chosen: Vec<LabelId> =
        candidates.into_iter().filter(|i| outputs[*i] + tolerance >= best).map(|i| labels[i]).collect();
    if policy.ties == Ties::First {
        chosen.truncate(1);
    }
    Ok(FloatDecision { outputs, labels: chosen })
}

/// Where single precision would choose otherwise: one line per step.
#[must_use]
pub fn differences(problem: &Problem, run: &Replayed) -> Vec<(usize, String)> {
    let Some(Outputs::Labels(labels)) = problem.policy().map(|p| &p.outputs) else { return Vec::new() };
    let name = |label: LabelId| problem.model().labels[label.0 as usize].to_string();
    let names = |chosen: &[LabelId]| match chosen {
        [] => "nothing".to_owned(),
        chosen => chosen.iter().map(|l| name(*l)).collect::<Vec<_>>().join(", "),
    };
    let mut differences = Vec::new();
    for (i, step) in run.steps.iter().enumerate() {
        let Some(decision) = &step.decision else { continue };
        if decision.float.labels == decision.chosen {
            continue;
        }
        let score = |label: &LabelId| {
            let output = labels.iter().position(|l| l == label);
            output.map(|o| format!("{} {:e}", name(*label), decision.float.outputs[o])).unwrap_or_default()
        };
        let shown: Vec<String> = decision.float.labels.iter().chain(&decision.chosen).map(score).collect();
        let text = format!(
            "float32 chooses {}, exact arithmetic {} (float32 scores: {})",
            names(&decision.float.labels),
            names(&decision.chosen),
            shown.join(", ")
        );
        differences.push((i + 1, text));
    }
    differences
}
