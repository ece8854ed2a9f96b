//! Judging a certificate.

use std::path::PathBuf;

use surefoot_checker::judge::OpenError;
use surefoot_checker::{Accepted, Refused, judge, lemma, open, probability};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;

use super::{Class, Outcome, Told};
use crate::problem::{Failure, Problem};
use crate::request::Request;
use crate::result::ResultObject;

/// A certificate that is to be judged.
#[derive(Debug, Clone, Default)]
pub struct Judging {
    /// The certificate.
    pub certificate: PathBuf,
    /// Whether the user takes it for granted that the model is never in error.
    pub assume_no_errors: bool,
    /// The network that it is about: then the request has queries in the place of a model.
    pub network: Option<PathBuf>,
}

/// A certificate and the problem it is about.
#[derive(Debug)]
pub(super) enum Loaded {
    /// Of a verdict.
    Verdict(surefoot_checker::Opened),
    /// Of bounds on a probability.
    Bounds(probability::Opened),
    /// Of questions about a network.
    Unsat(Box<lemma::Opened>),
}

impl Loaded {
    pub(super) fn problem(&self) -> &Problem {
        match self {
            Self::Verdict(opened) => &opened.problem,
            Self::Bounds(opened) => &opened.problem,
            Self::Unsat(opened) => &opened.lemmas.problem,
        }
    }
}

/// What an accepted certificate shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// That, in words.
    pub says: String,
    /// The verdict that it confirms, if it is about one.
    pub confirmed: Option<String>,
    /// Regions of the invariant.
    pub regions: u64,
    /// Single states.
    pub states: u64,
    /// Bytes of its text.
    pub raw_bytes: u64,
    /// What it takes for granted besides what the problem does.
    pub assumptions: Vec<String>,
}

/// The opinion: what an accepted certificate shows, or why it is rejected.
pub type Opinion = Result<Shown, String>;

impl From<Accepted> for Shown {
    fn from(accepted: Accepted) -> Self {
        let says = accepted.says();
        let Accepted { verdict, regions, states, raw_bytes, assumptions, .. } = accepted;
        Self { says, confirmed: Some(verdict.word().to_owned()), regions, states, raw_bytes, assumptions }
    }
}

impl From<probability::Proved> for Shown {
    fn from(proved: probability::Proved) -> Self {
        Self {
            says: proved.says(),
            confirmed: proved.verdict.map(|verdict| verdict.word().to_owned()),
            regions: 0,
            states: proved.states as u64,
            raw_bytes: proved.raw_bytes,
            assumptions: Vec::new(),
        }
    }
}

impl From<lemma::Unanswerable> for Shown {
    fn from(shown: lemma::Unanswerable) -> Self {
        let (says, raw_bytes) = (shown.says(), shown.raw_bytes);
        Self { says, confirmed: Some("unsat".to_owned()), regions: 0, states: 0, raw_bytes, assumptions: Vec::new() }
    }
}

impl Judging {
    /// Reads the certificate up to its index, and what it is about.
    pub(super) fn load(&self, sources: &mut SourceMap, request: &Request) -> Result<Loaded, Failure> {
        let failed = |error| match error {
            OpenError::Certificate(error) => self.unreadable(&error.to_string()),
            OpenError::Problem(failure) => failure,
        };
        if let Some(network) = &self.network {
            let opened = lemma::open(sources, &request.model, network, &self.certificate);
            return opened.map(|opened| Loaded::Unsat(Box::new(opened))).map_err(failed);
        }
        let bounds = probability::is_bounds(sources, &self.certificate);
        if bounds.map_err(|error| self.unreadable(&error.to_string()))? {
            return probability::open(sources, request, &self.certificate).map(Loaded::Bounds).map_err(failed);
        }
        open(sources, request, &self.certificate).map(Loaded::Verdict).map_err(failed)
    }

    pub(super) fn run(&self, loaded: Loaded, result: ResultObject) -> Result<Outcome, Failure> {
        let (claim, judged, problem) = match loaded {
            Loaded::Verdict(surefoot_checker::Opened { index, lines, problem }) => {
                let judged = judge(&problem, &index, lines, self.assume_no_errors);
                (index.claim.word(), judged.map(Shown::from), problem)
            }
            Loaded::Bounds(opened) => {
                let judged = probability::judge(&opened);
                ("bounded", judged.map(Shown::from), opened.problem)
            }
            Loaded::Unsat(opened) => {
                let lemma::Opened { index, lines, lemmas } = *opened;
                let judged = lemma::judge(&lemmas, &index, lines);
                (index.claim.word(), judged.map(Shown::from), lemmas.problem)
            }
        };
        let (class, shown) = match judged {
            Ok(shown) => (Class::Done, Ok(shown)),
            Err(refused @ Refused::Rejected { .. }) => (Class::Violated, Err(refused.to_string())),
            Err(Refused::Unreadable(error)) => return Err(self.unreadable(&error.to_string())),
        };
        let result = result.certified(&problem, claim, &shown);
        Ok(Outcome { class, ..Outcome::new(result, Told::Certified(Box::new(shown)), problem, Vec::new()) })
    }

    fn unreadable(&self, why: &str) -> Failure {
        let message = format!("the certificate {} cannot be read: {why}", self.certificate.display());
        Diagnostic::error_anywhere(message).into()
    }
}
