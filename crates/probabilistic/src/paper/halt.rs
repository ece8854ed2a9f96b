//! Why something ends before it is done: a limit of the run, which is no error, or an error.

use surefoot_limits::Stop;
use surefoot_text::diagnostic::Diagnostic;

use crate::answer::Failure;

/// Why something ends before it is done.
#[derive(Debug)]
pub enum Halt {
    /// A limit was met.
    Stop(Stop),
    /// There is no answer.
    Failure(Failure),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<surefoot_abstraction::Failure> for Halt {
    fn from(failure: surefoot_abstraction::Failure) -> Self {
        Self::Failure(failure.into())
    }
}

impl From<Diagnostic> for Halt {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Failure(diagnostic.into())
    }
}

impl Halt {
    /// An error of ours.
    pub fn internal(what: impl std::fmt::Display) -> Self {
        Self::Failure(Failure::Internal(what.to_string()))
    }
}
