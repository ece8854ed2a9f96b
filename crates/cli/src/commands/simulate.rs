//! `simulate`: random runs.

use surefoot_explicit::simulate::RunEnd;
use surefoot_verify::result::seeks_unsafe;
use surefoot_verify::task::explore::Simulating;
use surefoot_verify::task::{Job, Outcome, Told};

use super::session::carry_out;
use super::subject;
use crate::args::SimulateArgs;
use crate::output::{Exit, counted};
use crate::table::run_table;

pub(crate) fn run(args: &SimulateArgs) -> Exit {
    let simulating = Simulating { runs: args.runs, steps: args.steps };
    carry_out(&args.common, Job::Simulate(args.common.request(&args.model), simulating), text)
}

fn text(outcome: &Outcome) -> String {
    let (Told::Simulated(simulation, first), Some(problem)) = (&outcome.told, &outcome.problem) else {
        return String::new();
    };
    let runs = &simulation.runs;
    let ended = |end: RunEnd| runs.iter().filter(|run| run.end == end).count();
    let bad = seeks_unsafe(problem) == Some(true);
    let reached = ended(RunEnd::Reach);
    let lengths: Vec<u64> = runs.iter().map(|run| run.length).collect();
    let steps: u64 = lengths.iter().sum();
    #[expect(clippy::cast_precision_loss, reason = "a mean, for people")]
    let mean = if runs.is_empty() { 0.0 } else { steps as f64 / runs.len() as f64 };
    let (shortest, longest) = (lengths.iter().min().copied().unwrap_or(0), lengths.iter().max().copied().unwrap_or(0));
    let total = counted(runs.len() as u64, "run");
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
    let kinds = [
        (if bad { "unsafe" } else { "as asked for" }, reached),
        ("goal", ended(RunEnd::Goal)),
        ("stopped", ended(RunEnd::Stopped)),
        ("step limit", ended(RunEnd::StepLimit)),
    ];
    let kinds: Vec<String> = kinds.iter().map(|(name, n)| format!("{name} {n}")).collect();
    text.push_str(&format!("  ends      {}\n", kinds.join(", ")));
    text.push_str(&format!("  lengths   {shortest} to {longest} steps, {mean:.1} on average\n"));
    text.push_str(&format!("  seed      {}\n", outcome.result.seed));
    text.push_str(&format!("  time      {:.2} s\n", outcome.result.seconds));
    if let Some(run) = first {
        text.push_str(if bad { "\nthe first unsafe run:\n" } else { "\nthe first run as asked for:\n" });
        text.push_str(&run_table(problem, run));
    }
    text
}
