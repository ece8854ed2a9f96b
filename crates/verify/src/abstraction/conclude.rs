//! What an abstraction says about the property.

use std::sync::Arc;

use surefoot_abstraction::errors::{Occurrence, errors, start_errors};
use surefoot_abstraction::{Abstraction, Early, Oracles, PredicateSet, System};
use surefoot_oracle::FullOracle;
use surefoot_verdict::{Because, Reason, Silent};

use super::AbstractOptions;
use super::regions::Cells;
use crate::cegar::error_in;
use crate::engine::{Budget, Evidence, Verdict, explore};
use crate::open::OpenErrors;
use crate::problem::{Failure, Problem};

/// Megabytes for states of the model where the abstraction leaves its errors open: some hundred thousand of them.
const EXPLORED_MEMORY: usize = 8;

/// What follows from an abstraction: never that the property is violated; nothing where nothing was asked.
pub type Conclusion = Option<Verdict>;

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
    oracles: &Oracles<impl FullOracle>,
    budget: &Budget,
    options: &AbstractOptions,
) -> Result<(Conclusion, Option<OpenErrors>), Failure> {
    match abstraction.stopped {
        None | Some(Early::Unsafe) => {}
        Some(Early::Limit(stop)) => return Ok((Some(Verdict::Unknown(budget.limit(stop).into())), None)),
    }
    if problem.query.target.is_none() {
        return Ok((None, None));
    }
    if abstraction.is_unsafe.contains(&true) {
        return Ok((Some(Verdict::Unknown(Reason::Coarse)), None));
    }
    let cells = options.keep.then(|| {
        let states = abstraction.states.iter().map(|(_, state)| state.clone()).collect();
        Arc::new(Cells { predicates: predicates.clone(), states, within: Vec::new() })
    });
    let (limits, proof) = (budget.oracle_limits(), Evidence::Invariant { states: abstraction.states.len(), cells });
    let (what, because) = match errors(system, predicates, abstraction, oracles, &limits)? {
        Occurrence::Excluded => return Ok((Some(Verdict::Holds(proof)), None)),
        Occurrence::Possible(fault, witness) => {
            let state = witness.describe(problem.model());
            (fault.what.clone(), Because::State(state))
        }
        Occurrence::Undecided(_, limit) => {
            ("the model is in error somewhere".to_owned(), Because::Limit(budget.limit(limit)))
        }
    };
    if explored_without_error(problem, budget)? {
        // Of errors the abstract states say nothing; the states that were explored do.
        let proof = Evidence::Invariant { states: abstraction.states.len(), cells: None };
        return Ok((Some(Verdict::Holds(proof)), None));
    }
    let listed = problem.query.start.states.iter().cloned();
    let starts = start_errors(system, predicates, abstraction, oracles, &limits)?;
    if let Some(error) = listed.chain(starts).find_map(|state| error_in(problem, &state)) {
        return Err(error.into());
    }
    let open = OpenErrors::new(what, because, proof);
    let (verdict, _) = open.verdict(options.assume_no_errors);
    Ok((Some(verdict), Some(open)))
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
