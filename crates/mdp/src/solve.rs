//! Optimal until probabilities with guaranteed bounds on both sides.
//!
//! The states are solved one strongly connected component after the other, successors first (Dai, Mausam,
//! Weld & Goldsmith, *Topological value iteration algorithms*, JAIR 2011): see [`topological`](crate::topological). Its sibling
//! [`solve_reference`] makes graph analysis of the whole process first and solves its quotient then; it is slower, and
//! obviously the same as what the literature says.

use std::time::Instant;

use crate::bounds::Bounds;
use crate::limits::{Ending, Limits, Statistics};
use crate::mdp::{Mdp, number};
use crate::prepare::Prepared;
use crate::query::{Direction, Until};
use crate::run::Run;
use crate::scheduler::Scheduler;
use crate::set::StateSet;
use crate::topological::Topological;

/// How precisely, for which states, from what, and for how long.
#[derive(Debug, Clone)]
pub struct Options {
    /// The wanted absolute difference between upper and lower bound.
    pub precision: f64,
    /// The states that need it; `None` for all. Other states get sound bounds, possibly `[0, 1]`.
    pub initial: Option<Vec<u32>>,
    /// States whose moves are not known: where a run is undecided there, it may end in any way. Lower bounds are then those of a process in which
    /// they have no moves, upper bounds those of one in which they are reached for good; both to the precision.
    pub unknown: Option<StateSet>,
    /// Bounds known to be sound (not checked beyond contradictions), to start from.
    pub warm_start: Option<Bounds>,
    /// When to give up.
    pub limits: Limits,
    /// Whether slow components may be accelerated, and solved exactly when floats fail.
    pub accelerate: bool,
    /// Threads to work with, where it pays; the answer does not depend on it.
    pub threads: usize,
}

impl Default for Options {
    /// All states to 1e-6, without limits, on one thread.
    fn default() -> Self {
        let limits = Limits::default();
        Self { precision: 1e-6, initial: None, unknown: None, warm_start: None, limits, accelerate: true, threads: 1 }
    }
}

/// Bounds, a scheduler that attains them, and how it went.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Sound bounds on the optimal probability of every state.
    pub bounds: Bounds,
    /// A scheduler that guarantees at least the lower bound (`Max`), at most the upper bound (`Min`), in every state
    /// that was asked for. With a warm start this holds if the given bounds are inductive, as those of a
    /// solution of the same question are.
    pub scheduler: Scheduler,
    /// Why it ended; only [`Ending::Precise`] promises the precision.
    pub ending: Ending,
    /// What it took.
    pub statistics: Statistics,
}

/// Why a question was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// A set or vector is about another number of states than the process has.
    #[error("{what} is about {given} states, the process has {states}")]
    WrongUniverse {
        /// What does not fit.
        what: &'static str,
        /// The number of states it speaks about.
        given: usize,
        /// The number of states of the process.
        states: usize,
    },
    /// An initial state that is no state.
    #[error("initial state {state} is not a state of the process, which has {states}")]
    NoSuchState {
        /// The number given.
        state: u32,
        /// The number of states of the process.
        states: usize,
    },
    /// The precision is not a number above zero.
    #[error("the precision must be positive, not {0}")]
    Precision(f64),
    /// Given bounds are not within `[0, 1]`, in order, or contradict what was computed: they cannot be sound.
    #[error("the bounds given for state {state} cannot be sound")]
    UnsoundWarmStart {
        /// The state.
        state: u32,
    },
}

/// Bounds on the optimal probability of `until` in every state of `mdp`.
///
/// ```
/// use surefoot_mdp::{Direction, MdpBuilder, Options, StateSet, Until, solve};
/// // Toss until heads (state 1) or, with probability 1/10 per toss, the coin is lost (state 2).
/// let mut builder = MdpBuilder::new();
/// builder.begin_state()?;
/// builder.begin_choice()?;
/// for (target, probability) in [(0, "0.45"), (1, "0.45"), (2, "0.1")] {
///     builder.branch_exact(target, &probability.parse()?)?;
/// }
/// builder.begin_state()?;
/// builder.begin_state()?;
/// let mdp = builder.finish()?;
/// let heads = Until::eventually(StateSet::from_members(3, [1]));
/// let solution = solve(&mdp, Direction::Max, &heads, &Options::default())?;
/// let exact = 9.0 / 11.0;
/// assert!(solution.bounds.lower[0] <= exact && exact <= solution.bounds.upper[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SolveError`]: sets or bounds that do not fit the process. Limits are no errors: see [`Solution::ending`].
pub fn solve(mdp: &Mdp, direction: Direction, until: &Until, options: &Options) -> Result<Solution, SolveError> {
    validate(mdp, until, options)?;
    let mut run = Topological::new(mdp, direction, until, options);
    run.solve();
    run.finish()
}

