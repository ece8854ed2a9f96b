//! Probabilities on explicit models: bounds that are guaranteed, and verdicts decided exactly.
//!
//! The reachable part is explored and kept as a Markov decision process; `surefoot-mdp` bounds its probabilities with
//! outward rounding. A comparison with a number is decided when the bounds leave no doubt; if they do not, the precision is
//! raised, and small models are solved in fractions.
//!
//! When a limit cuts the exploration short there are bounds all the same: states that were not expanded count as never
//! reaching the target for the lower bound, and as having reached it for the upper one. Both are sound whatever those states do,
//! for the best and for the worst scheduler.

use surefoot_explicit::graph::{self, Graph, GraphError};
use surefoot_explicit::{Ending, RecordError, Resolution, Statistics, Task};
use surefoot_jani::syntax::BinaryOp;
use surefoot_limits::Stop;
use surefoot_mdp::{
    Bounds, Ending as Solved, ExactError, Limits, Options, Scheduler, StateSet, Until, solve, solve_bounded,
    solve_bounded_exact, solve_exact,
};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_text::diagnostic::{Diagnostic, Refusal};
use surefoot_text::option;
use surefoot_verdict::{Reason, Reporter, Unsupported};

use crate::answer::{Decision, Number, Values};
use crate::engine::{Asked, Budget, Engine, start_failure};
use crate::explicit::Explicit;
use crate::problem::{Failure, Problem};
use crate::quantity::{Aggregate, Quantity, Threshold};
use crate::question::Query;
use crate::slice::lift_start;

/// Work allowed for fractions when the bounds leave a question open, in small rational operations.
const EXACT_WORK: u64 = 4_000_000;
/// Below this, outward rounding alone is of the size of the precision.
const FINEST: f64 = 1e-13;

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

/// The most entries of a scheduler that are reported.
const MAX_SCHEDULER: usize = 1_000;

/// Whether exploration bounds what is asked for: a probability, over finitely many states.
///
/// # Errors
/// What is in the way.
pub(crate) fn supports(asked: &Asked<'_>) -> Result<(), Unsupported> {
    probability(asked.query)?;
    let slots = &asked.lowered.model.slots;
    slots.iter().find(|slot| slot.domain.int_bounds().is_none()).map_or(Ok(()), |slot| Err(real(&slot.name)))
}

/// The probability that is asked for.
fn probability(query: &Query) -> Result<&Quantity, Unsupported> {
    query.quantity.as_ref().ok_or_else(|| {
        let error = Diagnostic::error_anywhere("this property asks for no probability");
        Unsupported::new(Refusal::Question, error.with_help("use a PA property, or a filter over Pmin or Pmax"))
    })
}

fn real(variable: &str) -> Unsupported {
    let message = format!("the variable '{variable}' is real: probabilities need finitely many states");
    let error = Diagnostic::error_anywhere(message);
    Unsupported::new(Refusal::Reals, error.with_help("give it a bounded int type; `ctl` decides formulas over reals"))
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
    let limits = budget.solving_limits();
    Solver { problem, quantity, options, budget, graph, left, right, sweeps: 0, limits }.run()
}

/// The quantity of a problem, with the bound that the options ask about.
pub(crate) fn asked(problem: &Problem, options: &BoundsOptions) -> Result<Quantity, Failure> {
    let mut quantity = probability(&problem.query)?.clone();
    if let Some(p) = &options.p_max {
        if quantity.threshold.is_some() {
            let p_max = option("p-max");
            let error = format!("{p_max} cannot be combined with a property that is a comparison");
            let help = format!("leave {p_max} out: the property has its own bound");
            let error = Diagnostic::error_anywhere(error).with_help(help);
            return Err(error.into());
        }
        quantity.threshold = Some(Threshold { op: BinaryOp::Le, bound: p.clone() });
        // The largest value is at most P if all are, the smallest if some is.
        quantity.aggregate = match quantity.aggregate {
            Aggregate::Max => Aggregate::All,
            Aggregate::Min => Aggregate::Some,
            other => other,
        };
    }
    Ok(quantity)
}

pub(crate) fn task<'p>(problem: &'p Problem, quantity: &Quantity, budget: &Budget) -> Task<'p> {
    Task {
        model: problem.model(),
        policy: problem.policy(),
        start: &problem.query.start,
        reach: Some(quantity.right),
        goal: problem.query.goal,
        goal_terminal: problem.query.goal_terminal,
        absorb: Some(quantity.decided),
        dropped: problem.slice.as_ref().map(|slice| &*slice.dropped),
        stop_at_reach: false,
        threads: budget.threads.max(1),
        // What was explored must still be solved.
        limits: budget.exploration_limits(),
    }
}

pub(crate) fn check_starts(problem: &Problem, quantity: &Quantity, starts: u32) -> Result<(), Failure> {
    if quantity.aggregate != Aggregate::Single || starts == 1 {
        return Ok(());
    }
    let message = format!("the filter is over a single value, but there are {starts} initial states");
    let mut error = Diagnostic::error_anywhere(message);
    error.span = problem.query.span;
    Err(error.with_help("use \"max\" or \"min\", or \"∀\" or \"∃\" over a comparison").into())
}

