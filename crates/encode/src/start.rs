//! Start sets: as a condition, with what it fixes, and state by state.

use surefoot_model::property::StartSet;
use surefoot_model::term::CmpOp;
use surefoot_model::{Interpreter, Model, SlotId, State, Term, TermId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

use crate::plain::Plain;

/// States looked at, at most, when they are listed.
const MOST_STATES: u64 = 1_000_000;
/// States listed, at most.
const MOST_STARTS: usize = 20_000;

/// The condition that holds in start states only, and in all of them.
pub(crate) fn condition(plain: &mut Plain, start: &StartSet) -> Result<TermId, Diagnostic> {
    let mut any = plain.model.terms.bool(false);
    for condition in &start.conditions {
        let condition = plain.term(*condition)?;
        any = plain.model.terms.or(any, condition);
    }
    for state in &start.states {
        let mut all = plain.model.terms.bool(true);
        for slot in (0..plain.model.slots.len()).filter(|slot| is_written(&plain.model, *slot)).collect::<Vec<_>>() {
            let equal = equal(&mut plain.model, slot, &state.0[slot]);
            all = plain.model.terms.and(all, equal);
        }
        any = plain.model.terms.or(any, all);
    }
    Ok(any)
}

fn equal(model: &mut Model, slot: usize, value: &Rational) -> TermId {
    let ty = model.slots[slot].domain.ty();
    let (slot, value) = (model.terms.slot(SlotId::at(slot), ty), model.terms.value(value.clone(), ty));
    model.terms.cmp(CmpOp::Eq, slot, value)
}

/// The values that a condition fixes by its conjuncts, per slot, and what is left of it.
pub(crate) fn fixed(model: &mut Model, condition: TermId) -> (Vec<Option<Rational>>, TermId) {
    let mut values: Vec<Option<Rational>> = vec![None; model.slots.len()];
    let mut rest = model.terms.bool(true);
    for conjunct in model.terms.conjuncts(condition) {
        match assigned(model, conjunct) {
            Some((slot, value))
                if values[slot.index()].is_none() && model.slots[slot.index()].domain.contains(&value) =>
            {
                values[slot.index()] = Some(value);
            }
            _ => rest = model.terms.and(rest, conjunct),
        }
    }
    (values, rest)
}

/// The slot and the value, where a term says that the one has the other.
fn assigned(model: &Model, term: TermId) -> Option<(SlotId, Rational)> {
    let slot = |term: TermId| if let Term::Slot(slot) = model.terms.get(term) { Some(*slot) } else { None };
    match *model.terms.get(term) {
        Term::Cmp(CmpOp::Eq, a, b) => {
            slot(a).zip(model.terms.constant(b)).or_else(|| slot(b).zip(model.terms.constant(a)))
        }
        Term::Slot(slot) => Some((slot, Rational::ONE)),
        Term::Not(inner) => slot(inner).map(|slot| (slot, Rational::ZERO)),
        _ => None,
    }
}

/// The start states one by one, in the order of their values.
pub(crate) fn states(model: &mut Model, condition: TermId) -> Result<Vec<State>, Diagnostic> {
    let (values, rest) = fixed(model, condition);
    let help = format!("use {} initial", surefoot_text::option("starts"));
    let refused = |message: String| Err(Diagnostic::error_anywhere(message).with_help(help.clone()).refusal());
    let mut count = 1u64;
    let mut domains: Vec<(i64, i64)> = Vec::new();
    for (slot, value) in model.slots.iter().zip(&values) {
        let bounds = match (value, slot.domain.int_bounds()) {
            (Some(_), _) => (0, 0),
            (None, Some(bounds)) => narrowed(model, rest, SlotId::at(domains.len()), bounds),
            (None, None) => {
                return refused(format!("start states cannot be listed: '{}' is a real variable", slot.name));
            }
        };
        if bounds.0 > bounds.1 {
            return Err(Diagnostic::error_anywhere("there are no start states"));
        }
        count = count.saturating_mul(bounds.0.abs_diff(bounds.1).saturating_add(1));
        domains.push(bounds);
    }
    if count > MOST_STATES {
        return refused(format!("start states cannot be listed: {count} states would have to be looked at"));
    }
    let interpreter = Interpreter::new(model);
    let mut current: Vec<i64> = domains.iter().map(|(lower, _)| *lower).collect();
    let mut found = Vec::new();
    loop {
        let number = |(i, value): (usize, &i64)| values[i].clone().unwrap_or_else(|| Rational::from(*value));
        let state = State(current.iter().enumerate().map(number).collect());
        match interpreter.holds(rest, &state) {
            Ok(true) => found.push(state),
            Ok(false) => {}
            Err(_) => {
                let state = state.describe(model);
                return refused(format!("start states cannot be listed: the condition has no value in {state}"));
            }
        }
        if found.len() > MOST_STARTS {
            return refused(format!("there are more than {MOST_STARTS} start states, too many to list"));
        }
        let Some(next) = (0..current.len()).rev().find(|i| current[*i] < domains[*i].1) else { break };
        current[next] += 1;
        for i in next + 1..current.len() {
            current[i] = domains[i].0;
        }
    }
    if found.is_empty() {
        return Err(Diagnostic::error_anywhere("there are no start states"));
    }
    Ok(found)
}

/// What the conjuncts of a condition that compare a slot with a number leave of its domain.
fn narrowed(model: &Model, condition: TermId, slot: SlotId, (mut lower, mut upper): (i64, i64)) -> (i64, i64) {
    let is_slot = |term: TermId| *model.terms.get(term) == Term::Slot(slot);
    let number = |term: TermId| model.terms.constant(term);
    for conjunct in model.terms.conjuncts(condition) {
        let (op, a, b) = match *model.terms.get(conjunct) {
            Term::Cmp(op @ (CmpOp::Le | CmpOp::Lt), a, b) => (op, a, b),
            _ => continue,
        };
        let strict = i64::from(op == CmpOp::Lt);
        // A bound that is no integer of 64 bits is left to the condition itself.
        if let Some(most) = number(b).filter(|_| is_slot(a)).and_then(|bound| bound.to_i64()) {
            upper = upper.min(most.saturating_sub(strict));
        }
        if let Some(least) = number(a).filter(|_| is_slot(b)).and_then(|bound| bound.to_i64()) {
            lower = lower.max(least.saturating_add(strict));
        }
    }
    (lower, upper)
}

/// Whether a slot is written at all: automata of one location have none.
pub(crate) fn is_written(model: &Model, slot: usize) -> bool {
    model.instances.get(slot).is_none_or(|instance| instance.locations.len() > 1)
}
