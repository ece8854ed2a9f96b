//! Deciding a formula of bounded CTL.

use surefoot_explicit::Explored;
use surefoot_text::source::SourceMap;
use surefoot_verdict::{Event, Reporter};

use super::{Outcome, Told};
use crate::ctl::{
    CtlFormula, CtlOutcome, MilpMethod, MilpOutcome, MilpRequest, ctl, ctl_by_milp, decide, read_formula,
};
use crate::engine::Budget;
use crate::problem::{Failure, Problem};
use crate::question::Over;
use crate::request::Request;
use crate::result::ResultObject;

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
    /// The built-in one over regions, even where states could be visited one by one; by so many threads, else by as many as the task has.
    Regions(Option<usize>),
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
        let threads = match self.procedure {
            Procedure::BuiltInBy(threads) | Procedure::Regions(Some(threads)) => threads,
            _ => budget.threads,
        };
        let budget = &Budget { threads, ..budget.clone() };
        let found = match self.procedure {
            Procedure::Regions(_) => ctl(&problem, &formula.constraints(&problem)?, budget, reporter)?,
            _ => decide(&problem, &formula, Over::All, budget, reporter)?,
        };
        Ok(told(problem, formula, found, result))
    }
}

/// What came out for a formula.
pub(super) fn told(problem: Problem, formula: CtlFormula, found: CtlOutcome, result: ResultObject) -> Outcome {
    let result = result.formula_decided(&problem, &formula, found.engine(), &found);
    let expanded = found.statistics.expanded;
    let last = Explored { states: expanded, expanded, depth: 0 }.figures();
    Outcome::new(result, Told::Formula(formula, Box::new(found)), problem, last)
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
