//! What a search results in: the reachable part of the abstraction.

use surefoot_limits::Stop;
use surefoot_text::diagnostic::Diagnostic;

use crate::locations::ByLocations;
use crate::prepare::Moves;
use crate::progress::Reached;
use crate::state::{StateId, States};
use crate::transition::Transition;

/// Why a search ended before all was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Early {
    /// An unsafe state was found, and that was enough.
    Unsafe,
    /// A limit was met.
    Limit(Stop),
}

/// The reachable part of the abstraction.
#[derive(Debug, Clone, Default)]
pub struct Abstraction {
    /// The states, start states first.
    pub states: States,
    /// How many of them are start states.
    pub start: usize,
    /// Per state, whether it holds an unsafe state.
    pub is_unsafe: Vec<bool>,
    /// Per state, its transitions; none where it was not expanded.
    pub transitions: Vec<Vec<(Transition, StateId)>>,
    /// States that were expanded.
    pub expanded: Vec<StateId>,
    /// Why not all is known, if it is not.
    pub stopped: Option<Early>,
    /// The moves that transitions are by.
    pub moves: ByLocations<Moves>,
    /// Questions asked of the oracle.
    pub questions: u64,
    /// Nodes of its search trees.
    pub nodes: u64,
    /// Levels that were begun.
    pub depth: usize,
    /// States that wait to be expanded: none unless a limit was met.
    pub queue: usize,
    /// Bytes behind transitions and moves.
    pub(crate) held: usize,
}

impl Abstraction {
    /// The bytes that states, transitions and moves take, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.bytes() + self.held
    }

    /// How far it goes.
    #[must_use]
    pub fn reached(&self) -> Reached {
        let (states, expanded) = (self.states.len(), self.expanded.len());
        Reached { states, expanded, queue: self.queue, depth: self.depth, questions: self.questions }
    }
}

/// Why there is no abstraction.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Something cannot be lowered.
    #[error("{}", .0.message)]
    Refused(Box<Diagnostic>),
    /// There is no start state.
    #[error("the start set is empty")]
    NoStart,
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Refused(Box::new(diagnostic))
    }
}
