//! Weakest preconditions along a path.
//!
//! An atom after a step is, before it, the atom with the update substituted. Where the update chooses a value freely the
//! choice is replaced by the bound that makes the atom easiest to meet, so that the atom before says: some choice can
//! meet it.

use std::sync::Arc;

use surefoot_abstraction::Rule;
use surefoot_linear::{Formula, Linear, Relation, Symbol};

use crate::atoms::atoms;

/// The atoms of a formula over the slots before a rule (and its choices), without choices.
pub(crate) fn without_choices(rule: &Rule, formula: &Formula) -> Vec<Formula> {
    let locations = rule.before.len();
    let mut found = atoms(&rule.space, formula, locations);
    for limit in rule.limits.iter().rev() {
        let easiest = |atom: &Formula| match atom {
            Formula::Atom(atom) => {
                let coefficient = atom.form.terms().iter().find(|(symbol, _)| *symbol == limit.symbol);
                let Some((_, a)) = coefficient else { return Formula::Atom(atom.clone()) };
                debug_assert!(matches!(atom.relation, Relation::AtLeastZero | Relation::Positive));
                let bound = if a.signum() > 0 { &limit.upper } else { &limit.lower };
                let form = atom.form.substitute(&|s| (s == limit.symbol).then(|| bound.clone()));
                rule.space.atom(&form, atom.relation)
            }
            other => other.clone(),
        };
        found = found.iter().flat_map(|atom| atoms(&rule.space, &easiest(atom), locations)).collect();
    }
    let chosen = |symbol: Symbol| rule.choices.iter().any(|(choice, _)| *choice == symbol);
    found.retain(|formula| {
        let mut free = true;
        formula.for_each_atom(&mut |atom| free &= !atom.form.terms().iter().any(|(s, _)| chosen(*s)));
        free
    });
    found
}

/// An atom before a rule; nothing where it is decided.
pub(crate) fn before(rule: &Rule, atom: &Formula) -> Vec<Formula> {
    let changed = |symbol: Symbol| -> Option<Linear> {
        rule.update.iter().find(|(slot, _)| Symbol::from(*slot) == symbol).map(|(_, form)| form.clone())
    };
    without_choices(rule, &rule.space.substitute(atom, &changed))
}

/// The versions of atoms at a step and, `along` the path, at all steps before: those of the first step first.
pub(crate) fn versions(steps: &[Arc<Rule>], step: usize, given: &[Formula], along: bool) -> Vec<Formula> {
    let mut by_step = vec![given.to_vec()];
    if along {
        for rule in steps[..step].iter().rev() {
            let last = by_step.last().map(Vec::as_slice).unwrap_or_default();
            let mut earlier: Vec<Formula> = Vec::new();
            for atom in last.iter().flat_map(|atom| before(rule, atom)) {
                if !earlier.contains(&atom) {
                    earlier.push(atom);
                }
            }
            by_step.push(earlier);
        }
    }
    by_step.into_iter().rev().flatten().collect()
}
