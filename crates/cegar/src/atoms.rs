//! Formulas taken apart into predicates.
//!
//! A predicate is a single inequality over the variables: equations become two, disequations the two that they lie between, and
//! conjunctions and disjunctions fall into their atoms. Locations are explicit in abstract states, so atoms about them are
//! left out. That a predicate is not constant, and neither known nor the opposite of a known one, is for the predicate set
//! to see.

use surefoot_linear::{Formula, Linear, Relation, Space, Symbol};

/// The atoms of a formula, from left to right, each once. The formula has no symbols of locations but those below `locations`.
#[must_use]
pub fn atoms(space: &Space, formula: &Formula, locations: usize) -> Vec<Formula> {
    let mut found: Vec<Formula> = Vec::new();
    formula.for_each_atom(&mut |atom| {
        if atom.form.terms().iter().any(|(symbol, _)| symbol.index() < locations) {
            return;
        }
        let at_least = |form: &Linear| space.atom(form, Relation::AtLeastZero);
        let parts = match atom.relation {
            Relation::AtLeastZero | Relation::Positive => vec![space.atom(&atom.form, atom.relation)],
            Relation::Zero | Relation::NonZero => vec![at_least(&-&atom.form), at_least(&atom.form)],
        };
        for part in parts {
            if matches!(part, Formula::Atom(_)) && !found.contains(&part) {
                found.push(part);
            }
        }
    });
    found
}

/// `symbol >= value`.
#[must_use]
pub fn at_least(space: &Space, symbol: Symbol, value: &surefoot_num::Rational) -> Formula {
    space.at_most(&Linear::constant_form(value.clone()), &Linear::symbol(symbol))
}

/// `symbol <= value`.
#[must_use]
pub fn at_most(space: &Space, symbol: Symbol, value: &surefoot_num::Rational) -> Formula {
    space.at_most(&Linear::symbol(symbol), &Linear::constant_form(value.clone()))
}
