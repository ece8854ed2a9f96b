//! How long to work, how it ended, and what it took.

use std::time::Duration;

use surefoot_limits::Stop;

/// When to give up. Bounds found so far stay sound.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Those of the run: time, interruption, and memory beyond that of the process.
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

/// The most bytes that [`solve`](crate::solve()) takes beyond a process of this size, from what it holds at a time: so it is known before anything is
/// allocated.
#[must_use]
pub fn solving_bytes(states: usize, choices: usize, branches: usize) -> usize {
    ordering_bytes(states).max(bytes(KEPT, states).saturating_add(part_bytes(states, choices, branches)))
}

/// The same of a process whose strongly connected components are single states.
#[must_use]
pub fn acyclic_solving_bytes(states: usize) -> usize {
    ordering_bytes(states)
}

/// Per state: bounds, the scheduler, and the bounds that are handed out.
const SOLVED: usize = 16 + 4 + 16;
/// Per state: bounds, the scheduler, the order, places.
const KEPT: usize = 16 + 4 + 8 + 4;
/// Per state while the order is searched for: bounds, the scheduler, the order, marks, the stack and its frames.
const ORDERING: usize = 16 + 4 + 8 + 8 + 4 + 24;

fn bytes(each: usize, count: usize) -> usize {
    each.saturating_mul(count)
}

/// What it takes to solve states in the order of their numbers.
pub(crate) fn forward_bytes(states: usize) -> usize {
    bytes(SOLVED, states)
}

/// What it takes until the order is known.
pub(crate) fn ordering_bytes(states: usize) -> usize {
    bytes(ORDERING, states)
}

/// What a component of several states takes besides what is kept of all states: the part, edges backwards, the quotient, its numbers.
pub(crate) fn component_bytes(states: usize, members: usize, choices: usize, branches: usize) -> usize {
    bytes(KEPT, states).saturating_add(part_bytes(members, choices, branches))
}

fn part_bytes(members: usize, choices: usize, branches: usize) -> usize {
    bytes(72, members).saturating_add(bytes(16, choices)).saturating_add(bytes(20, branches))
}

/// Why a computation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The bounds are as close as was asked for.
    Precise,
    /// A limit was met: one of the run, or some component used up its sweeps.
    Stopped(Stop),
    /// The bounds are wider than was asked for, and there are [unknown states](crate::Options::unknown) to blame.
    Unknown,
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
