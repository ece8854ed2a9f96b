//! Errors of the model in cells that can be reached.
//!
//! Where an operator is an error it counts as absent; so bounds are those of the model only if no cell that can be reached holds such a state.

use rayon::prelude::*;
use surefoot_abstraction::{Cell, Fault, Oracles};
use surefoot_limits::{Stop, Unit};
use surefoot_model::State;
use surefoot_oracle::{Answer, FullOracle, Limits};

use super::cut::middle;
use super::expand::variables;
use super::partition::{Cut, Danger, Partition};

/// Times that cells are cut for errors of the model which are not excluded.
pub(crate) const FAULT_ROUNDS: u64 = 12;

/// An error that is not excluded.
#[derive(Debug, Clone)]
pub(crate) struct OpenFault {
    pub(crate) cell: u32,
    pub(crate) what: String,
    /// Why not.
    pub(crate) stop: Stop,
    /// A state in which it is one, whether runs come to it or not.
    pub(crate) state: Option<State>,
    /// Where to cut the cell.
    pub(crate) cut: Option<Cut>,
}

impl Partition {
    /// The cells of a list that do not exclude all errors, in its order.
    pub(crate) fn open_faults<O: FullOracle>(
        &self,
        order: &[u32],
        oracles: &Oracles<O>,
        limits: &Limits,
    ) -> Vec<OpenFault> {
        let open: Vec<u32> = order.iter().copied().filter(|id| !self.cells[*id as usize].faultless).collect();
        let look = |id: &u32| self.fault(*id, &mut *oracles.lend(), limits);
        open.par_iter().filter_map(look).collect()
    }

    /// What may be an error in a cell, as far as its box tells.
    pub(crate) fn possible_fault(&self, id: u32) -> Option<String> {
        let cell = &self.cells[id as usize];
        let faults = &self.programs[cell.program].faults;
        faults.iter().find(|(test, _)| test.truth(&cell.ranges) != Some(false)).map(|(_, fault)| fault.what.clone())
    }

    /// An error that a cell does not exclude.
    pub(crate) fn fault<O: FullOracle>(&self, id: u32, oracle: &mut O, limits: &Limits) -> Option<OpenFault> {
        let cell = &self.cells[id as usize];
        if cell.faultless || cell.danger == Danger::All {
            return None;
        }
        let region = || Cell { variables: variables(&cell.ranges), also: Vec::new() };
        for (test, fault) in &self.programs[cell.program].faults {
            if test.truth(&cell.ranges) == Some(false) {
                continue;
            }
            let (stop, state) = match fault.occurs(&region(), oracle, limits) {
                Answer::Unsat => continue,
                Answer::Sat(point) if fault.exact => {
                    (Stop::Most(Unit::Iterations, FAULT_ROUNDS), Some(State(point.into())))
                }
                Answer::Sat(_) => (Fault::undecided(), None),
                Answer::Unknown(stop) => (stop, None),
            };
            let mut bounds = Vec::new();
            test.bounds(&mut bounds);
            let fits = |cut: &Cut| cell.ranges[cut.slot].0 <= cut.at && cut.at < cell.ranges[cut.slot].1;
            let cuts = bounds.iter().map(|(slot, at)| Cut { slot: *slot as usize, at: *at });
            let cut = cuts.filter(|cut| cut.slot < cell.ranges.len()).find(fits).or_else(|| middle(&cell.ranges));
            return Some(OpenFault { cell: id, what: fault.what.clone(), stop, state, cut });
        }
        None
    }
}
