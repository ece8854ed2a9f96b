//! `verify`: decides a property.

mod cegar;

use surefoot_text::diagnostic::Diagnostic;
use surefoot_verify::{
    BoundsOptions, Claim, EngineChoice, Evidence, Outcome, Problem, Request, Selection, Setting, Slicing, Verdict,
    VerifyOptions, verify,
};

use super::session::Session;
use super::{assuming, subject, target_name};
use crate::args::VerifyArgs;
use crate::output::{Exit, counted};
use crate::table::{float32_differences, run_table};

pub(crate) fn run(args: &VerifyArgs) -> Exit {
    carry_out(args).unwrap_or_else(|exit| exit)
}

fn carry_out(args: &VerifyArgs) -> Result<Exit, Exit> {
    let slicing = if args.engine.slices() { args.slice.slicing() } else { Slicing::Off };
    let request = Request { slicing, ..args.common.request(&args.model) };
    let mut session = Session::open("verify", &args.common, &request, Selection::Decide)?;
    let cegar = cegar::options(&mut session, args, &request)?;
    if args.max_depth.is_some() && !args.engine.takes(Setting::Depth) {
        let takes = EngineChoice::taking(Setting::Depth);
        let error = Diagnostic::error_anywhere(format!("--max-depth is for --engine {takes}"));
        return Err(session.fail(&error.with_help(format!("add --engine {takes}, or leave it out")).into()));
    }
    if session.problem.query.claim.is_none() {
        // A comparison of a probability with a number.
        let options = BoundsOptions { precision: 1e-6, p_max: None, exact: false };
        return super::bounds::decide(&session, args.engine, &options);
    }
    let options = VerifyOptions {
        engine: args.engine,
        seed: args.common.seed,
        cegar,
        depth: args.max_depth,
        assume_no_errors: args.assume.no_errors(),
    };
    decide(&session, args, &options)
}

fn decide(session: &Session<'_>, args: &VerifyArgs, options: &VerifyOptions) -> Result<Exit, Exit> {
    let problem = &session.problem;
    let reporter = session.reporter()?;
    let outcome = match verify(problem, options, &session.budget, &reporter) {
        Ok(outcome) => outcome,
        Err(failure) => {
            drop(reporter);
            return Err(session.fail(&failure));
        }
    };
    reporter.end(&outcome.last(), Some(outcome.verdict.word()));
    drop(reporter);
    if let Some(details) = outcome.refinement() {
        cegar::save(session, &args.cegar, details)?;
    }
    let seconds = session.seconds();
    let mut report = session.report();
    report.set_outcome(problem, &outcome, target_name(problem));
    let exit = Exit::of(&outcome.verdict);
    Ok(session.output.result(&text(problem, &outcome, seconds), &report.finish(seconds), exit))
}

fn headline(problem: &Problem, outcome: &Outcome) -> String {
    let (bad, what) = match problem.query.claim {
        Some(Claim::Reach | Claim::ReachFromSingle(_)) => (false, "a state as asked for"),
        _ => (true, "an unsafe state"),
    };
    let word = outcome.verdict.word();
    let starts = outcome.starts().map_or("any start state".to_owned(), |starts| counted(starts, "start state"));
    let rest = match &outcome.verdict {
        Verdict::Unknown(reason) => reason.to_string(),
        Verdict::Holds(Evidence::Run(run)) | Verdict::Violated(Evidence::Run(run)) => {
            if run.steps.is_empty() {
                format!("{what} is among the start states")
            } else {
                format!("{what} can be reached in {}", counted(run.steps.len() as u64, "step"))
            }
        }
        _ if problem.query.initial_only && bad => format!("the condition holds in {starts}"),
        _ if problem.query.initial_only => format!("the condition holds in none of {starts}"),
        Verdict::Holds(_) | Verdict::Violated(_) => format!("no run from {starts} reaches {what}"),
    };
    match outcome.verdict {
        Verdict::Holds(_) => format!("{word}{}: {rest}\n", assuming(outcome.open.as_ref())),
        Verdict::Violated(_) | Verdict::Unknown(_) => format!("{word}: {rest}\n"),
    }
}

fn text(problem: &Problem, outcome: &Outcome, seconds: f64) -> String {
    let mut text = headline(problem, outcome);
    text.push_str(&subject(problem));
    for (word, line) in outcome.lines() {
        text.push_str(&format!("  {word:<9} {line}\n"));
    }
    text.push_str(&format!("  engine    {}\n", outcome.account()));
    let shown = problem.assumptions.iter().filter(|a| a.starts_with("PlaJA") || a.starts_with("goal states"));
    for assumption in shown.chain(&outcome.assumptions) {
        text.push_str(&format!("  assuming  {assumption}\n"));
    }
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    if let Some(details) = outcome.refinement() {
        text.push_str(&cegar::invariant(outcome, details));
    }
    if let Some(run) = outcome.run() {
        if let Some((step, difference)) = float32_differences(problem, run).first() {
            text.push_str(&format!("  note      in step {step} {difference}\n"));
        }
        text.push('\n');
        text.push_str(&run_table(problem, run));
    }
    text
}
