//! Arithmetic on a quotient: one component after the other, successors first.
//!
//! A component of one class is one Bellman step. A larger one gets [interval iteration](crate::iteration), when that is slow
//! [guessing and verifying](crate::acceleration), and when floats do not suffice,
//! [fractions guessed and verified](crate::reconstruction) or, if it is small, exact arithmetic.
//!
//! Precision: a component at depth `d` of `D` nested larger components may end with a width of `d / D` of the
//! precision, since it cannot get below the widths of those it leads to (and with `1 / D` more than those, if they
//! missed their goal). Whether the precision was reached is decided
//! by the widths in the end, not by this plan.

use std::ops::Range;

use surefoot_limits::{Stop, Unit};
use surefoot_num::{FloatInterval, Rational};

use crate::acceleration::accelerate;
use crate::bounds::Bounds;
use crate::exact_component::solve_component;
use crate::iteration::Values;
use crate::limits::{Ending, Statistics};
use crate::mdp::Mdp;
use crate::prepare::Prepared;
use crate::query::Direction;
use crate::quotient::Quotient;
use crate::reconstruction::reconstruct;
use crate::solve::{Options, SolveError};

/// Sweeps before a component is first considered for acceleration.
const FIRST_ATTEMPT: u64 = 16;
/// Components of at most this many classes are solved exactly when floats fail.
const EXACT_CLASSES: usize = 400;
/// Work allowed for that, in small rational operations.
const EXACT_BUDGET: u64 = 2_000_000;

/// A computation on the quotient.
pub(crate) struct Run<'a> {
    pub(crate) values: Values<'a>,
    options: &'a Options,
    /// The width that may be reached, and how much of it is for what the quotient leads to.
    plan: Plan,
    pub(crate) statistics: Statistics,
    /// Why it is not precise, if it is not.
    pub(crate) ending: Ending,
}

/// How wide bounds may be in the end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// What the borders may have.
    pub(crate) ahead: f64,
    /// What may be added.
    pub(crate) share: f64,
}

impl<'a> Run<'a> {
    /// A computation on a quotient without borders, to the precision asked for.
    pub(crate) fn new(quotient: &'a Quotient, direction: Direction, options: &'a Options) -> Self {
        // Some room is left for the rounding in components of one class.
        let plan = Plan { ahead: 0.0, share: 0.9 * options.precision };
        Self::with_borders(quotient, direction, options, &[], plan)
    }

    /// The same with the bounds of borders.
    pub(crate) fn with_borders(
        quotient: &'a Quotient,
        direction: Direction,
        options: &'a Options,
        borders: &[[f64; 2]],
        plan: Plan,
    ) -> Self {
        let classes = quotient.classes();
        let mut bounds = Vec::with_capacity(classes as usize + 2 + borders.len());
        bounds.resize(classes as usize, [0.0, 1.0]);
        bounds.push([1.0, 1.0]);
        bounds.push([0.0, 0.0]);
        bounds.extend_from_slice(borders);
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
        Self { values, options, plan, statistics, ending: Ending::Rounding }
    }

    /// Takes bounds that are known of a state: the states of a class have one value, so their bounds may be combined.
    pub(crate) fn know(&mut self, state: u32, [lower, upper]: [f64; 2]) {
        let class = self.values.quotient.class_of[state as usize];
        let known = &mut self.values.bounds[class as usize];
        *known = [known[0].max(lower), known[1].min(upper)];
    }

    pub(crate) fn warm_start(&mut self, prepared: &Prepared) {
        if let Some(warm) = &self.options.warm_start {
            for state in prepared.maybe.iter() {
                self.know(state, [warm.lower[state as usize], warm.upper[state as usize]]);
            }
        }
    }

    /// Solves all components, successors first.
    pub(crate) fn components(&mut self) {
        let quotient = self.values.quotient;
        let (depth, deepest) = depths(quotient, self.values.bounds.len());
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
                let share = self.plan.share / f64::from(deepest);
                let planned = self.plan.ahead + share * f64::from(depth[component.start as usize]);
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
    pub(crate) fn bounds(&self, mdp: &Mdp, prepared: &Prepared) -> Result<Bounds, SolveError> {
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

/// For each class (with sinks and borders, `classes` in all) the number of larger components on the longest way ahead, its own included; and the
/// largest.
fn depths(quotient: &Quotient, classes: usize) -> (Vec<u32>, u32) {
    let mut depth = vec![0; classes];
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
