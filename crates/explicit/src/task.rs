//! What to explore, within which limits, and what came out.

use crate::start::StartError;
use surefoot_limits::{Limits, Stop};
use surefoot_model::policy::Policy;
use surefoot_model::property::StartSet;
use surefoot_model::{Model, ModelError, State, TermId};
use surefoot_verdict::{Event, Figure};

/// What to explore.
#[derive(Debug, Clone)]
pub struct Task<'m> {
    /// The model.
    pub model: &'m Model,
    /// Who chooses; `None` = every enabled operator is possible.
    pub policy: Option<&'m Policy>,
    /// Where runs start.
    pub start: &'m StartSet,
    /// The states to look for.
    pub reach: Option<TermId>,
    /// Goal states: counted.
    pub goal: Option<TermId>,
    /// Whether goal states have no outgoing moves.
    pub goal_terminal: bool,
    /// States whose moves are not explored: what happens after them does not matter.
    pub absorb: Option<TermId>,
    /// Slots to leave out of the state: see [`surefoot_model::slice`]. Their values in paths mean nothing.
    pub dropped: Option<&'m [bool]>,
    /// Whether to stop at the first state of `reach`, with a shortest path to it.
    pub stop_at_reach: bool,
    /// Worker threads, at least one.
    pub threads: usize,
    /// When to give up.
    pub limits: Limits,
}

/// How an exploration ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Every reachable state was visited, and none satisfies `reach` (if the search was to stop there).
    Complete,
    /// A shortest path from a start state to a state of `reach`.
    Reached(Vec<State>),
    /// The model is in error.
    ModelError(Box<ModelError>),
    /// There is nowhere to start.
    StartError(StartError),
    /// A limit was reached first.
    Limit(Stop),
}

/// Figures of an exploration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Distinct start states.
    pub start_states: u64,
    /// Distinct states reached, start states included.
    pub states: u64,
    /// States whose successors were generated.
    pub expanded: u64,
    /// (state, operator) pairs.
    pub choices: u64,
    /// Distinct successors, summed over choices.
    pub transitions: u64,
    /// States without moves that are not terminal goal states.
    pub deadlocks: u64,
    /// Visited states that satisfy `reach`.
    pub reach_states: u64,
    /// Visited states that satisfy the goal.
    pub goal_states: u64,
    /// States without moves because they are goal states.
    pub terminal_states: u64,
    /// Length of the longest shortest path explored.
    pub depth: u64,
    /// Bytes held for states at the end.
    pub bytes: u64,
    /// Policy decisions that the float evaluation left open and exact arithmetic settled.
    pub exact_decisions: u64,
}

/// The result of an exploration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exploration {
    /// How it ended.
    pub ending: Ending,
    /// Figures.
    pub statistics: Statistics,
}

/// How far an exploration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Explored {
    /// States found.
    pub states: u64,
    /// Those of them that were expanded.
    pub expanded: u64,
    /// The depth of the search.
    pub depth: u64,
}

impl Event for Explored {
    fn figures(&self) -> Vec<Figure> {
        let Self { states, expanded, depth } = *self;
        vec![Figure::new("states", states), Figure::new("expanded", expanded), Figure::new("depth", depth)]
    }

    fn line(&self) -> String {
        format!("{} states, {} expanded, depth {}", self.states, self.expanded, self.depth)
    }
}

impl Statistics {
    /// How far the exploration came.
    #[must_use]
    pub fn explored(&self) -> Explored {
        Explored { states: self.states, expanded: self.expanded, depth: self.depth }
    }
}
