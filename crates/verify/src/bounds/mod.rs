//! Probabilities on explicit models: bounds that are guaranteed, and verdicts decided exactly.
//!
//! The reachable part is explored and kept as a Markov decision process; `surefoot-mdp` bounds its probabilities with
//! outward rounding. A comparison with a number is decided when the bounds leave no doubt; if they do not, the precision is
//! raised, and small models are solved in fractions.
//!
//! When a limit cuts the exploration short there are bounds all the same: states that were not expanded count as never
//! reaching the target for the lower bound, and as having reached it for the upper one. Both are sound whatever those states do,
//! for the best and for the worst scheduler.
//!
//! * `ask`: what is asked, and why it cannot be answered; `solve`: bounds of what was explored.

mod ask;
mod solve;

use surefoot_explicit::graph::{self, Graph};
use surefoot_explicit::{Resolution, Statistics};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_verdict::Reporter;

use crate::answer::{Decision, Number};
use crate::engine::Budget;
use crate::problem::{Failure, Problem};

pub(crate) use ask::{asked, check_starts, graph_failure, record_failure, supports, task};
use solve::Solver;
pub(crate) use solve::is_open;

/// What to derive.
#[derive(Debug, Clone)]
pub struct BoundsOptions {
    /// The wanted width of the interval.
    pub precision: f64,
    /// Decide whether the probability is at most this.
    pub p_max: Option<Rational>,
    /// Solve in fractions.
    pub exact: bool,
}

/// A bounded probability.
#[derive(Debug)]
pub struct BoundsOutcome {
    /// The engine that found it.
    pub engine: &'static str,
    /// Lower and upper bound of the value.
    pub lower: Number,
    /// Upper bound.
    pub upper: Number,
    /// What the comparison came to.
    pub decision: Decision,
    /// The start state whose value is reported.
    pub start: State,
    /// How many start states there are.
    pub starts: u32,
    /// What the scheduler does where it has a choice, for the first few states.
    pub scheduler: Vec<Chosen>,
    /// How many states have a choice.
    pub choice_states: usize,
    /// Figures of the exploration.
    pub statistics: Statistics,
    /// Sweeps of the solver, where it iterated.
    pub sweeps: u64,
}

/// What a scheduler does in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The state. Variables that were left out have no meaning in it.
    pub state: State,
    /// The label of what it chooses.
    pub action: String,
    /// Which of the state's choices that is, from 0, in the model's order.
    pub choice: u32,
}

/// Bounds the probability that a problem asks for.
///
/// # Errors
/// As [`crate::engine::Engine::bound`].
pub(crate) fn bounds(
    problem: &Problem,
    options: &BoundsOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<BoundsOutcome, Failure> {
    supports(&problem.asked())?;
    let quantity = asked(problem, options)?;
    let task = task(problem, &quantity, budget);
    let mut graph =
        graph::build(&task, Resolution::Vanishing, reporter).map_err(|error| graph_failure(problem, error))?;
    check_starts(problem, &quantity, graph.starts)?;
    let satisfying = |graph: &mut Graph<'_>, term| {
        graph.satisfying(term).map_err(|error| Failure::from(problem.model_error(&error)))
    };
    let right = satisfying(&mut graph, quantity.right)?;
    let left = quantity.left.map(|left| satisfying(&mut graph, left)).transpose()?;
    let limits = budget.solving_limits(graph.bytes());
    Solver { problem, quantity, options, budget, graph, left, right, sweeps: 0, limits }.run()
}
