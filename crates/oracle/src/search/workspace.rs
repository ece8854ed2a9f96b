//! Scratch memory of searches, used again by the next: nothing in here changes what is answered.

use super::branch::Stake;
use super::descent::Descent;
use super::jointly::Jointly;
use super::local::LocalSearch;
use super::phases::PhaseSearch;
use super::points::Certifier;
use super::program::NodeProgram;
use super::region::Region;
use super::rounds::Rounds;
use super::score_rows::ScoreRows;
use super::sharpen::Sharpening;
use super::undecided::Undecided;
use crate::bounds::{Bounder, Kernel};

/// Scratch memory.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) kernel: Kernel,
    /// One per application.
    pub(crate) bounders: Vec<Bounder>,
    /// Rows of the scores in the region that is examined.
    pub(crate) scores: ScoreRows,
    pub(crate) local: LocalSearch,
    pub(crate) certifier: Certifier,
    pub(crate) program: NodeProgram,
    pub(crate) descent: Descent,
    pub(crate) rounds: Rounds,
    pub(crate) jointly: Jointly,
    pub(crate) phases: PhaseSearch,
    pub(crate) sharpening: Sharpening,
    /// Regions that are done with.
    pub(crate) free: Vec<Region>,
    /// What the region examined last is to be split for the sake of.
    pub(crate) stake: Option<Stake>,
    /// What each variable's width costs the score at stake.
    pub(crate) influence: Vec<f64>,
    /// The box of the region that is bounded.
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    /// The atoms that must hold in the region that is examined, and the disjunctions that are open.
    pub(crate) required: Vec<u32>,
    pub(crate) open: Vec<u32>,
    /// Those of other threads.
    pub(crate) others: Vec<Self>,
    /// The smallest box that the search had to leave open.
    pub(crate) undecided: Option<Undecided>,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        Self {
            kernel: Kernel::new(),
            bounders: Vec::new(),
            scores: ScoreRows::default(),
            local: LocalSearch::default(),
            certifier: Certifier::default(),
            program: NodeProgram::default(),
            descent: Descent::default(),
            rounds: Rounds::default(),
            jointly: Jointly::default(),
            phases: PhaseSearch::default(),
            sharpening: Sharpening::default(),
            free: Vec::new(),
            stake: None,
            influence: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            required: Vec::new(),
            open: Vec::new(),
            others: Vec::new(),
            undecided: None,
        }
    }

    /// Has a bounder for each of so many applications.
    pub(crate) fn bound_all(&mut self, applications: usize) {
        while self.bounders.len() < applications {
            self.bounders.push(Bounder::new(self.kernel));
        }
    }
}
