//! What evidence becomes when it is written down.

use std::path::Path;

use surefoot_certificate::index::Claim;
use surefoot_certificate::{CertificateWriter, Size, Witness};
use surefoot_checker::subject;

use crate::engine::{Budget, Evidence};
use crate::problem::Problem;

/// What a certificate says besides what it shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'v> {
    /// The engine whose verdict it is.
    pub(crate) engine: &'v str,
    /// Whether the verdict takes it for granted that the model is never in error.
    pub(crate) assume_no_errors: bool,
}

/// A certificate that was written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written {
    pub(super) size: Size,
    pub(super) regions: u64,
    pub(super) states: u64,
}

/// Writes a certificate.
///
/// # Errors
/// Why there is none, in words.
pub(super) fn write(
    problem: &Problem,
    about: &Subject<'_>,
    evidence: &Evidence,
    path: &Path,
    _budget: &Budget,
) -> Result<Written, String> {
    match evidence {
        Evidence::Run(run) => write_run(problem, about, &run.witness, path),
        Evidence::Exhaustive | Evidence::Invariant { .. } => Err("invariants have none yet".to_owned()),
        Evidence::AllPaths { .. } => Err("the engine 'bmc' has none for proofs".to_owned()),
    }
}

/// A run. That the model is never in error is no matter of it: it is what it is.
fn write_run(problem: &Problem, about: &Subject<'_>, run: &Witness, path: &Path) -> Result<Written, String> {
    let index = subject::index(problem, Claim::Reachable, about.engine, false)?;
    let in_words = |error: surefoot_certificate::WriteError| error.to_string();
    let line = serde_json::to_string(run).map_err(|error| error.to_string())?;
    let mut writer = CertificateWriter::create(path, &index).map_err(in_words)?;
    writer.line(&line).map_err(in_words)?;
    let size = writer.finish(&[]).map_err(in_words)?;
    Ok(Written { size, regions: 0, states: run.steps.len() as u64 + 1 })
}
