//! Certificates of verdicts: written, and checked at once where that is asked for.
//!
//! A verdict stands whether or not there is a certificate for it: where none can be written, the result, its page and a warning say why. A certificate of ours that the checker rejects is another
//! thing: then the verdict or the certificate is wrong, and that is an error of ours, never a verdict.
//!
//! * `write`: what evidence becomes; `bounds`: what bounds on probabilities do; `lemmas`: questions about networks; [`task::certify`](crate::task::certify): judging certificates from files.

mod bounds;
mod lemmas;
mod write;

use std::path::{Path, PathBuf};
use std::time::Instant;

use surefoot_certificate::CertificateLines;
use surefoot_checker::Refused;
use surefoot_files::{Inputs, Scratch};
use surefoot_text::diagnostic::{Diagnostic, Severity};
use surefoot_text::option;

use crate::engine::{Budget, Evidence};
use crate::problem::{Failure, Problem, notice};
use crate::request::Request;
use crate::result::certificate::CertificateRecord;
use crate::result::rounded;

pub use write::Subject;

/// Whether a certificate is wanted.
#[derive(Debug, Clone, Default)]
pub struct Certifying {
    /// Where it is written.
    pub file: Option<PathBuf>,
    /// Whether it is checked at once. Without a file it is written to a temporary one, in this folder.
    pub check: Option<PathBuf>,
}

/// What became of a certificate.
#[derive(Debug, Default)]
pub struct Certified {
    /// It, if there is one.
    pub record: Option<CertificateRecord>,
    /// Why there is none, where one was wanted.
    pub missing: Option<String>,
    /// The same as a warning, where it was not to be expected.
    pub warning: Option<Diagnostic>,
    /// What is worth knowing about it.
    pub note: Option<Diagnostic>,
}

impl Certifying {
    /// Whether one is wanted.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.file.is_some() || self.check.is_some()
    }

    /// That there can be one.
    ///
    /// # Errors
    /// Requests that there are no certificates for, by name.
    pub fn supports(&self, request: &Request) -> Result<(), Diagnostic> {
        if self.is_wanted() && request.plaja_compat {
            let message = format!("there are no certificates under {}", option("plaja-compat"));
            let help =
                format!("leave {} and {} out, or {}", option("certificate"), option("certify"), option("plaja-compat"));
            return Err(Diagnostic::error_anywhere(message).refusal().with_help(help));
        }
        Ok(())
    }

    /// Writes a certificate of a decided verdict, and has it checked.
    ///
    /// # Errors
    /// [`Failure::Internal`] where the checker rejects what was written.
    pub fn certify(
        &self,
        problem: &Problem,
        subject: &Subject<'_>,
        evidence: Option<&Evidence>,
        budget: &Budget,
    ) -> Result<Certified, Failure> {
        if !self.is_wanted() {
            return Ok(Certified::default());
        }
        let Some(evidence) = evidence else {
            let missing = Some("nothing was decided".to_owned());
            return Ok(Certified { missing, ..Certified::default() });
        };
        if let [first, ..] = subject.rests_on {
            return certified(Err(Uncertified::Refused(format!("the verdict rests on the word of others ({first})"))));
        }
        let mut instead = None;
        let written = self.placed(|path| {
            let (record, why) = self.written(problem, subject, evidence, path, budget)?;
            instead = why;
            Ok(record)
        });
        let note = instead.map(|why| notice(format!("the certificate lists the reachable states ({why})")));
        Ok(Certified { note, ..certified(written)? })
    }

    /// Writes where a certificate is to be: to its file, or to a temporary one.
    fn placed(
        &self,
        write: impl FnOnce(&Path) -> Result<CertificateRecord, Uncertified>,
    ) -> Result<CertificateRecord, Uncertified> {
        let refused = |error: std::io::Error| Uncertified::Refused(error.to_string());
        let scratch = match (&self.file, &self.check) {
            (None, Some(folder)) => Some(Scratch::new(folder).map_err(refused)?),
            _ => None,
        };
        let temporary = scratch.as_ref().map(|scratch| scratch.path().join("certificate"));
        let Some(path) = self.file.as_deref().or(temporary.as_deref()) else {
            return Err(Uncertified::Refused("there is no place for it".to_owned()));
        };
        write(path)
    }

    fn written(
        &self,
        problem: &Problem,
        subject: &Subject<'_>,
        evidence: &Evidence,
        path: &Path,
        budget: &Budget,
    ) -> Result<(CertificateRecord, Option<String>), Uncertified> {
        let started = Instant::now();
        let written = write::write(problem, subject, evidence, path, budget).map_err(Uncertified::Refused)?;
        let seconds_to_write = rounded(started.elapsed().as_secs_f64());
        let started = Instant::now();
        if self.check.is_some() {
            check(problem, path, subject.assume_no_errors)?;
        }
        let record = CertificateRecord {
            file: self.file.as_ref().map(|file| file.display().to_string()),
            bytes: written.size.bytes,
            raw_bytes: written.size.raw_bytes,
            regions: written.regions,
            states: written.states,
            seconds_to_write,
            checked: self.check.is_some(),
            seconds_to_check: self.check.is_some().then(|| rounded(started.elapsed().as_secs_f64())),
        };
        Ok((record, written.instead))
    }
}

/// What became of a certificate. A verdict stands without one; one of ours that the checker rejects is an error of ours.
fn certified(written: Result<CertificateRecord, Uncertified>) -> Result<Certified, Failure> {
    match written {
        Ok(record) => Ok(Certified { record: Some(record), ..Certified::default() }),
        Err(Uncertified::Refused(why)) => {
            let warning = warning(format!("there is no certificate: {why}"));
            Ok(Certified { warning: Some(warning), missing: Some(why), ..Certified::default() })
        }
        Err(Uncertified::Rejected(why)) => {
            Err(Failure::Internal(format!("the checker rejects the certificate of this verdict ({why})")))
        }
    }
}

/// Why a verdict has no certificate.
enum Uncertified {
    /// None could be written.
    Refused(String),
    /// The checker says no.
    Rejected(String),
}

/// Has a file checked that was just written.
fn check(problem: &Problem, path: &Path, assume_no_errors: bool) -> Result<(), Uncertified> {
    let read = CertificateLines::open(&mut Inputs::default(), path).and_then(|mut lines| Ok((lines.index()?, lines)));
    let judged = read
        .map_err(Refused::from)
        .and_then(|(index, lines)| surefoot_checker::judge(problem, &index, lines, assume_no_errors));
    judged.map(|_| ()).map_err(|refused| Uncertified::Rejected(refused.to_string()))
}

fn warning(message: String) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..Diagnostic::error_anywhere(message) }
}
