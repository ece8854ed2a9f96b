//! What an abstraction says about the property.

use surefoot_abstraction::errors::{Errors, errors, start_errors};
use surefoot_abstraction::{Abstraction, Early, Options, PredicateSet, System};
use surefoot_verdict::Silent;

use crate::cegar::error_in;
use crate::engine::{Budget, Evidence, explore};
use crate::open::OpenErrors;
use crate::problem::{Failure, Problem};

/// Megabytes for states of the model where the abstraction leaves its errors open: some hundred thousand of them.
const EXPLORED_MEMORY: usize = 8;

/// What follows from an abstraction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conclusion {
    /// No unsafe state is reachable.
    Holds,
    /// Nothing, and why.
    Unknown(String),
    /// Nothing was asked.
    Nothing,
}

impl Conclusion {
    /// The verdict's word.
    #[must_use]
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Self::Holds => Some("holds"),
            Self::Unknown(_) => Some("unknown"),
            Self::Nothing => None,
        }
    }
}

/// What follows, and what is open.
///
/// Where the abstraction leaves errors of the model open, the model itself is asked: it is explored as far as little memory goes, and the
/// start states are looked at, all of them. What is found there is the error that the explicit engine names.
///
/// # Errors
/// An error of the model that a run comes to; what cannot be lowered.
pub(super) fn conclude(
    problem: &Problem,
    system: &mut System<'_>,
    predicates: &PredicateSet,
    abstraction: &Abstraction,
    options: &Options,
    budget: &Budget,
    assume_no_errors: bool,
) -> Result<(Conclusion, Option<OpenErrors>), Failure> {
    match abstraction.stopped {
        None | Some(Early::Unsafe) => {}
        Some(Early::Limit(stop)) => return Ok((Conclusion::Unknown(budget.describe(stop)), None)),
    }
    if problem.query.target.is_none() {
        return Ok((Conclusion::Nothing, None));
    }
    if abstraction.is_unsafe.contains(&true) {
        let reason = "an abstract unsafe state is reached".to_owned();
        return Ok((Conclusion::Unknown(reason), None));
    }
    let (what, because) = match errors(system, predicates, abstraction, &options.oracle, &options.limits)? {
        Errors::Excluded => return Ok((Conclusion::Holds, None)),
        Errors::Possible { what, witness, .. } => {
            let state = witness.describe(problem.model());
            (what, format!("the abstraction does not exclude the state {state}"))
        }
        Errors::Undecided(limit) => ("the model is in error somewhere".to_owned(), budget.describe(limit)),
    };
    if explored_without_error(problem, budget)? {
        return Ok((Conclusion::Holds, None));
    }
    let listed = problem.query.start.states.iter().cloned();
    let starts = start_errors(system, predicates, abstraction, &options.oracle, &options.limits)?;
    if let Some(error) = listed.chain(starts).find_map(|state| error_in(problem, &state)) {
        return Err(error.into());
    }
    let open = OpenErrors { what, because, proof: Evidence::Invariant { states: abstraction.states.len() } };
    let conclusion = if assume_no_errors { Conclusion::Holds } else { Conclusion::Unknown(open.reason()) };
    Ok((conclusion, Some(open)))
}

/// Whether few states are reachable, and the model is in error in none of them.
///
/// # Errors
/// The error of the model that a run comes to.
fn explored_without_error(problem: &Problem, budget: &Budget) -> Result<bool, Failure> {
    let memory = budget.memory.map_or(EXPLORED_MEMORY, |memory| memory.min(EXPLORED_MEMORY));
    let (limit, statistics) = explore(problem, &Budget { memory: Some(memory), ..budget.clone() }, &Silent)?;
    if statistics.reach_states > 0 {
        return Err(Failure::Internal("an unsafe state is reached that the abstraction excludes".to_owned()));
    }
    Ok(limit.is_none())
}
