//! What is known of the symbols where some formulas hold: narrowed bounds, and bounds on linear forms.
//!
//! [`Region::assume`] narrows by a formula; it notices many contradictions, not all. [`Region::truth`] decides what
//! the bounds decide, and [`Region::simplify`] leaves that out.
//!
//! Soundness: the region always contains every point of the box that satisfies all formulas assumed. So a formula that
//! fails in the region contradicts them, and one that holds in it follows from them; nothing else is ever concluded.

use std::collections::BTreeMap;

use surefoot_num::Rational;

use crate::form::{Linear, Symbol};
use crate::formula::{Atom, Formula, Relation};
use crate::interval::Interval;
use crate::space::Space;

/// Rounds of narrowing by a conjunction; more change little.
const ROUNDS: usize = 4;
/// Forms with more symbols do not narrow them.
const MOST_NARROWED: usize = 12;
/// Disjunctions of more parts do not narrow.
const MOST_DISJUNCTS: usize = 16;

/// A part of a [`Space`].
#[derive(Debug, Clone)]
pub struct Region<'s> {
    space: &'s Space,
    /// Bounds of symbols, where narrower than the space's.
    bounds: BTreeMap<Symbol, Interval>,
    /// Bounds of forms of several symbols, without constant and with first coefficient one.
    forms: BTreeMap<Linear, Interval>,
    /// How often something was narrowed.
    changes: usize,
}

impl<'s> Region<'s> {
    /// The whole space.
    #[must_use]
    pub fn new(space: &'s Space) -> Self {
        Self { space, bounds: BTreeMap::new(), forms: BTreeMap::new(), changes: 0 }
    }