pub(crate) fn graph_failure(problem: &Problem, error: GraphError) -> Failure {
    match error {
        GraphError::Incomplete(exploration) => match exploration.ending {
            Ending::ModelError(error) => problem.model_error(&error).into(),
            Ending::StartError(error) => start_failure(problem, &error),
            Ending::Limit(stop) => stop.into(),
            Ending::Complete | Ending::Reached(_) => {
                Failure::Internal("an exploration without error was reported as failed".to_owned())
            }
        },
        GraphError::Record(error) => record_failure(problem, &error).into(),
        GraphError::Real(variable) => real(&variable).into(),
    }
}

/// Why transitions cannot be kept: where, and what to do about it.
pub(crate) fn record_failure(problem: &Problem, error: &RecordError) -> Diagnostic {
    let RecordError::Combinations { vector, state, .. } = error else {
        return Diagnostic::error_anywhere(error.to_string());
    };
    let model = problem.model();
    let vector = &model.vectors[*vector as usize];
    let action = vector.label.map_or("a silent edge".to_owned(), |l| format!("'{}'", model.labels[l.0 as usize]));
    let place = state.as_ref().map_or(String::new(), |state| format!(" in the state {}", state.describe(model)));
    let mut diagnostic = Diagnostic::error_anywhere(format!("{error}: {action}{place}"));
    // The edge that branches there; of several, the first.
    let at = |instance: usize, source: u32| {
        state.as_ref().is_some_and(|state| state.0[instance] == Rational::from(i64::from(source)))
    };
    let edges = vector.participants.iter().flat_map(|p| p.edges.iter().map(move |edge| (p.instance, *edge as usize)));
    let mut edges = edges.map(|(instance, edge)| (instance, &model.instances[instance].edges[edge]));
    let edge = edges.find(|(instance, edge)| edge.destinations.len() > 1 && at(*instance, edge.source));
    diagnostic.span = edge.map(|(_, edge)| edge.span);
    diagnostic.with_help(
        "combinations are written out for other checkers; 'bounds' needs none. Fewer outcomes or smaller intervals in one edge, \
         or an edge of its own for the assignments, keep the model small",
    )
}

struct Solver<'p> {
    problem: &'p Problem,
    quantity: Quantity,
    options: &'p BoundsOptions,
    budget: &'p Budget,
    graph: Graph<'p>,
    left: Option<StateSet>,
    right: StateSet,
    sweeps: u64,
    limits: surefoot_limits::Limits,
}

