//! Where the policy may choose a label that is not applicable, so that runs stop.

use std::sync::Arc;

use rayon::prelude::*;
use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_model::policy::Outputs;
use surefoot_model::{LabelId, State};
use surefoot_oracle::{Answer, Limits, Oracle, Replicate};
use surefoot_text::diagnostic::Diagnostic;

use crate::chooser::Chooser;
use crate::locations::ByLocations;
use crate::oracles::{Lent, Oracles};
use crate::predicate::PredicateSet;
use crate::reachable::Abstraction;
use crate::state::StateId;
use crate::system::System;

/// An abstract state in which the policy may stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// The abstract state.
    pub state: StateId,
    /// The label that it chooses.
    pub label: LabelId,
    /// A concrete state in which it does and no operator of the label is enabled.
    pub witness: State,
}

/// All deadlocks that were found, by state and then in the order of the policy's labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deadlocks {
    /// They.
    pub found: Vec<Deadlock>,
    /// The limit that kept some from being known.
    pub stopped: Option<Stop>,
}

/// A label, where it is not applicable, and how it comes to be chosen.
type Stuck = (LabelId, Formula, Arc<[Chooser]>);

/// Looks for deadlocks in the states of an abstraction that were expanded. Under the applicability filter there are none.
///
/// # Errors
/// What cannot be lowered, with its place.
pub fn deadlocks<O: Oracle + Replicate>(
    system: &mut System<'_>,
    predicates: &PredicateSet,
    abstraction: &Abstraction,
    oracles: &Oracles<O>,
    limits: &Limits,
) -> Result<Deadlocks, Diagnostic> {
    let mut stuck: ByLocations<Vec<Stuck>> = ByLocations::default();
    for id in &abstraction.expanded {
        let locations = &abstraction.states.get(*id).locations;
        stuck.prepare(locations, || system.stuck(locations))?;
    }
    let system = &*system;
    let find = |oracle: &mut Lent<'_, O>, id: &StateId| {
        let state = abstraction.states.get(*id);
        let cell = system.cell(predicates, state);
        let mut result = Deadlocks::default();
        for (label, formula, choosers) in stuck.at(&state.locations) {
            for chooser in choosers.iter() {
                match cell.ask(&mut **oracle, formula, Some(chooser), limits) {
                    Answer::Sat(point) => {
                        let witness = State(point.into());
                        result.found.push(Deadlock { state: *id, label: *label, witness });
                        break;
                    }
                    Answer::Unsat => {}
                    Answer::Unknown(stop) => result.stopped = Some(stop),
                }
            }
        }
        result
    };
    let parts: Vec<Deadlocks> = abstraction.expanded.par_iter().map_init(|| oracles.lend(), find).collect();
    let mut all = Deadlocks::default();
    for part in parts {
        all.found.extend(part.found);
        all.stopped = all.stopped.or(part.stopped);
    }
    Ok(all)
}

impl System<'_> {
    /// The labels of the policy that are not applicable everywhere at given locations.
    fn stuck(&mut self, locations: &[u32]) -> Result<Vec<Stuck>, Diagnostic> {
        let Some(policy) = &self.policy else { return Ok(Vec::new()) };
        let Outputs::Labels(labels) = policy.outputs.clone() else { return Ok(Vec::new()) };
        if policy.filter {
            return Ok(Vec::new());
        }
        let not_terminal = self.lowering.space().negated(&self.terminal);
        let mut stuck = Vec::new();
        for label in &labels {
            let applicable = self.lowering.applicable(*label, Some(locations))?;
            let nowhere = self.lowering.space().negated(&applicable);
            let formula = self.lowering.at_all_locations(&Formula::all([nowhere, not_terminal.clone()]), locations);
            if !formula.is_falsity()
                && let Some(choosers) = self.choosers(Some(*label), locations)?
            {
                stuck.push((*label, formula, choosers));
            }
        }
        Ok(stuck)
    }
}
