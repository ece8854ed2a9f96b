//! `ctl`: decides a formula of bounded CTL.

mod milp;

use surefoot_files::escape;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verify::ctl::Basis;
use surefoot_verify::task::ctl::{Formulating, Procedure};
use surefoot_verify::task::{Job, Outcome, Told};
use surefoot_verify::{CtlFormula, CtlOutcome, CtlVerdict, MilpMethod, Problem};

use super::session::{Session, Wish, begin};
use super::{ASSUMING, assumed, explored, subject, told};
use crate::args::ctl::{CtlArgs, CtlMethodArg};
use crate::evidence::evidence_table;
use crate::output::{Exit, counted};

pub(crate) fn run(args: &CtlArgs) -> Exit {
    carry_out(args).unwrap_or_else(|exit| exit)
}

/// What is to be done, and whether the options fit.
pub(crate) fn job(args: &CtlArgs) -> Wish {
    let procedure = procedure(args);
    let formulating = Formulating { formula: args.formula.clone(), procedure: procedure.clone().unwrap_or_default() };
    Wish {
        job: Job::Ctl(args.common.request(&args.model), formulating),
        fits: check_options(args).and(procedure.map(|_| ())),
    }
}

/// That no option is given to a method to which it means nothing.
fn check_options(args: &CtlArgs) -> Result<(), Diagnostic> {
    let unused = [("--solver", args.solver.is_some()), ("--write-lp", args.write_lp.is_some())];
    if let Some((option, _)) =
        unused.iter().find(|(_, given)| *given && matches!(args.method, CtlMethodArg::Auto | CtlMethodArg::Exact))
    {
        let error = Diagnostic::error_anywhere(format!("{option} is for --method monolithic and compositional"));
        return Err(error.with_help("choose one of them, or leave it out"));
    }
    Ok(())
}

fn carry_out(args: &CtlArgs) -> Result<Exit, Exit> {
    let Wish { job, fits } = job(args);
    let (task, output) = begin(&args.common, job)?;
    let mut session = Session::open(&task, output, args.common.events.as_deref())?;
    fits.map_err(|error| session.fail(&error.into()))?;
    let page = session.claim_page(&args.report)?;
    session.guard()?;
    session.prepare()?;
    if let Some(folder) = args.write_lp.as_deref() {
        session.output.claim_folder("--write-lp", folder)?;
    }
    let mut ended = session.run()?;
    if let Told::Programs(_, found) = &ended.outcome.told
        && let Some(reason) = found.verdict.reason()
    {
        // With what there is to do about it.
        ended.outcome.result.reason = Some(told(reason));
    }
    Ok(ended.show_with(page.as_ref(), &task.budget, shown))
}

fn procedure(args: &CtlArgs) -> Result<Procedure, Diagnostic> {
    match args.method {
        CtlMethodArg::Auto => Ok(args.jobs.map_or(Procedure::BuiltIn, Procedure::BuiltInBy)),
        CtlMethodArg::Exact => Ok(Procedure::Regions(args.jobs)),
        CtlMethodArg::Monolithic => milp::request(args, MilpMethod::Monolithic).map(Procedure::Programs),
        CtlMethodArg::Compositional => milp::request(args, MilpMethod::Compositional).map(Procedure::Programs),
    }
}

/// What people are told.
pub(crate) fn shown(outcome: &Outcome) -> String {
    let seconds = outcome.result.seconds;
    match (&outcome.told, &outcome.problem) {
        (Told::Formula(formula, found), Some(problem)) => text(problem, formula, found, seconds),
        (Told::Programs(formula, found), Some(problem)) => {
            let engine = outcome.result.engine.as_deref().unwrap_or_default();
            milp::text(problem, formula, found, engine, seconds)
        }
        _ => String::new(),
    }
}

/// The first line: the verdict, and why.
fn headline(verdict: &CtlVerdict, assumes_no_errors: bool) -> String {
    match verdict {
        CtlVerdict::Holds(()) => {
            format!("holds{}: the formula holds in all start states\n", if assumes_no_errors { ASSUMING } else { "" })
        }
        CtlVerdict::Violated(witness) => {
            if witness.nodes[0].unshown && witness.nodes.len() == 1 {
                return "violated: the formula fails in a start state, whatever happens from there on\n".to_owned();
            }
            let shape = if witness.path().is_some() { "run" } else { "tree of runs" };
            format!("violated: the formula fails in a start state, as the {shape} below shows\n")
        }
        CtlVerdict::Unknown(reason) => format!("unknown: {}\n", told(reason)),
    }
}

pub(super) fn text(problem: &Problem, formula: &CtlFormula, outcome: &CtlOutcome, seconds: f64) -> String {
    let statistics = &outcome.statistics;
    let mut text = headline(&outcome.verdict, false);
    if problem.asking.formula.is_none() {
        text.push_str(&format!("  formula   {}\n", escape(&formula.text)));
    }
    text.push_str(&subject(problem));
    let state = if let Some(figures) = &outcome.explored {
        text.push_str(&explored(figures));
        "state"
    } else {
        text.push_str(&format!(
            "  decided   {} of the start set; {} looked at\n",
            counted(outcome.cover.count as u64, "piece"),
            counted(statistics.expanded, "symbolic state")
        ));
        "symbolic state"
    };
    let replayed =
        if matches!(outcome.verdict, CtlVerdict::Violated(_)) { "; replayed in exact arithmetic" } else { "" };
    text.push_str(&format!("  engine    {}{replayed}\n", outcome.engine()));
    if let Some(rests) = outcome.verdict.refutation().and_then(|witness| witness.rests) {
        let states = counted(rests.states, "state");
        let how = match rests.basis {
            Basis::Stepped => "their labels checked one by one, by exact steps",
            Basis::Equations => "their labels checked one by one, on the explored graph",
            Basis::Labels => "by their labels; there are too many to check them again",
        };
        text.push_str(&format!("  rests     on all that can follow where the table says so: {states}, {how}\n"));
    }
    for assumption in assumed(problem) {
        text.push_str(&format!("  assuming  {assumption}\n"));
    }
    match &outcome.verdict {
        CtlVerdict::Violated(witness) if witness.stutters => {
            text.push_str("  note      a state on the way has no successors: it stays as it is for ever\n");
        }
        CtlVerdict::Holds(()) if statistics.stuttering > 0 => {
            let states = counted(statistics.stuttering, state);
            text.push_str(&format!("  note      {states} without successors counted as staying there for ever\n"));
        }
        _ => {}
    }
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    if let CtlVerdict::Violated(witness) = &outcome.verdict {
        text.push('\n');
        text.push_str(&evidence_table(problem, witness));
    }
    text
}
