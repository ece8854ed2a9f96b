//! Probabilities by abstraction: an interval without visiting all states.
//!
//! One end of the interval comes from an abstraction, which has every behaviour of the model and more; the other from the model itself, by a
//! start state that is told. Errors of the model (an update out of a variable's domain) take an operator away from abstractions. Where such an error is
//! not excluded, the abstraction's end of the interval says nothing, unless the user takes it for granted that there are none.
//!
//! * `ask`: which questions these are; `listen`: what is told on the way; `account`: what there is to tell in the end.

mod account;
mod ask;
mod listen;

use surefoot_abstraction::Oracles;
use surefoot_explicit::Task;
use surefoot_mdp::Direction;
use surefoot_model::State;
use surefoot_num::{FloatInterval, Rational};
use surefoot_probabilistic::{Algorithm, Asked, Bounded, Failure as NoBounds, Options};
use surefoot_verdict::{Because, Otherwise, Reason, Reporter, Undecided, Verdict};

use super::{BoundsOptions, BoundsOutcome, asked, task};
use crate::abstraction;
use crate::abstraction::words::Words;
use crate::answer::{Decision, Number, Values};
use crate::cegar::Expressions;
use crate::engine::{self, Budget};
use crate::problem::{Failure, Problem};
use crate::quantity::Quantity;
use crate::replay;
use crate::slice::lift_start;
use crate::start::check_defined;

pub use account::{AbstractedBounds, name};
pub(crate) use ask::supports;
use listen::Listener;

/// What is open besides an interval.
#[derive(Debug, Clone)]
pub struct OpenBounds {
    /// The error, and why it is open.
    pub error: Undecided,
    /// The interval if there is no error.
    pub lower: Number,
    /// Its other end.
    pub upper: Number,
}

/// Bounds the probability that a problem asks for by abstraction.
///
/// # Errors
/// As [`crate::engine::Engine::bound`].
pub(crate) fn bound(
    problem: &Problem,
    options: &BoundsOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<BoundsOutcome, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads.max(1)).build();
    let pool = pool.map_err(|error| Failure::Internal(format!("no threads: {error}")))?;
    pool.install(|| run(problem, options, budget, reporter))
}

