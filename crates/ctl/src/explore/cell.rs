//! A piece being worked on.

use surefoot_model::policy::Outputs;
use surefoot_model::{ModelError, State};
use surefoot_oracle::{BranchAndBound, Limits};
use surefoot_symbolic::{Condition, Formula, Linear};

use super::image::Shared;
use super::{Memory, Trouble};
use crate::agent::{Prepared, choice};
use crate::formula::unfold::Unfolded;
use crate::region::{Decider, Piece, Truth};
use crate::system::System;

/// What does not change from piece to piece.
#[derive(Debug)]
pub struct Engine<'s, 'm> {
    /// The system.
    pub system: &'s System<'m>,
    /// The formula.
    pub formula: &'s Unfolded,
    /// The policy's networks.
    pub networks: Vec<Prepared>,
    /// When to stop.
    pub limits: Limits,
    /// The most states of a piece, where all of them are needed.
    pub most_states: usize,
}

impl<'s, 'm> Engine<'s, 'm> {
    /// Prepares a system and a formula.
    #[must_use]
    pub fn new(system: &'s System<'m>, formula: &'s Unfolded, limits: Limits, most_states: usize) -> Self {
        let networks = system.symbolic_policy().map_or_else(Vec::new, |policy| {
            policy.networks.iter().map(|network| Prepared::new(&network.network)).collect()
        });
        Self { system, formula, networks, limits, most_states }
    }
}

/// What was done on a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// States whose successors were computed.
    pub expanded: u64,
    /// Of these, states without successors.
    pub stuttering: u64,
    /// Linear programs solved.
    pub programs: u64,
    /// Questions to the oracle.
    pub questions: u64,
}

/// A piece being worked on.
#[derive(Debug)]
pub struct Cell<'e, 's, 'm> {
    pub(crate) engine: &'e Engine<'s, 'm>,
    pub(crate) decider: Decider<'e>,
    pub(crate) memory: Memory,
    pub(crate) oracle: Option<BranchAndBound>,
    /// What was done.
    pub counts: Counts,
}

impl<'e, 's, 'm> Cell<'e, 's, 'm> {
    /// Begins with a piece and what is known of it.
    #[must_use]
    pub fn new(engine: &'e Engine<'s, 'm>, piece: Piece, memory: Memory) -> Self {
        let decider = Decider::new(piece, &engine.limits);
        Self { engine, decider, memory, oracle: None, counts: Counts::default() }
    }

    /// The piece.
    #[must_use]
    pub fn piece(&self) -> &Piece {
        self.decider.piece()
    }

    /// What was found out, and what it took.
    #[must_use]
    pub fn finish(mut self) -> (Memory, Counts) {
        self.counts.programs = self.decider.programs;
        (self.memory, self.counts)
    }

    /// A formula in all states of an image; `view` is the image with outputs, as [`Cell::view`] gives it.
    pub(crate) fn truth(&mut self, formula: &Formula, view: &[Linear]) -> Result<Truth, Trouble> {
        Ok(self.decider.formula(formula, view)?)
    }

    /// Whether a formula holds all over the piece, or nowhere.
    pub(crate) fn decided(&mut self, formula: &Formula, view: &[Linear]) -> Result<bool, Trouble> {
        match self.truth(formula, view)? {
            Truth::Holds => Ok(true),
            Truth::Fails => Ok(false),
            Truth::Open(cut) => Err(Trouble::Open(cut)),
        }
    }

    /// The symbols of the system in a state: slots, then the values that the policy computes.
    pub(crate) fn view(&mut self, state: &Shared) -> Result<Vec<Linear>, Trouble> {
        let mut view = state.forms().to_vec();
        let Some(policy) = self.engine.system.symbolic_policy() else { return Ok(view) };
        let Outputs::Transients(transients) = &policy.outputs else { return Ok(view) };
        match self.network(&view)? {
            Some((network, inputs)) => {
                let values = choice::values(&mut self.decider, &self.engine.networks[network], &inputs)?;
                view.extend(values);
            }
            // Whatever reads an output is undefined here, which is noticed where it is read.
            None => view.extend(transients.iter().map(|_| Linear::default())),
        }
        Ok(view)
    }

    /// The network that is asked in a state, and its inputs.
    pub(crate) fn network(&mut self, view: &[Linear]) -> Result<Option<(usize, Vec<Linear>)>, Trouble> {
        let Some(policy) = self.engine.system.symbolic_policy() else { return Ok(None) };
        for (i, network) in policy.networks.iter().enumerate() {
            if network.asked.is_truth() || self.decided(&network.asked, view)? {
                let inputs = network.inputs.iter().map(|form| form.substitute(&|s| Some(view[s as usize].clone())));
                return Ok(Some((i, inputs.collect())));
            }
        }
        Ok(None)
    }

    /// Whether a condition holds all over the piece in a state, or nowhere.
    pub(crate) fn condition(&mut self, condition: &Condition, state: &Shared) -> Result<bool, Trouble> {
        let computes = self.engine.system.computes_values();
        let own;
        let view: &[Linear] = if computes {
            own = self.view(state)?;
            &own
        } else {
            state.forms()
        };
        if !condition.defined.is_truth() && !self.decided(&condition.defined, view)? {
            let state = self.concrete(state).describe(self.engine.system.model());
            let message = format!("a condition of the property has no value in the state {state}");
            return Err(surefoot_jani::diagnostic::Diagnostic::error_anywhere(message).into());
        }
        self.decided(&condition.holds, view)
    }

    /// A state of an image, for a point of the piece.
    pub(crate) fn concrete(&self, state: &Shared) -> State {
        state.at(self.piece().point())
    }

    /// The error of the model that all states of an image have.
    pub(crate) fn error(&self, state: &Shared) -> Trouble {
        let system = self.engine.system;
        let state = self.concrete(state);
        match system.interpreter().permitted_choices(&state, system.policy()) {
            Err(error) => Trouble::Model(Box::<ModelError>::new(error)),
            Ok(_) => {
                let state = state.describe(system.model());
                Trouble::Internal(format!("an error of the model in the state {state} was not confirmed"))
            }
        }
    }
}
