//! Runs that are to show that a formula of CTL fails.

use surefoot_certificate::ReadWitness;
use surefoot_ctl::check::{RunShows, run_shows};
use surefoot_ctl::formula::unfold::TooLarge;
use surefoot_text::diagnostic::Diagnostic;

use super::{NotReal, Replayed, WitnessError, replay_steps};
use crate::ctl::{CtlFormula, system};
use crate::problem::{Failure, Problem};

/// Replays a witness that a formula fails in its start state.
///
/// # Errors
/// What is wrong with the run or not shown by it; [`Failure::Input`] for formulas that are too large or not in the class, and where no single run
/// can show what is claimed.
pub fn replay_formula(
    problem: &Problem,
    formula: &CtlFormula,
    read: &ReadWitness,
) -> Result<Result<Replayed, WitnessError>, Failure> {
    let run = match replay_steps(problem, read) {
        Ok(run) => run,
        Err(error) => return Ok(Err(error)),
    };
    let not_real = |reason| Ok(Err(WitnessError::NotReal(reason)));
    let too_large = |error: TooLarge| Diagnostic::error_anywhere(error.to_string()).refusal();
    match run_shows(&system(problem)?, &formula.constraints(problem)?, &run.states).map_err(too_large)? {
        RunShows::Fails => Ok(Ok(run)),
        RunShows::Holds => not_real(NotReal::End(format!("the run shows that the formula holds: {}", formula.text))),
        RunShows::Neither { several_paths: false } => not_real(NotReal::End(format!(
            "up to there, nothing on the run shows that the formula fails: {}",
            formula.text
        ))),
        RunShows::Neither { several_paths: true } => {
            let message = format!(
                "that the formula fails may depend on all that can happen, and a single run does not show it: {}",
                formula.text
            );
            let help = "run `surefoot ctl` with the same formula: it decides anew, and replays all its evidence";
            Err(Diagnostic::error_anywhere(message).refusal().with_help(help).into())
        }
    }
}
