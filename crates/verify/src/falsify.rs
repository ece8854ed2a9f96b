//! Directed runs of the policy, made before and between attempts at a proof: violations are often near.

use surefoot_explicit::falsify::Distance;
use surefoot_explicit::{Falsification, FalsifyOptions};
use surefoot_model::State;

use crate::cegar::violated;
use crate::engine::{Budget, Details, Outcome, start_failure, task};
use crate::problem::{Failure, Problem};

/// Runs before refinement, and whenever it asks: so few that they cost next to nothing.
pub(crate) const FEW: (u64, u64) = (64, 64);
/// Runs that are an attempt of their own.
const MANY: (u64, u64) = (256, 128);

/// Figures of directed runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunFigures {
    /// Runs made.
    pub runs: u64,
    /// Steps taken in all of them.
    pub steps: u64,
}

/// Makes so many runs of at most so many steps.
///
/// # Errors
/// [`Failure::Input`] where start conditions have no value.
pub(crate) fn runs(
    problem: &Problem,
    (runs, steps): (u64, u64),
    seed: u64,
    budget: &Budget,
    distance: Option<Distance<'_>>,
) -> Result<Falsification, Failure> {
    let options = FalsifyOptions { runs, steps, seed };
    let found = surefoot_explicit::falsify(&task(problem, budget), &options, distance);
    found.map_err(|error| start_failure(problem, &error))
}

/// A violation that many runs show, if they do.
///
/// # Errors
/// As [`runs`], and [`Failure::Internal`] when a run is not confirmed by the replay.
pub(crate) fn verify(problem: &Problem, seed: u64, budget: &Budget) -> Result<Option<Outcome>, Failure> {
    let Falsification { run, runs, steps } = runs(problem, MANY, seed, budget, None)?;
    let Some(states) = run else { return Ok(None) };
    let verdict = violated(problem, &states)?;
    let details = Details::Runs(RunFigures { runs, steps });
    Ok(Some(Outcome { verdict, engine: "runs", assumptions: Vec::new(), open: None, details }))
}

/// A run to an unsafe state that few runs find.
pub(crate) fn few(problem: &Problem, seed: u64, budget: &Budget, distance: Option<Distance<'_>>) -> Option<Vec<State>> {
    // What is wrong with the start set is for the engine to say that has to know.
    runs(problem, FEW, seed, budget, distance).ok()?.run
}
