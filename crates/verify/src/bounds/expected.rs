//! Expected numbers of steps and expected rewards until a state is reached, with guaranteed bounds.
//!
//! A reward is an expression over the variables, at least zero, collected in every step in the state that is left (`exit` of JANI); steps are the reward one. The
//! value of a start state is the largest or the smallest over what the environment may do. Where the target is not reached with probability one
//! it is infinite. When a limit cuts the exploration short, states that were not expanded count as reached for the lower bound; there is
//! no upper bound then.

use surefoot_explicit::{Graph, Resolution, Statistics, Task, graph};
use surefoot_mdp::{
    Direction, Ending, Limits, RewardError, RewardOptions, Rewards, StateSet, solve_rewards, solve_rewards_exact,
};
use surefoot_model::{State, TermId};
use surefoot_num::{FloatInterval, Rational};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_verdict::{Reason, Reporter};

use super::graph_failure;
use crate::answer::Number;
use crate::engine::{Budget, task};
use crate::problem::{Failure, Problem};

/// What is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summed {
    /// One for every step.
    Steps,
    /// The value of an expression in every state that is left.
    Value(TermId),
}

/// What to expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expecting {
    /// What is summed up.
    pub summed: Summed,
    /// The largest or the smallest over what the environment may do.
    pub direction: Direction,
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
    /// Whether the goal of the property is what is reached; else what the property looks for.
    pub to_goal: bool,
    /// The value over all start states: the largest of largest values, the smallest of smallest ones.
    pub value: ExtendedInterval,
    /// The smallest over the start states.
    pub smallest: ExtendedInterval,
    /// The largest.
    pub largest: ExtendedInterval,
    /// The mean, each start state counting once.
    pub mean: ExtendedInterval,
    /// A start state that has the value, as far as the bounds tell.
    pub start: State,
    /// Start states.
    pub starts: u32,
    /// Why it is not as precise as was asked for.
    pub shortfall: Option<Reason>,
    /// Figures of the exploration.
    pub statistics: Statistics,
}

/// Bounds an expected value.
///
/// # Errors
/// Where there is nothing to be reached, a reward is negative, the model is in error, or a limit was met before anything was known.
pub fn expect(
    problem: &Problem,
    expecting: Expecting,
    (precision, exact): (f64, bool),
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<ExpectedOutcome, Failure> {
    let to_goal = problem.query.goal.is_some();
    let Some(target) = problem.query.goal.or(problem.query.target) else {
        let error = Diagnostic::error_anywhere("there is nothing to be reached: neither a goal nor a property");
        let help =
            format!("give {} TEXT, a property with an objective, or one with {}", option("goal"), option("property"));
        return Err(error.with_help(help).into());
    };
    let task = Task {
        reach: Some(target),
        absorb: Some(target),
        limits: budget.exploration_limits(),
        ..task(problem, budget)
    };
    let mut graph =
        graph::build(&task, Resolution::Vanishing, reporter).map_err(|error| graph_failure(problem, error))?;
    let reached = graph.satisfying(target).map_err(|error| Failure::from(problem.model_error(&error)))?;
    let reached = reached.extended(graph.mdp.num_states());
    let rewards = rewards(problem, &graph, expecting.summed)?;
    let limits = Limits { run: budget.solving_limits(graph.bytes()), ..Limits::default() };
    let question = Question { graph: &graph, direction: expecting.direction, reached, rewards, limits };
    let (values, shortfall) = question.solve(precision, exact, budget)?;
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
    let (smallest, largest, mean) = (over(true), over(false), mean(&values));
    let least = expecting.direction == Direction::Min;
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
    Ok(ExpectedOutcome {
        expecting,
        to_goal,
        value,
        smallest,
        largest,
        mean,
        start: state,
        starts,
        shortfall,
        statistics,
    })
}

/// The reward of every choice.
fn rewards(problem: &Problem, graph: &Graph<'_>, summed: Summed) -> Result<Rewards, Failure> {
    let term = match summed {
        Summed::Steps => return Ok(Rewards::steps(&graph.mdp)),
        Summed::Value(term) => term,
    };
    let (mdp, interpreter) = (&graph.mdp, problem.interpreter());
    let mut all = Vec::with_capacity(mdp.num_choices());
    for number in mdp.states() {
        let choices = mdp.choices(number).len();
        // What happens in a vanishing state belongs to the step that led there; and where nothing happens nothing is collected.
        if choices == 0 || number >= mdp.vanishing().start {
            all.extend(std::iter::repeat_n(Rational::ZERO, choices));
            continue;
        }
        let state = graph.state(number);
        let value = interpreter.eval(term, &state).map_err(|error| {
            Failure::from(problem.model_error(&surefoot_model::ModelError::evaluation(error, state.clone())))
        })?;
        if value.signum() < 0 {
            let message = format!("the reward is {value} in the state {}", state.describe(problem.model()));
            return Err(Diagnostic::error_anywhere(message).with_help("rewards must not be negative").into());
        }
        all.extend(std::iter::repeat_n(value, choices));
    }
    Rewards::new(all).map_err(|error| Failure::Internal(error.to_string()))
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
            let solved = solve_rewards_exact(mdp, self.direction, &self.reached, &self.rewards, &self.limits);
            let values = solved.map_err(refused)?.values;
            let value = |state: u32| {
                let exact = values[state as usize].clone();
                let end = exact.map_or(Extended::Infinite, |value| Extended::Finite(Number::Exact(value)));
                ExtendedInterval { lower: end.clone(), upper: end }
            };
            return Ok((starts.map(value).collect(), None));
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

/// The mean of some values: summed up exactly, and rounded outward where they are floats.
fn mean(values: &[ExtendedInterval]) -> ExtendedInterval {
    let end = |pick: &dyn Fn(&ExtendedInterval) -> &Extended, round: &dyn Fn(&Rational) -> f64| {
        let (mut sum, mut fractions) = (Rational::ZERO, true);
        for value in values {
            let Extended::Finite(number) = pick(value) else { return Extended::Infinite };
            fractions &= matches!(number, Number::Exact(_));
            sum = &sum + &number.exact();
        }
        let count = Rational::from(i64::try_from(values.len()).expect("states have numbers of 32 bits"));
        let Some(mean) = sum.checked_div(&count) else { return Extended::Infinite };
        Extended::Finite(if fractions { Number::Exact(mean) } else { Number::Float(round(&mean)) })
    };
    ExtendedInterval {
        lower: end(&|value| &value.lower, &|mean| FloatInterval::tightest(mean).lower),
        upper: end(&|value| &value.upper, &|mean| FloatInterval::tightest(mean).upper),
    }
}
