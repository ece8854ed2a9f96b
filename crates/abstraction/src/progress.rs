//! How far a search is.

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

/// Told now and then how far the search is.
pub trait Progress: Sync {
    /// So far.
    fn report(&self, reached: &Reached);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn report(&self, _: &Reached) {}
}
