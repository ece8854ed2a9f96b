//! Checking the bound on a probability that a result shows.

use surefoot_certificate::{ReadBound, read_bound};
use surefoot_files::Kind;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;

use super::replay::changed_files;
use super::{Class, Outcome, Told};
use crate::bounds::{BoundsOptions, asked};
use crate::engine::Budget;
use crate::problem::{Failure, Problem, Selection};
use crate::replay::bound::{Confirmed, check};
use crate::replay::result;
use crate::request::{Request, Slicing};
use crate::result::ResultObject;
use crate::source::Source;

/// A bound and the problem it is about.
#[derive(Debug)]
pub(super) struct ReplayingBound {
    read: ReadBound,
    /// Whether the user chose the property, and not the result.
    property_chosen: bool,
    pub(super) problem: Problem,
}

impl ReplayingBound {
    /// Reads a result about a probability, and the problem that it says it is about, with what is worth knowing of them; nothing where it is about
    /// something else.
    pub(super) fn load(
        sources: &mut SourceMap,
        request: &Request,
        witness: &Source,
    ) -> Result<Option<(Self, Vec<Diagnostic>)>, Failure> {
        let file = witness.load(sources, Kind::Result)?;
        let Some(read) = read_bound(file, &sources.file(file).text)? else { return Ok(None) };
        if let Some(command) = read.result.command.as_deref().filter(|name| !matches!(*name, "bounds" | "verify")) {
            let message = format!("a result of `{command}` has no scheduler");
            return Err(Diagnostic::error(read.result.span, message).into());
        }
        let property_chosen = request.property.is_some();
        let named = read.result.property.clone().flatten();
        let property = request.property.clone().or(named);
        // Variables that do not matter are left out of schedulers.
        let asking = result::asked(&request.asking, Some(&read.result))?;
        let request = Request { property, asking, slicing: Slicing::On, ..request.clone() };
        let problem = Problem::load(sources, &request, Selection::Bound)?;
        let notes = problem.notes.iter().cloned().chain(changed_files(&problem, &read.inputs)).collect();
        Ok(Some((Self { read, property_chosen, problem }, notes)))
    }

    pub(super) fn run(self, result: ResultObject, budget: &Budget, seed: u64) -> Result<Outcome, Failure> {
        let Self { read, property_chosen, problem } = self;
        result::check_subject(&problem, &read.result, property_chosen)?;
        let quantity = asked(&problem, &BoundsOptions::default())?;
        let checked = check(&problem, &quantity, &read, seed, budget)?;
        let result = result.checked(&problem, &checked);
        let (class, notes) = match &checked.says {
            Confirmed::Yes => (Class::Done, Vec::new()),
            Confirmed::No(reason) => {
                let span = match reason {
                    crate::replay::NotReal::Start(_) => read.start_span,
                    _ => read.value_span,
                };
                (Class::Violated, vec![Diagnostic::notice(span, format!("not real: {reason}"))])
            }
            Confirmed::Open(_) => (Class::Unknown, Vec::new()),
        };
        let told = Told::CheckedBound(Box::new(checked));
        Ok(Outcome { class, notes, ..Outcome::new(result, told, problem, Vec::new()) })
    }
}
