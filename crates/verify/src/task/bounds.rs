//! Bounding a probability or an expected value.

use surefoot_model::TermId;
use surefoot_num::Direction;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_verdict::{Event, Reporter};

use super::refine::Refining;
use super::verify::refused;
use super::{Outcome, Told};
use crate::bounds::expected::{Expecting, Summed, Until, expect};
use crate::bounds::{Abstracting, BoundsOptions};
use crate::cegar::CegarOptions;
use crate::certify::Certifying;
use crate::engine::{Asked, Budget, EngineChoice, Purpose};
use crate::problem::{Failure, Problem};
use crate::quantity::{Aggregate, Expected};
use crate::result::ResultObject;

/// How to bound a probability.
#[derive(Debug, Clone)]
pub struct Bounding {
    /// By which engine.
    pub engine: EngineChoice,
    /// How closely, and against what. Seed and refinement are those of the task.
    pub options: BoundsOptions,
    /// How to refine; for engines that do.
    pub refinement: Refining,
    /// Whether a certificate is wanted.
    pub certifying: Certifying,
    /// What to expect instead of a probability.
    pub expecting: Option<ExpectedOf>,
    /// How much every start state counts in the mean, as text.
    pub weights: Option<String>,
}

/// An expected value that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedOf {
    /// The largest or the smallest over what the environment may do.
    pub direction: Direction,
    /// What is collected in every step, as text; one where nothing is given.
    pub reward: Option<String>,
}

impl ExpectedOf {
    /// What is summed up.
    pub(super) fn prepare(&self, sources: &mut SourceMap, problem: &mut Problem) -> Result<Summed, Failure> {
        let Some(text) = &self.reward else { return Ok(Summed::Steps) };
        let file = sources.add(option("reward"), text.as_str());
        let term = surefoot_temporal::lower::number(sources, file, &mut problem.lowered)?;
        Ok(Summed::Value { term, exit: true, steps: false })
    }
}

impl Bounding {
    /// How much every start state counts.
    pub(super) fn weigh(&self, sources: &mut SourceMap, problem: &mut Problem) -> Result<Option<TermId>, Failure> {
        let Some(text) = &self.weights else { return Ok(None) };
        let file = sources.add(option("weights"), text.as_str());
        Ok(Some(surefoot_temporal::lower::number(sources, file, &mut problem.lowered)?))
    }

    /// Bounds an expected value instead of a probability.
    pub(super) fn expect(
        &self,
        problem: Problem,
        (summed, weights): (Summed, Option<TermId>),
        result: ResultObject,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        let Some(ExpectedOf { direction, reward }) = &self.expecting else {
            return Err(Failure::Internal("nothing is expected".to_owned()));
        };
        let (direction, until) = (*direction, Until::of(&problem)?);
        let aggregate = match direction {
            Direction::Max => Aggregate::Max,
            Direction::Min => Aggregate::Min,
        };
        let expecting = Expecting { summed, direction, until, aggregate, threshold: None, weights };
        let options = BoundsOptions { weights, ..self.options.clone() };
        let of = reward.as_deref().unwrap_or("steps");
        sum_up(problem, expecting, (of, self.weights.as_deref()), &options, result, budget, reporter)
    }

    pub(super) fn run(
        &self,
        problem: Problem,
        (refinement, weights): (CegarOptions, Option<TermId>),
        result: ResultObject,
        budget: &Budget,
        seed: u64,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        let abstracting = Abstracting { refinement, ..self.options.abstracting.clone() };
        let options = BoundsOptions { seed, abstracting, weights, ..self.options.clone() };
        let certifying = &self.certifying;
        let mut outcome = run(problem, self.engine, &options, &self.refinement, certifying, result, budget, reporter)?;
        outcome.result.weigh(self.weights.as_deref());
        Ok(outcome)
    }
}

/// Bounds an expected sum.
fn sum_up(
    problem: Problem,
    expecting: Expecting,
    (of, weights): (&str, Option<&str>),
    options: &BoundsOptions,
    result: ResultObject,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    let found = expect(&problem, expecting, (options.precision, options.exact), budget, reporter)?;
    let mut result = result.expected(&problem, of, &found);
    result.weigh(weights);
    let last = found.statistics.explored().figures();
    Ok(Outcome::new(result, Told::Expected(Box::new(found)), problem, last))
}

/// Bounds the expected sum that a property asks for.
#[allow(clippy::too_many_arguments, reason = "as for probabilities")]
fn sum_up_asked(
    problem: Problem,
    expected: &Expected,
    engine: EngineChoice,
    options: &BoundsOptions,
    certifying: &Certifying,
    result: ResultObject,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    let refuse = |message: String, help: String| refused(&problem, message, help);
    if engine != EngineChoice::AUTO && engine != EngineChoice::EXPLICIT {
        let message = format!("the engine '{}' bounds probabilities, and no expected values", engine.name());
        return Err(refuse(message, format!("leave {} out, or use explicit", option("engine"))));
    }
    if options.p_max.is_some() {
        let message = format!("{} is about probabilities, and the property about an expected value", option("p-max"));
        return Err(refuse(message, "let the property compare it with a number".to_owned()));
    }
    if certifying.is_wanted() {
        let message = "there are no certificates of expected values".to_owned();
        return Err(refuse(message, format!("leave {} and {} out", option("certificate"), option("certify"))));
    }
    let expecting = Expecting::asked(expected, options.weights);
    sum_up(problem, expecting, ("property", None), options, result, budget, reporter)
}

/// Bounds it; verifications of comparisons come here too.
#[allow(clippy::too_many_arguments, reason = "what two jobs have in common")]
pub(super) fn run(
    problem: Problem,
    engine: EngineChoice,
    options: &BoundsOptions,
    refining: &Refining,
    certifying: &Certifying,
    result: ResultObject,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    if !(options.precision.is_finite() && options.precision >= 0.0) {
        let message = format!("the precision must be a finite number of at least 0, not {}", options.precision);
        return Err(Diagnostic::error_anywhere(message).into());
    }
    if let Some(expected) = problem.query.expected.clone() {
        return sum_up_asked(problem, &expected, engine, options, certifying, result, budget, reporter);
    }
    engine.supports(&Asked::of(&problem), Purpose::Bound { exact: options.exact })?;
    let bounded = engine.bound(&problem, options, budget, reporter)?;
    let mut warnings = match &bounded.abstracted {
        Some(details) => refining.save(&details.expressions, details.checkpoint_failure.as_deref())?,
        None => Vec::new(),
    };
    let certified = certifying.certify_bounds(&problem, options, &bounded, budget, reporter)?;
    warnings.extend(certified.warning);
    let result = ResultObject {
        certificate: certified.record,
        no_certificate: certified.missing,
        ..result.bounded(&problem, &bounded)
    };
    let last = bounded.last();
    Ok(Outcome { warnings, ..Outcome::new(result, Told::Bounded(Box::new(bounded)), problem, last) })
}
