//! The questions of the page: each has a file, with what is asked and what is told; `PAGE.md` has the members.
//!
//! Answers come from what the rest of the tool stands on: the reference interpreter, the abstraction and the oracle. A question that makes no sense is
//! answered with what is wrong with it, and where it was read from a text, with the place in that text.

mod predicates;
mod region;
mod slice;
mod state;
mod unfold;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use surefoot_model::{State, TermId};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verify::{Budget, Failure, Problem};

use super::{Reply, Viewer};
use crate::names::Names;

/// The answer to a question.
///
/// # Errors
/// What is wrong with it, as a reply.
pub(super) fn answer(viewer: &Viewer<'_>, path: &str, question: &Value) -> Result<Reply, Reply> {
    match path {
        "state" => state::state(viewer, &read(question)?),
        "slice" => slice::slice(viewer, &read(question)?),
        "predicates" => predicates::predicates(viewer, &read(question)?),
        "unfold" => unfold::unfold(viewer, &read(question)?),
        "region" => region::region(viewer, &read(question)?),
        "stop" => {
            viewer.stop();
            Ok(Reply::Object(json!({})))
        }
        _ => Err(Reply::Unknown),
    }
}

fn read<T: DeserializeOwned>(question: &Value) -> Result<T, Reply> {
    T::deserialize(question).map_err(|error| Reply::wrong(format!("this is no such question: {error}")))
}

/// The state of a page's numbers; where a number was rounded, `exact` has its value as text.
fn state_of(names: &Names<'_>, values: &[f64], exact: Option<&[Option<String>]>) -> Result<State, Reply> {
    names.state_exactly(values, exact.unwrap_or_default()).map_err(Reply::wrong)
}

/// The longest condition.
const LONGEST: usize = 10_000;

/// Reads a condition; `which` is its place in a list.
fn condition(problem: &mut Problem, text: &str, which: Option<usize>) -> Result<TermId, Reply> {
    if text.len() > LONGEST {
        return Err(Reply::wrong(format!("a condition has at most {LONGEST} characters")));
    }
    let mut sources = SourceMap::default();
    let file = sources.add("condition", text);
    surefoot_temporal::lower::condition(&sources, file, &mut problem.lowered)
        .map_err(|error| misread(&error, text, which))
}

/// What is wrong with a text, and where: browsers count in units of 16 bits.
fn misread(error: &Diagnostic, text: &str, which: Option<usize>) -> Reply {
    let place = error.span.map(|span| {
        let units = |offset: u32| text.get(..offset as usize).map_or(0, |before| before.encode_utf16().count());
        [units(span.start), units(span.end)]
    });
    Reply::Wrong(json!({"error": in_words(error), "place": place, "index": which}))
}

fn in_words(error: &Diagnostic) -> String {
    match &error.help {
        Some(help) => format!("{} ({help})", error.message),
        None => error.message.clone(),
    }
}

/// Why there is no answer.
fn failed(failure: Failure, budget: &Budget) -> Reply {
    Reply::wrong(match failure {
        Failure::Stopped(stop) => budget.describe(stop),
        Failure::Internal(what) => format!("internal error: {what}"),
        Failure::Input(errors) => errors.iter().map(in_words).collect::<Vec<_>>().join("; "),
    })
}