/// The same by graph analysis of the whole process, then arithmetic on its quotient. The bounds differ in their last digits.
///
/// # Errors
/// As [`solve`].
pub fn solve_reference(
    mdp: &Mdp,
    direction: Direction,
    until: &Until,
    options: &Options,
) -> Result<Solution, SolveError> {
    validate(mdp, until, options)?;
    if let Some(unknown) = &options.unknown {
        return reference_with_unknown(mdp, direction, until, unknown, options);
    }
    let begin = Instant::now();
    let Some(prepared) = Prepared::new(mdp, direction, until, options.initial.as_deref(), &options.limits) else {
        let bounds = options.warm_start.clone().unwrap_or_else(|| Bounds::unknown(mdp.num_states()));
        let statistics = Statistics { preparation: begin.elapsed(), ..Statistics::default() };
        let ending = Ending::Stopped(options.limits.stopped());
        return Ok(Solution { bounds, scheduler: Scheduler::first(mdp), ending, statistics });
    };
    let mut run = Run::new(&prepared.quotient, direction, options);
    run.statistics.preparation = begin.elapsed();
    run.statistics.maybe_states = prepared.maybe.count();
    run.warm_start(&prepared);
    let begin = Instant::now();
    run.components();
    run.statistics.arithmetic = begin.elapsed();
    let bounds = run.bounds(mdp, &prepared)?;
    let ending = ending(mdp, &bounds, options, run.ending);
    let scheduler = prepared.scheduler(mdp, direction, until, &run.values.choices);
    Ok(Solution { bounds, scheduler, ending, statistics: run.statistics })
}

/// Unknown states by definition: lost, then won. They must have no choices.
fn reference_with_unknown(
    mdp: &Mdp,
    direction: Direction,
    until: &Until,
    unknown: &StateSet,
    options: &Options,
) -> Result<Solution, SolveError> {
    let options = &Options { unknown: None, ..options.clone() };
    let lost = solve_reference(mdp, direction, until, options)?;
    let won = solve_reference(mdp, direction, &until.or_reaching(unknown), options)?;
    let bounds = Bounds { lower: lost.bounds.lower, upper: won.bounds.upper };
    let scheduler = if direction == Direction::Max { lost.scheduler } else { won.scheduler };
    let stopped = [lost.ending, won.ending].into_iter().find(|ending| matches!(ending, Ending::Stopped(_)));
    let ending = ending(mdp, &bounds, options, stopped.unwrap_or(Ending::Unknown));
    Ok(Solution { bounds, scheduler, ending, statistics: won.statistics })
}

/// How it ended: precise where the bounds are, else as said.
pub(crate) fn ending(mdp: &Mdp, bounds: &Bounds, options: &Options, otherwise: Ending) -> Ending {
    let width = match &options.initial {
        None => bounds.width(mdp.states()),
        Some(initial) => bounds.width(initial.iter().copied()),
    };
    if width <= options.precision { Ending::Precise } else { otherwise }
}

fn validate(mdp: &Mdp, until: &Until, options: &Options) -> Result<(), SolveError> {
    let states = mdp.num_states();
    check_universe(mdp, "the until", until.universe())?;
    if options.precision.is_nan() || options.precision <= 0.0 {
        return Err(SolveError::Precision(options.precision));
    }
    if let Some(unknown) = &options.unknown {
        check_universe(mdp, "the set of unknown states", unknown.universe())?;
    }
    if let Some(&state) = options.initial.iter().flatten().find(|&&state| state as usize >= states) {
        return Err(SolveError::NoSuchState { state, states });
    }
    if let Some(Bounds { lower, upper }) = &options.warm_start {
        check_universe(mdp, "the lower warm start", lower.len())?;
        check_universe(mdp, "the upper warm start", upper.len())?;
        let sound = |state: usize| 0.0 <= lower[state] && lower[state] <= upper[state] && upper[state] <= 1.0;
        if let Some(state) = (0..states).find(|&state| !sound(state)) {
            return Err(SolveError::UnsoundWarmStart { state: number(state) });
        }
    }
    Ok(())
}

pub(crate) fn check_universe(mdp: &Mdp, what: &'static str, given: usize) -> Result<(), SolveError> {
    let states = mdp.num_states();
    if given == states { Ok(()) } else { Err(SolveError::WrongUniverse { what, given, states }) }
}
