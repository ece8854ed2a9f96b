//! Bounding a probability.

use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::{Event, Reporter};

use super::{Outcome, Told};
use crate::bounds::BoundsOptions;
use crate::engine::{Budget, EngineChoice, Purpose};
use crate::problem::{Failure, Problem};
use crate::result::ResultObject;

/// How to bound a probability.
#[derive(Debug, Clone)]
pub struct Bounding {
    /// By which engine.
    pub engine: EngineChoice,
    /// How closely, and against what.
    pub options: BoundsOptions,
}

/// Bounds it; verifications of comparisons come here too.
pub(super) fn run(
    problem: Problem,
    engine: EngineChoice,
    options: &BoundsOptions,
    result: ResultObject,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    if !(options.precision.is_finite() && options.precision >= 0.0) {
        let message = format!("the precision must be a finite number of at least 0, not {}", options.precision);
        return Err(Diagnostic::error_anywhere(message).into());
    }
    engine.supports(&problem.asked(), Purpose::Bound { exact: options.exact })?;
    let bounded = engine.bound(&problem, options, budget, reporter)?;
    let result = result.bounded(&problem, &bounded);
    let last = bounded.statistics.explored().figures();
    Ok(Outcome::new(result, Told::Bounded(Box::new(bounded)), problem, last))
}
