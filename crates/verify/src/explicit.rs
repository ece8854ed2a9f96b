//! Deciding a property by visiting every reachable state.

use std::sync::Arc;

use surefoot_explicit::start::StartError;
use surefoot_explicit::{Ending, Exploration, Statistics, Task, explore_keeping};
use surefoot_text::counted;
use surefoot_verdict::{Event, Figure, Reporter, Unsupported};

use crate::bounds::{self, BoundsOptions, BoundsOutcome};
use crate::engine::{
    Account, Asked, Budget, Details, Engine, Evidence, Outcome, Purpose, Verdict, VerifyOptions, several_starts,
    start_failure, task,
};
use crate::problem::{Failure, Problem};
use crate::question::Claim;
use crate::replay::replay;
use crate::slice::lift;

/// Every reachable state, one by one.
#[derive(Debug)]
pub(crate) struct Explicit;

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn supports(&self, asked: &Asked<'_>, purpose: Purpose) -> Result<(), Unsupported> {
        match purpose {
            Purpose::Decide if asked.query.claim.is_some() => Ok(()),
            Purpose::Decide | Purpose::Bound { .. } => bounds::supports(asked),
        }
    }

    fn decide(
        &self,
        problem: &Problem,
        options: &VerifyOptions,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        decide(problem, options.keep, budget, reporter)
    }

    fn bound(
        &self,
        problem: &Problem,
        options: &BoundsOptions,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<BoundsOutcome, Failure> {
        bounds::bounds(problem, options, budget, reporter)
    }
}

/// Decides a claim by exploration; `keep`: the states are part of a proof.
///
/// # Errors
/// As [`Engine::decide`].
pub(crate) fn decide(
    problem: &Problem,
    keep: bool,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    let Some(claim) = problem.query.claim else {
        return Err(Failure::Internal("a problem without a claim was to be verified".to_owned()));
    };
    let dropped = problem.slice.as_ref().map(|slice| &*slice.dropped);
    let mut task = Task { stop_at_reach: true, dropped, ..task(problem, budget) };
    if problem.query.initial_only {
        // Every state is terminal, so that start states alone are looked at.
        task.goal = Some(problem.query.always);
        task.goal_terminal = true;
    }
    let (Exploration { ending, statistics }, reached) =
        if keep { explore_keeping(&task, reporter) } else { (surefoot_explicit::explore(&task, reporter), None) };
    let verdict = match ending {
        Ending::Complete => {
            if statistics.start_states == 0 {
                return Err(start_failure(problem, &StartError::Empty));
            }
            let evidence = Evidence::Exhaustive { reached: reached.map(Arc::new) };
            if claim.is_avoidance() { Verdict::Holds(evidence) } else { Verdict::Violated(evidence) }
        }
        Ending::Reached(states) => {
            let states = lift(problem, states)?;
            let run = replay(problem, &states).map_err(|reason| {
                Failure::Internal(format!("the explicit engine found a run that the replay rejects ({reason})"))
            })?;
            let evidence = Evidence::Run(Box::new(run));
            match claim {
                Claim::Avoid => Verdict::Violated(evidence),
                Claim::Reach => Verdict::Holds(evidence),
                Claim::AvoidFromSingle(_) if statistics.start_states == 1 => Verdict::Violated(evidence),
                Claim::ReachFromSingle(_) if statistics.start_states == 1 => Verdict::Holds(evidence),
                Claim::AvoidFromSingle(function) | Claim::ReachFromSingle(function) => {
                    return Err(several_starts(problem, function.symbol(), &statistics.start_states.to_string()).into());
                }
            }
        }
        Ending::ModelError(error) => return Err(problem.model_error(&error).into()),
        Ending::StartError(error) => return Err(start_failure(problem, &error)),
        Ending::Limit(limit) => Verdict::Unknown(budget.limit(limit).into()),
    };
    let details = Details::Explicit(statistics);
    Ok(Outcome { verdict, engine: "explicit", assumptions: Vec::new(), open: None, details, outside: None })
}

impl Account for Statistics {
    fn last(&self) -> Vec<Figure> {
        self.explored().figures()
    }

    fn starts(&self) -> Option<u64> {
        Some(self.start_states)
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        vec![("explored", explored(self))]
    }

    fn told(&self, outcome: &Outcome) -> String {
        let evidence = match &outcome.verdict {
            Verdict::Unknown(_) => "not all reachable states were visited",
            _ if outcome.run().is_some() => REPLAYED,
            _ => "all reachable states were visited",
        };
        format!("{}; {evidence}", outcome.engine)
    }
}

/// What stands behind a verdict that a run shows.
pub(crate) const REPLAYED: &str = "the run below was replayed in exact arithmetic";

/// How much was explored.
#[must_use]
pub fn explored(figures: &Statistics) -> String {
    format!(
        "{} from {}, {}, depth {}",
        counted(figures.states, "state"),
        counted(figures.start_states, "start state"),
        counted(figures.transitions, "transition"),
        figures.depth
    )
}
