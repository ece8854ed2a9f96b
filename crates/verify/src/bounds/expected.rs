//! Expected numbers of steps and expected rewards until a state is reached, with guaranteed bounds.
//!
//! What is added up when is what `rewards` says. The value of a start state is the largest or the smallest over what the environment may do. Where the
//! target is not reached with probability one it is infinite. When a limit cuts the exploration short, states that were not expanded count as
//! reached for the lower bound; there is no upper bound then.
//!
//! JANI's `Emin` and `Emax` are asked here, and so are their comparisons with a number, which every value between the bounds must compare alike to decide.

use surefoot_explicit::{Graph, Resolution, Statistics, Task, graph};
use surefoot_mdp::{
    Direction, Ending, Limits, RewardError, RewardOptions, Rewards, StateSet, solve_rewards, solve_rewards_exact,
};
use surefoot_model::{State, TermId};
use surefoot_num::{FloatInterval, Rational};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_verdict::{Reason, Reporter, Verdict};

pub use super::rewards::Summed;
use super::rewards::rewards;
use super::solve::EXACT_WORK;
use super::weights::{start_weights, weighted_mean};
use super::{check_single, graph_failure, is_open};
use crate::answer::{self, Decision, Number, takes_smallest, verdict};
use crate::engine::{Budget, task};
use crate::problem::{Failure, Problem};
use crate::quantity::{Aggregate, Expected, Threshold};

/// What to expect.
#[derive(Debug, Clone)]
pub struct Expecting {
    /// What is summed up.
    pub summed: Summed,
    /// The largest or the smallest over what the environment may do.
    pub direction: Direction,
    /// Until when.
    pub until: Until,
    /// How the values of several start states become one answer.
    pub aggregate: Aggregate,
    /// What the value is compared with.
    pub threshold: Option<Threshold>,
    /// How much every start state counts in the mean; the same where nothing is said.
    pub weights: Option<TermId>,
}

impl Expecting {
    /// What a property asks for.
    #[must_use]
    pub fn asked(expected: &Expected, weights: Option<TermId>) -> Self {
        let Expected { direction, value: term, accumulate, reach, aggregate, threshold } = expected.clone();
        let summed = Summed::Value { term, exit: accumulate.exit, steps: accumulate.steps };
        Self { summed, direction, until: Until::Reach(reach), aggregate, threshold, weights }
    }
}

/// Until when something is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Until the goal of the property.
    Goal(TermId),
    /// Until what the property looks for.
    Reach(TermId),
}

impl Until {
    fn target(self) -> TermId {
        match self {
            Self::Goal(target) | Self::Reach(target) => target,
        }
    }

    /// The goal of a problem, or what its property looks for.
    ///
    /// # Errors
    /// Where there is nothing to be reached.
    pub fn of(problem: &Problem) -> Result<Self, Failure> {
        let reach = problem.query.target.map(Self::Reach);
        problem.query.goal.map(Self::Goal).or(reach).ok_or_else(|| {
            let error = Diagnostic::error_anywhere("there is nothing to be reached: neither a goal nor a property");
            let (goal, property) = (option("goal"), option("property"));
            error.with_help(format!("give {goal} TEXT, a property with an objective, or one with {property}")).into()
        })
    }
}

/// A number, or infinity.
#[derive(Debug, Clone, PartialEq)]
pub enum Extended {
    /// A number.
    Finite(Number),
    /// More than any.
    Infinite,
}

/// Bounds of a value.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtendedInterval {
    /// From below.
    pub lower: Extended,
    /// From above.
    pub upper: Extended,
}

/// An expected value that was bounded.
#[derive(Debug)]
pub struct ExpectedOutcome {
    /// What was asked.
    pub expecting: Expecting,
    /// The value over all start states.
    pub value: ExtendedInterval,
    /// The smallest over the start states.
    pub smallest: ExtendedInterval,
    /// The largest.
    pub largest: ExtendedInterval,
    /// The mean, weighted where weights were given.
    pub mean: ExtendedInterval,
    /// A start state that has the value, as far as the bounds tell.
    pub start: State,
    /// Start states.
    pub starts: u32,
    /// What a comparison came to, or why the value is not as precise as was asked for.
    pub decision: Decision,
    /// Figures of the exploration.
    pub statistics: Statistics,
}

