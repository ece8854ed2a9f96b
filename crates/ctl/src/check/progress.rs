//! What a search did, and how far it is.

use surefoot_verdict::{Event, Figure};

use crate::explore::cell::Counts;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Pieces on which the formula is decided.
    pub pieces: u64,
    /// Cuts made.
    pub cuts: u64,
    /// Symbolic states whose successors were computed; again on a part of a piece only where that is needed.
    pub expanded: u64,
    /// Of these, states without successors, which are their own.
    pub stuttering: u64,
    /// Linear programs solved.
    pub programs: u64,
    /// Questions to the oracle.
    pub questions: u64,
}

impl Statistics {
    pub(super) fn add(&mut self, counts: Counts) {
        self.expanded += counts.expanded;
        self.stuttering += counts.stuttering;
        self.programs += counts.programs;
        self.questions += counts.questions;
    }
}

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What was done.
    pub statistics: Statistics,
    /// Pieces that are to be looked at.
    pub open: usize,
}

impl Event for Progress {
    fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::new("expanded", self.statistics.expanded),
            Figure::new("pieces", self.statistics.pieces),
            Figure::new("open_pieces", self.open),
            Figure::new("cuts", self.statistics.cuts),
            Figure::new("questions", self.statistics.questions),
        ]
    }

    fn line(&self) -> String {
        let Statistics { pieces, expanded, .. } = self.statistics;
        format!("{pieces} pieces decided, {} open, {expanded} symbolic states looked at", self.open)
    }
}
