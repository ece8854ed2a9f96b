//! `ctl`: decides a formula of bounded CTL.

mod milp;

use serde_json::{Value, json};
use surefoot_explicit::Explored;
use surefoot_files::escape;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::Event;
use surefoot_verify::{
    Budget, CtlFormula, CtlOutcome, CtlVerdict, MilpMethod, Problem, Report, Selection, ctl, read_formula,
};

use super::session::Session;
use super::{ASSUMING, subject, told};
use crate::args::ctl::{CtlArgs, CtlMethodArg};
use crate::evidence::evidence_table;
use crate::output::{Exit, counted};

pub(crate) fn run(args: &CtlArgs) -> Exit {
    carry_out(args).unwrap_or_else(|exit| exit)
}

fn carry_out(args: &CtlArgs) -> Result<Exit, Exit> {
    let request = args.common.request(&args.model);
    let mut session = Session::open("ctl", &args.common, &request, Selection::Optional)?;
    let unused = [("--solver", args.solver.is_some()), ("--write-lp", args.write_lp.is_some())];
    if let Some((option, _)) = unused.iter().find(|(_, given)| *given && args.method == CtlMethodArg::Auto) {
        let error = Diagnostic::error_anywhere(format!("{option} is for --method monolithic and compositional"));
        return Err(session.fail(&error.with_help("choose one of them, or leave it out").into()));
    }
    let read = read_formula(&mut session.sources, &mut session.problem, &request, args.formula.as_deref());
    let formula = read.map_err(|failure| session.fail(&failure))?;
    if let Some(folder) = args.write_lp.as_deref() {
        session.output.claim_folder("--write-lp", folder)?;
    }
    match args.method {
        CtlMethodArg::Auto => builtin(args, &session, &formula),
        CtlMethodArg::Monolithic => milp::run(args, &session, &formula, MilpMethod::Monolithic),
        CtlMethodArg::Compositional => milp::run(args, &session, &formula, MilpMethod::Compositional),
    }
}

fn builtin(args: &CtlArgs, session: &Session<'_>, formula: &CtlFormula) -> Result<Exit, Exit> {
    let budget = Budget { threads: args.jobs.unwrap_or(session.budget.threads), ..session.budget.clone() };
    let reporter = session.reporter()?;
    let outcome = match ctl(&session.problem, &formula.formula, &budget, &reporter) {
        Ok(outcome) => outcome,
        Err(failure) => {
            drop(reporter);
            return Err(session.fail(&failure));
        }
    };
    let expanded = outcome.statistics.expanded;
    reporter.end(&Explored { states: expanded, expanded, depth: 0 }.figures(), Some(outcome.verdict.word()));
    drop(reporter);
    let seconds = session.seconds();
    let mut report = session.report();
    fill(&mut report, &session.problem, formula, &outcome);
    let exit = Exit::of(&outcome.verdict);
    let text = text(&session.problem, formula, &outcome, seconds);
    Ok(session.output.result(&text, &report.finish(seconds), exit))
}

fn fill(report: &mut Report, problem: &Problem, formula: &CtlFormula, outcome: &CtlOutcome) {
    report.set("verdict", outcome.verdict.word());
    report.set("engine", ENGINE);
    report.set("formula", formula.text.clone());
    let statistics = &outcome.statistics;
    report.set(
        "statistics",
        json!({
            "expanded_states": statistics.expanded,
            "deadlocks": statistics.stuttering,
            "pieces": statistics.pieces,
            "cuts": statistics.cuts,
            "programs": statistics.programs,
            "oracle_queries": statistics.questions,
        }),
    );
    report.set("horizon", formula.formula.horizon().map_or(Value::Null, Value::from));
    let stuttering = match &outcome.verdict {
        CtlVerdict::Violated(witness) => witness.stutters,
        CtlVerdict::Holds(()) | CtlVerdict::Unknown(_) => statistics.stuttering > 0,
    };
    report.set("stuttering", stuttering);
    match &outcome.verdict {
        CtlVerdict::Holds(()) => {}
        CtlVerdict::Violated(witness) => {
            report.set("witness", witness.object(problem));
        }
        CtlVerdict::Unknown(reason) => {
            report.set("reason", reason.to_string());
            report.set("horizon_decided", outcome.horizon.map_or(Value::Null, Value::from));
        }
    }
    report.set("cover", outcome.cover.object());
}

const ENGINE: &str = "ctl (exact)";

/// The first line: the verdict, and why.
fn headline(verdict: &CtlVerdict, assumes_no_errors: bool) -> String {
    match verdict {
        CtlVerdict::Holds(()) => {
            format!("holds{}: the formula holds in all start states\n", if assumes_no_errors { ASSUMING } else { "" })
        }
        CtlVerdict::Violated(witness) => {
            let shape = if witness.path().is_some() { "run" } else { "tree of runs" };
            format!("violated: the formula fails in a start state, as the {shape} below shows\n")
        }
        CtlVerdict::Unknown(reason) => format!("unknown: {}\n", told(reason)),
    }
}

fn text(problem: &Problem, formula: &CtlFormula, outcome: &CtlOutcome, seconds: f64) -> String {
    let statistics = &outcome.statistics;
    let mut text = headline(&outcome.verdict, false);
    text.push_str(&format!("  formula   {}\n", escape(&formula.text)));
    text.push_str(&subject(problem));
    text.push_str(&format!(
        "  decided   {} of the start set; {} looked at\n",
        counted(outcome.cover.count as u64, "piece"),
        counted(statistics.expanded, "symbolic state")
    ));
    let replayed =
        if matches!(outcome.verdict, CtlVerdict::Violated(_)) { "; replayed in exact arithmetic" } else { "" };
    text.push_str(&format!("  engine    {ENGINE}{replayed}\n"));
    for assumption in problem.assumptions.iter().filter(|a| a.starts_with("PlaJA") || a.starts_with("goal states")) {
        text.push_str(&format!("  assuming  {assumption}\n"));
    }
    match &outcome.verdict {
        CtlVerdict::Violated(witness) if witness.stutters => {
            text.push_str("  note      a state on the way has no successors: it stays as it is for ever\n");
        }
        CtlVerdict::Holds(()) if statistics.stuttering > 0 => {
            let states = counted(statistics.stuttering, "symbolic state");
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
