//! A quantity as a question for abstractions, or why it is none.
//!
//! Abstractions bound one of two things ([`surefoot_probabilistic::Asked`]): the largest value over schedulers *and* start states, or the
//! smallest. A quantity asks for a scheduler, and then takes the largest or the smallest value of the start states, where both may be of one minus the
//! until (`complement`):
//!
//! | over start states | answered |
//! |---|---|
//! | the same extreme as over schedulers, once a complement has turned it round | always |
//! | the other one, both (`=` and `≠`), or there must be a single one | where there is one start state |

use std::ops::ControlFlow;

use surefoot_abstraction::{System, unsuitable};
use surefoot_explicit::start::for_each_start_within;
use surefoot_jani::syntax::BinaryOp;
use surefoot_mdp::Direction;
use surefoot_model::TermId;
use surefoot_model::property::Safety;
use surefoot_num::Rational;
use surefoot_text::diagnostic::{Diagnostic, Refusal};
use surefoot_text::option;
use surefoot_verdict::Unsupported;

use crate::abstraction::declaration;
use crate::bounds::ask::{check_starts, probability};
use crate::engine::{Asked, Budget, start_failure};
use crate::problem::{Failure, Problem};
use crate::quantity::{Aggregate, Quantity};

/// Whether abstractions bound what is asked for, as far as can be told without searching.
///
/// # Errors
/// What is in the way.
pub(crate) fn supports(asked: &Asked<'_>, exact: bool) -> Result<(), Unsupported> {
    let quantity = probability(asked.query)?;
    if exact {
        let error = format!("{} needs all states: the engine 'cegar' does not visit them", option("exact"));
        return Err(refused(Refusal::Fractions, asked, &error, "explicit"));
    }
    if quantity.steps.is_some() {
        let error = "the engine 'cegar' bounds what happens at any time, and this property counts steps";
        return Err(refused(Refusal::Question, asked, error, "explicit or partial"));
    }
    system(asked, quantity, &[]).map(drop)
}

fn refused(kind: Refusal, asked: &Asked<'_>, error: &str, engines: &str) -> Unsupported {
    let mut error = Diagnostic::error_anywhere(error).with_help(format!("use {} {engines}", option("engine")));
    error.span = asked.query.span;
    Unsupported::new(kind, error)
}

/// What is asked, lowered, with predicates: what must be reached is unsafe, and runs end where the until is decided.
///
/// # Errors
/// What is in the way.
pub(super) fn system<'p>(
    asked: &Asked<'p>,
    quantity: &Quantity,
    predicates: &[TermId],
) -> Result<System<'p>, Unsupported> {
    let (query, model) = (asked.query, &asked.lowered.model);
    if let Some((slot, mut refusal)) = unsuitable(model) {
        refusal.span = declaration(asked.lowered, slot);
        return Err(Unsupported::new(Refusal::Construct, refusal));
    }
    let safety = Safety {
        start: query.start.clone(),
        reach: Some(quantity.right),
        goal: query.goal,
        goal_terminal: query.goal_terminal,
        predicates: Some(predicates.to_vec()),
        policy_file: None,
    };
    let system = System::until(model, asked.policy, &safety, query.goal_terminal, Some(quantity.decided));
    system.map_err(|refusal| Unsupported::new(Refusal::Construct, refusal))
}

/// The extreme over start states that a quantity asks for, of the until; nothing where it is not one of them.
fn extreme(quantity: &Quantity) -> Option<Direction> {
    let op = quantity.threshold.as_ref().map(|threshold| threshold.op);
    let below = match op {
        Some(BinaryOp::Le | BinaryOp::Lt) => Some(true),
        Some(BinaryOp::Ge | BinaryOp::Gt) => Some(false),
        _ => None,
    };
    let largest = match quantity.aggregate {
        Aggregate::Max => true,
        Aggregate::Min => false,
        Aggregate::Single => return None,
        // "All at most p" is about the largest value, "some at most p" about the smallest.
        Aggregate::All => below?,
        Aggregate::Some => !below?,
    };
    Some(if largest == quantity.complement { Direction::Min } else { Direction::Max })
}

