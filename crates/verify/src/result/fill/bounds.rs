//! Probabilities.

use surefoot_num::Direction;

use super::{exploration, open_error};
use crate::answer::Number;
use crate::bounds::cegar::{AbstractedBounds, name};
use crate::bounds::expected::{ExpectedOutcome, Extended, ExtendedInterval, Until};
use crate::bounds::{BoundsOutcome, Chosen};
use crate::problem::Problem;
use crate::result::body::{Bound, Decided, ExpectedRecord, Interval, OverStartsRecord};
use crate::result::evidence::{SchedulerChoice, SchedulerWitness};
use crate::result::statistics::{Narrowing, Refinements, Statistics};
use crate::result::{Body, Evidence, ResultObject, Subject, rounded};
use crate::states::StateNames;

impl ResultObject {
    /// A probability that was bounded.
    #[must_use]
    pub fn bounded(self, problem: &Problem, outcome: &BoundsOutcome) -> Self {
        let mut body = Decided {
            value: Some(interval(&outcome.lower, &outcome.upper)),
            value_without_errors: outcome.open.as_ref().map(|open| interval(&open.lower, &open.upper)),
            open_errors: outcome.open.as_ref().map(|open| open_error(&open.error)),
            over_starts: outcome.over_starts.as_ref().map(|over| {
                let of = |(lower, upper): &(Number, Number)| interval(lower, upper);
                let (smallest, largest, mean) = (of(&over.smallest), of(&over.largest), of(&over.mean));
                OverStartsRecord { start_states: u64::from(outcome.starts), smallest, largest, mean, weights: None }
            }),
            ..Decided::about(Subject::of(problem))
        };
        let statistics = match outcome.abstracted.as_deref() {
            None => exploration(problem, &outcome.statistics),
            Some(details) => {
                body.algorithm = Some(name(details.algorithm).to_owned());
                body.preset.clone_from(&details.preset);
                let words = details.words.as_ref();
                body.band = Some(details.band.clone());
                body.predicates = words.map(|words| words.predicates().map(str::to_owned).collect());
                narrowing(details)
            }
        };
        let object = self.by(outcome.engine).assuming(outcome.assumptions.iter().cloned());
        Self {
            statistics,
            witness: witness(problem, outcome).map(Evidence::Scheduler),
            body: Some(Body::Decided(Box::new(body))),
            ..object.judged(outcome.decision.as_ref())
        }
    }
}

impl ResultObject {
    /// An expected value that was bounded; `of` is what is summed up, as it was written.
    #[must_use]
    pub fn expected(self, problem: &Problem, of: &str, outcome: &ExpectedOutcome) -> Self {
        let scheduler = match outcome.expecting.direction {
            Direction::Max => "max",
            Direction::Min => "min",
        };
        let until = match outcome.expecting.until {
            Until::Goal(_) => "goal",
            Until::Reach(_) => "reach",
        };
        let body = Decided {
            value: Some(extended(&outcome.value)),
            over_starts: Some(OverStartsRecord {
                start_states: u64::from(outcome.starts),
                smallest: extended(&outcome.smallest),
                largest: extended(&outcome.largest),
                mean: extended(&outcome.mean),
                weights: None,
            }),
            expected: Some(ExpectedRecord {
                of: of.to_owned(),
                until: until.to_owned(),
                scheduler: scheduler.to_owned(),
                start: StateNames::new(problem.model()).record(problem.model(), &outcome.start),
            }),
            ..Decided::about(Subject::of(problem))
        };
        Self {
            statistics: exploration(problem, &outcome.statistics),
            body: Some(Body::Decided(Box::new(body))),
            ..self.by("explicit").judged(outcome.decision.as_ref())
        }
    }

    /// Says how much every start state counted in the mean.
    pub(crate) fn weigh(&mut self, weights: Option<&str>) {
        if let Some(Body::Decided(decided)) = &mut self.body
            && let Some(over) = &mut decided.over_starts
        {
            over.weights = weights.map(str::to_owned);
        }
    }
}

/// Bounds that may be infinite as they are written.
fn extended(value: &ExtendedInterval) -> Interval {
    let end = |end: &Extended| match end {
        Extended::Finite(number) => bound(number),
        Extended::Infinite => Bound::Exact("infinity".to_owned()),
    };
    Interval { lo: end(&value.lower), hi: end(&value.upper) }
}

impl ResultObject {
    /// With an interval that was known when there was no time for anything else.
    #[must_use]
    pub fn known(self, lower: f64, upper: f64) -> Self {
        let body = match self.body {
            Some(Body::Decided(mut decided)) => {
                decided.value = Some(interval(&Number::Float(lower), &Number::Float(upper)));
                Some(Body::Decided(decided))
            }
            other => other,
        };
        Self { body, ..self }
    }
}

/// Bounds as they are written.
pub(super) fn interval(lower: &Number, upper: &Number) -> Interval {
    Interval { lo: bound(lower), hi: bound(upper) }
}

/// Floats as numbers, exact values as fractions in text.
fn bound(value: &Number) -> Bound {
    match value {
        Number::Float(value) => Bound::Float(*value),
        Number::Exact(value) => Bound::Exact(value.to_string()),
    }
}

fn narrowing(details: &AbstractedBounds) -> Statistics {
    let figures = &details.figures;
    let [transition_paths, transition_sets, policy_paths, policy_sets] = figures.refinements;
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a run")]
    let seconds = figures.analysis_milliseconds as f64 / 1e3;
    Statistics::Narrowing(Narrowing {
        start_states: figures.start_states,
        reachable_states: figures.abstract_states,
        transitions: figures.transitions,
        predicates: figures.predicates,
        concrete_states: figures.concrete_states,
        iterations: figures.iterations,
        refinements: Refinements { transition_paths, transition_sets, policy_paths, policy_sets },
        most_paths: figures.most_paths,
        analysis_seconds: rounded(seconds),
        last_p_u: details.last_p_u,
        oracle_queries: figures.questions,
        oracle_nodes: figures.nodes,
    })
}

/// The start state of the value, and what the scheduler does where it has a choice.
fn witness(problem: &Problem, outcome: &BoundsOutcome) -> Option<SchedulerWitness> {
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
    Some(SchedulerWitness {
        start: names.record(problem.model(), outcome.start.as_ref()?),
        scheduler: outcome.scheduler.iter().map(entry).collect(),
        scheduler_states: outcome.choice_states,
    })
}
