//! Opening a certificate of bounds.

use std::io::Read;
use std::path::Path;

use surefoot_certificate::{BoundedIndex, CertificateError};
use surefoot_files::{Kind, ReadError};
use surefoot_problem::{Problem, Request, Selection, Slicing};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;

use super::archive::{self, Files};
use super::process::index;
use super::{MOST_BYTES, is_archive};
use crate::judge::OpenError;
use crate::refused::Refused;

/// The bytes at the beginning that tell an archive.
const HEAD: u64 = 4096;

/// A certificate of bounds, unpacked, and the problem that it says it is about.
#[derive(Debug)]
pub struct Opened {
    /// What it claims.
    pub index: BoundedIndex,
    /// What the checker read itself.
    pub problem: Problem,
    pub(super) files: Files,
}

/// Whether a file is a certificate of bounds, by its beginning.
///
/// # Errors
/// What cannot be read.
pub fn is_bounds(sources: &mut SourceMap, certificate: &Path) -> Result<bool, ReadError> {
    let mut head = Vec::new();
    sources.inputs.open(certificate, Kind::Certificate)?.take(HEAD).read_to_end(&mut head)?;
    Ok(is_archive(&head))
}

/// Opens a certificate of bounds, and reads what it is about: what the request names, and where it names no property, the one of the certificate.
///
/// # Errors
/// What cannot be read.
pub fn open(sources: &mut SourceMap, request: &Request, certificate: &Path) -> Result<Opened, OpenError> {
    let unreadable = |error: Refused| match error {
        Refused::Unreadable(error) => OpenError::Certificate(error),
        rejected => OpenError::Certificate(CertificateError::Archive(rejected.to_string())),
    };
    let file = sources.inputs.open(certificate, Kind::Certificate).map_err(CertificateError::from);
    let files = archive::read(file.map_err(OpenError::Certificate)?, MOST_BYTES).map_err(unreadable)?;
    let index = index(&files).map_err(unreadable)?.0;
    if request.plaja_compat {
        let message = "there are no certificates for start sets and ties as PlaJA has them";
        let refusal = Diagnostic::error_anywhere(message).refusal();
        return Err(OpenError::Problem(refusal.into()));
    }
    let named = index.subject.property.as_ref().map(|property| property.index.to_string());
    let property = request.property.clone().or(named);
    // The certificate says itself what it leaves out.
    let request = Request { property, slicing: Slicing::Off, ..request.clone() };
    let problem = Problem::load(sources, &request, Selection::Bound).map_err(OpenError::Problem)?;
    Ok(Opened { index, problem, files })
}