fn run(
    problem: &Problem,
    options: &BoundsOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<BoundsOutcome, Failure> {
    supports(&engine::Asked::of(problem), options.exact)?;
    let quantity = asked(problem, options)?;
    ask::check_extreme(problem, &quantity, budget)?;
    check_defined(problem, budget)?;
    let by = &options.abstracting;
    let mut system = ask::system(&engine::Asked::of(problem), &quantity, &by.refinement.predicates)?;
    let question = Asked {
        task: Task { limits: budget.limits(), ..task(problem, &quantity, budget) },
        direction: quantity.direction,
        right: quantity.right,
        left: quantity.left,
        decided: quantity.decided,
        threshold: ask::threshold(&quantity),
    };
    let how = Options {
        algorithm: by.algorithm,
        precision: options.precision,
        p_eps: by.p_eps.clone(),
        p_step: by.p_step.clone(),
        p_init: by.p_init.clone(),
        exact_policy: by.exact_policy,
        explicit_values: by.explicit_values,
        concrete_states: by.concrete_states,
        strategy: by.refinement.preset.strategy(),
        predicates: system.given.take().unwrap_or_default(),
        seed: options.seed,
        iterations: by.refinement.iterations,
        limits: budget.oracle_limits(),
        sketch: by.sketch,
    };
    let expressions = Expressions::new(&problem.lowered);
    let mut listener = Listener {
        reporter,
        complement: quantity.complement,
        lower_is_shown: (quantity.direction == Direction::Max) != quantity.complement,
        checkpoint: by.refinement.checkpoint.as_ref(),
        expressions: &expressions,
        failure: None,
        last: None,
        band: Vec::new(),
        written: None,
    };
    let oracles = Oracles::seeded(options.seed);
    let found = surefoot_probabilistic::bound(&mut system, &question, &how, &oracles, &mut listener);
    let mut found = found.map_err(|error| failure(problem, error))?;
    let sketch = found.sketch.take();
    let predicates = found.predicates.as_ref();
    let details = AbstractedBounds {
        algorithm: by.algorithm,
        preset: (by.algorithm == Algorithm::Paper).then(|| by.refinement.preset.describe()),
        figures: found.figures,
        last_p_u: listener.last.and_then(|last| last.p_u),
        words: predicates.map(|set| Words::new(problem.model(), system.lowering().space(), set)),
        expressions: predicates
            .map_or_else(Vec::new, |set| set.formulas().iter().map(|formula| expressions.write(formula)).collect()),
        checkpoint_failure: listener.failure,
        band: listener.band,
        sketch,
    };
    conclude(problem, &quantity, options, budget, found, details)
}

/// The interval and what it decides.
fn conclude(
    problem: &Problem,
    quantity: &Quantity,
    options: &BoundsOptions,
    budget: &Budget,
    found: Bounded,
    details: AbstractedBounds,
) -> Result<BoundsOutcome, Failure> {
    let Bounded { lower, upper, start, stopped, open_fault, .. } = found;
    if lower > upper || lower.signum() < 0 || upper > Rational::ONE {
        return Err(Failure::Internal(format!("bounds that cannot be: [{lower}, {upper}]")));
    }
    let shortfall = stopped.map(|stop| Reason::from(budget.limit(stop)));
    let precision = precision(options);
    let closed = values(quantity, (&lower, &upper), shortfall.clone());
    let decide = |values: &Values| values.decide(quantity, precision);
    let (shown, decision, open, assumptions) = match open_fault {
        None => {
            let decision = decide(&closed);
            (closed, decision, None, Vec::new())
        }
        Some((what, stop)) => {
            let because = Because::Limit(budget.limit(stop));
            let error = Undecided { what, because, otherwise: Otherwise::Bounds };
            // Soundness: where the model may be in error, what comes from the abstraction says nothing.
            let model_alone = match quantity.direction {
                Direction::Max => (&lower, &Rational::ONE),
                Direction::Min => (&Rational::ZERO, &upper),
            };
            let sound = values(quantity, model_alone, shortfall.clone());
            let decided = decide(&sound);
            let assumption = error.assumption();
            let (low, high) = ends(&closed, quantity);
            let open = Some(OpenBounds { error, lower: low, upper: high });
            match (decided, options.assume_no_errors) {
                (decided @ Some(Verdict::Holds(()) | Verdict::Violated(())), _) => (sound, decided, open, Vec::new()),
                (_, true) => {
                    let decision = decide(&closed);
                    (closed, decision, open, vec![assumption])
                }
                (decided, false) => {
                    let decision = with_errors(decided, open.as_ref(), stopped.map(|stop| budget.limit(stop)));
                    (sound, decision, open, Vec::new())
                }
            }
        }
    };
    let (lower, upper) = ends(&shown, quantity);
    Ok(BoundsOutcome {
        engine: "cegar",
        lower,
        upper,
        decision,
        start: start.map(|start| start_of(problem, start)).transpose()?,
        starts: 0,
        scheduler: Vec::new(),
        choice_states: 0,
        statistics: surefoot_explicit::Statistics::default(),
        sweeps: 0,
        abstracted: Some(Box::new(details)),
        open,
        assumptions,
        over_starts: None,
    })
}

/// Why nothing is decided where an error is open; `None` where the interval of the model alone is narrow enough.
fn with_errors(decided: Decision, open: Option<&OpenBounds>, limit: Option<surefoot_verdict::Limit>) -> Decision {
    match (decided, open) {
        (Some(Verdict::Unknown(_)), Some(open)) => {
            Some(Verdict::Unknown(Reason::Errors { open: open.error.clone(), limit }))
        }
        (decided, _) => decided,
    }
}

/// The wanted width: what was asked for, or the step of the paper's search, which is its precision.
fn precision(options: &BoundsOptions) -> f64 {
    match options.abstracting.algorithm {
        Algorithm::Boxes => options.precision,
        Algorithm::Paper => FloatInterval::tightest(&options.abstracting.p_step).upper,
    }
}

/// Bounds of the until as those of one start state, the one with the extreme value of the property.
fn values(quantity: &Quantity, (lower, upper): (&Rational, &Rational), shortfall: Option<Reason>) -> Values {
    let one = &Rational::ONE;
    let (lower, upper) = if quantity.complement { (one - upper, one - lower) } else { (lower.clone(), upper.clone()) };
    Values {
        lower: vec![Number::Exact(lower)],
        upper: vec![Number::Exact(upper)],
        scheduler: None,
        starts_missing: false,
        shortfall,
    }
}

/// The interval as it is told: floats, rounded outward; a fraction where that is the value, and no float is.
fn ends(values: &Values, quantity: &Quantity) -> (Number, Number) {
    let (_, lower, upper) = values.answer(quantity);
    let (low, high) = (lower.exact(), upper.exact());
    let (below, above) = (FloatInterval::tightest(&low).lower, FloatInterval::tightest(&high).upper);
    if low == high && below < above {
        return (lower, upper);
    }
    (Number::Float(below), Number::Float(above))
}

/// A start state with values for the variables that were left out.
fn start_of(problem: &Problem, state: State) -> Result<State, Failure> {
    match replay::start(problem, &state) {
        Ok(()) => Ok(state),
        // Their values mean nothing in it; without any it is none of ours.
        Err(_) if problem.slice.is_some() => lift_start(problem, state),
        Err(reason) => Err(Failure::Internal(format!("an abstraction named a start state that is none ({reason})"))),
    }
}

pub(crate) fn failure(problem: &Problem, failure: NoBounds) -> Failure {
    match failure {
        NoBounds::Abstraction(inner) => abstraction::failure(problem, inner),
        NoBounds::Model(error) => problem.model_error(&error).into(),
        NoBounds::Internal(what) => Failure::Internal(what),
    }
}
