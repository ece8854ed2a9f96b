//! What an abstraction says about the property.

use surefoot_abstraction::errors::{Errors, errors};
use surefoot_abstraction::{Abstraction, Options, PredicateSet, Stop, System};
use surefoot_explicit::LimitReason;

use crate::engine::Budget;
use crate::problem::{Failure, Problem};

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

/// What follows, and what it takes for granted.
pub(super) fn conclude(
    problem: &Problem,
    system: &mut System<'_>,
    predicates: &PredicateSet,
    abstraction: &Abstraction,
    options: &Options,
    budget: &Budget,
) -> Result<(Conclusion, Vec<String>), Failure> {
    match abstraction.stopped {
        None | Some(Stop::Unsafe) => {}
        Some(Stop::States(most)) => {
            let reason = format!("the limit of {most} abstract states was reached");
            return Ok((Conclusion::Unknown(reason), Vec::new()));
        }
        Some(Stop::Memory(_)) => {
            return Ok((Conclusion::Unknown(budget.describe(LimitReason::Memory)), Vec::new()));
        }
        Some(Stop::Oracle(limit)) => return Ok((Conclusion::Unknown(budget.describe_oracle(limit)), Vec::new())),
    }
    if problem.query.target.is_none() {
        return Ok((Conclusion::Nothing, Vec::new()));
    }
    if abstraction.is_unsafe.contains(&true) {
        let reason = "an abstract unsafe state is reached".to_owned();
        return Ok((Conclusion::Unknown(reason), Vec::new()));
    }
    let assumption = match errors(system, predicates, abstraction, &options.oracle, &options.limits)? {
        Errors::Excluded => None,
        Errors::Possible { what, witness, .. } => {
            let state = witness.describe(problem.model());
            Some(format!("the model is never in error: in the state {state}, which is not excluded, {what}"))
        }
        Errors::Undecided(limit) => Some(format!(
            "the model is never in error: whether it is was not decided ({})",
            budget.describe_oracle(limit)
        )),
    };
    Ok((Conclusion::Holds, assumption.into_iter().collect()))
}
