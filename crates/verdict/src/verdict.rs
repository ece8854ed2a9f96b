//! The answer to a question about a model.

use crate::reason::Reason;

/// An answer, with what it rests on. Never a bool and never an `Option`: no path leads from a limit, a rounding error or a failure to
/// [`Verdict::Holds`].
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict<Proof, Refutation = Proof> {
    /// It holds, and why.
    Holds(Proof),
    /// It does not, and why.
    Violated(Refutation),
    /// It is not known, and why not.
    Unknown(Reason),
}

impl<Proof, Refutation> Verdict<Proof, Refutation> {
    /// The word for it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Holds(_) => "holds",
            Self::Violated(_) => "violated",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Whether there is an answer.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.reason().is_none()
    }

    /// Why there is none.
    #[must_use]
    pub fn reason(&self) -> Option<&Reason> {
        if let Self::Unknown(reason) = self { Some(reason) } else { None }
    }

    /// What refutes it.
    #[must_use]
    pub fn refutation(&self) -> Option<&Refutation> {
        if let Self::Violated(refutation) = self { Some(refutation) } else { None }
    }

    /// What proves it.
    #[must_use]
    pub fn proof(&self) -> Option<&Proof> {
        if let Self::Holds(proof) = self { Some(proof) } else { None }
    }
}

impl<Evidence> Verdict<Evidence> {
    /// What decides it, either way.
    #[must_use]
    pub fn evidence(&self) -> Option<&Evidence> {
        self.proof().or_else(|| self.refutation())
    }
}
