//! Why a certificate is not accepted.

use surefoot_certificate::CertificateError;

/// Why a certificate is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It can be read, and something that it has to show is not so.
    #[error("{obligation}: {why}")]
    Rejected {
        /// The first obligation that fails.
        obligation: String,
        /// Why it does.
        why: String,
    },
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] CertificateError),
}

impl Refused {
    /// That an obligation fails.
    #[must_use]
    pub fn rejected(obligation: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Rejected { obligation: obligation.into(), why: why.into() }
    }
}
