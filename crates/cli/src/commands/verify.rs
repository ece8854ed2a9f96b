//! `verify`: decides a property.

mod cegar;

use surefoot_text::diagnostic::Diagnostic;
use surefoot_verify::engine::{Evidence, Outcome as Found, Verdict};
use surefoot_verify::float32::differences;
use surefoot_verify::result::Body;
use surefoot_verify::result::body::GoalRecord;
use surefoot_verify::task::refine::Refining;
use surefoot_verify::task::verify::{Verifying, Wanted};
use surefoot_verify::task::{Job, Outcome, Told};
use surefoot_verify::{Claim, EngineChoice, Problem, Request, Setting};

use super::certify::certified;
use super::places::oracle;
use super::session::{Session, Wish, begin};
use super::{assumed, assuming, bounds, subject};
use crate::args::oracle::OracleArg;
use crate::args::{VerifyArgs, WitnessArg};
use crate::output::{Exit, counted};
use crate::table::run_table;

pub(crate) fn run(args: &VerifyArgs) -> Exit {
    carry_out(args).unwrap_or_else(|exit| exit)
}

/// What is to be done, and whether the options fit.
pub(crate) fn job(args: &VerifyArgs) -> Wish {
    let mut request = Request { slicing: args.slice.slicing(), ..args.common.request(&args.model) };
    args.time.ask(&mut request.asking);
    let refines = args.engine.takes(Setting::Refinement);
    let oracle = oracle(&args.oracle, false);
    let verifying = Verifying {
        engine: args.engine,
        depth: args.max_depth,
        assume_no_errors: args.assume.no_errors(),
        refinement: if refines { args.cegar.refining() } else { Refining::default() },
        certifying: args.certificate.certifying(),
        witness: match args.witness {
            None => Wanted::Found,
            Some(WitnessArg::Shortest) => Wanted::Shortest,
            Some(WitnessArg::Likeliest) => Wanted::Likeliest,
        },
        per_start: args.per_start.clone(),
        oracle: oracle.as_ref().ok().cloned().flatten(),
        sketch: args.report.is_wanted(),
    };
    Wish { job: Job::Verify(request, verifying), fits: check_options(args).and(oracle.map(|_| ())) }
}

fn carry_out(args: &VerifyArgs) -> Result<Exit, Exit> {
    let Wish { job, fits } = job(args);
    let (task, output) = begin(&args.common, job)?;
    let mut session = Session::open(&task, output, args.common.events.as_deref())?;
    fits.map_err(|error| session.fail(&error.into()))?;
    if args.engine.takes(Setting::Refinement) {
        session.claim_refinement(&args.cegar)?;
    }
    session.claim_certificate(&args.certificate)?;
    if let Some(path) = &args.per_start {
        session.output.claim("--per-start", path)?;
    }
    let page = session.claim_page(&args.report)?;
    session.guard()?;
    session.prepare()?;
    Ok(session.run()?.show_with(page.as_ref(), &task.budget, told))
}

/// That no option is given to an engine to which it means nothing.
fn check_options(args: &VerifyArgs) -> Result<(), Diagnostic> {
    if args.engine.takes(Setting::Refinement) {
        args.cegar.preset().map_err(Diagnostic::error_anywhere)?;
    } else if let Some(option) = args.cegar.given() {
        let takes = EngineChoice::taking(Setting::Refinement);
        return Err(Diagnostic::error_anywhere(format!("{option} is for --engine {takes}")));
    }
    if args.oracle.oracle != OracleArg::Builtin && !args.engine.takes(Setting::Oracle) {
        let takes = EngineChoice::taking(Setting::Oracle);
        let error = Diagnostic::error_anywhere(format!("--oracle is for --engine {takes}"));
        return Err(error.with_help(format!("add --engine {takes}, or leave it out")));
    }
    if args.max_depth.is_some() && !args.engine.takes(Setting::Depth) {
        let takes = EngineChoice::taking(Setting::Depth);
        let error = Diagnostic::error_anywhere(format!("--max-depth is for --engine {takes}"));
        return Err(error.with_help(format!("add --engine {takes}, or leave it out")));
    }
    Ok(())
}

/// What people are told.
pub(crate) fn told(outcome: &Outcome) -> String {
    let seconds = outcome.result.seconds;
    match (&outcome.told, &outcome.problem) {
        (Told::Verified(found), Some(problem)) => {
            let text = text(problem, found, seconds, &beyond(outcome.result.body.as_ref()));
            certified(&text, &outcome.result)
        }
        // What happens in time.
        (Told::Formula(formula, found), Some(problem)) => super::ctl::text(problem, formula, found, seconds),
        // A comparison of a probability with a number.
        (Told::Expected(found), Some(problem)) => bounds::expected_text(problem, found, None, seconds),
        (Told::Bounded(found), Some(problem)) => {
            certified(&bounds::text(problem, found, None, seconds), &outcome.result)
        }
        _ => String::new(),
    }
}

fn headline(problem: &Problem, outcome: &Found) -> String {
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

/// What was asked beyond the verdict, line by line.
fn beyond(body: Option<&Body>) -> String {
    let Some(Body::Decided(decided)) = body else { return String::new() };
    let mut text = String::new();
    if let Some(GoalRecord { start_states, can, almost_surely, must }) = decided.goal {
        let of = counted(start_states, "start state");
        text.push_str(&format!(
            "  goal      can be reached from {can} of {of}, is almost surely from {almost_surely}, and must be from {must}\n"
        ));
    }
    if let Some(probability) = &decided.run_probability {
        text.push_str(&format!(
            "  run       has probability {probability}, if the environment does all it can for it\n"
        ));
    }
    if let Some(file) = &decided.per_start {
        text.push_str(&format!("  starts    one by one in {file}\n"));
    }
    text
}

fn text(problem: &Problem, outcome: &Found, seconds: f64, beyond: &str) -> String {
    let mut text = headline(problem, outcome);
    text.push_str(&subject(problem));
    for (word, line) in outcome.lines() {
        text.push_str(&format!("  {word:<9} {line}\n"));
    }
    text.push_str(beyond);
    text.push_str(&format!("  engine    {}\n", outcome.account()));
    let shown = assumed(problem);
    for assumption in shown.chain(&outcome.assumptions) {
        text.push_str(&format!("  assuming  {assumption}\n"));
    }
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    if let Some(details) = outcome.refinement() {
        text.push_str(&cegar::invariant(outcome, details));
    }
    if let Some(run) = outcome.run() {
        if let Some((step, difference)) = differences(problem, run).first() {
            text.push_str(&format!("  note      in step {step} {difference}\n"));
        }
        text.push('\n');
        text.push_str(&run_table(problem, run));
    }
    text
}
