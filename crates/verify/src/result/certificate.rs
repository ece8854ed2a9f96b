//! Certificates of verdicts.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A certificate of the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[cfg_attr(test, schemars(rename = "Certificate"))]
pub struct CertificateRecord {
    /// The file; null where it was written only to be checked.
    pub file: Option<String>,
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of its text, before compression.
    pub raw_bytes: u64,
    /// Regions of the invariant.
    pub regions: u64,
    /// Single states of the invariant, of the run, or of the part of the model.
    pub states: u64,
    /// Seconds that writing took, to six digits.
    pub seconds_to_write: f64,
    /// Whether the checker has confirmed it.
    pub checked: bool,
    /// Seconds that the checker took, to six digits; null where it was not asked.
    pub seconds_to_check: Option<f64>,
}

/// What `certify` adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Certified {
    /// Whether the certificate is accepted; else `reason` says which obligation fails first, and why.
    pub accepted: bool,
    /// What the certificate claims: `unreachable`, `reachable`, `unsat`, or `bounded` for bounds on a probability.
    pub claim: String,
    /// What it shows, in words; null where it is rejected.
    pub shows: Option<String>,
    /// The verdict that it confirms; null where it is rejected, or about a number that was not compared.
    pub confirmed: Option<String>,
    /// Regions of the invariant; null where it is rejected.
    pub regions: Option<u64>,
    /// Single states of the invariant, or of the run; null where it is rejected.
    pub states: Option<u64>,
    /// Bytes of its text, before compression; null where it is rejected.
    pub raw_bytes: Option<u64>,
}
