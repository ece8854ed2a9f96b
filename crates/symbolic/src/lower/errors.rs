//! Where operators are errors of the model.
//!
//! An operator is an error in a state in which it is enabled and its probabilities are no distribution, or an outcome of
//! positive probability has no value, contradicts itself or leaves a domain. With non-deterministic assignments, one bad
//! choice is enough. Symbolic engines take an operator as absent where it is an error, and look for such states apart.
//!
//! The interpreter also stops at intervals of more than a million values and at states with more than a million outcomes;
//! those are limits of listing, not errors, and are not told here.

use surefoot_linear::{Formula, Linear, Space, Symbol, SymbolRange};
use surefoot_num::Rational;

use super::operator::SymbolicOperator;
use super::outcome::SymbolicOutcome;
use super::refusal::MAX_CASES;

impl SymbolicOperator {
    /// Where sources and guard hold: the operator is no error. `None` where that depends on choices among too many values
    /// ([`SymbolicOutcome::error_free_for`] says it for given choices).
    #[must_use]
    pub fn error_free(&self, base: &Space) -> Option<Formula> {
        let outcomes: Option<Vec<Formula>> = self.outcomes.iter().map(|outcome| outcome.error_free(base)).collect();
        Some(Formula::all([self.distribution.clone()].into_iter().chain(outcomes?)))
    }
}

impl SymbolicOutcome {
    /// The space with the outcome's choices.
    #[must_use]
    pub fn space(&self, base: &Space) -> Space {
        let mut space = base.clone();
        for choice in &self.choices {
            space.push(SymbolRange::from(&choice.domain));
        }
        space
    }

    /// Where the outcome is no error, for given values of its choices: it is impossible, or defined with new values in
    /// their domains, or the choices cannot have these values.
    #[must_use]
    pub fn error_free_for(&self, base: &Space) -> Formula {
        let space = self.space(base);
        let cases = self.cases.iter().map(|case| {
            let bounds = Formula::all(case.choices.iter().map(|bounds| bounds.formula(&space)));
            space.implies(&Formula::all([case.condition.clone(), bounds]), case.in_domain.clone())
        });
        space.implies(&self.possible, Formula::all([self.defined.clone()].into_iter().chain(cases)))
    }

    /// Where the outcome is no error, whatever is chosen. `None` where that depends on choices among too many values.
    #[must_use]
    pub fn error_free(&self, base: &Space) -> Option<Formula> {
        let space = self.space(base);
        let mut formulas = vec![self.error_free_for(base)];
        for choice in &self.choices {
            let reads = |formula: &Formula| {
                let mut found = false;
                formula.for_each_atom(&mut |atom| found |= atom.form.terms().iter().any(|(s, _)| *s == choice.symbol));
                found
            };
            if !formulas.iter().any(reads) {
                continue;
            }
            let (lower, upper) = choice.domain.int_bounds()?;
            let width = usize::try_from(upper.checked_sub(lower)?).ok()?;
            if width.saturating_add(1).saturating_mul(formulas.len()) > MAX_CASES {
                return None;
            }
            formulas = formulas
                .iter()
                .flat_map(|formula| {
                    let space = &space;
                    (lower..=upper).map(move |value| {
                        let value = Linear::constant_form(Rational::from(value));
                        space.substitute(formula, &|s: Symbol| (s == choice.symbol).then(|| value.clone()))
                    })
                })
                .collect();
        }
        Some(Formula::all(formulas))
    }
}
