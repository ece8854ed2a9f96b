//! The system by the reference interpreter: which states are start states, what follows them, and which conditions hold in them.
//!
//! Nothing here goes through pieces, images or bounds; evidence is confirmed with it.

use surefoot_linear::Formula;
use surefoot_model::{Interpreter, ModelError, State};
use surefoot_num::Rational;
use surefoot_oracle::Limits;

use super::listing::Listing;
use super::search::Options;
use crate::formula::unfold::{NodeId, Unfolded};
use crate::system::System;

/// A formula where only the first symbols have values: `None` where it depends on others.
fn known_truth(formula: &Formula, values: &[Rational]) -> Option<bool> {
    let join = |parts: &[Formula], deciding: bool| {
        let mut all_known = true;
        for part in parts {
            match known_truth(part, values) {
                Some(truth) if truth == deciding => return Some(deciding),
                Some(_) => {}
                None => all_known = false,
            }
        }
        all_known.then_some(!deciding)
    };
    match formula {
        Formula::Atom(atom) => {
            let known = atom.form.terms().iter().all(|(symbol, _)| symbol.index() < values.len());
            known.then(|| atom.eval(|symbol| values[symbol.index()].clone()))
        }
        Formula::All(parts) => join(parts, false),
        Formula::Any(parts) => join(parts, true),
    }
}

/// The system by the reference interpreter.
#[derive(Debug)]
pub struct Reference<'s, 'm> {
    system: &'s System<'m>,
    interpreter: Interpreter<'m>,
}

impl<'s, 'm> Reference<'s, 'm> {
    /// The reference semantics of a system.
    #[must_use]
    pub fn new(system: &'s System<'m>) -> Self {
        Self { system, interpreter: system.interpreter() }
    }

    /// A formula over slots and outputs in a state. Outputs are worked out only if an atom that counts reads one.
    pub(super) fn holds(&self, formula: &Formula, state: &State) -> Result<bool, String> {
        let mut values: Vec<Rational> = state.0.to_vec();
        let mut failed = None;
        if self.system.reads_outputs(formula)
            && let Some(policy) = self.system.policy()
        {
            let interpreter = Interpreter::new(self.system.model());
            match policy.outputs_at(&interpreter, state) {
                Ok(outputs) => values.extend(outputs),
                Err(error) => failed = Some(ModelError::evaluation(error, state.clone())),
            }
        }
        known_truth(formula, &values).ok_or_else(|| match failed {
            Some(error) => error.describe(self.system.model()),
            None => "a condition reads what is not there".to_owned(),
        })
    }

    /// Whether a state is a start state.
    ///
    /// # Errors
    /// Where a condition has no value.
    pub fn is_start(&self, state: &State) -> Result<bool, String> {
        let slots = self.system.model().slots.iter().zip(&state.0);
        if slots.into_iter().any(|(slot, value)| !slot.domain.contains(value)) {
            return Ok(false);
        }
        let start = self.system.start();
        for condition in &start.conditions {
            if self.holds(&condition.holds, state)? {
                return Ok(true);
            }
        }
        Ok(start.states.contains(state))
    }

    /// The distinct successors of a state; none where it is its own.
    ///
    /// # Errors
    /// Errors of the model.
    pub fn successors(&self, state: &State) -> Result<Vec<State>, String> {
        if let Some(terminal) = self.system.terminal()
            && self.holds(&terminal.holds, state)?
        {
            return Ok(Vec::new());
        }
        let choices = self.interpreter.permitted_choices(state, self.system.policy());
        let choices = choices.map_err(|error| error.describe(self.system.model()))?;
        let outcomes = choices.into_iter().flat_map(|choice| choice.outcomes);
        let mut found: Vec<State> = outcomes.flat_map(|outcome| outcome.successors).collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Whether an outcome of an operator that the policy permits leads to a state.
    pub(super) fn leads(
        &self,
        state: &State,
        operator: &surefoot_model::model::Operator,
        destinations: &[u32],
        target: &State,
    ) -> Result<bool, String> {
        let choices = self.interpreter.permitted_choices(state, self.system.policy());
        let choices = choices.map_err(|error| error.describe(self.system.model()))?;
        let mut outcomes = choices.iter().filter(|choice| choice.operator == *operator).flat_map(|c| &c.outcomes);
        Ok(outcomes.any(|outcome| outcome.destinations == destinations && outcome.successors.contains(target)))
    }

    /// The truth of a node in a state, from all states that the interpreter reaches.
    ///
    /// # Errors
    /// Errors of the model.
    pub fn by_iteration(&self, formula: &Unfolded, node: NodeId, state: &State) -> Result<bool, String> {
        let options = Options { limits: Limits::default(), most_states: usize::MAX };
        let listing = Listing::new(self, formula, node, state, &options).map_err(|reason| reason.to_string())?;
        Ok(listing.truth(node, state).expect("the first state is listed"))
    }
}
