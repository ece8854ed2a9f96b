//! Which end of a set of numbers is meant.

/// Over which schedulers' probabilities an answer ranges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The supremum over all schedulers.
    Max,
    /// The infimum over all schedulers.
    Min,
}
