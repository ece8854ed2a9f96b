//! How far a search is.

use surefoot_verdict::{Event, Figure};

/// Figures of a search under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reached {
    /// Abstract states reached.
    pub states: usize,
    /// Those of them that were expanded.
    pub expanded: usize,
    /// Those that wait to be.
    pub queue: usize,
    /// Levels that were begun.
    pub depth: usize,
    /// Questions asked of the oracle.
    pub questions: u64,
}

impl Event for Reached {
    fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::new("states", self.states),
            Figure::new("expanded", self.expanded),
            Figure::new("depth", self.depth),
            Figure::new("queue", self.queue),
            Figure::new("questions", self.questions),
        ]
    }

    fn line(&self) -> String {
        let Self { states, expanded, queue, questions, .. } = self;
        format!("{states} abstract states, {expanded} expanded, {queue} in the queue, {questions} questions")
    }
}
