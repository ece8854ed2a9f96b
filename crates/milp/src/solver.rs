//! What a solver is asked, and what it may say.

use surefoot_limits::Limits;

use crate::program::Program;

/// What a solver says of a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// There is no solution: the solver's word, computed in floats.
    Infeasible,
    /// Values of all variables, a best solution as far as the solver can tell: a hint.
    Solution(Vec<f64>),
}

/// Why a solver says nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SolverError {
    /// There is none.
    #[error("no MILP solver was found: {0}")]
    Missing(String),
    /// The time is up.
    #[error("{0} did not finish in time")]
    TimeOut(String),
    /// It failed.
    #[error("{solver} failed: {reason}")]
    Failed {
        /// Who.
        solver: String,
        /// How.
        reason: String,
    },
    /// It said something that is no answer.
    #[error("{solver} gave no answer that can be used: {said}")]
    Unusable {
        /// Who.
        solver: String,
        /// What it said.
        said: String,
    },
}

/// Someone who solves programs, one after another.
pub trait Solver: Send {
    /// Name and version.
    fn name(&self) -> &str;

    /// Solves a program, within limits of time and until it is interrupted.
    ///
    /// # Errors
    /// [`SolverError`] wherever there is no answer: none of them says anything about the program.
    fn solve(&mut self, program: &Program, limits: &Limits) -> Result<Answer, SolverError>;
}

/// The values by variable from names `x0`, `x1`, ...; `None` if one is missing or no number.
pub(crate) fn by_name<'n>(count: usize, named: impl Iterator<Item = (&'n str, f64)>) -> Option<Vec<f64>> {
    let mut values = vec![None; count];
    for (name, value) in named {
        // Names that are not ours are the solver's own business.
        if let Some(slot) = name.strip_prefix('x').and_then(|n| n.parse::<usize>().ok()).and_then(|i| values.get_mut(i))
        {
            *slot = Some(value);
        }
    }
    values.into_iter().map(|value| value.filter(|v: &f64| v.is_finite())).collect()
}
