//! `verify`: decides a property.

use surefoot_jani::source::SourceMap;
use surefoot_verify::{BoundsOptions, Claim, Evidence, Outcome, Problem, Report, Request, Selection, Verdict, verify};

use super::{subject, target_name};
use crate::args::VerifyArgs;
use crate::output::{Exit, Output, counted};
use crate::progress::Reporter;
use crate::table::{float32_differences, run_table};

pub(crate) fn run(args: &VerifyArgs) -> Exit {
    let output = match Output::new(&args.common) {
        Ok(output) => output,
        Err(exit) => return exit,
    };
    let budget = args.common.budget();
    let mut sources = SourceMap::default();
    let request = Request { slicing: args.slice.slicing(), ..args.common.request(&args.model) };
    let problem = match Problem::load(&mut sources, &request, Selection::Decide) {
        Ok(problem) => problem,
        Err(failure) => return output.failure(Report::new("verify", args.common.seed), &failure, &sources),
    };
    output.notes(&problem.notes, &sources);
    if problem.query.claim.is_none() {
        // A comparison of a probability with a number.
        let options = BoundsOptions { precision: 1e-6, p_max: None, exact: false };
        return super::bounds::decide(
            "verify",
            &problem,
            args.engine,
            &options,
            &args.common,
            &budget,
            &output,
            &sources,
        );
    }
    let reporter = match Reporter::new(&args.common, budget.started) {
        Ok(reporter) => reporter,
        Err(exit) => return exit,
    };
    let outcome = match verify(&problem, args.engine, &budget, &reporter) {
        Ok(outcome) => outcome,
        Err(failure) => {
            drop(reporter);
            return output.failure(Report::new("verify", args.common.seed), &failure, &sources);
        }
    };
    reporter.end(&outcome.statistics, Some(outcome.verdict.word()));
    let seconds = budget.started.elapsed().as_secs_f64();
    let mut report = Report::new("verify", args.common.seed);
    report.describe_problem(&problem);
    report.set_outcome(&outcome);
    report.set_statistics(&outcome.statistics, target_name(&problem));
    let exit = match outcome.verdict {
        Verdict::Holds(_) => Exit::Done,
        Verdict::Violated(_) => Exit::Violated,
        Verdict::Unknown { .. } => Exit::Unknown,
    };
    output.result(&text(&problem, &outcome, seconds), &report.finish(seconds), exit)
}

fn headline(problem: &Problem, outcome: &Outcome) -> String {
    let (bad, what) = match problem.query.claim {
        Some(Claim::Reach | Claim::ReachFromSingle(_)) => (false, "a state as asked for"),
        _ => (true, "an unsafe state"),
    };
    let word = outcome.verdict.word();
    let starts = counted(outcome.statistics.start_states, "start state");
    let rest = match &outcome.verdict {
        Verdict::Unknown { reason } => reason.clone(),
        Verdict::Holds(Evidence::Run(run)) | Verdict::Violated(Evidence::Run(run)) => {
            if run.steps.is_empty() {
                format!("{what} is among the start states")
            } else {
                format!("{what} can be reached in {}", counted(run.steps.len() as u64, "step"))
            }
        }
        _ if problem.query.initial_only && bad => format!("the condition holds in {starts}"),
        _ if problem.query.initial_only => format!("the condition holds in none of {starts}"),
        Verdict::Holds(Evidence::Exhaustive) | Verdict::Violated(Evidence::Exhaustive) => {
            format!("no run from {starts} reaches {what}")
        }
    };
    format!("{word}: {rest}\n")
}

fn text(problem: &Problem, outcome: &Outcome, seconds: f64) -> String {
    let figures = &outcome.statistics;
    let mut text = headline(problem, outcome);
    text.push_str(&subject(problem));
    text.push_str(&format!(
        "  explored  {} from {}, {}, depth {}\n",
        counted(figures.states, "state"),
        counted(figures.start_states, "start state"),
        counted(figures.transitions, "transition"),
        figures.depth
    ));
    let evidence = match &outcome.verdict {
        Verdict::Holds(Evidence::Run(_)) | Verdict::Violated(Evidence::Run(_)) => {
            "; the run below was replayed in exact arithmetic"
        }
        Verdict::Unknown { .. } => "; not all reachable states were visited",
        _ => "; all reachable states were visited",
    };
    text.push_str(&format!("  engine    {}{evidence}\n", outcome.engine));
    for assumption in problem.assumptions.iter().filter(|a| a.starts_with("PlaJA") || a.starts_with("goal states")) {
        text.push_str(&format!("  assuming  {assumption}\n"));
    }
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    if let Some(run) = outcome.verdict.run() {
        if let Some((step, difference)) = float32_differences(problem, run).first() {
            text.push_str(&format!("  note      in step {step} {difference}\n"));
        }
        text.push('\n');
        text.push_str(&run_table(problem, run));
    }
    text
}