/// That the answer for the best scheduler and the best start state is the answer to what is asked.
///
/// # Errors
/// Several start states where that needs one.
pub(super) fn check_extreme(problem: &Problem, quantity: &Quantity, budget: &Budget) -> Result<(), Failure> {
    if extreme(quantity) == Some(quantity.direction) {
        return Ok(());
    }
    let mut starts = 0;
    let counted = for_each_start_within(problem.model(), &problem.query.start, &budget.limits(), |_| {
        starts += 1;
        if starts < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    counted.map_err(|error| start_failure(problem, &error))?;
    if starts < 2 {
        return Ok(());
    }
    check_starts(problem, quantity, starts)?;
    let message = "the engine 'cegar' bounds the largest Pmax or the smallest Pmin of all start states, and this asks for another one of several";
    Err(refused(Refusal::Question, &Asked::of(problem), message, "explicit or partial").into())
}

/// The bound that an abstraction may stop at, of the until: it decides *at most* for the largest value and *at least* for the smallest. Other comparisons
/// are decided by an interval that is narrow enough.
pub(super) fn threshold(quantity: &Quantity) -> Option<Rational> {
    let threshold = quantity.threshold.as_ref()?;
    // Of the value itself: at most p, or above it. One minus it turns that round.
    let at_most = matches!(threshold.op, BinaryOp::Le | BinaryOp::Gt);
    let at_least = matches!(threshold.op, BinaryOp::Ge | BinaryOp::Lt);
    let fits = match (quantity.direction, quantity.complement) {
        (Direction::Max, false) | (Direction::Min, true) => at_most,
        (Direction::Min, false) | (Direction::Max, true) => at_least,
    };
    let bound = &threshold.bound;
    fits.then(|| if quantity.complement { &Rational::ONE - bound } else { bound.clone() })
}

#[cfg(test)]
mod tests {
    use surefoot_testkit::load_text;

    use super::*;
    use crate::quantity::Threshold;

    /// A quantity about nothing in particular.
    fn quantity(direction: Direction, complement: bool, aggregate: Aggregate, op: Option<BinaryOp>) -> Quantity {
        let text = r#"{"jani-version": 1, "name": "m", "type": "mdp", "variables": [], "automata": [{"name": "a",
            "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": []}], "system": {"elements": [{"automaton": "a"}]}}"#;
        let right = load_text(text).model.terms.bool(true);
        let bound = Rational::new(1, 4).expect("no zero");
        let threshold = op.map(|op| Threshold { op, bound });
        Quantity { direction, complement, aggregate, threshold, ..Quantity::unsafety(right) }
    }

    /// By the definitions: over two values, the extreme that abstractions give decides the comparison, or does not.
    #[test]
    fn an_extreme_is_only_taken_for_the_answer_where_it_is() {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let compare = |value: i64, op: BinaryOp, bound: i64| match op {
            Le => value <= bound,
            Lt => value < bound,
            Ge => value >= bound,
            Gt => value > bound,
            Eq => value == bound,
            _ => value != bound,
        };
        for (direction, complement) in [Direction::Max, Direction::Min].map(|d| [(d, false), (d, true)]).concat() {
            for (aggregate, all) in [(Aggregate::All, true), (Aggregate::Some, false)] {
                for op in [Le, Lt, Ge, Gt, Eq, Ne] {
                    let quantity = quantity(direction, complement, aggregate, Some(op));
                    // Values of the until in quarters, from 0 to 4, of two start states, compared with 1/4.
                    let value = |until: i64| if complement { 4 - until } else { until };
                    let mut sufficient = true;
                    for (one, other) in (0..5).flat_map(|one| (0..5).map(move |other| (one, other))) {
                        let holds = [one, other].map(|until| compare(value(until), op, 1));
                        let truth = if all { holds[0] && holds[1] } else { holds[0] || holds[1] };
                        let best = if direction == Direction::Max { one.max(other) } else { one.min(other) };
                        sufficient &= compare(value(best), op, 1) == truth;
                    }
                    let taken = extreme(&quantity) == Some(direction);
                    assert!(!taken || sufficient, "{quantity:?}");
                    // Equality of the extreme says nothing of the others; the rest is taken wherever it may be.
                    assert_eq!(taken, sufficient && !matches!(op, Eq | Ne), "{quantity:?}");
                }
            }
        }
    }

    #[test]
    fn abstractions_stop_early_only_at_bounds_that_decide() {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt};
        let quarter = Rational::new(1, 4).expect("no zero");
        let rest = Rational::new(3, 4).expect("no zero");
        for (direction, complement, op, expected) in [
            (Direction::Max, false, Le, Some(&quarter)),
            (Direction::Max, false, Gt, Some(&quarter)),
            (Direction::Max, false, Lt, None),
            (Direction::Max, false, Eq, None),
            (Direction::Min, false, Ge, Some(&quarter)),
            (Direction::Min, false, Le, None),
            // 1 - u <= 1/4 says that u >= 3/4.
            (Direction::Min, true, Le, Some(&rest)),
            (Direction::Max, true, Ge, Some(&rest)),
            (Direction::Max, true, Le, None),
        ] {
            let quantity = quantity(direction, complement, Aggregate::All, Some(op));
            assert_eq!(threshold(&quantity).as_ref(), expected, "{quantity:?}");
        }
    }
}
