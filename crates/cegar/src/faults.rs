//! Errors of the model that the invariant does not exclude.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use surefoot_abstraction::errors::{Fault, Region};
use surefoot_abstraction::{AbstractState, PredicateSet, StateId, System};
use surefoot_limits::Stop;
use surefoot_oracle::{Answer, BranchAndBound, KeepStatistics, Limits, Statistics};
use surefoot_text::diagnostic::Diagnostic;

/// What may be an error, by locations.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    known: FxHashMap<Box<[u32]>, Vec<Arc<Fault>>>,
}

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

impl Faults {
    /// Looks for errors in all states: the first state that holds one, else the first of which it is not known. Also says what that took.
    pub(crate) fn find(
        &mut self,
        system: &mut System<'_>,
        predicates: &PredicateSet,
        states: &[(StateId, AbstractState)],
        limits: &Limits,
    ) -> Result<(FaultFound, Statistics), Diagnostic> {
        for (_, state) in states {
            if !self.known.contains_key(&state.locations) {
                let faults = system.faults(&state.locations)?.into_iter().map(Arc::new).collect();
                self.known.insert(state.locations.clone(), faults);
            }
        }
        let system = &*system;
        let look = |oracle: &mut BranchAndBound, (id, state): &(StateId, AbstractState)| {
            let faults = &self.known[&state.locations];
            let before = oracle.statistics();
            let mut found = FaultFound::None;
            if !faults.is_empty() {
                let region = Region::of(system, predicates, state);
                for fault in faults {
                    match fault.occurs(&region, oracle, limits) {
                        Answer::Unsat => {}
                        Answer::Sat(_) if fault.exact => {
                            found = FaultFound::In(*id, fault.clone());
                            break;
                        }
                        Answer::Sat(_) => found = FaultFound::Open(fault.what.clone(), Fault::undecided()),
                        Answer::Unknown(limit) => found = FaultFound::Open(fault.what.clone(), limit),
                    }
                }
            }
            (found, oracle.statistics().since(&before))
        };
        let oracle = || BranchAndBound::new(surefoot_oracle::Options::default());
        let looked: Vec<(FaultFound, Statistics)> = states.par_iter().map_init(oracle, look).collect();
        let (mut first, mut work) = (FaultFound::None, Statistics::default());
        for (found, spent) in looked {
            work.questions += spent.questions;
            work.nodes += spent.nodes;
            match (&first, &found) {
                (FaultFound::None, _) | (FaultFound::Open(..), FaultFound::In(..)) => first = found,
                _ => {}
            }
        }
        Ok((first, work))
    }
}
