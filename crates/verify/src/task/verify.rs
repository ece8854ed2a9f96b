//! Deciding a property.

use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Reporter;

use super::refine::Refining;
use super::{Outcome, Told, bounds};
use crate::bounds::{Abstracting, BoundsOptions};
use crate::cegar::CegarOptions;
use crate::certify::{Certifying, Subject};
use crate::ctl::{self, CtlFormula};
use crate::engine::{self, Budget, Details, EngineChoice, VerifyOptions};
use crate::problem::{Failure, Problem};
use crate::question::Temporal;
use crate::request::Request;
use crate::result::ResultObject;

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
    /// Whether a certificate is wanted.
    pub certifying: Certifying,
}

impl Verifying {
    /// Decides a formula of CTL.
    fn formula(
        &self,
        problem: Problem,
        temporal: Temporal,
        result: ResultObject,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        let refuse = |message: String, help: String| -> Failure {
            let error = Diagnostic { span: problem.query.span, ..Diagnostic::error_anywhere(message) };
            error.refusal().with_help(help).into()
        };
        if !matches!(self.engine.name(), "auto" | "explicit") {
            let message =
                format!("the engine {} decides what can be reached, and not {}", self.engine.name(), temporal.text);
            return Err(refuse(message, format!("leave {} out, or use explicit", option("engine"))));
        }
        if self.certifying.is_wanted() {
            let message = "there are no certificates of formulas yet".to_owned();
            return Err(refuse(message, format!("leave {} and {} out", option("certificate"), option("certify"))));
        }
        let formula = CtlFormula { terms: temporal.formula, text: temporal.text, span: problem.query.span };
        let found = ctl::decide(&problem, &formula, temporal.over, budget, reporter)?;
        Ok(super::ctl::told(problem, formula, found, result))
    }

    /// What refinement starts from, and what is worth knowing about that.
    pub(super) fn prepare(
        &self,
        sources: &mut SourceMap,
        problem: &mut Problem,
        request: &Request,
    ) -> Result<(CegarOptions, Option<Diagnostic>), Failure> {
        self.refinement.prepare(self.engine, sources, problem, request)
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
        if let Some(temporal) = problem.query.temporal.clone() {
            return self.formula(problem, temporal, result, budget, reporter);
        }
        if problem.query.claim.is_none() {
            // A comparison of a probability with a number.
            let Self { engine, assume_no_errors, .. } = *self;
            let abstracting = Abstracting { refinement: cegar, ..Abstracting::default() };
            let options = BoundsOptions { seed, assume_no_errors, abstracting, ..BoundsOptions::default() };
            let (refinement, certifying) = (&self.refinement, &self.certifying);
            return bounds::run(problem, engine, &options, refinement, certifying, result, budget, reporter);
        }
        let Self { engine, depth, assume_no_errors, .. } = *self;
        let keep = self.certifying.is_wanted();
        let options = VerifyOptions { engine, seed, cegar, depth, assume_no_errors, keep };
        let found = engine::verify(&problem, &options, budget, reporter)?;
        let mut warnings = match &found.details {
            Details::Cegar(details) => {
                self.refinement.save(&details.expressions, details.checkpoint_failure.as_deref())?
            }
            _ => Vec::new(),
        };
        let subject = Subject { engine: found.engine, assume_no_errors: found.open.is_some() };
        let certified = self.certifying.certify(&problem, &subject, found.verdict.evidence(), budget)?;
        warnings.extend(certified.warning);
        let result = ResultObject { certificate: certified.record, ..result.verified(&problem, &found) };
        let last = found.last();
        let notes = certified.note.into_iter().collect();
        Ok(Outcome { warnings, notes, ..Outcome::new(result, Told::Verified(Box::new(found)), problem, last) })
    }
}
