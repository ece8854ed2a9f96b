//! Abstraction by given predicates.

use std::path::PathBuf;

use surefoot_abstraction::{Configuration, Method};
use surefoot_model::TermId;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verdict::{Event, Reporter, Verdict};

use super::{Outcome, Told};
use crate::abstraction::graph::{self, GraphFormat};
use crate::abstraction::path::path_to_unsafe;
use crate::abstraction::{AbstractOptions, Abstracted, abstraction, read_predicates};
use crate::certify::{Certifying, Subject};
use crate::engine::Budget;
use crate::problem::{Failure, Problem};
use crate::request::Request;
use crate::result::ResultObject;
use crate::source::Source;

/// How to abstract.
#[derive(Debug, Clone, Default)]
pub struct Abstracting {
    /// The predicates; else the property's own.
    pub predicates: Option<Source>,
    /// The file that the abstract state space is written to; its extension names the format.
    pub graph: Option<PathBuf>,
    /// Whether a certificate is wanted.
    pub certifying: Certifying,
    /// The rest. Whether it is to be as PlaJA has it, the request says.
    pub options: AbstractOptions,
}

impl Abstracting {
    /// The format of the graph, if one is to be written.
    fn format(&self) -> Result<Option<GraphFormat>, Diagnostic> {
        let format = |path: &PathBuf| {
            GraphFormat::of(path).ok_or_else(|| {
                let message = format!("the extension of {} names no format for graphs", path.display());
                Diagnostic::error_anywhere(message).with_help("use .json, .dot or .graphml")
            })
        };
        self.graph.as_ref().map(format).transpose()
    }

    pub(super) fn prepare(
        &self,
        sources: &mut SourceMap,
        problem: &mut Problem,
        request: &Request,
    ) -> Result<Vec<TermId>, Failure> {
        self.format()?;
        read_predicates(sources, problem, self.predicates.as_ref(), request.ignore_predicates)
    }

    pub(super) fn run(
        &self,
        problem: Problem,
        predicates: &[TermId],
        request: &Request,
        result: ResultObject,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        let options =
            AbstractOptions { plaja: request.plaja_compat, keep: self.certifying.is_wanted(), ..self.options.clone() };
        let mut found = abstraction(&problem, predicates, &options, budget, reporter)?;
        let model = problem.model();
        if let (Some(path), Some(format)) = (&self.graph, self.format()?) {
            let saved = graph::save(format, path, model, &found.words, &found.abstraction);
            saved.map_err(|error| Diagnostic::error_anywhere(error.to_string()))?;
        }
        let graph = self.graph.as_ref().map(|path| path.display().to_string());
        let path = unsafe_path(&found);
        let result = result.abstracted(&problem, &found, &described(options.method, &found), path.as_ref(), graph);
        let rests_on = found.words_taken();
        let subject = Subject { engine: "abstraction", assume_no_errors: found.open.is_some(), rests_on: &rests_on };
        let evidence = found.conclusion.as_ref().and_then(Verdict::evidence);
        let certified = self.certifying.certify(&problem, &subject, evidence, budget)?;
        let warnings = certified.warning.into_iter().collect();
        let result = ResultObject { certificate: certified.record, no_certificate: certified.missing, ..result };
        let last = found.abstraction.reached().figures();
        let mut notes = std::mem::take(&mut found.notes);
        notes.extend(certified.note);
        Ok(Outcome { notes, warnings, ..Outcome::new(result, Told::Abstracted(Box::new(found)), problem, last) })
    }
}

/// The path to something unsafe, where that leaves the verdict open.
#[must_use]
pub fn unsafe_path(found: &Abstracted) -> Option<crate::abstraction::path::AbstractPath<'_>> {
    let open = found.conclusion.as_ref().is_some_and(|verdict| !verdict.is_decided());
    path_to_unsafe(&found.abstraction).filter(|_| open)
}

/// A method, and who was asked instead of the built-in oracle.
#[must_use]
pub fn described(method: Method, found: &Abstracted) -> String {
    let by = found.outside.as_ref().map(|outside| format!(" by {}", outside.name));
    format!("{}{}", method_name(method), by.unwrap_or_default())
}

/// What a method is called.
#[must_use]
pub fn method_name(method: Method) -> &'static str {
    match method {
        Method::Builtin => "builtin",
        Method::Paper(Configuration::PLAIN) => "pa",
        Method::Paper(Configuration::RELAXED) => "pa+relaxed",
        Method::Paper(Configuration::BRANCH_AND_BOUND) => "pa+bb",
        Method::Paper(_) => "pa+relaxed+smt",
    }
}
