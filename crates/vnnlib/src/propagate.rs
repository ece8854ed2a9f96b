//! Ends of intervals that follow from linear conditions: `a <= b + 1` bounds `a` where `b` is bounded.
//!
//! Queries about two networks bound the inputs of one and link those of the other to them. Only conditions that must all
//! hold are looked at, and only ends that are missing are filled in, so there is an end to it; what is filled in holds
//! wherever the conditions do.

use surefoot_linear::{Atom, Formula, Interval, Linear, Relation, Symbol};
use surefoot_num::Rational;

use crate::hull::Bounds;

/// Chains of conditions are followed so far.
const MOST_ROUNDS: usize = 64;

/// Fills in missing ends of the symbols below `inputs`.
pub(crate) fn propagate(formula: &Formula, inputs: usize, bounds: &mut Bounds) {
    let parts = match formula {
        Formula::All(parts) => parts.as_slice(),
        part => std::slice::from_ref(part),
    };
    let linking = |part: &'_ Formula| match part {
        Formula::Atom(atom) => {
            let last = atom.form.terms().last().map(|(symbol, _)| symbol.index());
            atom.relation != Relation::NonZero && atom.form.terms().len() > 1 && last < Some(inputs)
        }
        _ => false,
    };
    let linking: Vec<&Atom> = parts
        .iter()
        .filter(|part| linking(part))
        .filter_map(|part| if let Formula::Atom(atom) = part { Some(atom) } else { None })
        .collect();
    for _ in 0..MOST_ROUNDS {
        let filled = linking.iter().filter(|atom| fill(atom, bounds)).count();
        if filled == 0 {
            return;
        }
    }
}

/// Fills in ends that one condition gives; whether there were any.
fn fill(atom: &Atom, bounds: &mut Bounds) -> bool {
    let mut filled = false;
    // A form that is at least zero; an equation is two of them.
    let forms = [Some(atom.form.clone()), (atom.relation == Relation::Zero).then(|| -&atom.form)];
    for form in forms.iter().flatten() {
        for (symbol, factor) in form.terms() {
            let known = bounds.get(symbol).cloned().unwrap_or_default();
            let missing = if factor.signum() > 0 { known.lower.is_none() } else { known.upper.is_none() };
            let Some(most) = missing.then(|| most_of_others(form, *symbol, bounds)).flatten() else { continue };
            // factor * x >= -most
            let Some(end) = (-&most).checked_div(factor) else { continue };
            let entry = bounds.entry(*symbol).or_default();
            *if factor.signum() > 0 { &mut entry.lower } else { &mut entry.upper } = Some(end);
            filled = true;
        }
    }
    filled
}

/// The largest value of a form without one of its symbols, if there is one.
fn most_of_others(form: &Linear, without: Symbol, bounds: &Bounds) -> Option<Rational> {
    let mut most = form.constant().clone();
    for (symbol, factor) in form.terms().iter().filter(|(symbol, _)| *symbol != without) {
        let Interval { lower, upper } = bounds.get(symbol)?;
        let end = if factor.signum() > 0 { upper } else { lower };
        most = &most + &(factor * end.as_ref()?);
    }
    Some(most)
}
