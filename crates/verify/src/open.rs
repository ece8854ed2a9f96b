//! Proofs of safety that leave open whether the model is in error.
//!
//! A symbolic engine takes an operator as absent where it is an error of the model. That nothing unsafe is reached is then proved
//! of the model only if no such state is reachable. What is found is the same error as the explicit engine's; what stays
//! undecided makes the answer [`Verdict::Unknown`], with the proof and what is open told. Only where the user takes it for granted that there are no
//! errors is it [`Verdict::Holds`], and then the answer says so.

use serde_json::{Value, json};

use crate::engine::{Evidence, Verdict};

/// What a verdict takes for granted where the user said so.
pub const NO_ERRORS: &str = "the model is never in error (taken for granted, as asked for)";

/// What is open besides a proof of safety.
#[derive(Debug, Clone)]
pub struct OpenErrors {
    /// What would be an error, as in "an update of go leaves a variable's domain".
    pub what: String,
    /// Why it is not known whether it is.
    pub because: String,
    /// The proof that no unsafe state is reached where the model is not in error.
    pub proof: Evidence,
}

impl OpenErrors {
    /// The verdict, and what it takes for granted.
    ///
    /// Soundness: this is the only way from a proof with something open to *holds*, and only the user's word opens it.
    #[must_use]
    pub fn verdict(&self, assume_no_errors: bool) -> (Verdict, Vec<String>) {
        if assume_no_errors {
            (Verdict::Holds(self.proof.clone()), vec![self.assumption()])
        } else {
            (Verdict::Unknown { reason: self.reason() }, Vec::new())
        }
    }

    /// Why nothing is known.
    #[must_use]
    pub fn reason(&self) -> String {
        reason(&self.what, &self.because)
    }

    /// What the verdict takes for granted where that was asked for.
    #[must_use]
    pub fn assumption(&self) -> String {
        assumption(&self.what, &self.because)
    }

    /// For the result object.
    #[must_use]
    pub fn object(&self) -> Value {
        json!({"what": self.what, "because": self.because})
    }
}

/// Why nothing is known, though nothing unsafe is reached.
pub(crate) fn reason(what: &str, because: &str) -> String {
    format!(
        "errors of the model are not excluded: whether {what} was not decided ({because}); if there are none, no unsafe \
         state is reached"
    )
}

/// What is taken for granted, and what that leaves out.
pub(crate) fn assumption(what: &str, because: &str) -> String {
    format!("{NO_ERRORS}: whether {what} was not decided ({because})")
}
