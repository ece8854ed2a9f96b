//! The procedure: programs for the negated formula, what the solver says of them, and what follows.
//!
//! * a confirmed solution: violated;
//! * no solution in any program: holds, as far as the solver can be trusted;
//! * a solution that is not confirmed (its slack is zero, or rounding made it up): the built-in procedure decides, exactly;
//! * a solver that says nothing (time, failure): unknown, or an error. Never an answer.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

use surefoot_limits::Stop;
use surefoot_milp::{Solver, SolverError};
use surefoot_model::policy::Ties;
use surefoot_oracle::Limits;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_verdict::{Because, Otherwise, Reason, Reporter, Undecided};

use super::ask::{Asker, Generated};
use super::queue::{Summary, run};
use crate::check::start::roots;
use crate::check::{self, Failing, Failure, Options, Verdict};
use crate::explore::{Engine, Trouble};
use crate::formula::unfold::Unfolded;
use crate::formula::{Constraints, Ctl};
use crate::system::System;

/// Which encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// One program per box of start states.
    Monolithic,
    /// Many small ones.
    Compositional,
}

/// Starts a solver; every worker has one.
pub type Start<'o> = &'o (dyn Fn() -> Result<Box<dyn Solver>, SolverError> + Sync);

/// How to go about it.
#[derive(Clone)]
pub struct MilpOptions<'o> {
    /// Which encoding.
    pub method: Method,
    /// When to stop.
    pub limits: Limits,
    /// How many programs are solved at once.
    pub jobs: usize,
    /// Starts a solver.
    pub solver: Start<'o>,
    /// Where programs are written to in LP format, with indicators.
    pub write: Option<PathBuf>,
    /// Told of programs that are solved.
    pub reporter: &'o dyn Reporter,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MilpStatistics {
    /// Programs solved or looked at.
    pub programs: u64,
    /// Of these, programs that the solver says have no solution.
    pub infeasible: u64,
    /// Of these, programs whose solution was not confirmed.
    pub open: u64,
    /// Branches that bounds ended before there was a program.
    pub discarded: u64,
    /// Variables and rows of the largest program.
    pub largest: (usize, usize),
}

/// The answer, and how it came about.
#[derive(Debug)]
pub struct MilpChecked {
    /// The answer; of *holds*, if the assumptions hold.
    pub verdict: Verdict,
    /// What it rests on besides exact arithmetic.
    pub assumptions: Vec<String>,
    /// The solver, if it was asked.
    pub solver: Option<String>,
    /// Whether the built-in procedure decided in the end.
    pub by_builtin: bool,
    /// What was done.
    pub statistics: MilpStatistics,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum MilpFailure {
    /// As for the built-in procedure.
    Check(Failure),
    /// The solver is missing, or failed.
    Solver(SolverError),
    /// A program cannot be written.
    Write(String),
}

impl<T: Into<Failure>> From<T> for MilpFailure {
    fn from(failure: T) -> Self {
        Self::Check(failure.into())
    }
}

/// Decides a bounded formula.
///
/// # Errors
/// [`MilpFailure`]: an empty start set, errors of the model, what is refused by name, a solver that is missing or fails.
pub fn check(system: &System<'_>, formula: &Ctl, options: &MilpOptions<'_>) -> Result<MilpChecked, MilpFailure> {
    let refused = |message: &str, help: &str| {
        MilpFailure::from(Trouble::from(Diagnostic::error_anywhere(message).refusal().with_help(help)))
    };
    if !formula.is_bounded() {
        return Err(refused(
            "a mixed-integer program is for bounded formulas only",
            &format!("use {} auto", option("method")),
        ));
    }
    if system.policy().is_some_and(|policy| policy.ties == Ties::Plaja) {
        return Err(refused(
            "ties within 1e-7 are beyond the tolerances of a MILP solver",
            &format!("use {} auto", option("method")),
        ));
    }
    let curved = system.symbolic_policy().is_some_and(|policy| policy.networks.iter().any(|n| !n.network.is_exact()));
    if curved {
        return Err(refused(
            "mixed-integer programs are for networks of ReLUs over the reals",
            &format!("use {} auto", option("method")),
        ));
    }
    let too_large = |error: crate::formula::unfold::TooLarge| refused(&error.to_string(), "use smaller bounds");
    let mut unfolded = Unfolded::new(formula).map_err(too_large)?;
    let negation = unfolded.add(&formula.clone().negated()).map_err(too_large)?;
    let exact = Options { limits: options.limits.clone(), ..Options::default() };
    // An empty start set proves nothing.
    if let Some(stop) = check::check(system, &Ctl::constant(true), &exact)?.verdict.reason().and_then(Reason::limit) {
        return Ok(MilpChecked::unknown(stop));
    }
    let engine = Engine::new(system, &unfolded, options.limits.clone(), exact.most_states);
    let roots = roots(system).map_err(Trouble::from)?;
    let asker = Asker {
        engine: &engine,
        formula,
        negation,
        roots: &roots,
        options,
        name: OnceLock::new(),
        solved: AtomicU64::new(0),
    };
    let (generated, summary) = run(options.jobs, || asker.worker(), |take| asker.generate(take));
    let mut checked = MilpChecked::unknown(Stop::Time);
    let written = match generated {
        Ok(written) => written,
        Err(Trouble::Stopped(_) | Trouble::TooLarge(_)) if summary.confirmed.is_some() => Generated::default(),
        Err(Trouble::Stopped(limit)) => return Ok(MilpChecked::unknown(limit)),
        Err(Trouble::TooLarge(what)) => return Ok(checked.with(Verdict::Unknown(Reason::TooLarge(what)))),
        Err(trouble) => return Err(trouble.into()),
    };
    if let Some(error) = written.unwritten {
        return Err(MilpFailure::Write(error));
    }
    checked.statistics = MilpStatistics {
        programs: summary.infeasible + summary.open + u64::from(summary.confirmed.is_some()),
        infeasible: summary.infeasible,
        open: summary.open,
        discarded: written.discarded,
        largest: summary.largest,
    };
    checked.conclude(&asker, summary, written.errors_possible, &exact)
}

impl MilpChecked {
    fn unknown(limit: Stop) -> Self {
        let statistics = MilpStatistics::default();
        let verdict = Verdict::Unknown(limit.into());
        Self { verdict, assumptions: Vec::new(), solver: None, by_builtin: false, statistics }
    }

