//! The paper's procedures on a problem: mixed-integer programs for a solver that is not ours.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use surefoot_ctl::milp::{self, MilpFailure, MilpOptions};
use surefoot_ctl::{Ctl, Verdict};
use surefoot_limits::Stop;
use surefoot_milp::highs::Installation;
use surefoot_milp::{Highs, Solver, SolverError};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_verdict::{Reason, Reporter};

use super::{CtlVerdict, failed, replayed, system};
use crate::engine::Budget;
use crate::problem::{Failure, Problem};
use crate::start::check_defined;

pub use surefoot_ctl::milp::{Method as MilpMethod, MilpStatistics};

/// Which procedure, and by which solver.
#[derive(Debug, Clone)]
pub struct MilpRequest {
    /// Which encoding.
    pub method: MilpMethod,
    /// How many programs are solved at once.
    pub jobs: usize,
    /// Where the solver may be; the first that works is taken.
    pub solvers: Vec<PathBuf>,
    /// A folder for files that are not kept.
    pub scratch: PathBuf,
    /// Where programs are written to.
    pub write: Option<PathBuf>,
    /// Whether a proof may take it for granted that the model is never in error, where bounds do not tell.
    pub assume_no_errors: bool,
}

/// The answer, and how it came about.
#[derive(Debug)]
pub struct MilpOutcome {
    /// The answer.
    pub verdict: CtlVerdict,
    /// What it rests on besides exact arithmetic.
    pub assumptions: Vec<String>,
    /// Whether that the model is never in error is among it, because the user said so.
    pub assumes_no_errors: bool,
    /// The solver, if the answer rests on it.
    pub solver: Option<String>,
    /// Whether the built-in procedure decided in the end.
    pub by_builtin: bool,
    /// What was done.
    pub statistics: MilpStatistics,
}

impl MilpOutcome {
    fn out_of_time(budget: &Budget) -> Self {
        let verdict = CtlVerdict::Unknown(budget.limit(Stop::Time).into());
        let statistics = MilpStatistics::default();
        Self { verdict, assumptions: Vec::new(), solver: None, by_builtin: false, assumes_no_errors: false, statistics }
    }
}

/// Decides a bounded formula by mixed-integer programs.
///
/// # Errors
/// As for the built-in procedure, and where there is no solver or it fails.
pub fn ctl_by_milp(
    problem: &Problem,
    formula: &Ctl,
    budget: &Budget,
    request: &MilpRequest,
    reporter: &dyn Reporter,
) -> Result<MilpOutcome, Failure> {
    let candidates: Vec<Installation> = request.solvers.iter().map(|path| Installation::at(path)).collect();
    let limits = budget.limits();
    let (solver, first) = match Installation::first(&candidates, &request.scratch, limits.deadline) {
        Ok(found) => found,
        Err(SolverError::TimeOut(_)) => return Ok(MilpOutcome::out_of_time(budget)),
        Err(error) => return Err(no_solver(&error)),
    };
    let time = || limits.remaining();
    let first = Mutex::new(Some(first));
    let start = || -> Result<Box<dyn Solver>, SolverError> {
        let started = first.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(Box::new(started.map_or_else(|| Highs::start(&solver, &request.scratch, time()), Ok)?))
    };
    let write = request.write.clone();
    let options = MilpOptions {
        method: request.method,
        limits: limits.clone().into(),
        jobs: request.jobs,
        solver: &start,
        write,
        reporter,
    };
    let system = system(problem)?;
    check_defined(problem, budget)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads.max(1)).build();
    let pool = pool.map_err(|error| Failure::Internal(format!("no threads: {error}")))?;
    let checked = pool.install(|| milp::check(&system, formula, &options)).map_err(|failure| match failure {
        MilpFailure::Check(failure) => failed(problem, failure),
        MilpFailure::Solver(error) => no_solver(&error),
        MilpFailure::Write(error) => Diagnostic::error_anywhere(error).into(),
    })?;
    let mut assumed = None;
    let verdict = match checked.verdict {
        Verdict::Unknown(Reason::Errors { open, .. }) if request.assume_no_errors => {
            assumed = Some(open.assumption());
            CtlVerdict::Holds(())
        }
        verdict => replayed(problem, verdict, budget)?,
    };
    let assumes_no_errors = assumed.is_some();
    let assumptions = checked.assumptions.into_iter().chain(assumed).collect();
    let solver = checked.solver;
    Ok(MilpOutcome {
        verdict,
        assumptions,
        assumes_no_errors,
        solver,
        by_builtin: checked.by_builtin,
        statistics: checked.statistics,
    })
}

fn no_solver(error: &SolverError) -> Failure {
    let (solver, method) = (option("solver"), option("method"));
    let help = format!(
        "name it with {solver} FILE (the executable highs, or a Python that has highspy), or use {method} auto"
    );
    Diagnostic::error_anywhere(error.to_string()).with_help(help).into()
}
