//! Why there is no result.

use surefoot_limits::Stop;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::Unsupported;

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The input is in error.
    Input(Vec<Diagnostic>),
    /// We are: an invariant of our own is broken.
    Internal(String),
    /// A limit was met before there was anything to tell.
    Stopped(Stop),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Input(vec![diagnostic])
    }
}

impl From<Unsupported> for Failure {
    fn from(unsupported: Unsupported) -> Self {
        Diagnostic::from(unsupported).into()
    }
}

impl Failure {
    /// Whether it says that something well-formed is of a kind that is refused by name.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Input(diagnostics) if diagnostics.iter().any(|diagnostic| diagnostic.refused.is_some()))
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Input(diagnostics)
    }
}
