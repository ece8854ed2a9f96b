//! Judging a certificate.

use std::path::PathBuf;

use surefoot_checker::judge::{OpenError, Opened};
use surefoot_checker::{Accepted, Refused, judge, open};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;

use super::{Class, Outcome, Told};
use crate::problem::Failure;
use crate::request::Request;
use crate::result::ResultObject;

/// A certificate that is to be judged.
#[derive(Debug, Clone, Default)]
pub struct Judging {
    /// The certificate.
    pub certificate: PathBuf,
    /// Whether the user takes it for granted that the model is never in error.
    pub assume_no_errors: bool,
}

impl Judging {
    /// Reads the certificate up to its index, and what it is about.
    pub(super) fn load(&self, sources: &mut SourceMap, request: &Request) -> Result<Opened, Failure> {
        open(sources, request, &self.certificate).map_err(|error| match error {
            OpenError::Certificate(error) => self.unreadable(&error.to_string()),
            OpenError::Problem(failure) => failure,
        })
    }

    pub(super) fn run(&self, opened: Opened, result: ResultObject) -> Result<Outcome, Failure> {
        let Opened { index, lines, problem } = opened;
        let judged = judge(&problem, &index, lines, self.assume_no_errors);
        let (class, accepted) = match judged {
            Ok(accepted) => (Class::Done, Ok(accepted)),
            Err(refused @ Refused::Rejected { .. }) => (Class::Violated, Err(refused.to_string())),
            Err(Refused::Unreadable(error)) => return Err(self.unreadable(&error.to_string())),
        };
        let result = result.certified(&problem, &index, &accepted);
        Ok(Outcome { class, ..Outcome::new(result, Told::Certified(Box::new(accepted)), problem, Vec::new()) })
    }

    fn unreadable(&self, why: &str) -> Failure {
        let message = format!("the certificate {} cannot be read: {why}", self.certificate.display());
        Diagnostic::error_anywhere(message).into()
    }
}

/// The opinion: what an accepted certificate shows, or why it is rejected.
pub type Opinion = Result<Accepted, String>;
