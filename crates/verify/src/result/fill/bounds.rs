//! Probabilities.

use super::exploration;
use crate::answer::Number;
use crate::bounds::{BoundsOutcome, Chosen};
use crate::problem::Problem;
use crate::result::body::{Bound, Decided, Interval};
use crate::result::evidence::{SchedulerChoice, SchedulerWitness};
use crate::result::{Body, Evidence, ResultObject, Subject};
use crate::states::StateNames;

impl ResultObject {
    /// A probability that was bounded.
    #[must_use]
    pub fn bounded(self, problem: &Problem, outcome: &BoundsOutcome) -> Self {
        let value = Interval { lo: bound(&outcome.lower), hi: bound(&outcome.upper) };
        let body = Decided { value: Some(value), ..Decided::about(Subject::of(problem)) };
        Self {
            statistics: exploration(problem, &outcome.statistics),
            witness: Some(Evidence::Scheduler(witness(problem, outcome))),
            body: Some(Body::Decided(Box::new(body))),
            ..self.by(outcome.engine).judged(outcome.decision.as_ref())
        }
    }
}

/// Floats as numbers, exact values as fractions in text.
fn bound(value: &Number) -> Bound {
    match value {
        Number::Float(value) => Bound::Float(*value),
        Number::Exact(value) => Bound::Exact(value.to_string()),
    }
}

/// The start state of the value, and what the scheduler does where it has a choice.
fn witness(problem: &Problem, outcome: &BoundsOutcome) -> SchedulerWitness {
    let names = StateNames::new(problem.model());
    let dropped = |name: &str| {
        let slice = problem.slice.as_ref();
        slice.is_some_and(|slice| (0..slice.dropped.len()).any(|i| slice.dropped[i] && names.slot(i) == name))
    };
    let entry = |chosen: &Chosen| {
        let mut state = names.record(problem.model(), &chosen.state);
        state.variables.retain(|(name, _)| !dropped(name));
        SchedulerChoice { state, action: chosen.action.clone(), choice: chosen.choice }
    };
    SchedulerWitness {
        start: names.record(problem.model(), &outcome.start),
        scheduler: outcome.scheduler.iter().map(entry).collect(),
        scheduler_states: outcome.choice_states,
    }
}
