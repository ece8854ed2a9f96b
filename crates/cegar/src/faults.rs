//! Errors of the model that the invariant does not exclude.

use std::sync::Arc;

use rayon::prelude::*;
use surefoot_abstraction::errors::{Faults, Occurrence, occurrences};
use surefoot_abstraction::{AbstractState, Fault, Oracles, PredicateSet, SlotRange, StateId, System};
use surefoot_limits::Stop;
use surefoot_oracle::{FullOracle, Limits, Statistics};
use surefoot_text::diagnostic::Diagnostic;

/// What was found.
#[derive(Debug)]
pub(crate) enum FaultFound {
    /// No abstract state holds one.
    None,
    /// This one does.
    In(StateId, Arc<Fault>),
    /// It is not known of one: what it would be, and why not.
    Open(String, Stop),
}

/// Looks for errors in all states, within their ranges: the first state that holds one, else the first of which it is not known. Also says what that took.
pub(crate) fn find(
    system: &mut System<'_>,
    predicates: &PredicateSet,
    states: &[(StateId, AbstractState)],
    within: &[Arc<[SlotRange]>],
    faults: &mut Faults,
    oracles: &Oracles<impl FullOracle>,
    limits: &Limits,
) -> Result<(FaultFound, Statistics), Diagnostic> {
    let all: Vec<_> = occurrences(system, predicates, states, within, faults, oracles, limits)?.collect();
    let (mut first, mut work) = (FaultFound::None, Statistics::default());
    for (id, found, spent) in all {
        work.questions += spent.questions;
        work.nodes += spent.nodes;
        let found = match found {
            Occurrence::Excluded => continue,
            Occurrence::Possible(fault, _) if fault.exact => FaultFound::In(id, fault),
            Occurrence::Possible(fault, _) => FaultFound::Open(fault.what.clone(), Fault::undecided()),
            Occurrence::Undecided(fault, stop) => FaultFound::Open(fault.what.clone(), stop),
        };
        match (&first, &found) {
            (FaultFound::None, _) | (FaultFound::Open(..), FaultFound::In(..)) => first = found,
            _ => {}
        }
    }
    Ok((first, work))
}
