//! What a policy would do in single precision.
//!
//! A verdict is mostly about the network as a function over the reals. The program that runs the policy computes in
//! `f32`, so a decision by a narrow margin may come out differently there. This is the plainest such computation
//! ([`surefoot_network::eval::float32`]). Libraries add in other orders.

use surefoot_model::policy::{Outputs, Policy, Ties, plaja_tolerance};
use surefoot_model::{EvalError, Interpreter, LabelId, State};
use surefoot_network::Arithmetic;
use surefoot_network::eval::Float32Network;
use surefoot_num::Rational;
use surefoot_num::function::single::nearest;

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

/// The decision of a policy over labels in single precision; none where a number is beyond it, or the network has no
/// such computation, or no other.
///
/// # Errors
/// Where no network is asked in the state.
pub fn decide(
    policy: &Policy,
    interpreter: &Interpreter<'_>,
    state: &State,
    applicable: &[LabelId],
) -> Result<Option<FloatDecision>, EvalError> {
    let network = &policy.networks[policy.network_at(interpreter, state)?];
    let inputs: Vec<Rational> = network.inputs.iter().map(|form| state.value(form)).collect();
    if network.network.arithmetic() == Arithmetic::Float32 {
        // What is chosen is chosen so.
        return Ok(None);
    }
    let Ok(outputs) = Float32Network::new(&network.network).eval_at(&inputs) else { return Ok(None) };
    let Outputs::Labels(labels) = &policy.outputs else {
        return Ok(Some(FloatDecision { outputs, labels: Vec::new() }));
    };
    let candidates: Vec<usize> =
        (0..labels.len()).filter(|i| !policy.filter || applicable.contains(&labels[*i])).collect();
    let best = candidates.iter().map(|i| outputs[*i]).fold(f32::NEG_INFINITY, f32::max);
    let tolerance = match policy.ties {
        Ties::First | Ties::Any => 0.0,
        Ties::Plaja => nearest(&plaja_tolerance()),
    };
    let mut chosen: Vec<LabelId> =
        candidates.into_iter().filter(|i| outputs[*i] + tolerance >= best).map(|i| labels[i]).collect();
    if policy.ties == Ties::First {
        chosen.truncate(1);
    }
    Ok(Some(FloatDecision { outputs, labels: chosen }))
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
        let Some(float) = decision.float.as_ref().filter(|float| float.labels != decision.chosen) else { continue };
        let score = |label: &LabelId| {
            let output = labels.iter().position(|l| l == label);
            output.map(|o| format!("{} {:e}", name(*label), float.outputs[o])).unwrap_or_default()
        };
        let shown: Vec<String> = float.labels.iter().chain(&decision.chosen).map(score).collect();
        let text = format!(
            "float32 chooses {}, exact arithmetic {} (float32 scores: {})",
            names(&float.labels),
            names(&decision.chosen),
            shown.join(", ")
        );
        differences.push((i + 1, text));
    }
    differences
}
