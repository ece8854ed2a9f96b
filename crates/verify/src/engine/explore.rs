//! Problems as tasks for exploration, and what is wrong with start sets.

use surefoot_explicit::simulate::{Listener, SimulateError, SimulateOptions, Simulation};
use surefoot_explicit::start::StartError;
use surefoot_explicit::{Ending, Exploration, Statistics, Task};
use surefoot_limits::Stop;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::Reporter;

use super::Budget;
use crate::problem::{Failure, Problem};
use crate::replay::{Replayed, replay};

pub(crate) fn task<'p>(problem: &'p Problem, budget: &Budget) -> Task<'p> {
    Task {
        model: problem.model(),
        policy: problem.policy(),
        start: &problem.query.start,
        reach: problem.query.target,
        goal: problem.query.goal,
        goal_terminal: problem.query.goal_terminal,
        absorb: None,
        dropped: None,
        stop_at_reach: false,
        threads: budget.threads.max(1),
        limits: budget.limits(),
    }
}

pub(crate) fn start_failure(problem: &Problem, error: &StartError) -> Failure {
    let mut diagnostic = match error {
        StartError::Condition(inner) => {
            let mut diagnostic = problem.model_error(inner);
            diagnostic.message = format!("{error}: {}", inner.describe(problem.model()));
            diagnostic
        }
        StartError::Stopped(stop) => return Failure::Stopped(*stop),
        StartError::Empty => Diagnostic::error_anywhere(error.to_string())
            .with_help("nothing is proved about no states: correct the start condition"),
        _ => Diagnostic::error_anywhere(error.to_string()),
    };
    if diagnostic.span.is_none() {
        diagnostic.span = problem.query.span;
    }
    diagnostic.into()
}

/// A run decides nothing where another initial state may have none.
pub(crate) fn several_starts(problem: &Problem, function: &str, starts: &str) -> Diagnostic {
    let message = format!(
        "the filter \"{function}\" cannot be decided here: there are {starts} initial states, and they may differ in the answer"
    );
    let help = "use \"∀\" with ∀ G, or \"∃\" with ∃ F, or a model with one initial state";
    let mut diagnostic = Diagnostic::error_anywhere(message).with_help(help);
    diagnostic.span = problem.query.span;
    diagnostic
}

/// Visits every reachable state.
///
/// # Errors
/// [`Failure::Input`] where the model is in error or has no start states.
pub fn explore(
    problem: &Problem,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<(Option<Stop>, Statistics), Failure> {
    let Exploration { ending, statistics } = surefoot_explicit::explore(&task(problem, budget), reporter);
    match ending {
        Ending::Complete => Ok((None, statistics)),
        Ending::Limit(limit) => Ok((Some(limit), statistics)),
        Ending::ModelError(error) => Err(problem.model_error(&error).into()),
        Ending::StartError(error) => Err(start_failure(problem, &error)),
        Ending::Reached(_) => Err(Failure::Internal("an exploration stopped that was not to stop".to_owned())),
    }
}

/// Makes random runs, and tells them to a listener; the first that reaches the target comes back replayed.
///
/// # Errors
/// As [`explore`], and [`Failure::Internal`] when a run is not confirmed by the replay.
pub fn simulate(
    problem: &Problem,
    budget: &Budget,
    options: &SimulateOptions,
    reporter: &dyn Reporter,
    listener: Option<Listener<'_>>,
) -> Result<(Simulation, Option<Replayed>), Failure> {
    let simulation = match surefoot_explicit::simulate::simulate(&task(problem, budget), options, reporter, listener) {
        Ok(simulation) => simulation,
        Err(SimulateError::Start(error)) => return Err(start_failure(problem, &error)),
        Err(SimulateError::Model(error)) => return Err(problem.model_error(&error).into()),
    };
    let run = simulation.first_reach.as_ref().map(|states| replay(problem, states)).transpose();
    let run = run
        .map_err(|reason| Failure::Internal(format!("the simulation made a run that the replay rejects ({reason})")))?;
    Ok((simulation, run))
}
