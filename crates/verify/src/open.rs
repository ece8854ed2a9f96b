//! Proofs of safety that leave open whether the model is in error.
//!
//! A symbolic engine takes an operator as absent where it is an error of the model. That nothing unsafe is reached is then proved
//! of the model only if no such state is reachable. What is found is the same error as the explicit engine's; what stays
//! undecided makes the answer [`Verdict::Unknown`], with the proof and what is open told. Only where the user takes it for granted that there are no
//! errors is it [`Verdict::Holds`], and then the answer says so.

use surefoot_verdict::{Because, Limit, Otherwise, Reason, Undecided};

use crate::engine::{Evidence, Verdict};

/// What is open besides a proof of safety.
#[derive(Debug, Clone)]
pub struct OpenErrors {
    /// The error, and why it is open.
    pub error: Undecided,
    /// The proof that no unsafe state is reached where the model is not in error.
    pub proof: Evidence,
}

impl OpenErrors {
    /// A proof of safety that leaves an error open.
    pub(crate) fn new(what: String, because: Because, proof: Evidence) -> Self {
        Self { error: Undecided { what, because, otherwise: Otherwise::Safe }, proof }
    }

    /// The verdict, and what it takes for granted.
    ///
    /// Soundness: this is the only way from a proof with something open to *holds*, and only the user's word opens it.
    #[must_use]
    pub fn verdict(&self, assume_no_errors: bool) -> (Verdict, Vec<String>) {
        if assume_no_errors {
            (Verdict::Holds(self.proof.clone()), vec![self.error.assumption()])
        } else {
            (Verdict::Unknown(self.reason(None)), Vec::new())
        }
    }

    /// Why nothing is known; with the limit that ended the search, if one did.
    #[must_use]
    pub fn reason(&self, limit: Option<Limit>) -> Reason {
        Reason::Errors { open: self.error.clone(), limit }
    }
}
