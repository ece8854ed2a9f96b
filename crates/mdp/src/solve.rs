//! Optimal until probabilities with guaranteed bounds on both sides.
//!
//! Graph analysis finds the states of probability zero and one; the others are solved on the
//! [`quotient`](crate::quotient), one strongly connected component after the other, successors first (Dai, Mausam,
//! Weld & Goldsmith, *Topological value iteration algorithms*, JAIR 2011). A component of one class is one Bellman
//! step. A larger one gets [interval iteration](crate::iteration), when that is slow
//! [guessing and verifying](crate::acceleration), and when floats do not suffice,
//! [fractions guessed and verified](crate::reconstruction) or, if it is small, exact arithmetic.
//!
//! Precision: a component at depth `d` of `D` nested larger components may end with a width of `d / D` of the
//! precision, since it cannot get below the widths of those it leads to (and with `1 / D` more than those, if they
//! missed their goal). Whether the precision was reached is decided
//! by the widths in the end, not by this plan.

use std::ops::Range;
use std::time::Instant;

use surefoot_limits::{Stop, Unit};
use surefoot_num::{FloatInterval, Rational};

use crate::acceleration::accelerate;
use crate::bounds::Bounds;
use crate::exact_component::solve_component;
use crate::iteration::Values;
use crate::limits::{Ending, Limits, Statistics};
use crate::mdp::{Mdp, number};
use crate::prepare::Prepared;
use crate::query::{Direction, Until};
use crate::quotient::Quotient;
use crate::reconstruction::reconstruct;
use crate::scheduler::Scheduler;

/// Sweeps before a component is first considered for acceleration.
const FIRST_ATTEMPT: u64 = 16;
/// Components of at most this many classes are solved exactly when floats fail.
const EXACT_CLASSES: usize = 400;
/// Work allowed for that, in small rational operations.
const EXACT_BUDGET: u64 = 2_000_000;

/// How precisely, for which states, from what, and for how long.
#[derive(Debug, Clone)]
pub struct Options {
    /// The wanted absolute difference between upper and lower bound.
    pub precision: f64,
    /// The states that need it; `None` for all. Other states get sound bounds, possibly `[0, 1]`.
    pub initial: Option<Vec<u32>>,
    /// Bounds known to be sound (not checked beyond contradictions), to start from.
    pub warm_start: Option<Bounds>,
    /// When to give up.
    pub limits: Limits,
    /// Whether slow components may be accelerated, and solved exactly when floats fail.
    pub accelerate: bool,
}

