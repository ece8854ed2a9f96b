//! What a run ends with, its figures, and what it tells on the way.

use std::sync::Arc;

use surefoot_abstraction::{AbstractState, Fault, PredicateSet, Sketch, SlotRange};
use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_model::State;
use surefoot_text::diagnostic::Diagnostic;

use crate::path::AbstractPath;
use crate::refine::Cause;

/// What a run ended with.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// No unsafe state is reachable: the abstract states that are.
    Safe(Invariant),
    /// An unsafe state is: the states of a run that ends in it.
    Unsafe(Vec<State>),
    /// The model is in error in the last of these states, which a run reaches.
    Fault(Arc<Fault>, Vec<State>),
    /// A limit was met.
    Unknown(Stop),
}

/// An inductive invariant.
#[derive(Debug, Clone)]
pub struct Invariant {
    /// The abstract states.
    pub states: Vec<AbstractState>,
    /// For each of them, the ranges of variables that nothing has written since the start: it stands for its states within these.
    pub within: Vec<Arc<[SlotRange]>>,
    /// An error of the model that is not excluded: what, and why not.
    pub open_fault: Option<(String, Stop)>,
}

/// A run and its figures.
#[derive(Debug, Clone)]
pub struct Cegar {
    /// What it ended with.
    pub outcome: Outcome,
    /// The predicates at the end.
    pub predicates: PredicateSet,
    /// Its figures.
    pub figures: Figures,
    /// What the last search saw, where that was to be kept.
    pub sketch: Option<Sketch>,
}

/// Figures of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Searches for an abstract path.
    pub iterations: u64,
    /// Refinements of policy-induced spuriousness.
    pub policy_refinements: u64,
    /// Predicates that these added.
    pub policy_predicates: u64,
    /// Abstract start states of the last iteration.
    pub start_states: u64,
    /// Abstract states reached in the last iteration.
    pub reachable_states: u64,
    /// Abstract states expanded in the last iteration.
    pub expanded_states: u64,
    /// Successors found in the last iteration.
    pub transitions: u64,
    /// Abstract states expanded in all iterations.
    pub all_expanded: u64,
    /// Questions to the oracle.
    pub questions: u64,
    /// Nodes of its searches.
    pub nodes: u64,
}

/// What happened in an iteration.
#[derive(Debug)]
pub struct Iteration<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// The abstract path that was looked at, in terms of the predicates before; `None` where there was none.
    pub path: Option<&'a AbstractPath>,
    /// Why it was spurious, and at which step.
    pub cause: Option<(Cause, usize)>,
    /// All predicates after it.
    pub predicates: &'a PredicateSet,
    /// Those that were added.
    pub added: &'a [Formula],
    /// Figures so far.
    pub figures: Figures,
}

/// Someone who wants to know how it goes.
pub trait Observer {
    /// An iteration is over.
    fn iteration(&mut self, iteration: &Iteration<'_>);

    /// Asked after the first refinement, the second, the fourth, the eighth and so on for a run to an unsafe state: its states end the search. They
    /// count as they are, so they must be those of a run. The distance is what guides the search, of a state given by the values of its
    /// slots: how many predicates have another value than they have in all unsafe states.
    fn falsify(&mut self, _distance: &dyn Fn(&[i64]) -> u32) -> Option<Vec<State>> {
        None
    }
}

impl Observer for () {
    fn iteration(&mut self, _: &Iteration<'_>) {}
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There is nothing to refine.
    #[error(transparent)]
    Abstraction(#[from] surefoot_abstraction::Failure),
    /// A refinement added nothing: an error of ours.
    #[error("a spurious path of {steps} steps, and nothing new to tell it by ({found})")]
    NoProgress {
        /// Steps of the path.
        steps: usize,
        /// What the check said.
        found: String,
    },
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Abstraction(diagnostic.into())
    }
}
