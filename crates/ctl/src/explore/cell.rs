//! A piece being worked on.

use std::sync::atomic::{AtomicUsize, Ordering};

use surefoot_linear::{Formula, Linear};
use surefoot_model::{ModelError, State};
use surefoot_oracle::{BranchAndBound, Limits};
use surefoot_symbolic::Condition;

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
    /// Bytes that cells have counted, where there is a limit.
    bytes: AtomicUsize,
}

impl<'s, 'm> Engine<'s, 'm> {
    /// Prepares a system and a formula.
    #[must_use]
    pub fn new(system: &'s System<'m>, formula: &'s Unfolded, limits: Limits, most_states: usize) -> Self {
        let networks = system.symbolic_policy().map_or_else(Vec::new, |policy| {
            policy.networks.iter().map(|network| Prepared::new(&network.network)).collect()
        });
        Self { system, formula, networks, limits, most_states, bytes: AtomicUsize::new(0) }
    }

    /// The limit of memory, if it is reached.
    ///
    /// # Errors
    /// [`Trouble::Stopped`] then.
    pub(crate) fn check_memory(&self) -> Result<(), Trouble> {
        self.limits.exceeded(self.bytes.load(Ordering::Relaxed)).map_or(Ok(()), |limit| Err(Trouble::Stopped(limit)))
    }

    /// The limits, with what is left of the memory.
    pub(crate) fn limits_left(&self) -> Limits {
        let used = self.bytes.load(Ordering::Relaxed);
        let left = self.limits.run.memory.map(|most| most.saturating_sub(used));
        Limits { run: self.limits.run.within(left), ..self.limits.clone() }
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

/// The symbols of the system in a state: slots, then the values that the policy computes, then the values of choices.
///
/// What the policy computes is affine only where no neuron changes its sign, so it is not worked out before something reads it.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) forms: Vec<Linear>,
    /// Whether what the policy computes is not there yet.
    missing: bool,
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
    /// Bytes that the engine counts for this cell.
    counted: usize,
}

impl<'e, 's, 'm> Cell<'e, 's, 'm> {
    /// Begins with a piece and what is known of it.
    #[must_use]
    pub fn new(engine: &'e Engine<'s, 'm>, piece: Piece, memory: Memory) -> Self {
        let decider = Decider::new(piece, &engine.limits);
        Self { engine, decider, memory, oracle: None, counts: Counts::default(), counted: 0 }
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
        self.count(0);
        (self.memory, self.counts)
    }

    /// Stops if it is time to, or if there is no memory left. `working` is what is held besides the memory of states.
    pub(crate) fn check_limits(&mut self, working: usize) -> Result<(), Trouble> {
        self.decider.check_limits()?;
        self.count(working);
        self.engine.check_memory()
    }

    fn count(&mut self, working: usize) {
        if self.engine.limits.run.memory.is_none() {
            return;
        }
        let bytes = self.memory.bytes() + working;
        if bytes >= self.counted {
            self.engine.bytes.fetch_add(bytes - self.counted, Ordering::Relaxed);
        } else {
            self.engine.bytes.fetch_sub(self.counted - bytes, Ordering::Relaxed);
        }
        self.counted = bytes;
    }

    /// A formula in all states of an image.
    pub(crate) fn truth(&mut self, formula: &Formula, view: &mut View) -> Result<Truth, Trouble> {
        if view.missing && self.reads_outputs(formula) {
            self.fill(view)?;
        }
        Ok(self.decider.formula(formula, &view.forms)?)
    }

    /// Whether a formula holds all over the piece, or nowhere.
    pub(crate) fn decided(&mut self, formula: &Formula, view: &mut View) -> Result<bool, Trouble> {
        match self.truth(formula, view)? {
            Truth::Holds => Ok(true),
            Truth::Fails => Ok(false),
            Truth::Open(cut) => Err(Trouble::Open(cut)),
        }
    }

    /// The symbols of the system in a state.
    pub(crate) fn view(&self, state: &Shared) -> View {
        let (slots, outputs) = self.engine.system.output_symbols();
        let mut forms = state.forms().to_vec();
        forms.resize(slots + outputs, Linear::default());
        View { forms, missing: outputs > 0 }
    }

    /// Whether a formula mentions values that the policy computes.
    pub(crate) fn reads_outputs(&self, formula: &Formula) -> bool {
        self.engine.system.reads_outputs(formula)
    }

    /// Works out what the policy computes in a state.
    pub(crate) fn fill(&mut self, view: &mut View) -> Result<(), Trouble> {
        if !view.missing {
            return Ok(());
        }
        // Where no network is asked, whatever reads an output is undefined, which is noticed where it is read.
        if let Some((network, inputs)) = self.network(&view.forms)? {
            let values = choice::values(&mut self.decider, &self.engine.networks[network], &inputs)?;
            let (slots, outputs) = self.engine.system.output_symbols();
            view.forms.splice(slots..slots + outputs, values);
        }
        view.missing = false;
        Ok(())
    }

    /// The network that is asked in a state, and its inputs. Neither depends on what networks compute.
    pub(crate) fn network(&mut self, forms: &[Linear]) -> Result<Option<(usize, Vec<Linear>)>, Trouble> {
        let Some(policy) = self.engine.system.symbolic_policy() else { return Ok(None) };
        for (i, network) in policy.networks.iter().enumerate() {
            let asked = match self.decider.formula(&network.asked, forms)? {
                Truth::Holds => true,
                Truth::Fails => false,
                Truth::Open(cut) => return Err(Trouble::Open(cut)),
            };
            if asked {
                let inputs = network.inputs.iter().map(|form| form.substitute(&|s| Some(forms[s.index()].clone())));
                return Ok(Some((i, inputs.collect())));
            }
        }
        Ok(None)
    }

    /// Whether a condition holds all over the piece in a state, or nowhere.
    pub(crate) fn condition(&mut self, condition: &Condition, state: &Shared) -> Result<bool, Trouble> {
        let mut view = self.view(state);
        if !condition.defined.is_truth() && !self.decided(&condition.defined, &mut view)? {
            let state = self.concrete(state).describe(self.engine.system.model());
            let message = format!("a condition of the property has no value in the state {state}");
            return Err(surefoot_text::diagnostic::Diagnostic::error_anywhere(message).into());
        }
        self.decided(&condition.holds, &mut view)
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