impl Solver<'_> {
    fn run(mut self) -> Result<BoundsOutcome, Failure> {
        let mut precision = self.options.precision;
        let mut values = self.floats(precision)?;
        if self.options.exact && self.graph.limit.is_none() {
            values = self.exact(values, None)?;
        }
        let mut decision = values.decide(&self.quantity, self.options.precision);
        // The bounds leave the comparison open: closer ones, then fractions.
        while is_open(&decision)
            && self.quantity.threshold.is_some()
            && self.graph.limit.is_none()
            && values.shortfall.is_none()
            && precision > FINEST
            && !self.options.exact
        {
            precision = (precision * 1e-3).max(FINEST);
            values = self.floats(precision)?;
            decision = values.decide(&self.quantity, self.options.precision);
        }
        // Fractions, too, where floats cannot get any closer.
        let late = self.limits().expired();
        if is_open(&decision) && self.graph.limit.is_none() && !self.options.exact && !late {
            values = self.exact(values, Some(EXACT_WORK))?;
            decision = values.decide(&self.quantity, self.options.precision);
        }
        self.outcome(&values, decision)
    }

    fn limits(&self) -> Limits {
        Limits { run: self.limits.clone(), ..Limits::default() }
    }

    fn until(&self, right: &StateSet) -> Until {
        let until = match &self.left {
            Some(left) => Until::constrained(left.clone(), right.clone()),
            None => Until::eventually(right.clone()),
        };
        until.through_vanishing(&self.graph.mdp)
    }

    /// Bounds in floats; from below with the frontier as lost, from above with it as won.
    fn floats(&mut self, precision: f64) -> Result<Values, Failure> {
        let until = self.until(&self.right);
        let (mut bounds, scheduler, mut shortfall) = self.solve(&until, precision)?;
        if let Some(reason) = self.graph.limit {
            let mut won = self.right.clone();
            for state in self.graph.frontier().iter() {
                won.insert(state);
            }
            let (above, _, _) = self.solve(&self.until(&won), precision)?;
            bounds.upper = above.upper;
            shortfall = Some(self.budget.limit(reason).into());
        }
        let bounds = if self.quantity.complement { bounds.complement() } else { bounds };
        let starts = 0..self.graph.starts as usize;
        Ok(Values {
            lower: starts.clone().map(|s| Number::Float(bounds.lower[s])).collect(),
            upper: starts.map(|s| Number::Float(bounds.upper[s])).collect(),
            scheduler,
            starts_missing: self.graph.starts_missing,
            shortfall,
        })
    }

    fn solve(&mut self, until: &Until, precision: f64) -> Result<(Bounds, Option<Scheduler>, Option<Reason>), Failure> {
        let refused = |error: surefoot_mdp::SolveError| Failure::Internal(error.to_string());
        let budget = self.budget;
        let late = || Reason::from(budget.limit(budget.limits().stop().unwrap_or(Stop::Time)));
        if let Some(steps) = self.quantity.steps {
            let direction = self.quantity.direction;
            let solution = solve_bounded(&self.graph.mdp, direction, until, steps, &self.limits()).map_err(refused)?;
            return Ok((solution.bounds, None, (!solution.complete).then(late)));
        }
        let options = Options {
            precision,
            initial: Some((0..self.graph.starts).collect()),
            limits: self.limits(),
            ..Options::default()
        };
        let solution = solve(&self.graph.mdp, self.quantity.direction, until, &options).map_err(refused)?;
        let shortfall = match solution.ending {
            Solved::Precise => None,
            Solved::Stopped(stop @ Stop::Most(..)) => Some(Reason::Solver { precision, limit: Some(stop) }),
            Solved::Stopped(_) => Some(late()),
            Solved::Rounding => Some(Reason::Solver { precision, limit: None }),
        };
        self.sweeps += solution.statistics.sweeps;
        Ok((solution.bounds, Some(solution.scheduler), shortfall))
    }

    /// The values as fractions, or the bounds there are, with the reason, when that takes too long.
    fn exact(&mut self, mut bounds: Values, work: Option<u64>) -> Result<Values, Failure> {
        let limits = Limits { exact_work: work, ..self.limits() };
        let until = self.until(&self.right);
        let direction = self.quantity.direction;
        let late = ExactError::Stopped { stop: Stop::Time, solved: 0, components: 0 };
        let solved = match self.quantity.steps {
            Some(steps) => solve_bounded_exact(&self.graph.mdp, direction, &until, steps, &limits)
                .map_err(ExactError::Refused)
                .and_then(|values| Ok((values.ok_or(late)?, None))),
            None => solve_exact(&self.graph.mdp, direction, &until, &limits)
                .map(|solution| (solution.values, Some(solution.scheduler))),
        };
        match solved {
            Ok((values, scheduler)) => {
                let value = |s: usize| {
                    let value = &values[s];
                    Number::Exact(if self.quantity.complement { &Rational::ONE - value } else { value.clone() })
                };
                let all: Vec<Number> = (0..self.graph.starts as usize).map(value).collect();
                Ok(Values { lower: all.clone(), upper: all, scheduler, starts_missing: false, shortfall: None })
            }
            Err(ExactError::Stopped { stop, .. }) if stop.is_final() => {
                let stop = self.budget.limits().stop().unwrap_or(Stop::Time);
                bounds.shortfall = Some(self.budget.limit(stop).into());
                Ok(bounds)
            }
            Err(ExactError::Stopped { .. }) => {
                bounds.shortfall = Some(Reason::Fractions);
                Ok(bounds)
            }
            Err(ExactError::Refused(error)) => Err(Failure::Internal(error.to_string())),
        }
    }

    fn outcome(self, values: &Values, decision: Decision) -> Result<BoundsOutcome, Failure> {
        let (start, lower, upper) = values.answer(&self.quantity);
        let (mut scheduler, mut choice_states) = (Vec::new(), 0);
        if let Some(chosen) = values.scheduler.as_ref().filter(|_| !self.graph.mdp.is_chain()) {
            let reachable = reachable_under(&self.graph, chosen, start);
            let lasting = self.graph.mdp.vanishing().start;
            for state in reachable.iter().filter(|s| *s < lasting && self.graph.mdp.choices(*s).len() > 1) {
                choice_states += 1;
                if scheduler.len() < MAX_SCHEDULER
                    && let Some(choice) = chosen.choice(state)
                {
                    let label = self.graph.label(choice);
                    let action = label.map_or("(silent)", |l| &*self.problem.model().labels[l.0 as usize]).to_owned();
                    let choice = choice - self.graph.mdp.choices(state).start;
                    scheduler.push(Chosen { state: self.graph.state(state), action, choice });
                }
            }
        }
        Ok(BoundsOutcome {
            engine: Explicit.name(),
            lower,
            upper,
            decision,
            start: lift_start(self.problem, self.graph.state(start))?,
            starts: self.graph.starts,
            scheduler,
            choice_states,
            statistics: self.graph.statistics,
            sweeps: self.sweeps,
        })
    }
}

/// Whether a comparison, or the precision, is open.
pub(crate) fn is_open(decision: &Decision) -> bool {
    decision.as_ref().is_some_and(|verdict| !verdict.is_decided())
}

/// The states reached from one under a scheduler.
fn reachable_under(graph: &Graph<'_>, scheduler: &Scheduler, start: u32) -> StateSet {
    let mut seen = StateSet::empty(graph.mdp.num_states());
    let mut work = vec![start];
    seen.insert(start);
    while let Some(state) = work.pop() {
        let Some(choice) = scheduler.choice(state) else { continue };
        for branch in graph.mdp.branches(choice) {
            if seen.insert(branch.target) {
                work.push(branch.target);
            }
        }
    }
    seen
}
