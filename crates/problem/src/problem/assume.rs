//! What a verdict takes for granted: how the policy is meant, and what options say about runs.

use surefoot_model::lower::Lowered;
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork};
use surefoot_model::property::Question;
use surefoot_network::Arithmetic;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;

use super::LoadedPolicy;
use crate::question::Query;
use crate::request::Request;

/// Nobody chooses.
pub(super) const NO_POLICY: &str = "no policy: every enabled action is possible";
/// What the policy is.
const REAL_SEMANTICS: &str =
    "the policy is the function over the reals that its stored weights define (exact arithmetic, not float32)";
/// What it is in single precision.
const FLOAT32_SEMANTICS: &str = "the policy is computed in float32: each dense layer as a sum in the order of its inputs, the bias last, activations \
     correctly rounded; programs that add in another order may choose otherwise";

/// The numbers that a policy is computed with.
pub(super) fn semantics(policy: &Policy) -> &'static str {
    let single = |network: &PolicyNetwork| network.network.arithmetic() == Arithmetic::Float32;
    if policy.networks.iter().any(single) { FLOAT32_SEMANTICS } else { REAL_SEMANTICS }
}

/// Makes goal states terminal where that is asked for.
///
/// # Errors
/// There are no goal states.
pub(super) fn goal(request: &Request, query: &mut Query, assumptions: &mut Vec<String>) -> Result<(), Diagnostic> {
    if query.goal_terminal && query.goal.is_some() {
        assumptions.push("goal states are terminal (the property says so)".to_owned());
        return Ok(());
    }
    query.goal_terminal = false;
    if !request.goal_terminal {
        return Ok(());
    }
    if query.goal.is_none() {
        let error = Diagnostic::error_anywhere(format!(
            "{} needs a property whose objective has a goal, or a goal given as text",
            option("goal-terminal")
        ));
        let (property, goal) = (option("property"), option("goal"));
        let help = format!("choose a property that has one with {property}, or give one with {goal} TEXT");
        return Err(error.with_help(help));
    }
    query.goal_terminal = true;
    assumptions.push(format!("goal states are terminal ({})", option("goal-terminal")));
    Ok(())
}

/// Start set and ties as PlaJA has them, where that is asked for.
pub(super) fn plaja(
    request: &Request,
    lowered: &mut Lowered,
    question: Option<&Question>,
    policy: Option<&LoadedPolicy>,
    query: &mut Query,
    assumptions: &mut Vec<String>,
) {
    if !request.plaja_compat {
        return;
    }
    if matches!(question, Some(Question::Safety(_))) {
        let initial = lowered.initial_condition();
        query.start.conditions.push(initial);
        assumptions.push("PlaJA compatibility: the model's initial states are start states too".to_owned());
    }
    if policy.is_some_and(|loaded| matches!(loaded.policy.outputs, Outputs::Labels(_))) {
        let text = "PlaJA compatibility: every output within 1e-7 of the maximum counts as maximal";
        assumptions.push(text.to_owned());
    }
}
