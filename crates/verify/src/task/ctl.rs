//! Deciding a formula of bounded CTL.

use surefoot_explicit::Explored;
use surefoot_text::source::SourceMap;
use surefoot_verdict::{Event, Reporter};

use super::{Outcome, Told};
use crate::ctl::{CtlFormula, MilpMethod, MilpOutcome, MilpRequest, ctl, ctl_by_milp, read_formula};
use crate::engine::Budget;
use crate::problem::{Failure, Problem};
use crate::request::Request;
use crate::result::ResultObject;

/// What the built-in procedure is called.
pub const BUILT_IN: &str = "ctl (exact)";

/// Which formula, and how to decide it.
#[derive(Debug, Clone, Default)]
pub struct Formulating {
    /// The formula; else the property's.
    pub formula: Option<String>,
    /// By which procedure.
    pub procedure: Procedure,
}

/// A procedure for formulas.
#[derive(Debug, Clone, Default)]
pub enum Procedure {
    /// The built-in one, by so many threads, else by as many as the task has.
    #[default]
    BuiltIn,
    /// The built-in one, by so many threads.
    BuiltInBy(usize),
    /// The paper's, by a solver.
    Programs(MilpRequest),
}

impl Formulating {
    pub(super) fn prepare(
        &self,
        sources: &mut SourceMap,
        problem: &mut Problem,
        request: &Request,
    ) -> Result<CtlFormula, Failure> {
        read_formula(sources, problem, request, self.formula.as_deref())
    }

    pub(super) fn run(
        &self,
        problem: Problem,
        formula: CtlFormula,
        result: ResultObject,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        if let Procedure::Programs(request) = &self.procedure {
            let found = ctl_by_milp(&problem, &formula.constraints(&problem)?, budget, request, reporter)?;
            let result = result.programs_decided(&problem, &formula, &solver(request.method, &found), &found);
            let last = Explored::default().figures();
            return Ok(Outcome::new(result, Told::Programs(formula, Box::new(found)), problem, last));
        }
        let threads = if let Procedure::BuiltInBy(threads) = self.procedure { threads } else { budget.threads };
        let found = ctl(&problem, &formula.constraints(&problem)?, &Budget { threads, ..budget.clone() }, reporter)?;
        let result = result.formula_decided(&problem, &formula, BUILT_IN, &found);
        let expanded = found.statistics.expanded;
        let last = Explored { states: expanded, expanded, depth: 0 }.figures();
        Ok(Outcome::new(result, Told::Formula(formula, Box::new(found)), problem, last))
    }
}

/// What a procedure by a solver is called.
fn solver(method: MilpMethod, outcome: &MilpOutcome) -> String {
    let name = match method {
        MilpMethod::Monolithic => "ctl (monolithic MILP",
        MilpMethod::Compositional => "ctl (compositional MILP",
    };
    let solver = outcome.solver.as_ref().map_or_else(String::new, |solver| format!(", {solver}"));
    let builtin = if outcome.by_builtin { ", decided by the exact procedure" } else { "" };
    format!("{name}{solver}{builtin})")
}
