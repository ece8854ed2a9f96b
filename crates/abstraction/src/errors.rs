//! Errors of the model that the abstraction does not exclude.
//!
//! An operator counts as absent where it is an error (a new value out of its domain, a probability that is none). That
//! nothing unsafe is reached is then proved of the model only if no such state is: after the search, every abstract state is
//! asked for one.

use std::sync::Arc;

use rayon::prelude::*;
use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_model::State;
use surefoot_oracle::{Answer, KeepStatistics, Limits, Oracle, Replicate, Statistics};
use surefoot_text::diagnostic::Diagnostic;

use crate::cell::Cell;
use crate::fault::Fault;
use crate::locations::ByLocations;
use crate::oracles::{Lent, Oracles, counted};
use crate::predicate::PredicateSet;
use crate::reachable::Abstraction;
use crate::state::{AbstractState, StateId};
use crate::system::System;
use crate::untouched::SlotRange;

/// All that may be an error, by locations.
pub type Faults = ByLocations<Vec<Arc<Fault>>>;

/// Whether the model may be in error in some concrete state of an abstract one.
#[derive(Debug, Clone)]
pub enum Occurrence {
    /// It is not.
    Excluded,
    /// This occurs there, in this state among others; whether that is an error in fact, the fault says.
    Possible(Arc<Fault>, Box<State>),
    /// It is not known of this.
    Undecided(Arc<Fault>, Stop),
}

impl Occurrence {
    /// Whether it is out of the question.
    #[must_use]
    pub fn is_excluded(&self) -> bool {
        matches!(self, Self::Excluded)
    }

    /// Looks for errors in a cell: the first that is one for certain, else the last that may be.
    fn in_cell(cell: &Cell, faults: &[Arc<Fault>], oracle: &mut impl Oracle, limits: &Limits) -> Self {
        let mut open = Self::Excluded;
        for fault in faults {
            match fault.occurs(cell, oracle, limits) {
                Answer::Unsat => {}
                Answer::Sat(point) => {
                    open = Self::Possible(fault.clone(), Box::new(State(point.into())));
                    if fault.exact {
                        break;
                    }
                }
                Answer::Unknown(stop) => open = Self::Undecided(fault.clone(), stop),
            }
        }
        open
    }
}

/// Looks for errors in abstract states, each for itself, and where there are ranges for it, within these; also says what that took.
///
/// # Errors
/// What cannot be lowered, with its place.
pub fn occurrences<'s, O: Oracle + KeepStatistics + Replicate>(
    system: &'s mut System<'_>,
    predicates: &'s PredicateSet,
    states: &'s [(StateId, AbstractState)],
    within: &'s [Arc<[SlotRange]>],
    faults: &'s mut Faults,
    oracles: &'s Oracles<O>,
    limits: &'s Limits,
) -> Result<impl IndexedParallelIterator<Item = (StateId, Occurrence, Statistics)> + 's, Diagnostic> {
    for (_, state) in states {
        system.prepare_faults(&state.locations, faults)?;
    }
    let (system, faults) = (&*system, &*faults);
    let look = move |oracle: &mut Lent<'_, O>, (number, (id, state)): (usize, &(StateId, AbstractState))| {
        let faults = faults.at(&state.locations);
        if faults.is_empty() {
            return (*id, Occurrence::Excluded, Statistics::default());
        }
        let mut cell = system.cell(predicates, state);
        cell.narrow(within.get(number).map_or(&[], |within| within));
        let (found, work) = counted(&mut **oracle, |oracle| Occurrence::in_cell(&cell, faults, oracle, limits));
        (*id, found, work)
    };
    Ok(states.par_iter().enumerate().map_init(move || oracles.lend(), look))
}

/// Looks for errors in all states of an abstraction: the first that holds one or may.
///
/// # Errors
/// What cannot be lowered, with its place.
pub fn errors(
    system: &mut System<'_>,
    predicates: &PredicateSet,
    abstraction: &Abstraction,
    oracles: &Oracles<impl Oracle + KeepStatistics + Replicate>,
    limits: &Limits,
) -> Result<Occurrence, Diagnostic> {
    let states: Vec<_> = abstraction.states.iter().map(|(id, state)| (id, state.clone())).collect();
    let mut faults = Faults::default();
    let found = occurrences(system, predicates, &states, &[], &mut faults, oracles, limits)?;
    let first = found.find_first(|(_, found, _)| !found.is_excluded());
    Ok(first.map_or(Occurrence::Excluded, |(_, found, _)| found))
}

/// Start states in which the model may be in error: for each fault of each abstract start state and each start condition one, if
/// there is one. Where a fault is exact the model is in error there, elsewhere it may be.
///
/// # Errors
/// What cannot be lowered, with its place.
pub fn start_errors(
    system: &mut System<'_>,
    predicates: &PredicateSet,
    abstraction: &Abstraction,
    oracles: &Oracles<impl Oracle + Replicate>,
    limits: &Limits,
) -> Result<Vec<State>, Diagnostic> {
    let mut oracle = oracles.lend();
    let mut found = Vec::new();
    for (_, state) in abstraction.states.iter().take(abstraction.start) {
        let faults = system.faults(&state.locations)?;
        let cell = system.cell(predicates, state);
        for (fault, condition) in faults.iter().flat_map(|f| system.start_conditions.iter().map(move |c| (f, c))) {
            let condition = system.lowering.at_all_locations(condition, &state.locations);
            let formula = Formula::all([condition, fault.formula.clone()]);
            let here = Fault { formula, ..fault.clone() };
            if let Answer::Sat(point) = here.occurs(&cell, &mut *oracle, limits) {
                found.push(State(point.into()));
            }
        }
    }
    Ok(found)
}
