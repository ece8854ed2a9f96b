//! Directed runs of the policy, made before and between attempts at a proof: violations are often near.

use surefoot_explicit::falsify::Distance;
use surefoot_explicit::{Falsification, FalsifyOptions};
use surefoot_model::State;
use surefoot_text::counted;
use surefoot_verdict::{Figure, Reason, Reporter, Unsupported};

use crate::abstraction::check_claim;
use crate::cegar::violated;
use crate::engine::{
    Account, Asked, Budget, Details, Engine, Outcome, Purpose, Role, Verdict, VerifyOptions, no_probabilities,
    start_failure, task,
};
use crate::explicit::REPLAYED;
use crate::problem::{Failure, Problem};

/// Runs before refinement, and whenever it asks: so few that they cost next to nothing.
pub(crate) const FEW: (u64, u64) = (64, 64);
/// Runs that are an attempt of their own.
const MANY: (u64, u64) = (256, 128);

/// Figures of directed runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunFigures {
    /// Runs made.
    pub runs: u64,
    /// Steps taken in all of them.
    pub steps: u64,
}

/// Makes so many runs of at most so many steps.
///
/// # Errors
/// [`Failure::Input`] where start conditions have no value.
pub(crate) fn runs(
    problem: &Problem,
    (runs, steps): (u64, u64),
    seed: u64,
    budget: &Budget,
    distance: Option<Distance<'_>>,
) -> Result<Falsification, Failure> {
    let options = FalsifyOptions { runs, steps, seed };
    let found = surefoot_explicit::falsify(&task(problem, budget), &options, distance);
    found.map_err(|error| start_failure(problem, &error))
}

/// Directed runs alone: they find violations, and prove nothing.
#[derive(Debug)]
pub(crate) struct Runs;

impl Engine for Runs {
    fn name(&self) -> &'static str {
        "runs"
    }

    fn role(&self) -> Role {
        Role::Helper
    }

    fn supports(&self, asked: &Asked<'_>, purpose: Purpose) -> Result<(), Unsupported> {
        match purpose {
            Purpose::Decide => check_claim(asked.query),
            Purpose::Bound { .. } => Err(no_probabilities(self.name())),
        }
    }

    fn decide(
        &self,
        problem: &Problem,
        options: &VerifyOptions,
        budget: &Budget,
        _reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        check_claim(&problem.query)?;
        let Falsification { run, runs, steps } = runs(problem, MANY, options.seed, budget, None)?;
        let verdict = match run {
            Some(states) => violated(problem, &states)?,
            None => Verdict::Unknown(Reason::Runs(runs)),
        };
        let details = Details::Runs(RunFigures { runs, steps });
        Ok(Outcome { verdict, engine: self.name(), assumptions: Vec::new(), open: None, details, outside: None })
    }
}

/// A run to an unsafe state that few runs find.
pub(crate) fn few(problem: &Problem, seed: u64, budget: &Budget, distance: Option<Distance<'_>>) -> Option<Vec<State>> {
    // What is wrong with the start set is for the engine to say that has to know.
    runs(problem, FEW, seed, budget, distance).ok()?.run
}

impl Account for RunFigures {
    fn last(&self) -> Vec<Figure> {
        vec![Figure::new("runs", self.runs), Figure::new("steps", self.steps)]
    }

    fn told(&self, outcome: &Outcome) -> String {
        let work = format!("{}, {}", counted(self.runs, "run"), counted(self.steps, "step"));
        let evidence = if outcome.run().is_some() { REPLAYED } else { "not decided" };
        format!("{}; {evidence}; {work}", outcome.engine)
    }
}