    fn with(self, verdict: Verdict) -> Self {
        Self { verdict, ..self }
    }

    fn conclude(
        mut self,
        asker: &Asker<'_, '_, '_>,
        summary: Summary,
        errors_possible: bool,
        exact: &Options,
    ) -> Result<Self, MilpFailure> {
        // What is decided first is what the job with the smallest number says.
        let number = |other: &Option<u64>| other.unwrap_or(u64::MAX);
        let confirmed = number(&summary.confirmed.as_ref().map(|(n, _)| *n));
        if let Some((n, failure)) = summary.failed
            && n < confirmed
        {
            return match failure {
                Failure::Trouble(trouble) => match *trouble {
                    Trouble::Stopped(limit) => Ok(self.with(Verdict::Unknown(limit.into()))),
                    Trouble::TooLarge(what) => Ok(self.with(Verdict::Unknown(Reason::TooLarge(what)))),
                    other => Err(other.into()),
                },
                Failure::NoStart => Err(Failure::NoStart.into()),
            };
        }
        if let Some((_, (start, evidence))) = summary.confirmed {
            self.verdict = Verdict::Violated(Failing { start, evidence: Box::new(evidence) });
            return Ok(self);
        }
        match summary.silent {
            Some((_, SolverError::TimeOut(_))) => {
                let stop = asker.options.limits.run.stop().unwrap_or(Stop::Time);
                return Ok(self.with(Verdict::Unknown(stop.into())));
            }
            Some((_, error)) => return Err(MilpFailure::Solver(error)),
            None => {}
        }
        if summary.open > 0 {
            self.by_builtin = true;
            let exactly = check::check_reporting(asker.engine.system, asker.formula, exact, asker.options.reporter)?;
            self.verdict = match exactly.verdict {
                // What it has decided so far is no part of this answer.
                Verdict::Unknown(reason) => Verdict::Unknown(reason.limit().map_or(reason, Reason::from)),
                decided => decided,
            };
            return Ok(self);
        }
        self.verdict = Verdict::Holds(());
        if summary.infeasible > 0 {
            let name = asker.name.get().cloned().unwrap_or_else(|| "the solver".to_owned());
            let programs = if summary.infeasible == 1 { "program has" } else { "programs have" };
            self.assumptions.push(format!(
                "{name}, which computes in floats, is right that {} mixed-integer {programs} no solution",
                summary.infeasible
            ));
            self.solver = Some(name);
        }
        // Soundness: operators count as absent where they are an error, so programs prove nothing of a model that may be in error.
        if errors_possible {
            self.verdict = Verdict::Unknown(Reason::Errors {
                open: Undecided {
                    what: "a condition has no value, or an update leaves a variable's domain,".to_owned(),
                    because: Because::Bounds,
                    otherwise: Otherwise::Formula,
                },
                limit: None,
            });
        }
        Ok(self)
    }
}