    /// The space.
    #[must_use]
    pub fn space(&self) -> &'s Space {
        self.space
    }

    /// Bounds of a symbol.
    #[must_use]
    pub fn bounds(&self, symbol: Symbol) -> &Interval {
        self.bounds.get(&symbol).unwrap_or(&self.space.symbol(symbol).bounds)
    }

    /// Bounds on a form's values.
    #[must_use]
    pub fn range(&self, form: &Linear) -> Interval {
        let sum = form.range(|symbol| self.bounds(symbol));
        match direction(form).and_then(|(key, factor)| Some((self.forms.get(&key)?, factor))) {
            Some((known, factor)) => {
                let constant = Interval::point(form.constant().clone());
                sum.intersection(&known.scaled(&factor).plus(&constant))
            }
            None => sum,
        }
    }

    /// Whether a formula holds in the whole region, or nowhere in it; `None` where that is open.
    #[must_use]
    pub fn truth(&self, formula: &Formula) -> Option<bool> {
        match formula {
            Formula::Atom(atom) => self.range(&atom.form).decides(atom.relation),
            Formula::All(parts) => self.of_parts(parts, false),
            Formula::Any(parts) => self.of_parts(parts, true),
        }
    }

    /// The truth of parts joined so that one part of truth `deciding` decides.
    fn of_parts(&self, parts: &[Formula], deciding: bool) -> Option<bool> {
        let mut open = false;
        for part in parts {
            match self.truth(part) {
                Some(truth) if truth == deciding => return Some(deciding),
                Some(_) => {}
                None => open = true,
            }
        }
        if open { None } else { Some(!deciding) }
    }

    /// The formula without what the region decides: equivalent to it in the region.
    #[must_use]
    pub fn simplify(&self, formula: &Formula) -> Formula {
        match formula {
            Formula::Atom(_) => self.truth(formula).map_or_else(|| formula.clone(), Formula::constant),
            Formula::All(parts) => Formula::all(parts.iter().map(|part| self.simplify(part))),
            Formula::Any(parts) => Formula::any(parts.iter().map(|part| self.simplify(part))),
        }
    }

    /// Narrows the region to where a formula holds; `false` if that is nowhere.
    #[must_use]
    pub fn assume(&mut self, formula: &Formula) -> bool {
        match formula {
            Formula::Atom(atom) => self.assume_atom(atom),
            Formula::All(parts) => {
                for _ in 0..ROUNDS {
                    let before = self.changes;
                    // Atoms narrow most and cost least.
                    let (atoms, others): (Vec<&Formula>, Vec<&Formula>) =
                        parts.iter().partition(|part| matches!(part, Formula::Atom(_)));
                    if !atoms.into_iter().chain(others).all(|part| self.assume(part)) {
                        return false;
                    }
                    if self.changes == before {
                        break;
                    }
                }
                true
            }
            Formula::Any(parts) => self.assume_any(parts),
        }
    }

    fn assume_any(&mut self, parts: &[Formula]) -> bool {
        if parts.len() > MOST_DISJUNCTS {
            return self.truth(&Formula::Any(parts.to_vec())) != Some(false);
        }
        let mut possible: Vec<Self> = Vec::new();
        for part in parts {
            let mut narrowed = self.clone();
            if narrowed.assume(part) {
                possible.push(narrowed);
            }
        }
        let Some(first) = possible.pop() else { return false };
        if possible.is_empty() {
            *self = first;
            return true;
        }
        for (symbol, interval) in first.bounds {
            let hull = possible.iter().fold(interval, |hull, other| hull.hull(other.bounds(symbol)));
            self.narrow(symbol, &hull);
        }
        true
    }

    fn assume_atom(&mut self, atom: &Atom) -> bool {
        if let Some(holds) = self.range(&atom.form).decides(atom.relation) {
            return holds;
        }
        match atom.relation {
            // Over reals a strict atom narrows to its closure: larger, so sound.
            Relation::AtLeastZero | Relation::Positive => self.at_least_zero(&atom.form),
            Relation::Zero => self.at_least_zero(&atom.form) && self.at_least_zero(&-&atom.form),
            Relation::NonZero => self.non_zero(&atom.form),
        }
    }

    /// Over integers, an excluded value at an end of a range moves the end by one.
    fn non_zero(&mut self, form: &Linear) -> bool {
        let (range, one) = (self.range(form), Linear::constant_form(Rational::ONE));
        if !self.space.is_integral(form) {
            return true;
        }
        let zero = Some(Rational::ZERO);
        (range.lower != zero || self.at_least_zero(&(form - &one)))
            && (range.upper != zero || self.at_least_zero(&(&-form - &one)))
    }

    fn at_least_zero(&mut self, form: &Linear) -> bool {
        if let Some((key, factor)) = direction(form) {
            // factor * key + constant >= 0.
            let end = -&form.constant().checked_div(&factor).expect("the first coefficient is not zero");
            let half = if factor.signum() > 0 {
                Interval { lower: Some(end), upper: None }
            } else {
                Interval { lower: None, upper: Some(end) }
            };
            let known = self.forms.get(&key).cloned().unwrap_or_default();
            let narrowed = known.intersection(&half);
            if narrowed.is_empty() {
                return false;
            }
            if narrowed != known {
                self.changes += 1;
                self.forms.insert(key, narrowed);
            }
        }
        if form.terms().len() > MOST_NARROWED {
            return true;
        }
        form.terms().iter().all(|(symbol, a)| {
            // a x >= -rest, where the rest is at most this.
            let rest = form - &(&Linear::symbol(*symbol) * a);
            let mut terms = rest.terms().iter();
            let most = terms.try_fold(rest.constant().clone(), |sum, (other, b)| {
                Some(&sum + &self.bounds(*other).scaled(b).upper?)
            });
            let Some(most) = most else { return true };
            let end = -&most.checked_div(a).expect("no coefficient is zero");
            let integer = self.space.symbol(*symbol).integer;
            let half = match (a.signum() > 0, integer) {
                (true, true) => Interval { lower: Some(end.ceil()), upper: None },
                (true, false) => Interval { lower: Some(end), upper: None },
                (false, true) => Interval { lower: None, upper: Some(end.floor()) },
                (false, false) => Interval { lower: None, upper: Some(end) },
            };
            self.narrow(*symbol, &half)
        })
    }

    fn narrow(&mut self, symbol: Symbol, to: &Interval) -> bool {
        let before = self.bounds(symbol);
        let narrowed = before.intersection(to);
        if narrowed.is_empty() {
            return false;
        }
        if narrowed != *before {
            self.changes += 1;
            self.bounds.insert(symbol, narrowed);
        }
        true
    }
}

/// A form of several symbols without its constant, divided by its first coefficient, and that coefficient.
fn direction(form: &Linear) -> Option<(Linear, Rational)> {
    let [(_, first), _, ..] = form.terms() else { return None };
    let inverse = Rational::ONE.checked_div(first).expect("no coefficient is zero");
    let key = &(form - &Linear::constant_form(form.constant().clone())) * &inverse;
    Some((key, first.clone()))
}

#[cfg(test)]
mod tests;
