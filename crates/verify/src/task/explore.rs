//! Counting states.

use surefoot_verdict::{Event, Reporter};

use super::{Outcome, Told};
use crate::engine::{self, Budget};
use crate::problem::{Failure, Problem};
use crate::result::ResultObject;

pub(super) fn explore(
    problem: Problem,
    result: ResultObject,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    let (limit, figures) = engine::explore(&problem, budget, reporter)?;
    let result = result.explored(&problem, &figures, limit.map(|limit| budget.describe(limit)));
    let last = figures.explored().figures();
    Ok(Outcome::new(result, Told::Explored(figures), problem, last))
}
