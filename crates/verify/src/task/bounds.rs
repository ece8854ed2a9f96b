//! Bounding a probability.

use surefoot_num::Direction;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_verdict::{Event, Reporter};

use super::refine::Refining;
use super::{Outcome, Told};
use crate::bounds::expected::{Expecting, Summed, expect};
use crate::bounds::{Abstracting, BoundsOptions};
use crate::cegar::CegarOptions;
use crate::certify::Certifying;
use crate::engine::{Asked, Budget, EngineChoice, Purpose};
use crate::problem::{Failure, Problem};
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
        Ok(Summed::Value(surefoot_temporal::lower::number(sources, file, &mut problem.lowered)?))
    }
}

impl Bounding {
    /// Bounds an expected value instead of a probability.
    pub(super) fn expect(
        &self,
        problem: Problem,
        summed: Summed,
        result: ResultObject,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        let Some(ExpectedOf { direction, reward }) = &self.expecting else {
            return Err(Failure::Internal("nothing is expected".to_owned()));
        };
        let expecting = Expecting { summed, direction: *direction };
        let asked = (self.options.precision, self.options.exact);
        let found = expect(&problem, expecting, asked, budget, reporter)?;
        let result = result.expected(&problem, reward.as_deref().unwrap_or("steps"), &found);
        let last = found.statistics.explored().figures();
        Ok(Outcome::new(result, Told::Expected(Box::new(found)), problem, last))
    }

    pub(super) fn run(
        &self,
        problem: Problem,
        refinement: CegarOptions,
        result: ResultObject,
        budget: &Budget,
        seed: u64,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        let abstracting = Abstracting { refinement, ..self.options.abstracting.clone() };
        let options = BoundsOptions { seed, abstracting, ..self.options.clone() };
        run(problem, self.engine, &options, &self.refinement, &self.certifying, result, budget, reporter)
    }
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
