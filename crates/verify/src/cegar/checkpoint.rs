//! The predicates found so far in a file, from which a later run goes on.
//!
//! Predicates are hints: whatever they are, the verdict is right. That a checkpoint belongs to the same inputs is checked because
//! one of another problem is a mistake, not because it could mislead.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use surefoot_abstraction::PredicateSet;
use surefoot_files::{Kind, replace};
use surefoot_model::TermId;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::load;
use surefoot_text::option;
use surefoot_text::source::SourceMap;

use super::expression::Expressions;
use crate::abstraction::predicates::predicates_of;
use crate::problem::{Failure, Problem};
use crate::request::Request;

/// A file that is written after every iteration.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    path: PathBuf,
    /// What it belongs to.
    problem: Value,
    /// Iterations before this run.
    earlier: u64,
}

/// What a checkpoint of an earlier run says.
#[derive(Debug, Clone)]
pub struct Resumed {
    /// Its predicates.
    pub predicates: Vec<TermId>,
    /// The iterations that led to them.
    pub iterations: u64,
}

impl Checkpoint {
    /// A checkpoint for a problem, and what the file says where there is one already. The hashes are those of the problem's inputs now: open it
    /// before files of predicates are read.
    ///
    /// # Errors
    /// A file that is no checkpoint, or belongs to another problem.
    pub fn open(
        sources: &mut SourceMap,
        problem: &mut Problem,
        request: &Request,
        path: &Path,
    ) -> Result<(Self, Option<Resumed>), Failure> {
        let mut checkpoint = Self { path: path.to_owned(), problem: identity(problem, request), earlier: 0 };
        if !path.exists() {
            return Ok((checkpoint, None));
        }
        let shown = path.display();
        let wrong = |message: String| Diagnostic::error_anywhere(message).with_help("give another file, or remove it");
        let file = load(sources, path, Kind::Checkpoint)?;
        let object: Value = serde_json::from_str(&sources.file(file).text).unwrap_or_default();
        let (Some(theirs), Some(iterations)) = (object.get("problem"), object["iterations"].as_u64()) else {
            return Err(wrong(format!("{shown} is no checkpoint")).into());
        };
        if let Some(what) = difference(&checkpoint.problem, theirs) {
            return Err(wrong(format!("the checkpoint {shown} belongs to another problem: {what}")).into());
        }
        let predicates = predicates_of(sources, &mut problem.lowered, file)?;
        checkpoint.earlier = iterations;
        Ok((checkpoint, Some(Resumed { predicates, iterations })))
    }

    /// Writes the predicates, all or nothing. Those that JANI has no names for are left out.
    pub(crate) fn write(&self, iterations: u64, all: &PredicateSet, expressions: &Expressions) -> Result<(), String> {
        let predicates: Vec<Value> = all.formulas().iter().filter_map(|formula| expressions.write(formula)).collect();
        let object = json!({
            "tool": "surefoot",
            "problem": self.problem,
            "iterations": self.earlier.saturating_add(iterations),
            "predicates": predicates,
        });
        replace(&self.path, |out| writeln!(out, "{object}")).map_err(|error| error.to_string())
    }
}

/// What a run is about: the contents of its files, wherever they are, and the options that matter.
fn identity(problem: &Problem, request: &Request) -> Value {
    let mut inputs: Vec<&str> = problem.inputs.iter().map(|(_, hash)| hash.as_str()).collect();
    inputs.sort_unstable();
    let constants: Map<String, Value> = request
        .constants
        .iter()
        .map(|constant| (constant.name.to_string(), json!(constant.value.to_string())))
        .collect();
    json!({
        "inputs": inputs,
        "property": problem.property.as_ref().map(|property| &property.name),
        "constants": constants,
        "filter": problem.policy().map(|policy| policy.filter),
        "goal_terminal": request.goal_terminal,
        "plaja_compat": request.plaja_compat,
    })
}

/// The first thing in which problems differ, in words.
fn difference(ours: &Value, theirs: &Value) -> Option<String> {
    let other = |name: &str| format!("{} was another", option(name));
    let parts = [
        ("property", "another property was asked about".to_owned()),
        ("constants", "constants had other values".to_owned()),
        ("filter", "the applicability filter was another".to_owned()),
        ("goal_terminal", other("goal-terminal")),
        ("plaja_compat", other("plaja-compat")),
        ("inputs", "the input files were others, or have changed".to_owned()),
    ];
    parts.into_iter().find(|(key, _)| ours[key] != theirs[key]).map(|(_, what)| what)
}
