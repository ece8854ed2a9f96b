//! What bounds a run, what it ends with, its figures, and what it tells on the way.

use std::sync::Arc;

use surefoot_abstraction::Fault;
use surefoot_limits::Stop;
use surefoot_model::State;
use surefoot_oracle::Limits;
use surefoot_verdict::{Event, Figure};

/// What bounds a run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Steps, at most.
    pub depth: Option<u32>,
    /// Paths kept, at most.
    pub paths: Option<usize>,
    /// Nodes of the whole run: counted work, whatever the machine.
    pub work: Option<u64>,
    /// Time, memory, interruption; nodes per question.
    pub limits: Limits,
}

/// What a run ended with.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// An unsafe state is reachable: the states of a shortest run.
    Unsafe(Vec<State>),
    /// None is: all paths were followed to their ends, after so many steps.
    Safe {
        /// Steps of the longest path.
        depth: u32,
    },
    /// The model is in error in the last of these states, which a run reaches; no unsafe state is reachable.
    Fault(Arc<Fault>, Vec<State>),
    /// No unsafe state is reachable, as all paths were followed to their ends, unless the model is in error: that is not known.
    Open {
        /// Steps of the longest path.
        depth: u32,
        /// What would be an error.
        what: String,
        /// Why it is not known.
        stop: Stop,
    },
    /// A limit was met.
    Unknown {
        /// No unsafe state is reached in so many steps; `None` where some start state may be one.
        refuted: Option<u32>,
        /// The limit.
        stop: Stop,
    },
}

/// Figures of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Paths kept.
    pub paths: u64,
    /// Paths left out because another one ends alike.
    pub merged: u64,
    /// Questions to the oracle.
    pub questions: u64,
    /// Nodes of its searches.
    pub nodes: u64,
}

/// A run and its figures.
#[derive(Debug, Clone)]
pub struct Bmc {
    /// What it ended with.
    pub outcome: Outcome,
    /// Its figures.
    pub figures: Figures,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Followed {
    /// No unsafe state is reached in so many steps; `None` where not even start states are known to be safe.
    pub refuted: Option<u32>,
    /// Paths that are to be extended.
    pub open: usize,
    /// Figures so far.
    pub figures: Figures,
}

impl Event for Followed {
    fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::new("refuted_depth", self.refuted),
            Figure::new("open_paths", self.open),
            Figure::new("paths", self.figures.paths),
            Figure::new("questions", self.figures.questions),
            Figure::new("nodes", self.figures.nodes),
        ]
    }

    fn line(&self) -> String {
        let (depth, open, questions) = (self.refuted.unwrap_or(0), self.open, self.figures.questions);
        format!("nothing unsafe within {depth} steps; {open} paths go on, {questions} questions")
    }
}