impl Default for Options {
    /// All states to 1e-6, without limits.
    fn default() -> Self {
        Self { precision: 1e-6, initial: None, warm_start: None, limits: Limits::default(), accelerate: true }
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
    let width = match &options.initial {
        None => bounds.width(mdp.states()),
        Some(initial) => bounds.width(initial.iter().copied()),
    };
    let ending = if width <= options.precision { Ending::Precise } else { run.ending };
    let scheduler = prepared.scheduler(mdp, direction, until, &run.values.choices);
    Ok(Solution { bounds, scheduler, ending, statistics: run.statistics })
}

fn validate(mdp: &Mdp, until: &Until, options: &Options) -> Result<(), SolveError> {
    let states = mdp.num_states();
    check_universe(mdp, "the until", until.universe())?;
    if options.precision.is_nan() || options.precision <= 0.0 {
        return Err(SolveError::Precision(options.precision));
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

/// A computation on the quotient.
pub(crate) struct Run<'a> {
    pub(crate) values: Values<'a>,
    options: &'a Options,
    pub(crate) statistics: Statistics,
    /// Why it is not precise, if it is not.
    ending: Ending,
}

impl<'a> Run<'a> {
    pub(crate) fn new(quotient: &'a Quotient, direction: Direction, options: &'a Options) -> Self {
        let classes = quotient.classes();
        let mut bounds = vec![[0.0, 1.0]; classes as usize];
        bounds.push([1.0, 1.0]);
        bounds.push([0.0, 0.0]);
        debug_assert_eq!(quotient.one(), classes);
        let choices = (0..classes).map(|class| quotient.rows.choices(class).start).collect();
        let largest_component = quotient.components().map(|component| component.len()).max().unwrap_or(0);
        let statistics = Statistics {
            classes: classes as usize,
            components: quotient.components().count(),
            largest_component,
            ..Statistics::default()
        };
        let values = Values { quotient, direction, bounds, choices };
        Self { values, options, statistics, ending: Ending::Rounding }
    }

    /// The states of a class have one value, so their bounds may be combined.
    fn warm_start(&mut self, prepared: &Prepared) {
        if let Some(warm) = &self.options.warm_start {
            for state in prepared.maybe.iter() {
                let class = prepared.quotient.class_of[state as usize];
                let [lower, upper] = &mut self.values.bounds[class as usize];
                *lower = lower.max(warm.lower[state as usize]);
                *upper = upper.min(warm.upper[state as usize]);
            }
        }
    }

    /// Solves all components, successors first.
    pub(crate) fn components(&mut self) {
        let quotient = self.values.quotient;
        let (depth, deepest) = depths(quotient);
        for (index, component) in quotient.components().enumerate() {
            if index % 4096 == 0
                && let Some(stop) = self.options.limits.run.stop()
            {
                self.ending = Ending::Stopped(stop);
            }
            if matches!(self.ending, Ending::Stopped(stop) if stop.is_final()) {
                return;
            }
            if component.len() == 1 {
                self.values.sweep(component.clone());
                self.values.fix_choices(component);
            } else {
                // Some room is left for the rounding in components of one class.
                let share = 0.9 * self.options.precision / f64::from(deepest);
                let planned = share * f64::from(depth[component.start as usize]);
                let goal = planned.max(self.width_ahead(component.clone()) + share);
                self.component(component, goal, share);
            }
        }
    }

    /// Solves one component of several classes to a width of `goal`, of which `share` is its own.
    fn component(&mut self, component: Range<u32>, goal: f64, share: f64) {
        let limits = &self.options.limits;
        let quotient = self.values.quotient;
        let branches = |class| quotient.rows.choices(class).map(|c| quotient.rows.branches(c).len() as u64);
        let size: u64 = component.clone().flat_map(branches).sum();
        let (mut attempt, mut earlier) = (FIRST_ATTEMPT, 1.0);
        for sweep in 1u64.. {
            let seen = self.values.sweep(component.clone());
            self.statistics.sweeps += 1;
            if seen.width <= goal {
                break;
            }
            if self.options.accelerate && (sweep == attempt || !seen.moved) {
                let expired = || limits.expired();
                // An operation of elimination costs several times as much as a branch in a sweep.
                let budget = size * sweep / 8 + (200 * size).min(1_000_000);
                #[expect(clippy::cast_precision_loss, reason = "an estimate")]
                let slow = !seen.moved || predicted(earlier, seen.width, attempt / 2, goal) > 3.0 * attempt as f64;
                let accelerated = slow && accelerate(&mut self.values, component.clone(), share, budget, expired);
                self.statistics.accelerated += usize::from(accelerated);
                if accelerated && self.width(component.clone()) <= goal {
                    break;
                }
                // Verified bounds wider than the goal are as tight as rounding permits; sweeps would hardly better them.
                let beyond_floats = accelerated || !seen.moved || sweep >= 4096;
                let small = component.len() <= EXACT_CLASSES;
                if beyond_floats && (self.reconstructed(component.clone()) || small && self.exactly(component.clone()))
                {
                    self.statistics.exact_components += 1;
                    return;
                }
                if accelerated {
                    break;
                }
                attempt *= 4;
            }
            if sweep == attempt / 2 {
                earlier = seen.width;
            }
            if let Some(stop) = limits.run.stop() {
                self.ending = Ending::Stopped(stop);
                break;
            }
            if let Some(most) = limits.max_sweeps.filter(|most| sweep >= *most) {
                self.ending = Ending::Stopped(Stop::Most(Unit::Sweeps, most));
                break;
            }
            if !seen.moved {
                break;
            }
        }
        self.values.fix_choices(component);
    }

    fn width(&self, component: Range<u32>) -> f64 {
        let bounds = &self.values.bounds[component.start as usize..component.end as usize];
        bounds.iter().fold(0.0, |width: f64, [lower, upper]| width.max(upper - lower))
    }

    /// The largest width among the classes that `component` leads to.
    fn width_ahead(&self, component: Range<u32>) -> f64 {
        let rows = &self.values.quotient.rows;
        let choices = component.clone().flat_map(|class| rows.choices(class));
        let targets = choices.flat_map(|choice| rows.branches(choice)).map(|branch| branch.target);
        targets.filter(|target| !component.contains(target)).fold(0.0, |width: f64, target| {
            let [lower, upper] = self.values.bounds[target as usize];
            width.max(upper - lower)
        })
    }

    /// Solves a component by guessing fractions, if what it leads to is known exactly; false when they are not found.
    fn reconstructed(&mut self, component: Range<u32>) -> bool {
        if self.width_ahead(component.clone()) > 0.0 {
            return false;
        }
        let Values { quotient, direction, ref bounds, ref choices } = self.values;
        let range = component.start as usize..component.end as usize;
        let boundary = |class: u32| Rational::from_f64(bounds[class as usize][0]).expect("bounds are finite numbers");
        let floats = bounds[range.clone()].iter().map(|[lower, upper]| f64::midpoint(*lower, *upper)).collect();
        let (mut policy, mut budget) = (choices[range.clone()].to_vec(), EXACT_BUDGET);
        let stop = || self.options.limits.expired();
        let Some(values) =
            reconstruct(quotient, direction, component, boundary, floats, &mut policy, &mut budget, stop)
        else {
            return false;
        };
        for (class, value) in range.clone().zip(&values) {
            let ([lower, upper], known) = (self.values.bounds[class], FloatInterval::tightest(value));
            self.values.bounds[class] = [lower.max(known.lower), upper.min(known.upper)];
        }
        self.values.choices[range].copy_from_slice(&policy);
        true
    }

    /// Solves a component exactly, once from the lower and once from the upper bounds of what it leads to; false
    /// when that takes too long.
    ///
    /// Soundness: the value of the component is monotone in what it leads to.
    fn exactly(&mut self, component: Range<u32>) -> bool {
        let Values { quotient, direction, ref bounds, ref choices } = self.values;
        let range = component.start as usize..component.end as usize;
        let side = |side: usize| {
            let boundary =
                |class: u32| Rational::from_f64(bounds[class as usize][side]).expect("bounds are finite numbers");
            let mut policy = choices[range.clone()].to_vec();
            let stop = || self.options.limits.expired();
            let (component, mut budget) = (component.clone(), EXACT_BUDGET);
            let solved = solve_component(quotient, direction, component, boundary, &mut policy, &mut budget, stop)?;
            Some((solved, policy))
        };
        let (Some((lower, pessimist)), Some((upper, optimist))) = (side(0), side(1)) else { return false };
        for (offset, class) in range.clone().enumerate() {
            let [old_lower, old_upper] = self.values.bounds[class];
            let (lower, upper) = [&lower, &upper].map(|side| FloatInterval::tightest(&side[offset])).into();
            self.values.bounds[class] = [old_lower.max(lower.lower), old_upper.min(upper.upper)];
        }
        let policy = match direction {
            Direction::Max => pessimist,
            Direction::Min => optimist,
        };
        self.values.choices[range].copy_from_slice(&policy);
        true
    }

    /// Bounds per state, from those of the classes.
    fn bounds(&self, mdp: &Mdp, prepared: &Prepared) -> Result<Bounds, SolveError> {
        let warm = self.options.warm_start.as_ref();
        let mut bounds = warm.cloned().unwrap_or_else(|| Bounds::unknown(mdp.num_states()));
        for state in mdp.states() {
            let known = if prepared.qualitative.zero.contains(state) {
                [0.0, 0.0]
            } else if prepared.qualitative.one.contains(state) {
                [1.0, 1.0]
            } else if prepared.maybe.contains(state) {
                self.values.bounds[prepared.quotient.class_of[state as usize] as usize]
            } else {
                continue;
            };
            let (lower, upper) = (&mut bounds.lower[state as usize], &mut bounds.upper[state as usize]);
            (*lower, *upper) = (lower.max(known[0]), upper.min(known[1]));
            if *lower > *upper {
                // Bounds we computed from sound ones enclose the value, so the given ones did not.
                return Err(SolveError::UnsoundWarmStart { state });
            }
        }
        Ok(bounds)
    }
}

/// Sweeps still needed if the width goes on shrinking as it did from `earlier` to `now` in `sweeps` sweeps.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn predicted(earlier: f64, now: f64, sweeps: u64, goal: f64) -> f64 {
    let rate = (now / earlier).ln() / sweeps as f64;
    if rate < 0.0 { (goal / now).ln() / rate } else { f64::INFINITY }
}

/// For each class the number of larger components on the longest way ahead, its own included; and the largest.
fn depths(quotient: &Quotient) -> (Vec<u32>, u32) {
    let mut depth = vec![0; quotient.rows.num_states()];
    let mut deepest = 1;
    for component in quotient.components() {
        let ahead = component
            .clone()
            .flat_map(|class| quotient.rows.choices(class))
            .flat_map(|choice| quotient.rows.branches(choice))
            .map(|branch| depth[branch.target as usize])
            .max()
            .unwrap_or(0);
        let own = ahead + u32::from(component.len() > 1);
        deepest = deepest.max(own);
        depth[component.start as usize..component.end as usize].fill(own);
    }
    (depth, deepest)
}
