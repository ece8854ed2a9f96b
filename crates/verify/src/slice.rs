//! Leaving variables out of the states that the answer cannot depend on, and finding their values again.

use std::ops::ControlFlow;

use surefoot_explicit::start::for_each_start;
use surefoot_model::policy::Policy;
use surefoot_model::slice::droppable;
use surefoot_model::{Model, ModelError, State, TermId};

use crate::engine::start_failure;
use crate::problem::{Failure, Problem};
use crate::question::Query;

/// The variables that are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// Per slot: whether it is left out.
    pub dropped: Vec<bool>,
}

impl Slice {
    /// The slice for a query; `None` when every variable matters.
    #[must_use]
    pub fn new(model: &Model, policy: Option<&Policy>, query: &Query) -> Option<Self> {
        let mut read: Vec<TermId> = query.target.into_iter().chain(query.goal).collect();
        if let Some(quantity) = &query.quantity {
            read.extend([quantity.right, quantity.decided]);
            read.extend(quantity.left);
        }
        let dropped = droppable(model, policy, &read);
        if dropped.contains(&true) { Some(Self { dropped }) } else { None }
    }

    /// What is left out, in words.
    #[must_use]
    pub fn describe(&self, model: &Model) -> String {
        let names: Vec<&str> =
            model.slots.iter().zip(&self.dropped).filter(|(_, d)| **d).map(|(slot, _)| &*slot.name).collect();
        format!("left out, because the answer cannot depend on it: {}", names.join(", "))
    }

    fn agree(&self, a: &State, b: &State) -> bool {
        a.0.iter().zip(&b.0).zip(&self.dropped).all(|((a, b), dropped)| *dropped || a == b)
    }
}

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
