//! Comparing two policies.

use std::path::{Path, PathBuf};

use surefoot_certificate::{CertificateLines, Index};
use surefoot_checker::judge::OpenError;
use surefoot_files::Kind;
use surefoot_model::TermId;
use surefoot_temporal::lower;
use surefoot_text::diagnostic::{Diagnostic, Severity};
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_verdict::{Event, Reporter};

use super::{Outcome, Told};
use crate::cegar::first_predicates;
use crate::diff::invariant::{Source as Invariant, reuse_invariant};
use crate::diff::{Both, Compared, Way, compare};
use crate::engine::Budget;
use crate::problem::{Failure, LoadedPolicy, Problem, Selection};
use crate::request::{Request, Slicing};
use crate::result::ResultObject;
use crate::source::PolicySource;

/// What to compare with, and how. The request's policy is the first.
#[derive(Debug, Clone)]
pub struct Differing {
    /// The second policy.
    pub new: Option<PolicySource>,
    /// What is asked.
    pub question: Alike,
}

/// What is asked of two policies.
#[derive(Debug, Clone)]
pub enum Alike {
    /// Whether they choose alike: how, and in which region (a condition as text) instead of in all reachable states.
    Choices(Way, Option<String>),
    /// Whether the invariant of a certificate of the first, or of a result that names one, holds of the second.
    Certificate(PathBuf),
    /// Whether the invariant of a proof by refinement, made at once, does.
    Proof,
}

/// What was read besides the problem.
#[derive(Debug)]
pub(super) struct Second {
    policy: LoadedPolicy,
    region: Option<TermId>,
    invariant: Option<Invariant>,
}

/// A certificate that was read up to its index.
pub(super) type Certificate = Box<(PathBuf, Index, CertificateLines)>;

impl Differing {
    /// The file that it names to be read.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let certificate = match &self.question {
            Alike::Certificate(path) => Some(path),
            Alike::Choices(..) | Alike::Proof => None,
        };
        self.new.iter().filter_map(PolicySource::file).chain(certificate)
    }

    /// Reads the problem, and the certificate that says what it is about.
    pub(super) fn load(
        &self,
        sources: &mut SourceMap,
        request: &Request,
    ) -> Result<(Problem, Option<Certificate>), Failure> {
        if self.new.is_none() {
            let policy = option("policy");
            let error =
                Diagnostic::error_anywhere(format!("two policies are compared: the second {policy} is missing"));
            return Err(error.with_help(format!("give {policy} OLD {policy} NEW, in this order")).into());
        }
        let request = Request { slicing: Slicing::Off, ..request.clone() };
        match &self.question {
            Alike::Choices(..) => Ok((Problem::load(sources, &request, Selection::Optional)?, None)),
            Alike::Proof => Ok((Problem::load(sources, &request, Selection::Decide)?, None)),
            Alike::Certificate(path) => {
                let path = named_certificate(path)?;
                let opened = surefoot_checker::open(sources, &request, &path).map_err(|error| match error {
                    OpenError::Problem(failure) => failure,
                    OpenError::Certificate(error) => {
                        let message = format!("the certificate {} cannot be read: {error}", path.display());
                        Diagnostic::error_anywhere(message).into()
                    }
                })?;
                Ok((opened.problem, Some(Box::new((path, opened.index, opened.lines)))))
            }
        }
    }

    /// Reads the second policy, and the region.
    pub(super) fn prepare(
        &self,
        sources: &mut SourceMap,
        problem: &mut Problem,
        certificate: Option<Certificate>,
        request: &Request,
    ) -> Result<(Second, Vec<Diagnostic>), Failure> {
        let Some(new) = &self.new else { return Err(Failure::Internal("a task without its policy".to_owned())) };
        let Some(first) = problem.policy.as_ref().map(|policy| policy.name.clone()) else {
            let message = format!("there is no first policy to compare with: give one with {}", option("policy"));
            return Err(Diagnostic::error_anywhere(message).into());
        };
        let (policy, notes) = problem.another_policy(sources, new, request)?;
        // Both may have notices that say the same; whose they are tells them apart.
        let named = |note: Diagnostic| match (note.severity, note.span) {
            (Severity::Notice, None) => Diagnostic { message: format!("{}: {}", policy.name, note.message), ..note },
            _ => note,
        };
        let mut notes: Vec<Diagnostic> = notes.into_iter().map(named).collect();
        if policy.name == first {
            notes.push(crate::problem::notice(format!("both policies are {first}")));
        }
        let region = match &self.question {
            Alike::Choices(_, Some(text)) => Some(region(sources, problem, text)?),
            _ => None,
        };
        let invariant = match (&self.question, certificate) {
            (_, Some(certificate)) => Some(Invariant::Certificate(certificate)),
            (Alike::Proof, None) => {
                let predicates = first_predicates(sources, problem, None, request.ignore_predicates)?;
                let options = crate::cegar::CegarOptions { predicates, ..Default::default() };
                Some(Invariant::Refinement(Box::new(options)))
            }
            _ => None,
        };
        Ok((Second { policy, region, invariant }, notes))
    }

    pub(super) fn run(
        &self,
        problem: Problem,
        second: Second,
        result: ResultObject,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        let Second { policy, region, invariant } = second;
        let both = Both { problem: &problem, new: &policy };
        let found: Compared = match (&self.question, invariant) {
            (_, Some(invariant)) => reuse_invariant(&both, invariant, budget, reporter)?,
            (Alike::Choices(way, _), None) => compare(&both, *way, region, budget, reporter)?,
            _ => return Err(Failure::Internal("a task was run before it was prepared".to_owned())),
        };
        let text = match &self.question {
            Alike::Choices(_, text) => text.as_deref(),
            _ => None,
        };
        let result = result.compared(&both, text, &found);
        let last = found.reachable.as_ref().map_or_else(Vec::new, |found| found.old.figures.explored().figures());
        Ok(Outcome::new(result, Told::Compared(Box::new(found)), problem, last))
    }
}

/// A condition that names a region.
fn region(sources: &mut SourceMap, problem: &mut Problem, text: &str) -> Result<TermId, Failure> {
    let hashed = format!("region\n{text}");
    let noted = sources.inputs.give("<region>", hashed.as_bytes(), Kind::Properties);
    noted.map_err(|error| Diagnostic::error_anywhere(format!("cannot use {}: {error}", option("region"))))?;
    let file = sources.add(option("region"), text);
    Ok(lower::condition(sources, file, &mut problem.lowered)?)
}

/// The certificate itself, or the one that a result names: as it is written there, or beside the result.
fn named_certificate(path: &Path) -> Result<PathBuf, Diagnostic> {
    if surefoot_files::head(path, 64).is_none_or(|head| !head.starts_with('{')) {
        return Ok(path.to_owned());
    }
    // It only says where to look: certificates are held against all that was read, and it is none of that.
    let mut sources = SourceMap::default();
    let file = surefoot_text::load(&mut sources, path, Kind::Result)?;
    let name = path.display();
    let wrong = |what: &str| {
        let help = format!("write one with `verify {} FILE`", option("certificate"));
        Diagnostic::error_anywhere(format!("the result {name} {what}")).with_help(help)
    };
    let object: serde_json::Value = serde_json::from_str(&sources.file(file).text).map_err(|_| wrong("is no JSON"))?;
    let named = object.pointer("/certificate/file").and_then(serde_json::Value::as_str);
    let named = PathBuf::from(named.ok_or_else(|| wrong("names no certificate"))?);
    let beside = path.with_file_name(&named);
    Ok(if !named.exists() && beside.exists() { beside } else { named })
}
