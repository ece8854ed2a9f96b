//! `simulate`: random runs.

use surefoot_explicit::simulate::confidence::{self, Estimate};
use surefoot_explicit::simulate::{RunEnd, Totals};
use surefoot_verify::Problem;
use surefoot_verify::result::seeks_unsafe;
use surefoot_verify::task::simulate::Simulating;
use surefoot_verify::task::{Job, Outcome, Told};

use super::session::{Ended, Session, Wish, begin};
use super::subject;
use crate::args::SimulateArgs;
use crate::output::{Exit, counted};
use crate::table::run_table;

pub(crate) fn run(args: &SimulateArgs) -> Exit {
    carry_out(args).map_or_else(|exit| exit, |ended| ended.show(text))
}

/// What is to be done.
pub(crate) fn job(args: &SimulateArgs) -> Wish {
    let simulating = Simulating { runs: args.runs, steps: args.steps, traces: args.traces.clone() };
    Wish::of(Job::Simulate(args.common.request(&args.model), simulating))
}

fn carry_out(args: &SimulateArgs) -> Result<Ended, Exit> {
    let (task, output) = begin(&args.common, job(args).job)?;
    let mut session = Session::open(&task, output, args.common.events.as_deref())?;
    if let Some(path) = &args.traces {
        session.output.claim("--traces", path)?;
        session.guard()?;
    }
    session.prepare()?;
    session.run()
}

/// What people are told.
pub(crate) fn text(outcome: &Outcome) -> String {
    let (Told::Simulated(simulation, first), Some(problem)) = (&outcome.told, &outcome.problem) else {
        return String::new();
    };
    let totals = &simulation.totals;
    let bad = seeks_unsafe(problem) == Some(true);
    let reached = totals.ended(RunEnd::Reach);
    let total = counted(totals.runs, "run");
    let mut text = if let Some(reason) = &outcome.result.reason {
        format!("unknown: {reason}\n")
    } else if problem.query.target.is_none() {
        format!("done: {total}\n")
    } else {
        let what = if bad { "an unsafe state" } else { "a state as asked for" };
        match reached {
            0 => format!("done: none of {total} reaches {what} (which proves nothing)\n"),
            n => format!("done: {n} of {total} reach {what}\n"),
        }
    };
    text.push_str(&subject(problem));
    let name = if bad { "unsafe" } else { "as asked for" };
    let kinds = [
        (name, RunEnd::Reach),
        ("goal", RunEnd::Goal),
        ("stopped", RunEnd::Stopped),
        ("step limit", RunEnd::StepLimit),
    ];
    let kinds: Vec<String> = kinds.iter().map(|(name, end)| format!("{name} {}", totals.ended(*end))).collect();
    text.push_str(&format!("  ends      {}\n", kinds.join(", ")));
    text.push_str(&shares(problem, totals, bad));
    text.push_str(&lengths(totals));
    if !simulation.all_starts {
        text.push_str("  starts    not all: the start set has too many pieces to keep\n");
    }
    text.push_str(&format!("  seed      {}\n", outcome.result.seed));
    text.push_str(&format!("  time      {:.2} s\n", outcome.result.seconds));
    if let Some(run) = first {
        text.push_str(if bad { "\nthe first unsafe run:\n" } else { "\nthe first run as asked for:\n" });
        text.push_str(&run_table(problem, run));
    }
    text
}

/// How long they are.
pub(super) fn lengths(totals: &Totals) -> String {
    let mean = match confidence::mean(totals.runs, totals.steps, totals.squares) {
        Some(Estimate { mean, lower, upper }) => format!(", {mean:.1} on average (95 %: {lower:.1} to {upper:.1})"),
        None => String::new(),
    };
    format!("  lengths   {} to {} steps{mean}\n", totals.shortest, totals.longest)
}

/// What the runs say of all runs.
pub(super) fn shares(problem: &Problem, totals: &Totals, bad: bool) -> String {
    let reach = problem.query.target.map(|_| (if bad { "unsafe" } else { "as asked" }, totals.ended(RunEnd::Reach)));
    let goal = problem.query.goal.map(|_| ("goal", totals.through_goal));
    let stopped = Some(("stopped", totals.ended(RunEnd::Stopped)));
    // As many digits as so many runs can tell apart.
    let digits = (totals.runs.max(1).ilog10() as usize).saturating_sub(1).clamp(1, 8);
    let mut text = String::new();
    for (name, count) in [reach, goal, stopped].into_iter().flatten() {
        if let Some(Estimate { mean, lower, upper }) = confidence::share(count, totals.runs) {
            let [mean, lower, upper] = [mean, lower, upper].map(|share| format!("{:.digits$}", 100.0 * share));
            text.push_str(&format!("  {name:<9} {mean} % of runs (95 %: {lower} to {upper} %)\n"));
        }
    }
    text
}
