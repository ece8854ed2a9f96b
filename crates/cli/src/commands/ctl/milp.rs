//! `ctl --method monolithic|compositional`: the paper's procedures, by a solver that is not ours.

use surefoot_files::escape;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verify::{CtlFormula, CtlVerdict, MilpMethod, MilpOutcome, MilpRequest, Problem};

use crate::args::ctl::CtlArgs;
use crate::commands::places::{Places, named};
use crate::commands::{assumed, subject};
use crate::evidence::evidence_table;
use crate::output::counted;

/// As in the paper.
const JOBS: usize = 8;
/// Names the solver where no option does.
const VARIABLE: &str = "SUREFOOT_HIGHS";

/// What is asked for, and where the solver is.
pub(super) fn request(args: &CtlArgs, method: MilpMethod) -> Result<MilpRequest, Diagnostic> {
    let places = Places::of_system();
    let solvers = match named(args.solver.as_ref(), VARIABLE) {
        None => ["highs", "python3"].into_iter().filter_map(|name| places.program(name)).collect(),
        Some(named) => vec![places.given(named)?],
    };
    Ok(MilpRequest {
        method,
        jobs: args.jobs.unwrap_or(JOBS),
        solvers,
        scratch: std::env::temp_dir(),
        write: args.write_lp.clone(),
        assume_no_errors: args.assume.no_errors(),
    })
}

pub(super) fn text(
    problem: &Problem,
    formula: &CtlFormula,
    outcome: &MilpOutcome,
    engine: &str,
    seconds: f64,
) -> String {
    let statistics = &outcome.statistics;
    let mut text = super::headline(&outcome.verdict, outcome.assumes_no_errors);
    text.push_str(&format!("  formula   {}\n", escape(&formula.text)));
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
    let shown = assumed(problem);
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
