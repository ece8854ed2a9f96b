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
//! * `ask`: what is asked, and why it cannot be answered; `solve`: bounds of what was explored; [`cegar`]: bounds by abstraction; `auto`: whatever suits;
//! * [`certificate`]: files that show bounds; [`expected`]: expected steps and rewards; `rewards`: what is added up when; `weights`: how much start
//!   states count.

mod ask;
pub(crate) mod auto;
pub mod cegar;
pub mod certificate;
pub mod expected;
mod rewards;
mod solve;
mod weights;

use surefoot_explicit::graph::{self, Graph};
use surefoot_explicit::{Resolution, Statistics};
use surefoot_model::{State, TermId};
use surefoot_num::Rational;
use surefoot_probabilistic::{Algorithm, Options};
use surefoot_verdict::{Event, Figure, Reporter};

use crate::answer::{Decision, Number, OverStarts};
use crate::cegar::CegarOptions;
use crate::engine::{Asked, Budget};
use crate::problem::{Failure, Problem};
use crate::quantity::Quantity;

use cegar::{AbstractedBounds, OpenBounds};

pub(crate) use ask::{asked, check_single, check_starts, graph_failure, partial_failure, supports, task};
use solve::Solver;
pub(crate) use solve::is_open;
pub(crate) use weights::weighted_mean;

/// What to derive.
#[derive(Debug, Clone)]
pub struct BoundsOptions {
    /// The wanted width of the interval.
    pub precision: f64,
    /// Decide whether the probability is at most this.
    pub p_max: Option<Rational>,
    /// Solve in fractions.
    pub exact: bool,
    /// Varies what may be done one way or another.
    pub seed: u64,
    /// Whether bounds may take it for granted that the model is never in error, where they cannot tell.
    pub assume_no_errors: bool,
    /// How much every start state counts in the mean; the same where nothing is said. For exploration.
    pub weights: Option<TermId>,
    /// How to abstract, for engines that do.
    pub abstracting: Abstracting,
}

impl Default for BoundsOptions {
    /// An interval of 1e-6.
    fn default() -> Self {
        let abstracting = Abstracting::default();
        Self {
            precision: 1e-6,
            p_max: None,
            exact: false,
            seed: 0,
            assume_no_errors: false,
            weights: None,
            abstracting,
        }
    }
}

/// How to bound by abstraction.
#[derive(Debug, Clone)]
pub struct Abstracting {
    /// Who bounds.
    pub algorithm: Algorithm,
    /// Paths of less probability are not added to a set that has enough already; the paper's algorithm.
    pub p_eps: Rational,
    /// The step of its linear search, and its precision.
    pub p_step: Rational,
    /// Where that search begins.
    pub p_init: Rational,
    /// Whether it finds the start state with the most probable set of paths under the policy exactly.
    pub exact_policy: bool,
    /// The most values of a variable that stays explicit; our algorithm. `None` for as many as suit the start set.
    pub explicit_values: Option<u64>,
    /// States of the model beside the abstraction, at most; `None` for as many as pay.
    pub concrete_states: Option<usize>,
    /// How to refine, and from what.
    pub refinement: CegarOptions,
    /// Keep what the abstraction looks like in the end.
    pub sketch: bool,
}

impl Default for Abstracting {
    fn default() -> Self {
        let Options { algorithm, p_eps, p_step, p_init, exact_policy, explicit_values, concrete_states, .. } =
            Options::default();
        let refinement = CegarOptions::default();
        Self {
            algorithm,
            p_eps,
            p_step,
            p_init,
            exact_policy,
            explicit_values,
            concrete_states,
            refinement,
            sketch: false,
        }
    }
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
    /// The start state whose value is reported, where there is one to show.
    pub start: Option<State>,
    /// How many start states there are, where they were counted.
    pub starts: u32,
    /// What the scheduler does where it has a choice, for the first few states.
    pub scheduler: Vec<Chosen>,
    /// How many states have a choice.
    pub choice_states: usize,
    /// Figures of the exploration, where states were visited one by one.
    pub statistics: Statistics,
    /// Sweeps of the solver, where it iterated.
    pub sweeps: u64,
    /// What an abstraction has to tell, where the interval comes from one.
    pub abstracted: Option<Box<AbstractedBounds>>,
    /// What is open besides the interval.
    pub open: Option<OpenBounds>,
    /// What it takes for granted besides what the problem does.
    pub assumptions: Vec<String>,
    /// What the values of all start states come to, where every one of them has one.
    pub over_starts: Option<OverStarts>,
}

impl BoundsOutcome {
    /// How far the engine came: the figures of its last event.
    #[must_use]
    pub fn last(&self) -> Vec<Figure> {
        match &self.abstracted {
            Some(details) => details.last(&self.lower, &self.upper),
            None => self.statistics.explored().figures(),
        }
    }
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
    let (quantity, graph) = explored(problem, options, budget, reporter)?;
    solved(problem, quantity, options, budget, graph)
}

/// The same where all states fit into a budget; `None` where they do not. What was explored is solved within the budget of the whole run.
///
/// # Errors
/// As [`bounds`].
pub(crate) fn complete(
    problem: &Problem,
    options: &BoundsOptions,
    exploring: &Budget,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Option<BoundsOutcome>, Failure> {
    match explored(problem, options, exploring, reporter) {
        Ok((_, Graph { limit: Some(_), .. })) | Err(Failure::Stopped(_)) => Ok(None),
        Ok((quantity, graph)) => solved(problem, quantity, options, budget, graph).map(Some),
        Err(failure) => Err(failure),
    }
}

/// What can be visited within a budget.
fn explored<'p>(
    problem: &'p Problem,
    options: &BoundsOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<(Quantity, Graph<'p>), Failure> {
    supports(&Asked::of(problem))?;
    let quantity = asked(problem, options)?;
    let task = task(problem, &quantity, budget);
    let graph = graph::build(&task, Resolution::Vanishing, reporter).map_err(|error| graph_failure(problem, error))?;
    check_starts(problem, &quantity, graph.starts)?;
    Ok((quantity, graph))
}

/// Bounds of what was visited.
fn solved(
    problem: &Problem,
    quantity: Quantity,
    options: &BoundsOptions,
    budget: &Budget,
    mut graph: Graph<'_>,
) -> Result<BoundsOutcome, Failure> {
    let satisfying = |graph: &mut Graph<'_>, term| {
        graph.satisfying(term).map_err(|error| Failure::from(problem.model_error(&error)))
    };
    let right = satisfying(&mut graph, quantity.right)?;
    let left = quantity.left.map(|left| satisfying(&mut graph, left)).transpose()?;
    let limits = budget.solving_limits(graph.bytes());
    Solver { problem, quantity, options, budget, graph, left, right, sweeps: 0, limits }.run()
}
