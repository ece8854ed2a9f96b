//! Finding the values of variables again that were left out of the states.

use std::ops::ControlFlow;

use surefoot_explicit::start::for_each_start;
use surefoot_model::{ModelError, State};

use crate::engine::start_failure;
use crate::problem::{Failure, Problem};

/// A start state with values for the variables that were left out.
///
/// # Errors
/// As [`lift`].
pub(crate) fn lift_start(problem: &Problem, state: State) -> Result<State, Failure> {
    let mut path = lift(problem, vec![state])?;
    path.pop().ok_or_else(|| Failure::Internal("a path without states".to_owned()))
}

/// A path of states without the variables left out, as one of the full model.
///
/// The variables left out influence nothing, so each step of the sliced path is one of the full model from whatever values
/// they have.
///
/// # Errors
/// [`Failure::Internal`] when there is no such path: the slice would have been wrong.
pub(crate) fn lift(problem: &Problem, path: Vec<State>) -> Result<Vec<State>, Failure> {
    let Some(slice) = &problem.slice else { return Ok(path) };
    let Some(first) = path.first() else { return Ok(path) };
    let broken = || Failure::Internal("a run of the sliced model is none of the full one".to_owned());
    let mut start = None;
    for_each_start(problem.model(), &problem.query.start, |state| {
        if slice.agree(state, first) {
            start = Some(state.clone());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })
    .map_err(|error| start_failure(problem, &error))?;
    let mut lifted = vec![start.ok_or_else(broken)?];
    let interpreter = problem.interpreter();
    for next in &path[1..] {
        let current = lifted.last().ok_or_else(broken)?;
        let error = |error: ModelError| Failure::from(problem.model_error(&error));
        let choices = interpreter.permitted_choices(current, problem.policy()).map_err(error)?;
        let mut successors = choices.into_iter().flat_map(|c| c.outcomes).flat_map(|o| o.successors);
        let successor = successors.find(|s| slice.agree(s, next)).ok_or_else(broken)?;
        lifted.push(successor);
    }
    Ok(lifted)
}
