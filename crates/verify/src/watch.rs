//! Watching a search: how far it is, and what it has learned.

use std::time::Duration;

use surefoot_bmc::BmcFigures;
use surefoot_cegar::Figures;
use surefoot_explicit::{NoProgress, Progress};

/// Told how a verification goes: states by [`Progress`], refinements and refuted depths here.
pub trait Watch: Progress {
    /// A refinement has been made, or the last search is over.
    fn iteration(&self, _iteration: &IterationReport) {}

    /// Nothing unsafe is reached within so many steps; so many paths go on.
    fn refuted(&self, _depth: u32, _open: usize, _figures: &BmcFigures) {}
}

impl Watch for NoProgress {}

/// What happened in an iteration of counterexample-guided refinement.
#[derive(Debug, Clone)]
pub struct IterationReport {
    /// Its number, from 1.
    pub number: u64,
    /// Steps of the abstract path that was looked at; `None` where there was none.
    pub path: Option<usize>,
    /// Why the path is spurious, in a word, and at which step (0 = the start).
    pub cause: Option<(&'static str, usize)>,
    /// The predicates that were added, in words.
    pub added: Vec<String>,
    /// How many predicates there are now.
    pub predicates: usize,
    /// Figures so far.
    pub figures: Figures,
    /// How long it took.
    pub time: Duration,
}
