//! Counting states, and random runs.

use surefoot_explicit::Explored;
use surefoot_explicit::simulate::SimulateOptions;
use surefoot_verdict::{Event, Reporter};

use super::{Outcome, Told};
use crate::engine::{self, Budget};
use crate::problem::{Failure, Problem};
use crate::result::ResultObject;

/// Which runs to make.
#[derive(Debug, Clone, Copy)]
pub struct Simulating {
    /// How many.
    pub runs: u64,
    /// Steps of each, at most.
    pub steps: u64,
}

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

impl Simulating {
    pub(super) fn run(
        self,
        problem: Problem,
        result: ResultObject,
        budget: &Budget,
        seed: u64,
    ) -> Result<Outcome, Failure> {
        let options = SimulateOptions { runs: self.runs, steps: self.steps, seed };
        let (simulation, first) = engine::simulate(&problem, budget, &options)?;
        let mut result = result.simulated(&problem, &simulation, first.as_ref());
        if let Some(stop) = simulation.stopped {
            let limit = budget.describe(stop);
            result = result.unknown(format!("{limit} after {} of {} runs", simulation.runs.len(), self.runs));
        }
        let told = Told::Simulated(simulation, first.map(Box::new));
        let last = (Explored::default().figures(), None);
        Ok(Outcome { last, ..Outcome::new(result, told, problem, Vec::new()) })
    }
}
