//! Deciding a property.

use std::path::PathBuf;

use serde_json::Value;
use surefoot_files::replace;
use surefoot_text::counted;
use surefoot_text::diagnostic::{Diagnostic, Severity};
use surefoot_text::source::SourceMap;
use surefoot_verdict::Reporter;

use super::{Outcome, Told, bounds};
use crate::bounds::BoundsOptions;
use crate::cegar::expression::file;
use crate::cegar::{CegarDetails, CegarOptions, Checkpoint, Preset, Resumed, first_predicates};
use crate::engine::{self, Budget, Details, EngineChoice, Setting, VerifyOptions};
use crate::problem::{Failure, Problem, notice};
use crate::request::Request;
use crate::result::ResultObject;
use crate::source::Source;

/// The width of intervals that decide comparisons.
const PRECISION: f64 = 1e-6;

/// How to decide a property.
#[derive(Debug, Clone, Default)]
pub struct Verifying {
    /// By which engine.
    pub engine: EngineChoice,
    /// How many steps to look ahead, at most; for engines that look ahead.
    pub depth: Option<u32>,
    /// Whether a proof may take it for granted that the model is never in error, where it cannot tell.
    pub assume_no_errors: bool,
    /// How to refine; for engines that do.
    pub refinement: Refining,
}

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

impl Verifying {
    /// What refinement starts from, and what is worth knowing about that.
    pub(super) fn prepare(
        &self,
        sources: &mut SourceMap,
        problem: &mut Problem,
        request: &Request,
    ) -> Result<(CegarOptions, Option<Diagnostic>), Failure> {
        if !self.engine.takes(Setting::Refinement) {
            return Ok((CegarOptions::default(), None));
        }
        let Refining { preset, iterations, falsify, predicates, checkpoint: path, .. } = &self.refinement;
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

    pub(super) fn run(
        &self,
        problem: Problem,
        cegar: CegarOptions,
        result: ResultObject,
        budget: &Budget,
        seed: u64,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        if problem.query.claim.is_none() {
            // A comparison of a probability with a number.
            let options = BoundsOptions { precision: PRECISION, p_max: None, exact: false };
            return bounds::run(problem, self.engine, &options, result, budget, reporter);
        }
        let Self { engine, depth, assume_no_errors, .. } = *self;
        let options = VerifyOptions { engine, seed, cegar, depth, assume_no_errors };
        let found = engine::verify(&problem, &options, budget, reporter)?;
        let warnings = match &found.details {
            Details::Cegar(details) => self.save(details)?,
            _ => Vec::new(),
        };
        let result = result.verified(&problem, &found);
        let last = found.last();
        Ok(Outcome { warnings, ..Outcome::new(result, Told::Verified(Box::new(found)), problem, last) })
    }

    /// Writes the predicates for another run, and says what could not be written.
    fn save(&self, details: &CegarDetails) -> Result<Vec<Diagnostic>, Failure> {
        let warning = |message| Diagnostic { severity: Severity::Warning, ..Diagnostic::error_anywhere(message) };
        let failed = details.checkpoint_failure.iter();
        let mut warnings: Vec<Diagnostic> =
            failed.map(|reason| warning(format!("the checkpoint could not always be written: {reason}"))).collect();
        let Some(path) = &self.refinement.predicates_out else { return Ok(warnings) };
        let written: Vec<Value> = details.expressions.iter().flatten().cloned().collect();
        let missing = details.expressions.len() - written.len();
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
