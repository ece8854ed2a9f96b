//! `simulate`: random runs.

use serde_json::json;
use surefoot_explicit::Explored;
use surefoot_explicit::simulate::{RunEnd, SimulateOptions};
use surefoot_verdict::Event;
use surefoot_verify::{Selection, simulate};

use super::session::Session;
use super::subject;
use crate::args::SimulateArgs;
use crate::output::{Exit, counted};
use crate::table::run_table;

pub(crate) fn run(args: &SimulateArgs) -> Exit {
    let request = args.common.request(&args.model);
    let session = Session::open("simulate", &args.common, &request, Selection::Optional);
    session.and_then(|s| runs(&s, args)).unwrap_or_else(|exit| exit)
}

fn runs(session: &Session<'_>, args: &SimulateArgs) -> Result<Exit, Exit> {
    let (problem, budget) = (&session.problem, &session.budget);
    let reporter = session.reporter()?;
    let options = SimulateOptions { runs: args.runs, steps: args.steps, seed: args.common.seed };
    let (simulation, first) = match simulate(problem, budget, &options) {
        Ok(result) => result,
        Err(failure) => {
            drop(reporter);
            return Err(session.fail(&failure));
        }
    };
    reporter.end(&Explored::default().figures(), None);
    let seconds = session.seconds();

    let runs = &simulation.runs;
    let ended = |end: RunEnd| runs.iter().filter(|run| run.end == end).count();
    let bad = problem.query.claim.is_some_and(surefoot_verify::Claim::is_avoidance);
    let reached = ended(RunEnd::Reach);
    let lengths: Vec<u64> = runs.iter().map(|run| run.length).collect();
    let steps: u64 = lengths.iter().sum();
    let mean = if runs.is_empty() { 0.0 } else { steps as f64 / runs.len() as f64 };
    let (shortest, longest) = (lengths.iter().min().copied().unwrap_or(0), lengths.iter().max().copied().unwrap_or(0));

    let mut report = session.report();
    report.set("engine", "simulation");
    report.set(
        "statistics",
        json!({
            "runs": runs.len(),
            if bad { "unsafe_runs" } else { "target_runs" }: reached,
            "goal_runs": ended(RunEnd::Goal),
            "runs_through_goal": runs.iter().filter(|run| run.saw_goal).count(),
            "stopped_runs": ended(RunEnd::Stopped),
            "step_limit_runs": ended(RunEnd::StepLimit),
            "steps": steps,
            "shortest_run": shortest,
            "longest_run": longest,
        }),
    );
    let mut exit = Exit::Done;
    let total = counted(runs.len() as u64, "run");
    let mut text = if let Some(stop) = simulation.stopped {
        let limit = budget.describe(stop);
        let reason = format!("{limit} after {} of {} runs", runs.len(), args.runs);
        report.set("verdict", "unknown");
        report.set("reason", reason.clone());
        exit = Exit::Unknown;
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
    text.push_str(&format!("  seed      {}\n", args.common.seed));
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    if let Some(run) = &first {
        report.set("witness", json!(run.witness));
        text.push_str(if bad { "\nthe first unsafe run:\n" } else { "\nthe first run as asked for:\n" });
        text.push_str(&run_table(problem, run));
    }
    Ok(session.output.result(&text, &report.finish(seconds), exit))
}
