//! All start states of a problem.
//!
//! The box of all states is cut in halves until the start condition is decided in a box ([`Values`]), or there is one state left, in which it is evaluated. A limit on the number of boxes and
//! states ends this where it would take too long.
//!
//! Where a policy computes values of variables, start conditions do not ask it: they are about the model.

use surefoot_model::{Interpreter, Model, ModelError, State, TermId};
use surefoot_problem::Problem;

use super::{Rule, rejected, unsupported};
use crate::points;
use crate::refused::Refused;
use crate::values::{Bounds, Values};

/// The most boxes and states that are looked at.
const MOST_TRIED: u64 = 1 << 24;

/// Whether a state is a start state.
pub(super) fn is_start(problem: &Problem, state: &State) -> Result<(), Refused> {
    let model = problem.model();
    let no = |reason: String| Err(rejected(Rule::Starts, reason));
    let fits = state.0.len() == model.slots.len()
        && model.slots.iter().zip(&state.0).all(|(slot, value)| slot.domain.contains(value));
    if !fits {
        return no("what is called the start state is no state".to_owned());
    }
    if problem.query.start.states.contains(state) {
        return Ok(());
    }
    for condition in &problem.query.start.conditions {
        let holds = Interpreter::new(model).holds(*condition, state);
        if holds.map_err(|error| in_error(model, &ModelError::evaluation(error, state.clone())))? {
            return Ok(());
        }
    }
    no(format!("{} is no start state", state.describe(model)))
}

/// Calls `visit` with every start state, those that are in several conditions several times.
pub(super) fn for_each(problem: &Problem, mut visit: impl FnMut(&State) -> Result<(), Refused>) -> Result<(), Refused> {
    for state in &problem.query.start.states {
        visit(state)?;
    }
    let mut left = MOST_TRIED;
    for condition in &problem.query.start.conditions {
        for_each_in(problem, *condition, &mut left, &mut visit)?;
    }
    Ok(())
}

/// The states that satisfy a condition.
fn for_each_in(
    problem: &Problem,
    condition: TermId,
    left: &mut u64,
    visit: &mut impl FnMut(&State) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let model = problem.model();
    let mut everything: Vec<Bounds> = Vec::new();
    for slot in &model.slots {
        let real = || unsupported(format!("the variable '{}' is real", slot.name));
        everything.push(slot.domain.int_bounds().ok_or_else(real)?);
    }
    let mut spend = || {
        let many = || unsupported(format!("finding all start states takes more than {MOST_TRIED} attempts"));
        *left = left.checked_sub(1).ok_or_else(many)?;
        Ok::<(), Refused>(())
    };
    let mut work = vec![everything];
    while let Some(bounds) = work.pop() {
        spend()?;
        let Some(slot) = widest(&bounds) else {
            let state = State::from_ints(&bounds.iter().map(|(value, _)| *value).collect::<Vec<_>>());
            let holds = Interpreter::new(model).holds(condition, &state);
            if holds.map_err(|error| in_error(model, &ModelError::evaluation(error, state.clone())))? {
                visit(&state)?;
            }
            continue;
        };
        let truth = Values::new(model, &bounds, &[]).truth(condition);
        if truth.is(false) {
            continue;
        }
        if truth.is(true) {
            points::for_each(&bounds, |point| {
                spend()?;
                visit(&State::from_ints(point))
            })?;
            continue;
        }
        let (lower, upper) = bounds[slot];
        let middle = lower.midpoint(upper);
        // Rounded towards zero, the middle of two numbers may be the larger one.
        let middle = if middle == upper { middle - 1 } else { middle };
        let (mut low, mut high) = (bounds.clone(), bounds);
        (low[slot].1, high[slot].0) = (middle, middle + 1);
        work.extend([high, low]);
    }
    Ok(())
}

/// The slot with the most values, if there is one with several.
fn widest(bounds: &[Bounds]) -> Option<usize> {
    let several = (0..bounds.len()).filter(|slot| bounds[*slot].0 < bounds[*slot].1);
    several.max_by_key(|slot| (bounds[*slot].1.abs_diff(bounds[*slot].0), std::cmp::Reverse(*slot)))
}

fn in_error(model: &Model, error: &ModelError) -> Refused {
    let error = error.describe(model);
    rejected(Rule::Starts, format!("the start condition is in error: {error}"))
}
