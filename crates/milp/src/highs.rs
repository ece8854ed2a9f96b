//! HiGHS (Huangfu and Hall, *Parallelizing the dual revised simplex method*, 2018) as an external process.
//!
//! Nothing of it is linked: it is either the executable `highs`, started once per program, or the Python package `highspy`, of which
//! one process answers many programs. Both read the program as a file in LP format, get the same options, and run on one thread, so
//! that they say the same thing every time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use surefoot_limits::Limits;

use crate::executable::Executable;
use crate::program::Program;
use crate::python::Python;
use crate::solver::{Answer, Solver, SolverError};

/// Options of a run.
pub(crate) type Options = [(&'static str, &'static str)];

/// Tolerances as tight as they can sensibly be, no gap, one thread.
const TIGHT: &Options = &[
    ("primal_feasibility_tolerance", "1e-9"),
    ("mip_feasibility_tolerance", "1e-9"),
    ("mip_rel_gap", "0"),
    ("threads", "1"),
    ("random_seed", "0"),
    ("parallel", "off"),
];

/// HiGHS's own tolerances: with numbers of very different sizes it gives up on tighter ones.
const USUAL: &Options = &[("mip_rel_gap", "0"), ("threads", "1"), ("random_seed", "0"), ("parallel", "off")];

/// How HiGHS is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Installation {
    /// Its executable.
    Executable(PathBuf),
    /// A Python that has the package `highspy`.
    Python(PathBuf),
}

impl Installation {
    /// The installation that a path is: a Python by its name, or the executable. It is run from another folder, so the path is taken
    /// from here; a name alone is a file here, and is not looked for elsewhere.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        let python = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"));
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if python { Self::Python(path) } else { Self::Executable(path) }
    }

    /// The first of some that works, and HiGHS started from it, by a deadline if there is one.
    ///
    /// # Errors
    /// [`SolverError::Missing`] with what was tried; [`SolverError::TimeOut`] at the deadline.
    pub fn first(candidates: &[Self], scratch: &Path, deadline: Option<Instant>) -> Result<(Self, Highs), SolverError> {
        let mut tried = Vec::new();
        for candidate in candidates {
            let time = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            match Highs::start(candidate, scratch, time) {
                Ok(started) => return Ok((candidate.clone(), started)),
                Err(SolverError::TimeOut(who)) if deadline.is_some_and(|end| Instant::now() >= end) => {
                    return Err(SolverError::TimeOut(who));
                }
                Err(error) => tried.push(error.to_string()),
            }
        }
        let tried = if tried.is_empty() { "nothing to try".to_owned() } else { tried.join("; ") };
        Err(SolverError::Missing(format!("install the executable highs, or the Python package highspy ({tried})")))
    }
}

/// HiGHS, ready to solve.
#[derive(Debug)]
pub enum Highs {
    /// By its executable.
    Executable(Executable),
    /// By its Python package.
    Python(Python),
}

impl Highs {
    /// Starts it, within a time if one is given; programs are written to files in a private folder in `scratch`.
    ///
    /// # Errors
    /// If it does not run.
    pub fn start(installation: &Installation, scratch: &Path, time: Option<Duration>) -> Result<Self, SolverError> {
        Ok(match installation {
            Installation::Executable(path) => Self::Executable(Executable::start(path, scratch, time)?),
            Installation::Python(path) => Self::Python(Python::start(path, scratch, time)?),
        })
    }

    fn solve_with(&mut self, program: &Program, limits: &Limits, options: &Options) -> Result<Answer, SolverError> {
        match self {
            Self::Executable(solver) => solver.solve(program, limits, options),
            Self::Python(solver) => solver.solve(program, limits, options),
        }
    }
}

impl Solver for Highs {
    fn name(&self) -> &str {
        match self {
            Self::Executable(solver) => solver.name(),
            Self::Python(solver) => solver.name(),
        }
    }

    fn solve(&mut self, program: &Program, limits: &Limits) -> Result<Answer, SolverError> {
        match self.solve_with(program, limits, TIGHT) {
            Err(SolverError::Unusable { .. }) => self.solve_with(program, limits, USUAL),
            answer => answer,
        }
    }
}