/// Bounds an expected value.
///
/// # Errors
/// Where a reward or a weight is negative, the model is in error, or a limit was met before anything was known.
pub fn expect(
    problem: &Problem,
    expecting: Expecting,
    (precision, exact): (f64, bool),
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<ExpectedOutcome, Failure> {
    let target = expecting.until.target();
    let task = Task {
        reach: Some(target),
        absorb: Some(target),
        limits: budget.exploration_limits(),
        ..task(problem, budget)
    };
    let mut graph =
        graph::build(&task, Resolution::Vanishing, reporter).map_err(|error| graph_failure(problem, error))?;
    check_single(problem, expecting.aggregate, graph.starts)?;
    let reached = graph.satisfying(target).map_err(|error| Failure::from(problem.model_error(&error)))?;
    let reached = reached.extended(graph.mdp.num_states());
    let weights = expecting.weights.map(|weights| start_weights(problem, &graph, weights)).transpose()?;
    let rewards = rewards(problem, &graph, expecting.summed, budget)?;
    let limits = Limits { run: budget.solving_limits(graph.bytes()), ..Limits::default() };
    let question = Question { graph: &graph, direction: expecting.direction, reached, rewards, limits };
    let (mut values, mut shortfall) = question.solve(precision, exact, budget)?;
    let missing = graph.starts_missing;
    let mut decision = decide(&expecting, &values, missing, shortfall.as_ref());
    // The bounds leave the comparison open: fractions settle it, where they do not take too long.
    if is_open(&decision) && expecting.threshold.is_some() && graph.limit.is_none() && !exact {
        let limits = Limits { exact_work: Some(EXACT_WORK), ..question.limits.clone() };
        if let Ok(solved) = question.fractions(&limits) {
            (values, shortfall) = (solved, None);
            decision = decide(&expecting, &values, missing, shortfall.as_ref());
        }
    }
    let all = |pick: &dyn Fn(&ExtendedInterval) -> &Extended, least: bool| {
        let numbers = values.iter().map(pick);
        let order = |a: &&Extended, b: &&Extended| compare(a, b);
        let best = if least { numbers.min_by(order) } else { numbers.max_by(order) };
        best.cloned().unwrap_or(Extended::Infinite)
    };
    let over = |least: bool| ExtendedInterval {
        lower: all(&|value| &value.lower, least),
        upper: all(&|value| &value.upper, least),
    };
    let (smallest, largest) = (over(true), over(false));
    let mean = match missing {
        false => mean(&values, weights.as_deref()),
        // Soundness: start states that were not found count too.
        true => ExtendedInterval { lower: float(0.0), upper: Extended::Infinite },
    };
    let alone = expecting.direction == Direction::Min;
    let least = takes_smallest(expecting.aggregate, alone, expecting.threshold.as_ref());
    let value = if least { smallest.clone() } else { largest.clone() };
    let sign = |value: &ExtendedInterval| if least { value.upper.clone() } else { value.lower.clone() };
    let mut start = 0;
    for (number, candidate) in (0..).zip(&values) {
        let order = compare(&sign(candidate), &sign(&values[start as usize]));
        if if least { order.is_lt() } else { order.is_gt() } {
            start = number;
        }
    }
    let (state, starts, statistics) = (graph.state(start), graph.starts, graph.statistics);
    Ok(ExpectedOutcome { expecting, value, smallest, largest, mean, start: state, starts, decision, statistics })
}

/// What the values of the start states say.
fn decide(
    expecting: &Expecting,
    values: &[ExtendedInterval],
    starts_missing: bool,
    shortfall: Option<&Reason>,
) -> Decision {
    let unknown = |reason: Reason| Some(Verdict::Unknown(shortfall.cloned().unwrap_or(reason)));
    let Some(threshold) = &expecting.threshold else { return shortfall.cloned().map(Verdict::Unknown) };
    // Whether there is a single start state is not known then.
    if starts_missing && expecting.aggregate == Aggregate::Single {
        return unknown(Reason::Comparison);
    }
    let all = expecting.aggregate != Aggregate::Some;
    let mut open = starts_missing;
    for value in values {
        match compares(threshold, value) {
            Some(holds) if holds != all => return Some(verdict(holds)),
            Some(_) => {}
            None => open = true,
        }
    }
    if open { unknown(Reason::Comparison) } else { Some(verdict(all)) }
}

/// Whether a value between bounds compares as asked; `None` when it depends.
fn compares(threshold: &Threshold, value: &ExtendedInterval) -> Option<bool> {
    // Infinity compares with a number as anything above it does.
    let number = |end: &Extended, above: &Rational| match end {
        Extended::Finite(number) => number.exact(),
        Extended::Infinite => above + &Rational::ONE,
    };
    let lower = number(&value.lower, &threshold.bound);
    let upper = number(&value.upper, &lower.clone().max(threshold.bound.clone()));
    answer::compare(threshold, &lower, &upper)
}

/// A question about an explored process.
struct Question<'g> {
    graph: &'g Graph<'g>,
    direction: Direction,
    reached: StateSet,
    rewards: Rewards,
    limits: Limits,
}

