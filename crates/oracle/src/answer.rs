//! What an oracle is, and what it may answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use surefoot_num::Rational;

use crate::question::Question;

/// The answer to a question. Never a bool: running out of time is not a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A state with the wanted property, one value per variable; checked exactly.
    Sat(Vec<Rational>),
    /// There is none, over the reals with the stored weights.
    Unsat,
    /// The search stopped before it knew.
    Unknown(Limit),
}

/// Which limit stopped the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// This many nodes were searched.
    Nodes(u64),
    /// The deadline passed.
    Time,
    /// The open nodes needed more memory than allowed, in bytes.
    Memory(usize),
    /// Someone asked to stop.
    Interrupted,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "the limit of {nodes} nodes was reached"),
            Self::Time => write!(f, "the time limit was reached"),
            Self::Memory(bytes) => write!(f, "the open nodes need more than {} MB", bytes >> 20),
            Self::Interrupted => write!(f, "the search was interrupted"),
        }
    }
}

/// When to stop.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// At most this many nodes (one more, as nodes come in pairs; the root is always looked at).
    pub nodes: Option<u64>,
    /// Not later than this.
    pub deadline: Option<Instant>,
    /// At most this many bytes of open nodes, roughly.
    pub memory: Option<usize>,
    /// As soon as this is set.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Limits {
    /// The limit of time, or the interruption, that has been reached.
    #[must_use]
    pub fn stop_now(&self) -> Option<Limit> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Limit::Time);
        }
        let interrupted = self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        interrupted.then_some(Limit::Interrupted)
    }
}

/// What a search did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Questions asked.
    pub questions: u64,
    /// Nodes of search trees.
    pub nodes: u64,
    /// Points tried as witnesses.
    pub points: u64,
    /// Linear programs solved.
    pub programs: u64,
}

impl Statistics {
    /// What was done since an earlier moment.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            questions: self.questions - before.questions,
            nodes: self.nodes - before.nodes,
            points: self.points - before.points,
            programs: self.programs - before.programs,
        }
    }
}

/// Decides questions. Implementations are deterministic, and keep scratch space: give each thread one of its own.
pub trait Oracle {
    /// Decides a question.
    ///
    /// # Panics
    /// When the question does not pass [`Question::check`].
    fn decide(&mut self, question: &Question, limits: &Limits) -> Answer;
}
