//! How much every start state counts in a mean: the value of an expression in it, at least zero, not all of them zero.

use surefoot_explicit::Graph;
use surefoot_model::{ModelError, TermId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;

use crate::problem::{Failure, Problem};

/// The weights of the start states, in their order.
///
/// # Errors
/// Weights without value, negative ones, and where all of them are zero.
pub(super) fn start_weights(problem: &Problem, graph: &Graph<'_>, weights: TermId) -> Result<Vec<Rational>, Failure> {
    let interpreter = problem.interpreter();
    let mut all = Vec::with_capacity(graph.starts as usize);
    for number in 0..graph.starts {
        let state = graph.state(number);
        let weight = interpreter
            .eval(weights, &state)
            .map_err(|error| Failure::from(problem.model_error(&ModelError::evaluation(error, state.clone()))))?;
        if weight.signum() < 0 {
            let place = state.describe(problem.model());
            let error = Diagnostic::error_anywhere(format!("the weight of the start state {place} is {weight}"));
            return Err(error.with_help("weights must not be negative").into());
        }
        all.push(weight);
    }
    // Where a limit ended the search for start states the others may count; there is no mean then.
    if !graph.starts_missing && all.iter().all(Rational::is_zero) {
        let error =
            Diagnostic::error_anywhere(format!("all start states have the weight zero ({})", option("weights")));
        return Err(error.with_help("give an expression that is positive in some start state").into());
    }
    Ok(all)
}

/// The mean of some values: each counts once where there are no weights. Of nothing it is zero.
pub(crate) fn weighted_mean(values: &[Rational], weights: Option<&[Rational]>) -> Rational {
    let (mut sum, mut total) = (Rational::ZERO, Rational::ZERO);
    for (i, value) in values.iter().enumerate() {
        match weights {
            None => {
                sum = &sum + value;
                total = &total + &Rational::ONE;
            }
            Some(weights) => {
                sum = &sum + &(&weights[i] * value);
                total = &total + &weights[i];
            }
        }
    }
    sum.checked_div(&total).unwrap_or_default()
}
