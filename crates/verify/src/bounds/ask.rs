//! What is asked: a probability, over which task, and why that cannot be answered.

use surefoot_explicit::graph::GraphError;
use surefoot_explicit::partial::PartialError;
use surefoot_explicit::{Ending, RecordError, Task};
use surefoot_jani::syntax::BinaryOp;
use surefoot_num::Rational;
use surefoot_text::diagnostic::{Diagnostic, Refusal};
use surefoot_text::option;
use surefoot_verdict::Unsupported;

use super::BoundsOptions;
use crate::engine::{Asked, Budget, start_failure};
use crate::problem::{Failure, Problem};
use crate::quantity::{Aggregate, Quantity, Threshold};
use crate::question::Query;

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
pub(super) fn probability(query: &Query) -> Result<&Quantity, Unsupported> {
    query.quantity.as_ref().ok_or_else(|| {
        let error = Diagnostic::error_anywhere("this property asks for no probability");
        let help = "use a PA property, or a filter over Pmin, Pmax, Emin or Emax";
        Unsupported::new(Refusal::Question, error.with_help(help))
    })
}

fn real(variable: &str) -> Unsupported {
    let message = format!("the variable '{variable}' is real: probabilities need finitely many states");
    let error = Diagnostic::error_anywhere(message);
    Unsupported::new(Refusal::Reals, error.with_help("give it a bounded int type; `ctl` decides formulas over reals"))
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
    check_single(problem, quantity.aggregate, starts)
}

/// That there is one start state where a filter is over a single value.
pub(crate) fn check_single(problem: &Problem, aggregate: Aggregate, starts: u32) -> Result<(), Failure> {
    if aggregate != Aggregate::Single || starts == 1 {
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

/// Why there is no part to bound it on.
pub(crate) fn partial_failure(problem: &Problem, error: PartialError) -> Failure {
    match error {
        PartialError::Start(error) => start_failure(problem, &error),
        PartialError::Model(error) => problem.model_error(&error).into(),
        PartialError::Record(error) => record_failure(problem, &error).into(),
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
