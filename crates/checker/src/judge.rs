//! Opening a certificate and judging it.

use std::path::Path;

use surefoot_certificate::index::{Claim, Verdict};
use surefoot_certificate::{CertificateError, CertificateLines, Index};
use surefoot_problem::{Failure, Problem, Request, Selection};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;

use crate::refused::Refused;
use crate::{invariant, run, subject};

/// A certificate, read up to its index, and the problem that it says it is about.
#[derive(Debug)]
pub struct Opened {
    /// What it claims.
    pub index: Index,
    /// The rest of it.
    pub lines: CertificateLines,
    /// What the checker read itself.
    pub problem: Problem,
}

/// Why there is nothing to judge.
#[derive(Debug)]
pub enum OpenError {
    /// The certificate cannot be read.
    Certificate(CertificateError),
    /// Model, property or policy cannot be.
    Problem(Failure),
}

/// What an accepted certificate shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// What was claimed.
    pub claim: Claim,
    /// What follows for the property.
    pub verdict: Verdict,
    /// Regions of the invariant.
    pub regions: u64,
    /// Single states of the invariant, or of the run.
    pub states: u64,
    /// Bytes of the text.
    pub raw_bytes: u64,
    /// What it takes for granted besides what the problem does.
    pub assumptions: Vec<String>,
    /// The property that it is about, by name.
    pub property: Option<String>,
}

impl Accepted {
    /// What it shows, in words: of which property, and what is assumed.
    #[must_use]
    pub fn says(&self) -> String {
        let property = self.property.as_ref().map_or(String::new(), |name| format!(" (property '{name}')"));
        let assumed = if self.assumptions.is_empty() {
            String::new()
        } else {
            format!(", if {}", self.assumptions.join(" and "))
        };
        format!("{}: {}{property}{assumed}", self.verdict.word(), self.claim.says())
    }
}

/// The checker's opinion.
pub type Judgement = Result<Accepted, Refused>;

/// Opens a certificate, and reads what it is about: what the request names, and where it names no property, the one of the certificate.
///
/// # Errors
/// What cannot be read.
pub fn open(sources: &mut SourceMap, request: &Request, certificate: &Path) -> Result<Opened, OpenError> {
    let mut lines = CertificateLines::open(&mut sources.inputs, certificate).map_err(OpenError::Certificate)?;
    let index = lines.index().map_err(OpenError::Certificate)?;
    if request.plaja_compat {
        let message = "there are no certificates for start sets and ties as PlaJA has them";
        let refusal = Diagnostic::error_anywhere(message).refusal();
        return Err(OpenError::Problem(refusal.into()));
    }
    let named = index.property.as_ref().map(|property| property.index.to_string());
    let property = request.property.clone().or(named);
    // The certificate is about all variables, whatever was left out to find it.
    let request = Request { property, slicing: surefoot_problem::Slicing::Off, ..request.clone() };
    let problem = Problem::load(sources, &request, Selection::Decide).map_err(OpenError::Problem)?;
    Ok(Opened { index, lines, problem })
}

/// Judges a certificate about a problem; `assume_no_errors` is what the user takes for granted.
///
/// # Errors
/// The first obligation that fails, and why; or what cannot be read.
pub fn judge(problem: &Problem, index: &Index, lines: CertificateLines, assume_no_errors: bool) -> Judgement {
    subject::check(problem, index, assume_no_errors)?;
    let (claim, verdict) = (index.claim, index.verdict);
    let property = problem.property.as_ref().map(|property| property.name.clone());
    match claim {
        Claim::Reachable => {
            let (states, raw_bytes) = run::check(problem, lines)?;
            // A run is what it is, whatever the model does elsewhere.
            Ok(Accepted { claim, verdict, regions: 0, states, raw_bytes, assumptions: Vec::new(), property })
        }
        Claim::Unreachable => {
            let assumed = index.semantics.assume_no_errors;
            let (shown, raw_bytes) = invariant::check(problem, assumed, lines)?;
            let assumptions = if assumed { vec!["the model is never in error".to_owned()] } else { Vec::new() };
            Ok(Accepted {
                claim,
                verdict,
                regions: shown.regions,
                states: shown.states,
                raw_bytes,
                assumptions,
                property,
            })
        }
        Claim::Unsat => {
            // `subject::check` has refused it, because there is a model.
            Err(Refused::rejected("the index: what is claimed", "it is about a network alone"))
        }
    }
}
