//! `ctl --method monolithic|compositional`: the paper's procedures, by a solver that is not ours.

use std::path::PathBuf;

use serde_json::{Value, json};
use surefoot_explicit::Statistics;
use surefoot_verify::{CtlFormula, CtlVerdict, MilpMethod, MilpOutcome, MilpRequest, Problem, Report, ctl_by_milp};

use crate::args::ctl::CtlArgs;
use crate::commands::session::Session;
use crate::commands::subject;
use crate::evidence::evidence_table;
use crate::output::{Exit, counted};

/// As in the paper.
const JOBS: usize = 8;
/// Names the solver where no option does.
const VARIABLE: &str = "SUREFOOT_HIGHS";

pub(super) fn run(
    args: &CtlArgs,
    session: &Session<'_>,
    formula: &CtlFormula,
    method: MilpMethod,
) -> Result<Exit, Exit> {
    let given = args.solver.clone().or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from));
    let request = MilpRequest {
        method,
        jobs: args.jobs.unwrap_or(JOBS),
        solvers: given.map_or_else(found, |path| vec![path]),
        scratch: std::env::temp_dir(),
        write: args.write_lp.clone(),
        assume_no_errors: args.assume.no_errors(),
    };
    let reporter = session.reporter()?;
    let outcome = match ctl_by_milp(&session.problem, &formula.formula, &session.budget, &request) {
        Ok(outcome) => outcome,
        Err(failure) => {
            drop(reporter);
            return Err(session.fail(&failure));
        }
    };
    reporter.end(&Statistics::default(), Some(outcome.verdict.word()));
    drop(reporter);
    let seconds = session.seconds();
    let mut report = session.report();
    let engine = engine(method, &outcome);
    fill(&mut report, &session.problem, formula, &outcome, &engine);
    let exit = match outcome.verdict {
        CtlVerdict::Holds => Exit::Done,
        CtlVerdict::Violated(_) => Exit::Violated,
        CtlVerdict::Unknown(_) => Exit::Unknown,
    };
    let text = text(&session.problem, formula, &outcome, &engine, seconds);
    Ok(session.output.result(&text, &report.finish(seconds), exit))
}

/// Where a solver may be, unless one is named.
fn found() -> Vec<PathBuf> {
    ["highs", ".venv/bin/python", "python3"].map(PathBuf::from).to_vec()
}

fn engine(method: MilpMethod, outcome: &MilpOutcome) -> String {
    let name = match method {
        MilpMethod::Monolithic => "ctl (monolithic MILP",
        MilpMethod::Compositional => "ctl (compositional MILP",
    };
    let solver = outcome.solver.as_ref().map_or_else(String::new, |solver| format!(", {solver}"));
    let builtin = if outcome.by_builtin { ", decided by the exact procedure" } else { "" };
    format!("{name}{solver}{builtin})")
}

fn fill(report: &mut Report, problem: &Problem, formula: &CtlFormula, outcome: &MilpOutcome, engine: &str) {
    report.set("verdict", outcome.verdict.word());
    report.set("engine", engine);
    report.set("formula", formula.text.clone());
    let assumptions: Vec<String> = problem.assumptions.iter().chain(&outcome.assumptions).cloned().collect();
    report.set("assumptions", assumptions);
    let statistics = &outcome.statistics;
    report.set(
        "statistics",
        json!({
            "programs": statistics.programs,
            "infeasible_programs": statistics.infeasible,
            "unconfirmed_programs": statistics.open,
            "discarded_branches": statistics.discarded,
            "largest_program": {"variables": statistics.largest.0, "rows": statistics.largest.1},
        }),
    );
    report.set("horizon", formula.formula.horizon().map_or(Value::Null, Value::from));
    match &outcome.verdict {
        CtlVerdict::Holds => {}
        CtlVerdict::Violated(witness) => {
            report.set("witness", witness.object(problem));
            report.set("stuttering", witness.stutters);
        }
        CtlVerdict::Unknown(reason) => report.set("reason", reason.clone()),
    }
}

fn text(problem: &Problem, formula: &CtlFormula, outcome: &MilpOutcome, engine: &str, seconds: f64) -> String {
    let statistics = &outcome.statistics;
    let mut text = super::headline(&outcome.verdict, outcome.assumes_no_errors);
    text.push_str(&format!("  formula   {}\n", formula.text));
    text.push_str(&subject(problem));
    text.push_str(&format!(
        "  programs  {}, the largest with {} and {}; {} ruled out by bounds\n",
        counted(statistics.programs, "mixed-integer program"),
        counted(statistics.largest.0 as u64, "variable"),
        counted(statistics.largest.1 as u64, "row"),
        counted(statistics.discarded, "alternative")
    ));
    let replayed =
        if matches!(outcome.verdict, CtlVerdict::Violated(_)) { "; replayed in exact arithmetic" } else { "" };
    text.push_str(&format!("  engine    {engine}{replayed}\n"));
    let shown = problem.assumptions.iter().filter(|a| a.starts_with("PlaJA") || a.starts_with("goal states"));
    for assumption in shown.chain(&outcome.assumptions) {
        text.push_str(&format!("  assuming  {assumption}\n"));
    }
    if let CtlVerdict::Violated(witness) = &outcome.verdict
        && witness.stutters
    {
        text.push_str("  note      a state below has no successors: it stays as it is for ever\n");
    }
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    if let CtlVerdict::Violated(witness) = &outcome.verdict {
        text.push('\n');
        text.push_str(&evidence_table(problem, witness));
    }
    text
}
