//! Refinement as jobs have it: from what it starts, and what it leaves for another run.

use std::path::PathBuf;

use serde_json::Value;
use surefoot_files::replace;
use surefoot_text::counted;
use surefoot_text::diagnostic::{Diagnostic, Severity};
use surefoot_text::source::SourceMap;

use crate::cegar::expression::file;
use crate::cegar::{CegarOptions, Checkpoint, Preset, Resumed, first_predicates};
use crate::engine::{EngineChoice, Setting};
use crate::problem::{Failure, Problem, notice};
use crate::request::Request;
use crate::source::Source;

/// How to refine, from what, and what to keep.
#[derive(Debug, Clone, Default)]
pub struct Refining {
    /// The strategy.
    pub preset: Preset,
    /// Iterations, at most.
    pub iterations: Option<u64>,
    /// Whether directed runs are made before the first iteration, and after some.
    pub falsify: bool,
    /// Predicates to start with, instead of the property's own.
    pub predicates: Option<Source>,
    /// The file that the predicates are written to at the end.
    pub predicates_out: Option<PathBuf>,
    /// The file that they are written to after every iteration, and read from where it is there.
    pub checkpoint: Option<PathBuf>,
}

impl Refining {
    /// What refinement starts from, and what is worth knowing about that; nothing for an engine that does not refine.
    pub(super) fn prepare(
        &self,
        engine: EngineChoice,
        sources: &mut SourceMap,
        problem: &mut Problem,
        request: &Request,
    ) -> Result<(CegarOptions, Option<Diagnostic>), Failure> {
        if !engine.takes(Setting::Refinement) {
            return Ok((CegarOptions::default(), None));
        }
        let Self { preset, iterations, falsify, predicates, checkpoint: path, .. } = self;
        let opened = path.as_deref().map(|path| Checkpoint::open(sources, problem, request, path)).transpose()?;
        let mut predicates = first_predicates(sources, problem, predicates.as_ref(), request.ignore_predicates)?;
        let (checkpoint, resumed) = opened.unzip();
        let mut told = None;
        if let Some((path, Resumed { predicates: found, iterations })) = path.as_ref().zip(resumed.flatten()) {
            let (count, after) = (counted(found.len() as u64, "predicate"), counted(iterations, "iteration"));
            told = Some(notice(format!("going on from {}: {count} after {after}", path.display())));
            predicates.extend(found);
        }
        let (preset, iterations, falsify) = (preset.clone(), *iterations, *falsify);
        Ok((CegarOptions { preset, predicates, iterations, checkpoint, falsify, work: None }, told))
    }

    /// Writes the predicates for another run, and says what could not be written.
    pub(super) fn save(
        &self,
        expressions: &[Option<Value>],
        checkpoint_failure: Option<&str>,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let warning = |message| Diagnostic { severity: Severity::Warning, ..Diagnostic::error_anywhere(message) };
        let failed = checkpoint_failure.into_iter();
        let mut warnings: Vec<Diagnostic> =
            failed.map(|reason| warning(format!("the checkpoint could not always be written: {reason}"))).collect();
        let Some(path) = &self.predicates_out else { return Ok(warnings) };
        let written: Vec<Value> = expressions.iter().flatten().cloned().collect();
        let missing = expressions.len() - written.len();
        if missing > 0 {
            let what = counted(missing as u64, "predicate");
            let message = format!("{what} left out of {}: JANI has no name for a variable", path.display());
            warnings.push(warning(message));
        }
        let saved = replace(path, |out| out.write_all(file(&written).as_bytes()));
        let cannot = |error| Diagnostic::error_anywhere(format!("cannot write {}: {error}", path.display()));
        saved.map_err(cannot)?;
        Ok(warnings)
    }
}
