//! Whether there is only one start state.
//!
//! Filters such as `values` ask about *the* start state. Conditions that say what a slot is, as those of initial states do, leave few states to try; where they leave many, that there is
//! one only is not shown.

use std::collections::BTreeSet;

use surefoot_model::term::{CmpOp, Term};
use surefoot_model::{State, TermId};
use surefoot_num::Rational;
use surefoot_problem::Problem;

/// The most states that are tried for each condition.
const MOST_TRIED: u64 = 1 << 16;

/// Whether it is shown that there is at most one start state.
#[must_use]
pub fn only_start(problem: &Problem) -> bool {
    let mut found: BTreeSet<State> = problem.query.start.states.iter().cloned().collect();
    for condition in &problem.query.start.conditions {
        if found.len() > 1 || starts(problem, *condition, &mut found).is_none() {
            return false;
        }
    }
    found.len() <= 1
}

/// Adds the states of a start condition, two at most; `None` where there are too many to try, or the condition has no value in one.
fn starts(problem: &Problem, condition: TermId, found: &mut BTreeSet<State>) -> Option<()> {
    let model = problem.model();
    let mut ranges: Vec<(i64, i64)> = model.slots.iter().map(|slot| slot.domain.int_bounds()).collect::<Option<_>>()?;
    for part in model.terms.conjuncts(condition) {
        if let Term::Cmp(CmpOp::Eq, a, b) = model.terms.get(part)
            && let Some((slot, value)) = fixed(problem, *a, *b).or_else(|| fixed(problem, *b, *a))
        {
            ranges[slot] = (value, value);
        }
    }
    let mut count: u64 = 1;
    for (lower, upper) in &ranges {
        count = count.checked_mul(upper.abs_diff(*lower).checked_add(1)?)?;
        if count > MOST_TRIED {
            return None;
        }
    }
    let interpreter = problem.interpreter();
    let mut point: Vec<i64> = ranges.iter().map(|(lower, _)| *lower).collect();
    for _ in 0..count {
        let state = State(point.iter().map(|value| Rational::from(*value)).collect());
        let inside = model.slots.iter().zip(&state.0).all(|(slot, value)| slot.domain.contains(value));
        if inside && interpreter.holds(condition, &state).ok()? {
            found.insert(state);
            if found.len() > 1 {
                return Some(());
            }
        }
        // The next point: count up, the last slot fastest.
        for (value, (lower, upper)) in point.iter_mut().zip(&ranges).rev() {
            if *value < *upper {
                *value += 1;
                break;
            }
            *value = *lower;
        }
    }
    Some(())
}

/// The slot and the integer of an equality between them.
fn fixed(problem: &Problem, slot: TermId, value: TermId) -> Option<(usize, i64)> {
    let terms = &problem.model().terms;
    match terms.get(slot) {
        Term::Slot(slot) => Some((slot.index(), terms.constant(value)?.to_i64()?)),
        _ => None,
    }
}
