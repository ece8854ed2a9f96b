//! The box around everything a formula allows: the smallest and largest value of each input.
//!
//! Comparisons of one input with a number are bounds; a conjunction has the tightest of its parts', a disjunction the
//! loosest of its possible parts'. Other conditions are not looked at, so the box may be larger than needed; it is never
//! too small.

use std::collections::BTreeMap;

use surefoot_num::Rational;
use surefoot_symbolic::{Atom, Formula, Relation, Symbol};

/// What is known of one input.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interval {
    pub(crate) lower: Option<Rational>,
    pub(crate) upper: Option<Rational>,
}

/// Intervals of the inputs that have bounds.
pub(crate) type Bounds = BTreeMap<Symbol, Interval>;

/// The bounds of the symbols below `inputs`; `None` when bounds contradict each other, so that nothing is allowed.
pub(crate) fn hull(formula: &Formula, inputs: Symbol) -> Option<Bounds> {
    let mut bounds = Bounds::new();
    match formula {
        Formula::Atom(atom) => {
            if let Some((symbol, interval)) = bound(atom, inputs) {
                bounds.insert(symbol, interval);
            }
        }
        Formula::All(parts) => {
            for part in parts {
                for (symbol, interval) in hull(part, inputs)? {
                    let known = bounds.entry(symbol).or_default();
                    known.lower = tightest(known.lower.take(), interval.lower, Rational::max);
                    known.upper = tightest(known.upper.take(), interval.upper, Rational::min);
                    if known.lower.as_ref().zip(known.upper.as_ref()).is_some_and(|(lower, upper)| lower > upper) {
                        return None;
                    }
                }
            }
        }
        Formula::Any(parts) => {
            let mut possible = parts.iter().filter_map(|part| hull(part, inputs));
            bounds = possible.next()?;
            for other in possible {
                bounds.retain(|symbol, interval| {
                    let Some(further) = other.get(symbol) else { return false };
                    interval.lower = interval.lower.take().zip(further.lower.clone()).map(|(a, b)| a.min(b));
                    interval.upper = interval.upper.take().zip(further.upper.clone()).map(|(a, b)| a.max(b));
                    true
                });
            }
        }
    }
    Some(bounds)
}

/// The formula without the parts that say no more than the bounds of its hull.
pub(crate) fn without_bounds(formula: Formula, inputs: Symbol) -> Formula {
    let says_more = |part: &Formula| match part {
        Formula::Atom(atom) => {
            let exact = matches!(atom.relation, Relation::AtLeastZero | Relation::Zero);
            !exact || bound(atom, inputs).is_none()
        }
        _ => true,
    };
    match formula {
        Formula::All(parts) => Formula::all(parts.into_iter().filter(says_more)),
        part if says_more(&part) => part,
        _ => Formula::truth(),
    }
}

fn tightest(a: Option<Rational>, b: Option<Rational>, pick: fn(Rational, Rational) -> Rational) -> Option<Rational> {
    match (a, b) {
        (Some(a), Some(b)) => Some(pick(a, b)),
        (a, b) => a.or(b),
    }
}

/// The input that an atom bounds, and how; a strict bound as if it were not.
fn bound(atom: &Atom, inputs: Symbol) -> Option<(Symbol, Interval)> {
    let [(symbol, factor)] = atom.form.terms() else { return None };
    if *symbol >= inputs {
        return None;
    }
    let value = (-atom.form.constant()).checked_div(factor)?;
    let interval = match atom.relation {
        Relation::NonZero => return None,
        Relation::Zero => Interval { lower: Some(value.clone()), upper: Some(value) },
        Relation::AtLeastZero | Relation::Positive if factor.signum() > 0 => {
            Interval { lower: Some(value), upper: None }
        }
        Relation::AtLeastZero | Relation::Positive => Interval { lower: None, upper: Some(value) },
    };
    Some((*symbol, interval))
}
