//! What a single run shows about a formula.
//!
//! A run is a finite sequence of states, each a successor of the one before. Where its last state was on it before, it goes round from
//! there for ever; where that has no successors it stays. Everything goes through the reference interpreter; what is shown is for
//! [`surefoot_temporal::tree`] to say.

use surefoot_linear::Formula;
use surefoot_model::State;
use surefoot_symbolic::Condition;
use surefoot_temporal::tree::Tree;

use super::reference::Reference;
use crate::formula::{Constraints, Ctl, Quantifier};
use crate::system::System;

/// What a run says about a formula in its first state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunShows {
    /// The formula does not hold.
    Fails,
    /// It does hold.
    Holds,
    /// Neither is shown.
    Neither {
        /// Whether that it fails may depend on several paths; otherwise another run might show it, and this one does not.
        several_paths: bool,
    },
}

/// What a run shows about a formula. That the states are those of a run is for the caller to know.
#[must_use]
pub fn run_shows(system: &System<'_>, formula: &Ctl, states: &[State]) -> RunShows {
    let reference = Reference::new(system);
    let run = Tree::along(states, |state| reference.successors(state).ok().map(|successors| successors.len()));
    // A condition without value shows nothing, neither it nor its negation.
    let value = |formula: &Formula, i: usize| reference.holds(formula, &states[i]).unwrap_or(false);
    let mut leaf = |condition: &Condition, i: usize| value(&condition.defined, i) && value(&condition.holds, i);
    let negation = formula.negation_normal_of_negation();
    if run.shows(&negation, &mut leaf).first() == Some(&true) {
        RunShows::Fails
    } else if run.shows(&formula.negation_normal(), &mut leaf).first() == Some(&true) {
        RunShows::Holds
    } else {
        RunShows::Neither { several_paths: negation.speaks_of(Quantifier::All) }
    }
}
