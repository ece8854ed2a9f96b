//! `verify`: decides a property.

use surefoot_verify::{BoundsOptions, Claim, Engine, Evidence, Outcome, Problem, Request, Selection, Verdict, verify};

use super::session::Session;
use super::{explored, subject, target_name};
use crate::args::VerifyArgs;
use crate::output::{Exit, counted};
use crate::table::{float32_differences, run_table};

pub(crate) fn run(args: &VerifyArgs) -> Exit {
    let request = Request { slicing: args.slice.slicing(), ..args.common.request(&args.model) };
    let session = Session::open("verify", &args.common, &request, Selection::Decide);
    session.and_then(|s| decide(&s, args.engine)).unwrap_or_else(|exit| exit)
}

fn decide(session: &Session<'_>, engine: Engine) -> Result<Exit, Exit> {
    let problem = &session.problem;
    if problem.query.claim.is_none() {
        // A comparison of a probability with a number.
        let options = BoundsOptions { precision: 1e-6, p_max: None, exact: false };
        return super::bounds::decide(session, engine, &options);
    }
    let reporter = session.reporter()?;
    let outcome = match verify(problem, engine, &session.budget, &reporter) {
        Ok(outcome) => outcome,
        Err(failure) => {
            drop(reporter);
            return Err(session.fail(&failure));
        }
    };
    reporter.end(&outcome.statistics, Some(outcome.verdict.word()));
    let seconds = session.seconds();
    let mut report = session.report();
    report.set_outcome(&outcome);
    report.set_statistics(&outcome.statistics, target_name(problem));
    let exit = match outcome.verdict {
        Verdict::Holds(_) => Exit::Done,
        Verdict::Violated(_) => Exit::Violated,
        Verdict::Unknown { .. } => Exit::Unknown,
    };
    Ok(session.output.result(&text(problem, &outcome, seconds), &report.finish(seconds), exit))
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
    let mut text = headline(problem, outcome);
    text.push_str(&subject(problem));
    text.push_str(&explored(&outcome.statistics));
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
