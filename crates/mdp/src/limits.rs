//! How long to work, how it ended, and what it took.

use std::time::Duration;

use surefoot_limits::Stop;

/// When to give up. Bounds found so far stay sound.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Those of the run: time and interruption; memory is not counted here.
    pub run: surefoot_limits::Limits,
    /// At most this many sweeps over any one strongly connected component.
    pub max_sweeps: Option<u64>,
    /// At most this much exact arithmetic in all, in operations on small fractions ([`solve_exact`](crate::solve_exact)
    /// only); one on long fractions counts for several.
    pub exact_work: Option<u64>,
}

impl Limits {
    /// Whether to stop at once.
    #[must_use]
    pub fn expired(&self) -> bool {
        self.run.stop().is_some()
    }

    /// What stopped a computation that has ended early; a deadline where nothing else did.
    pub(crate) fn stopped(&self) -> Stop {
        self.run.stop().unwrap_or(Stop::Time)
    }
}

/// Why a computation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The bounds are as close as was asked for.
    Precise,
    /// A limit was met: one of the run, or some component used up its sweeps.
    Stopped(Stop),
    /// Nothing moves any more: the precision is beyond what floats give on this process. Exact arithmetic
    /// ([`solve_exact`](crate::solve_exact)) is the way on.
    Rounding,
}

/// What a computation took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Statistics {
    /// States of probability neither zero nor one (among those looked at).
    pub maybe_states: usize,
    /// Classes left after collapsing end components.
    pub classes: usize,
    /// Strongly connected components of the classes.
    pub components: usize,
    /// The number of classes of the largest component.
    pub largest_component: usize,
    /// Sweeps over components of more than one class.
    pub sweeps: u64,
    /// Components finished by guessing and verifying.
    pub accelerated: usize,
    /// Components finished by exact arithmetic.
    pub exact_components: usize,
    /// Time for graph analysis and the quotient.
    pub preparation: Duration,
    /// Time for arithmetic.
    pub arithmetic: Duration,
}
