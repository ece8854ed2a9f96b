//! Runs that are to show that a formula of CTL fails.

use surefoot_certificate::ReadWitness;
use surefoot_model::{State, TermId};
use surefoot_temporal::tree::Tree;
use surefoot_temporal::{Ctl, Quantifier};
use surefoot_text::diagnostic::Diagnostic;

use super::run::Replay;
use super::{NotReal, Replayed, WitnessError, replay_steps};
use crate::ctl::CtlFormula;
use crate::problem::{Failure, Problem};

/// Replays a witness that a formula fails in its start state.
///
/// # Errors
/// What is wrong with the run or not shown by it; [`Failure::Input`] where no single run can show what is claimed.
pub fn replay_formula(
    problem: &Problem,
    formula: &CtlFormula,
    read: &ReadWitness,
) -> Result<Result<Replayed, WitnessError>, Failure> {
    let run = match replay_steps(problem, read, true) {
        Ok(run) => run,
        Err(error) => return Ok(Err(error)),
    };
    let not_real = |reason| Ok(Err(WitnessError::NotReal(reason)));
    let signed = |positive: bool| formula.terms.signed(positive, &mut |term, sign| (*term, sign));
    let negation = signed(false);
    if shows(problem, &negation, &run.states) {
        return Ok(Ok(run));
    }
    if shows(problem, &signed(true), &run.states) {
        return not_real(NotReal::End(format!("the run shows that the formula holds: {}", formula.text)));
    }
    if !negation.speaks_of(Quantifier::All) {
        return not_real(NotReal::End(format!(
            "up to there, nothing on the run shows that the formula fails: {}",
            formula.text
        )));
    }
    let message = format!(
        "that the formula fails may depend on all that can happen, and a single run does not show it: {}",
        formula.text
    );
    let help = "run `surefoot ctl` with the same formula: it decides anew, and replays all its evidence";
    Err(Diagnostic::error_anywhere(message).refusal().with_help(help).into())
}

/// Whether a run shows a formula in negation normal form, over signed conditions, by the reference interpreter alone. That the states are those of a run
/// is for the caller to know. Where its last state was on it before, it goes round from there for ever.
pub(crate) fn shows(problem: &Problem, formula: &Ctl<(TermId, bool)>, states: &[State]) -> bool {
    let (replay, interpreter) = (Replay::new(problem), problem.interpreter());
    let run = Tree::along(states, |state| replay.successors(state).ok().map(|successors| successors.len()));
    // A condition without value shows nothing, neither it nor its negation.
    let mut leaf = |(term, sign): &(TermId, bool), position: usize| {
        interpreter.holds(*term, &states[position]).is_ok_and(|value| value == *sign)
    };
    run.shows(formula, &mut leaf).first() == Some(&true)
}
