//! Errors of the model that the invariant does not exclude.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use surefoot_abstraction::errors::{Fault, Region};
use surefoot_abstraction::{AbstractState, PredicateSet, StateId, System};
use surefoot_jani::diagnostic::Diagnostic;
use surefoot_oracle::{Answer, BranchAndBound, Limit, Limits};

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
    /// It is not known of one: what it would be, and the limit that was met.
    Open(String, Limit),
}

impl Faults {
    /// Looks for errors in all states.
    pub(crate) fn find(
        &mut self,
        system: &mut System<'_>,
        predicates: &PredicateSet,
        states: &[(StateId, AbstractState)],
        limits: &Limits,
    ) -> Result<FaultFound, Diagnostic> {
        let mut oracle = BranchAndBound::new(surefoot_oracle::Options::default());
        let mut open = FaultFound::None;
        for (id, state) in states {
            if !self.known.contains_key(&state.locations) {
                let faults = system.faults(&state.locations)?.into_iter().map(Arc::new).collect();
                self.known.insert(state.locations.clone(), faults);
            }
            let faults = &self.known[&state.locations];
            if faults.is_empty() {
                continue;
            }
            let region = Region::of(system, predicates, state);
            for fault in faults {
                match fault.occurs(&region, &mut oracle, limits) {
                    Answer::Unsat => {}
                    Answer::Sat(_) => return Ok(FaultFound::In(*id, fault.clone())),
                    Answer::Unknown(limit) => open = FaultFound::Open(fault.what.clone(), limit),
                }
            }
        }
        Ok(open)
    }
}
