//! What symbolic engines say about the property.
//!
//! Nothing that shows an unsafe state or an error of the model is believed before the reference interpreter has stepped through it.

use std::ops::ControlFlow;
use std::sync::Arc;

use surefoot_cegar::{Cegar, Invariant, Outcome};
use surefoot_explicit::start::for_each_start;
use surefoot_model::{ModelError, State};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::Because;

use crate::abstraction::{self, regions::Cells};
use crate::engine::{Budget, Evidence, Verdict, several_starts, start_failure};
use crate::open::OpenErrors;
use crate::problem::{Failure, Problem};
use crate::question::Claim;
use crate::replay::{self, NotReal};

/// What a run of the loop came to: a verdict, or a proof that leaves errors of the model open.
pub(crate) enum Judged {
    Decided(Verdict),
    Open(OpenErrors),
}

/// What a run of the loop says; `keep`: the abstract states are part of a proof.
pub(crate) fn judge(problem: &Problem, found: &Cegar, keep: bool, budget: &Budget) -> Result<Judged, Failure> {
    Ok(Judged::Decided(match &found.outcome {
        Outcome::Safe(Invariant { states, within, open_fault }) => {
            let predicates = &found.predicates;
            let cells = || Cells { predicates: predicates.clone(), states: states.clone(), within: within.clone() };
            let cells = keep.then(|| Arc::new(cells()));
            let proof = Evidence::Invariant { states: states.len(), cells };
            match open_fault {
                Some((what, stop)) => {
                    let because = Because::Limit(budget.limit(*stop));
                    return Ok(Judged::Open(OpenErrors::new(what.clone(), because, proof)));
                }
                None => Verdict::Holds(proof),
            }
        }
        Outcome::Unsafe(states) => violated(problem, states)?,
        Outcome::Fault(fault, states) => return Err(error_of_run(problem, states, &fault.what)),
        Outcome::Unknown(stop) => Verdict::Unknown(budget.limit(*stop).into()),
    }))
}

/// The verdict that a run to an unsafe state gives, once it is confirmed.
pub(crate) fn violated(problem: &Problem, states: &[State]) -> Result<Verdict, Failure> {
    let run = replay::replay(problem, states).map_err(|reason| not_real(problem, states, &reason))?;
    if let Some(Claim::AvoidFromSingle(function)) = problem.query.claim
        && let starts @ 2.. = count_starts(problem)?
    {
        return Err(several_starts(problem, function.symbol(), &format!("at least {starts}")).into());
    }
    Ok(Verdict::Violated(Evidence::Run(Box::new(run))))
}

/// How many start states there are, counted up to two.
pub(crate) fn count_starts(problem: &Problem) -> Result<u64, Failure> {
    let mut starts = 0;
    let counted = for_each_start(problem.model(), &problem.query.start, |_| {
        starts += 1;
        if starts < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    counted.map_err(|error| start_failure(problem, &error))?;
    Ok(starts)
}

/// The error of the model in the last of these states, once the run to it is confirmed.
pub(crate) fn error_of_run(problem: &Problem, states: &[State], what: &str) -> Failure {
    if let Err(reason) = replay_steps(problem, states) {
        return not_real(problem, states, &reason);
    }
    let error = states.last().and_then(|state| error_in(problem, state));
    error.map_or_else(
        || Failure::Internal(format!("the model is said to be in error ({what}), but it is not")),
        Into::into,
    )
}

fn replay_steps(problem: &Problem, states: &[State]) -> Result<(), NotReal> {
    let start = states.first().ok_or_else(|| NotReal::Start("there is none".to_owned()))?;
    replay::start(problem, start).map_err(NotReal::Start)?;
    for (i, pair) in states.windows(2).enumerate() {
        replay::step(problem, &pair[0], &pair[1]).map_err(|reason| NotReal::Step(i + 1, reason))?;
    }
    Ok(())
}

/// A run that is not confirmed: the model is in error where the replay got to, or the engine is wrong.
fn not_real(problem: &Problem, states: &[State], reason: &NotReal) -> Failure {
    let place = match reason {
        NotReal::Start(_) => states.first(),
        NotReal::Step(step, _) => states.get(step - 1),
        NotReal::End(_) | NotReal::Claim(_) => states.last(),
    };
    let error = place.and_then(|state| error_in(problem, state));
    let rejected = || Failure::Internal(format!("a symbolic engine found a run that the replay rejects ({reason})"));
    error.map_or_else(rejected, Into::into)
}

/// The error of the model in a state, if there is one.
pub(crate) fn error_in(problem: &Problem, state: &State) -> Option<Diagnostic> {
    let (interpreter, query) = (problem.interpreter(), &problem.query);
    let looked_at = query.target.into_iter().chain(query.goal.filter(|_| query.goal_terminal));
    let valued = looked_at.map(|term| interpreter.holds(term, state));
    let conditions = valued.collect::<Result<Vec<bool>, _>>().map_err(|e| ModelError::evaluation(e, state.clone()));
    let error = match conditions {
        Err(error) => Some(error),
        Ok(values) if query.goal_terminal && values.last() == Some(&true) => None,
        Ok(_) => interpreter.permitted_choices(state, problem.policy()).err(),
    };
    error.map(|error| problem.model_error(&error))
}

/// Why refinement gives no answer.
pub(crate) fn failure(problem: &Problem, failure: surefoot_cegar::Failure) -> Failure {
    match failure {
        surefoot_cegar::Failure::Abstraction(inner) => abstraction::failure(problem, inner),
        surefoot_cegar::Failure::NoProgress { .. } => Failure::Internal(failure.to_string()),
    }
}
