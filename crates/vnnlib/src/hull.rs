//! The box around everything a formula allows: the smallest and largest value of each input.
//!
//! Comparisons of one input with a number are bounds; a conjunction has the tightest of its parts', a disjunction the
//! loosest of its possible parts'. Other conditions are not looked at, so the box may be larger than needed; it is never
//! too small.

use std::collections::BTreeMap;

use surefoot_linear::{Atom, Formula, Interval, Relation, Symbol};

/// Intervals of the inputs that have bounds.
pub(crate) type Bounds = BTreeMap<Symbol, Interval>;

/// Nothing is allowed; because of the bounds of this input, where one is to blame.
pub(crate) struct Contradiction(pub(crate) Option<Symbol>);

/// The bounds of the symbols below `inputs`.
///
/// # Errors
/// When bounds contradict each other.
pub(crate) fn hull(formula: &Formula, inputs: usize) -> Result<Bounds, Contradiction> {
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
                    *known = known.intersection(&interval);
                    if known.is_empty() {
                        return Err(Contradiction(Some(symbol)));
                    }
                }
            }
        }
        Formula::Any(parts) => {
            let mut impossible = Contradiction(None);
            let mut first = true;
            for part in parts {
                let other = match hull(part, inputs) {
                    Ok(other) => other,
                    Err(contradiction) => {
                        impossible.0 = impossible.0.or(contradiction.0);
                        continue;
                    }
                };
                if std::mem::take(&mut first) {
                    bounds = other;
                    continue;
                }
                bounds.retain(|symbol, interval| {
                    let Some(further) = other.get(symbol) else { return false };
                    *interval = interval.hull(further);
                    true
                });
            }
            if first {
                return Err(impossible);
            }
        }
    }
    Ok(bounds)
}

/// The formula without the parts that say no more than the bounds of its hull.
pub(crate) fn without_bounds(formula: Formula, inputs: usize) -> Formula {
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

/// The input that an atom bounds, and how; a strict bound as if it were not.
fn bound(atom: &Atom, inputs: usize) -> Option<(Symbol, Interval)> {
    let [(symbol, factor)] = atom.form.terms() else { return None };
    if *symbol >= Symbol::at(inputs) {
        return None;
    }
    let value = (-atom.form.constant()).checked_div(factor)?;
    let interval = match atom.relation {
        Relation::NonZero => return None,
        Relation::Zero => Interval::point(value),
        Relation::AtLeastZero | Relation::Positive if factor.signum() > 0 => {
            Interval { lower: Some(value), upper: None }
        }
        Relation::AtLeastZero | Relation::Positive => Interval { lower: None, upper: Some(value) },
    };
    Some((*symbol, interval))
}
