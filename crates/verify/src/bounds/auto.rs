//! The engine that suits a probability, found by trying.
//!
//! Rounds of growing, counted work: exploration as far as some memory for states and transitions goes, then an abstraction with some iterations.
//! Exploration that visits all states is the answer, whatever it is: both ends of its interval come from the model itself. Else the first that decides, or
//! is as close as asked for, is; and where a limit ends the search, the narrower interval. So without a time limit the answer depends neither on threads nor on the
//! clock.
//!
//! Exploration alone answers what abstractions refuse.

use surefoot_limits::Stop;
use surefoot_num::Rational;
use surefoot_verdict::Reporter;

use super::{Abstracting, BoundsOptions, BoundsOutcome, bounds, cegar, complete, is_open};
use crate::cegar::CegarOptions;
use crate::engine::{Asked, Budget};
use crate::problem::{Failure, Problem};

/// Megabytes for states and transitions in the first round: some hundred thousand states.
const FIRST_MEMORY: usize = 32;
/// The same in any round, where no limit is given.
const MOST_MEMORY: usize = 4096;
/// Iterations of the abstraction in the first round.
const FIRST_ITERATIONS: u64 = 512;
/// Every round may spend so many times what the one before might.
const GROWTH: usize = 8;

/// Bounds the probability that a problem asks for by whatever suits it.
///
/// # Errors
/// As [`crate::engine::Engine::bound`].
pub(crate) fn bound(
    problem: &Problem,
    options: &BoundsOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<BoundsOutcome, Failure> {
    if cegar::supports(&Asked::of(problem), options.exact).is_err() {
        return bounds(problem, options, budget, reporter);
    }
    let most = budget.memory.unwrap_or(MOST_MEMORY);
    let (mut memory, mut iterations) = (FIRST_MEMORY.min(most), FIRST_ITERATIONS);
    let mut best: Option<BoundsOutcome> = None;
    // Whether more iterations might help.
    let mut refines = true;
    loop {
        let small = Budget { memory: Some(memory), ..budget.clone() };
        if let Some(outcome) = complete(problem, options, &small, budget, reporter)? {
            return Ok(narrower(best, outcome));
        }
        // When exploration has had its share of the time, the rest is for the abstraction.
        let last = memory == most || budget.exploration_limits().stop().is_some();
        if refines {
            let rounds = if last { None } else { Some(iterations) };
            match abstracted(problem, options, rounds, budget, reporter) {
                Ok(outcome) if !is_open(&outcome.decision) => return Ok(outcome),
                Ok(outcome) => {
                    refines = matches!(stopped(&outcome), Some(Stop::Most(..)));
                    best = Some(narrower(best.take(), outcome));
                }
                // Operators that abstractions refuse are lowered when a search comes to them.
                Err(failure) if failure.is_refusal() && best.is_none() => {
                    return bounds(problem, options, budget, reporter);
                }
                // It came to nothing in time, which exploration may still do.
                Err(Failure::Stopped(_)) => refines = false,
                Err(failure) => return Err(failure),
            }
        }
        if last || budget.limits().stop().is_some() {
            return match best {
                Some(best) => Ok(best),
                None => bounds(problem, options, budget, reporter),
            };
        }
        memory = memory.saturating_mul(GROWTH).min(most);
        iterations = iterations.saturating_mul(GROWTH as u64);
    }
}

/// What an abstraction says within some iterations.
fn abstracted(
    problem: &Problem,
    options: &BoundsOptions,
    iterations: Option<u64>,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<BoundsOutcome, Failure> {
    let refinement = CegarOptions { iterations, ..options.abstracting.refinement.clone() };
    let abstracting = Abstracting { refinement, ..options.abstracting.clone() };
    cegar::bound(problem, &BoundsOptions { abstracting, ..options.clone() }, budget, reporter)
}

/// The limit that ended a search, if one did.
fn stopped(outcome: &BoundsOutcome) -> Option<Stop> {
    outcome.decision.as_ref()?.reason()?.limit()
}

/// The answer that decides, else the one that is closer to the value; of equals the later.
fn narrower(earlier: Option<BoundsOutcome>, later: BoundsOutcome) -> BoundsOutcome {
    let width = |outcome: &BoundsOutcome| -> Rational { &outcome.upper.exact() - &outcome.lower.exact() };
    match earlier {
        Some(earlier) if is_open(&later.decision) && width(&earlier) < width(&later) => earlier,
        _ => later,
    }
}
