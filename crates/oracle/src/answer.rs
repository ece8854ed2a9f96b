//! What an oracle is, and what it may answer.

use surefoot_limits::Stop;
use surefoot_num::Rational;

use crate::assignment::AllAssignments;
use crate::nowhere::Nowhere;
use crate::question::Question;
use crate::relaxed::Relaxed;

/// The answer to a question. Never a bool: running out of time is not a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A state with the wanted property, one value per variable; checked exactly.
    Sat(Vec<Rational>),
    /// There is none, over the reals with the stored weights.
    Unsat,
    /// The search stopped before it knew.
    Unknown(Stop),
}

impl Answer {
    /// The limit that was hit, if one was.
    #[must_use]
    pub fn limit(&self) -> Option<Stop> {
        if let Self::Unknown(limit) = self { Some(*limit) } else { None }
    }
}

/// When to stop.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// At most this many nodes (one more, as nodes come in pairs; the root is always examined).
    pub nodes: Option<u64>,
    /// Those of the run that the question belongs to; memory is that of open nodes, roughly.
    pub run: surefoot_limits::Limits,
}

impl From<surefoot_limits::Limits> for Limits {
    fn from(run: surefoot_limits::Limits) -> Self {
        Self { nodes: None, run }
    }
}

impl Limits {
    /// The limit of the run that has been reached.
    #[must_use]
    pub fn stop_now(&self) -> Option<Stop> {
        self.run.stop()
    }

    /// The same, or the limit on memory when so many bytes are held.
    #[must_use]
    pub fn exceeded(&self, bytes: usize) -> Option<Stop> {
        self.run.exceeded(bytes)
    }
}

/// What an oracle did.
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
    /// Adds what was done elsewhere.
    pub(crate) fn add(&mut self, other: &Self) {
        self.questions += other.questions;
        self.nodes += other.nodes;
        self.points += other.points;
        self.programs += other.programs;
    }

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

/// An oracle that counts what it does.
pub trait KeepStatistics {
    /// What was done so far.
    fn statistics(&self) -> Statistics;
}

/// An oracle of which there can be several, one for each thread.
pub trait Replicate: Send {
    /// Another one with the same options, as if it had not been asked anything.
    #[must_use]
    fn replicate(&self) -> Self;
}

/// An oracle with the capabilities that abstraction and refinement use, which are generic over it.
pub trait FullOracle: AllAssignments + Nowhere + Relaxed + KeepStatistics + Replicate {}

impl<O: AllAssignments + Nowhere + Relaxed + KeepStatistics + Replicate> FullOracle for O {}
