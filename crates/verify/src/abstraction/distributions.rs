//! The same abstraction with probabilities: transitions lead to distributions of abstract states (Definition 3 of the paper on probabilities). It is built beside the one without to see what that costs.
//!
//! Both are built some times in turns, and the least times count: whoever is first would pay for cold caches. Nothing follows from it here: `bounds` draws conclusions. Unsafe abstract states are not expanded, in neither of the two.

use std::time::Instant;

use surefoot_abstraction::{Options, Oracles, PredicateSet, search};
use surefoot_model::TermId;
use surefoot_oracle::{BranchAndBound, Limits};
use surefoot_probabilistic::paper::halt::Halt;
use surefoot_probabilistic::paper::process::{Lowered, Place, Process};
use surefoot_verdict::Silent;

use super::system;
use crate::bounds::cegar::failure;
use crate::engine::Asked;
use crate::problem::{Failure, Problem};

/// How large the abstraction with probabilities is, and what both took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distributions {
    /// Abstract states reached, unsafe ones included.
    pub reachable_states: usize,
    /// Those that hold an unsafe state.
    pub unsafe_states: usize,
    /// Transitions, each to a distribution.
    pub transitions: usize,
    /// Questions to the oracle.
    pub oracle_queries: u64,
    /// Nodes of its search trees.
    pub oracle_nodes: u64,
    /// Seconds to build it.
    pub seconds: f64,
    /// Seconds to build the one without probabilities.
    pub plain_seconds: f64,
}

/// How often both are built, in turns; the least times count.
const REPEATS: usize = 3;

/// Builds both for given predicates; nothing where a limit was met.
///
/// # Errors
/// What cannot be abstracted.
pub(super) fn build(
    problem: &Problem,
    given: &[TermId],
    predicates: &PredicateSet,
    options: &Options,
) -> Result<Option<Distributions>, Failure> {
    let mut least: Option<Distributions> = None;
    for _ in 0..REPEATS {
        let Some(plain_seconds) = plain(problem, given, predicates, options)? else { return Ok(None) };
        let Some(built) = probabilistic(problem, given, predicates, &options.limits)? else { return Ok(None) };
        let (seconds, plain_seconds) = least.map_or((built.seconds, plain_seconds), |least| {
            (built.seconds.min(least.seconds), plain_seconds.min(least.plain_seconds))
        });
        least = Some(Distributions { seconds, plain_seconds, ..built });
    }
    Ok(least)
}

/// Seconds to build the abstraction without probabilities; none where a limit was met.
fn plain(
    problem: &Problem,
    given: &[TermId],
    predicates: &PredicateSet,
    options: &Options,
) -> Result<Option<f64>, Failure> {
    let mut system = system(&Asked::of(problem), given)?;
    let oracles: Oracles<BranchAndBound> = Oracles::seeded(0);
    let begun = Instant::now();
    let found =
        search(&mut system, predicates, options, &oracles, &Silent).map_err(|error| super::failure(problem, error))?;
    Ok(found.stopped.is_none().then(|| begun.elapsed().as_secs_f64()))
}

/// The abstraction with probabilities; none where a limit was met.
fn probabilistic(
    problem: &Problem,
    given: &[TermId],
    predicates: &PredicateSet,
    limits: &Limits,
) -> Result<Option<Distributions>, Failure> {
    let mut system = system(&Asked::of(problem), given)?;
    let oracles: Oracles<BranchAndBound> = Oracles::seeded(0);
    let (mut lowered, mut starts) = (Lowered::default(), Vec::new());
    let begun = Instant::now();
    let explored =
        Process::new(&mut system, predicates, &mut lowered, &mut starts, &oracles, limits).and_then(|mut process| {
            loop {
                let open: Vec<_> = process.open().collect();
                if open.is_empty() {
                    return Ok(process);
                }
                process.expand(&open)?;
            }
        });
    match explored {
        Ok(process) => Ok(Some(Distributions {
            reachable_states: process.places.len(),
            unsafe_states: process.places.iter().filter(|place| matches!(place, Place::Unsafe)).count(),
            transitions: process.transitions,
            oracle_queries: process.work.questions,
            oracle_nodes: process.work.nodes,
            seconds: begun.elapsed().as_secs_f64(),
            plain_seconds: 0.0,
        })),
        Err(Halt::Stop(_)) => Ok(None),
        Err(Halt::Failure(error)) => Err(failure(problem, error)),
    }
}
