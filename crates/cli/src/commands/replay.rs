//! `replay`: steps through a counterexample, exactly and in single precision.

use surefoot_files::escape;
use surefoot_text::diagnostic::bounded as shortened;
use surefoot_verify::Problem;
use surefoot_verify::replay::Replayed;
use surefoot_verify::replay::bound::{CheckedBound, Confirmed};
use surefoot_verify::replay::result::Shows;
use surefoot_verify::task::replay::ReplayedWitness;
use surefoot_verify::task::{Job, Outcome, Told};

use super::bounds::interval;
use super::session::{Session, Wish, begin};
use super::subject;
use crate::args::ReplayArgs;
use crate::output::{Exit, counted};
use crate::table::{decided_steps, run_table};

/// What is to be done.
pub(crate) fn job(args: &ReplayArgs) -> Wish {
    Wish::of(Job::Replay(args.common.request(&args.model), (&args.witness).into()))
}

pub(crate) fn run(args: &ReplayArgs) -> Exit {
    let ended = begin(&args.common, job(args).job).and_then(|(task, output)| Session::open(&task, output, None)?.run());
    ended.map_or_else(|exit| exit, |ended| ended.show(text))
}

/// What people are told.
pub(crate) fn text(outcome: &Outcome) -> String {
    if let (Told::CheckedBound(bound), Some(problem)) = (&outcome.told, &outcome.problem) {
        return bounded(problem, bound);
    }
    let (Told::Replayed(witness), Some(problem)) = (&outcome.told, &outcome.problem) else { return String::new() };
    match &witness.run {
        Ok(run) => real(problem, run, witness),
        Err(reason) => {
            // The reason quotes the witness, and what it quotes must not look like lines of ours.
            let reason = shortened(reason.to_string());
            format!("not real: {reason}\n{}", subject(problem))
        }
    }
}

/// A bound on a probability that was checked.
fn bounded(problem: &Problem, bound: &CheckedBound) -> String {
    let (word, claimed) = (if bound.from_below { "at least" } else { "at most" }, bound.claimed.to_f64());
    let mut text = match &bound.says {
        Confirmed::Yes => format!("real: from its start state the probability is {word} {claimed}\n"),
        Confirmed::No(reason) => format!("not real: {}\n", shortened(reason.to_string())),
        Confirmed::Open(reason) => format!("unknown: {reason}\n"),
    };
    text.push_str(&format!("  value     {} from there\n", interval(&bound.lower, &bound.upper)));
    text.push_str(&subject(problem));
    if let Some(start) = &bound.start {
        text.push_str(&format!("  start     {}\n", start.describe(problem.model())));
    }
    let scheduler = if bound.scheduled { "the scheduler of the result" } else { "any scheduler" };
    let expanded = counted(bound.expanded, "state");
    text.push_str(&format!("  explored  {expanded}, the likely ones first; {scheduler}; bounds rounded outward\n"));
    if let Some((runs, reached)) = bound.simulated {
        text.push_str(&format!("  simulated {reached} of {} are as asked for\n", counted(runs, "random run")));
    }
    text
}

fn real(problem: &Problem, run: &Replayed, witness: &ReplayedWitness) -> String {
    let steps = counted(run.steps.len() as u64, "step");
    let mut text = match (&witness.shows, problem.query.claim) {
        (Shows::Formula(formula), _) => {
            let formula = escape(formula);
            format!(
                "real: {steps} from a start state in which the formula fails, in exact arithmetic\n  formula   {formula}\n"
            )
        }
        (Shows::Target, Some(claim)) if claim.is_avoidance() => {
            format!("real: {steps} from a start state to an unsafe state, in exact arithmetic\n")
        }
        (Shows::Target, _) => {
            format!("real: {steps} from a start state to a state as asked for, in exact arithmetic\n")
        }
    };
    text.push_str(&subject(problem));
    let decided = decided_steps(run);
    match (decided, witness.differences.len()) {
        (0, _) => text.push_str("  float32   no step is decided by the policy's scores\n"),
        (n, 0) => text.push_str(&format!("  float32   the same choices in all {}\n", counted(n as u64, "decision"))),
        (n, different) => {
            text.push_str(&format!("  float32   other choices in {different} of {}:\n", counted(n as u64, "decision")));
            for (step, difference) in &witness.differences {
                text.push_str(&format!("    step {step}: {difference}\n"));
            }
        }
    }
    text.push('\n');
    text.push_str(&run_table(problem, run));
    text
}
