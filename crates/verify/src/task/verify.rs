//! Deciding a property.

use std::path::PathBuf;

use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Reporter;

use super::refine::Refining;
use super::{Outcome, Told, bounds};
use crate::beyond::{Answers, Beyond, run_probability};
use crate::bounds::{Abstracting, BoundsOptions};
use crate::cegar::CegarOptions;
use crate::certify::{Certifying, Subject};
use crate::ctl::{self, CtlFormula};
use crate::engine::{self, Budget, Details, EngineChoice, VerifyOptions};
use crate::outside::OutsideRequest;
use crate::problem::{Failure, Problem, notice};
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
    /// Which run shows what was found, where one does.
    pub witness: Wanted,
    /// Who is asked instead of the built-in oracle, by engines that ask one.
    pub oracle: Option<OutsideRequest>,
    /// Keep what an abstraction looks like in the end.
    pub sketch: bool,
    /// Where the verdict of each start state goes, as CSV.
    pub per_start: Option<PathBuf>,
}

/// Something that is not done for the property of a problem.
pub(super) fn refused(problem: &Problem, message: String, help: String) -> Failure {
    let error = Diagnostic { span: problem.query.span, ..Diagnostic::error_anywhere(message) };
    error.refusal().with_help(help).into()
}

/// On models with more states the goal is not looked at unless something else is asked for.
const MOST_STATES: u64 = 2_000_000;

/// A run that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wanted {
    /// Whichever the engine finds; exploration finds a shortest one.
    #[default]
    Found,
    /// One with the fewest steps.
    Shortest,
    /// One than which none is likelier.
    Likeliest,
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
        let refuse = |message: String, help: String| refused(&problem, message, help);
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

    /// Whether the explored graph is asked: then exploration decides, and leaves no variable out.
    #[must_use]
    pub fn explores(&self) -> bool {
        self.witness != Wanted::Found || self.per_start.is_some()
    }

    /// The engine that decides.
    ///
    /// # Errors
    /// Where another one is named than can.
    pub(super) fn engine(&self) -> Result<EngineChoice, Failure> {
        if !self.explores() {
            return Ok(self.engine);
        }
        if self.engine == EngineChoice::AUTO || self.engine == EngineChoice::EXPLICIT {
            return Ok(EngineChoice::EXPLICIT);
        }
        let (named, other) = (if self.per_start.is_some() { "per-start" } else { "witness" }, self.engine.name());
        let message = format!("{} looks at all reachable states, which the engine '{other}' does not", option(named));
        let help = format!("use {} explicit, or leave it out", option("engine"));
        Err(Diagnostic::error_anywhere(message).with_help(help).into())
    }

    /// What is asked beyond the verdict; the likeliest run takes the place of the one found.
    fn beyond(
        &self,
        problem: &Problem,
        found: &mut engine::Outcome,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<(Answers, Option<Diagnostic>), Failure> {
        let mut answers = Answers::default();
        let claim = problem.query.claim.filter(|_| found.verdict.is_decided() || self.per_start.is_some());
        let is_proof = found.run().is_none() && found.verdict.is_decided();
        let wants_goal = problem.query.goal.is_some() && is_proof && !problem.query.initial_only;
        let likeliest = self.witness == Wanted::Likeliest && found.run().is_some();
        let (Some(claim), true) = (claim, found.engine == EngineChoice::EXPLICIT.name() && problem.slice.is_none())
        else {
            return Ok((answers, None));
        };
        let mut note = None;
        // Nobody asked for the goal: on large models it would take more memory than the verdict did.
        let wants_goal = wants_goal && found.explored().is_some_and(|figures| figures.states <= MOST_STATES);
        if wants_goal || likeliest || self.per_start.is_some() {
            let mut beyond = match Beyond::explore(problem, budget, reporter) {
                // The verdict stays, whatever becomes of the rest.
                Err(Failure::Stopped(stop)) => {
                    let message = format!("nothing beyond the verdict is known: {}", budget.describe(stop));
                    return Ok((answers, Some(notice(message))));
                }
                other => other?,
            };
            if wants_goal {
                answers.goal = beyond.goal()?;
            }
            if let Some(path) = &self.per_start {
                beyond.write(claim, path)?;
                answers.per_start = Some(path.display().to_string());
            }
            if likeliest {
                let stopped = match beyond.limit() {
                    Some(stop) => Some(stop),
                    None => beyond.likeliest(found, budget)?,
                };
                note = stopped.map(|stop| {
                    let limit = budget.describe(stop);
                    notice(format!("the run shown is a shortest one, not the likeliest: {limit}"))
                });
            }
        }
        if let (true, Some(run)) = (self.witness != Wanted::Found, found.run()) {
            answers.run_probability = Some(run_probability(problem, &run.states)?);
        }
        Ok((answers, note))
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
        if problem.query.claim.is_none() && self.explores() {
            let named = if self.per_start.is_some() { "per-start" } else { "witness" };
            let message = format!("{} is for properties about what is reached", option(named));
            return Err(Diagnostic::error_anywhere(message).with_help("leave it out").into());
        }
        if let Some(temporal) = problem.query.temporal.clone() {
            return self.formula(problem, temporal, result, budget, reporter);
        }
        if problem.query.claim.is_none() && self.oracle.is_some() {
            let message = format!("{} is for properties about what is reached", option("oracle"));
            return Err(Diagnostic::error_anywhere(message).with_help("leave it out").into());
        }
        if problem.query.claim.is_none() {
            // A comparison of a probability with a number.
            let Self { engine, assume_no_errors, .. } = *self;
            let abstracting = Abstracting { refinement: cegar, ..Abstracting::default() };
            let options = BoundsOptions { seed, assume_no_errors, abstracting, ..BoundsOptions::default() };
            let (refinement, certifying) = (&self.refinement, &self.certifying);
            return bounds::run(problem, engine, &options, refinement, certifying, result, budget, reporter);
        }
        let Self { depth, assume_no_errors, .. } = *self;
        let keep = self.certifying.is_wanted();
        let options = VerifyOptions {
            engine: self.engine()?,
            seed,
            cegar,
            depth,
            assume_no_errors,
            keep,
            sketch: self.sketch,
            oracle: self.oracle.clone(),
        };
        let mut found = engine::verify(&problem, &options, budget, reporter)?;
        let (answers, note) = self.beyond(&problem, &mut found, budget, reporter)?;
        let mut warnings = match &found.details {
            Details::Cegar(details) => {
                self.refinement.save(&details.expressions, details.checkpoint_failure.as_deref())?
            }
            _ => Vec::new(),
        };
        let rests_on = found.words_taken();
        let (engine, assume_no_errors) = (found.engine, found.open.is_some());
        let subject = Subject { engine, assume_no_errors, rests_on: &rests_on };
        let certified = self.certifying.certify(&problem, &subject, found.verdict.evidence(), budget)?;
        warnings.extend(certified.warning);
        let (certificate, no_certificate) = (certified.record, certified.missing);
        let result = result.verified(&problem, &found).beyond(&answers);
        let result = ResultObject { certificate, no_certificate, ..result };
        let last = found.last();
        let notes = certified.note.into_iter().chain(note).collect();
        Ok(Outcome { warnings, notes, ..Outcome::new(result, Told::Verified(Box::new(found)), problem, last) })
    }
}