impl Question<'_> {
    /// The values of the start states, and why they are not as close as was asked for.
    fn solve(
        &self,
        precision: f64,
        exact: bool,
        budget: &Budget,
    ) -> Result<(Vec<ExtendedInterval>, Option<Reason>), Failure> {
        let (mdp, starts) = (&self.graph.mdp, 0..self.graph.starts);
        let refused = |error: RewardError| match error {
            RewardError::Stopped(stop) => Failure::Stopped(stop),
            other => Failure::Internal(other.to_string()),
        };
        if let Some(stop) = self.graph.limit {
            // Soundness: what lies behind the frontier adds something or nothing, never less.
            let frontier = self.graph.frontier().extended(mdp.num_states());
            let reached =
                StateSet::from_fn(mdp.num_states(), |state| self.reached.contains(state) || frontier.contains(state));
            let options = self.options(precision);
            let solution = solve_rewards(mdp, self.direction, &reached, &self.rewards, &options).map_err(refused)?;
            let value = |state: u32| ExtendedInterval {
                lower: if self.graph.starts_missing { float(0.0) } else { float(solution.lower[state as usize]) },
                upper: Extended::Infinite,
            };
            return Ok((starts.map(value).collect(), Some(budget.limit(stop).into())));
        }
        if exact {
            return Ok((self.fractions(&self.limits).map_err(refused)?, None));
        }
        let options = self.options(precision);
        let solution = solve_rewards(mdp, self.direction, &self.reached, &self.rewards, &options).map_err(refused)?;
        let shortfall = match solution.ending {
            Ending::Precise => None,
            Ending::Stopped(stop) if stop.is_final() => Some(budget.limit(stop).into()),
            Ending::Stopped(stop) => Some(Reason::Solver { precision, limit: Some(stop) }),
            Ending::Unknown | Ending::Rounding => Some(Reason::Solver { precision, limit: None }),
        };
        let value = |state: u32| ExtendedInterval {
            lower: float(solution.lower[state as usize]),
            upper: float(solution.upper[state as usize]),
        };
        Ok((starts.map(value).collect(), shortfall))
    }

    /// The values of the start states as fractions.
    fn fractions(&self, limits: &Limits) -> Result<Vec<ExtendedInterval>, RewardError> {
        let solved = solve_rewards_exact(&self.graph.mdp, self.direction, &self.reached, &self.rewards, limits)?;
        let value = |state: u32| {
            let exact = solved.values[state as usize].clone();
            let end = exact.map_or(Extended::Infinite, |value| Extended::Finite(Number::Exact(value)));
            ExtendedInterval { lower: end.clone(), upper: end }
        };
        Ok((0..self.graph.starts).map(value).collect())
    }

    fn options(&self, precision: f64) -> RewardOptions {
        RewardOptions { precision, initial: Some((0..self.graph.starts).collect()), limits: self.limits.clone() }
    }
}

fn float(value: f64) -> Extended {
    if value.is_finite() { Extended::Finite(Number::Float(value)) } else { Extended::Infinite }
}

fn compare(a: &Extended, b: &Extended) -> std::cmp::Ordering {
    match (a, b) {
        (Extended::Finite(a), Extended::Finite(b)) => a.exact().cmp(&b.exact()),
        (Extended::Finite(_), Extended::Infinite) => std::cmp::Ordering::Less,
        (Extended::Infinite, Extended::Finite(_)) => std::cmp::Ordering::Greater,
        (Extended::Infinite, Extended::Infinite) => std::cmp::Ordering::Equal,
    }
}

/// The mean of some values, weighted where weights are given: summed up exactly, and rounded outward where they are floats.
fn mean(values: &[ExtendedInterval], weights: Option<&[Rational]>) -> ExtendedInterval {
    let end = |pick: &dyn Fn(&ExtendedInterval) -> &Extended, round: &dyn Fn(&Rational) -> f64| {
        let (mut numbers, mut counted, mut fractions) = (Vec::new(), Vec::new(), true);
        for (i, value) in values.iter().enumerate() {
            let weight = weights.map_or(Rational::ONE, |weights| weights[i].clone());
            // What does not count does not, even where it is infinite.
            if weight.is_zero() {
                continue;
            }
            let Extended::Finite(number) = pick(value) else { return Extended::Infinite };
            fractions &= matches!(number, Number::Exact(_));
            numbers.push(number.exact());
            counted.push(weight);
        }
        let mean = weighted_mean(&numbers, Some(&counted));
        Extended::Finite(if fractions { Number::Exact(mean) } else { Number::Float(round(&mean)) })
    };
    ExtendedInterval {
        lower: end(&|value| &value.lower, &|mean| FloatInterval::tightest(mean).lower),
        upper: end(&|value| &value.upper, &|mean| FloatInterval::tightest(mean).upper),
    }
}
