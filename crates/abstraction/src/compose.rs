//! Rules composed along a path, as in symbolic execution.
//!
//! Before a step every slot is an affine form over the start of the path and the choices made so far; so are, after it, the slots
//! that its update gives. Guards, the policy's inputs and the end of the path are then formulas over these symbols alone, and one
//! question to the oracle is about the whole path.

use surefoot_linear::{Linear, Symbol};
use surefoot_num::Rational;

use crate::rule::Rule;

/// The symbols that stand for the choices of a step in a composed path.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// The first of them.
    first: Symbol,
    /// How they are numbered in the rule.
    numbered: Vec<Symbol>,
}

impl Choices {
    /// None at all.
    #[must_use]
    pub const fn none() -> Self {
        Self { first: Symbol(0), numbered: Vec::new() }
    }

    /// Those of a rule that is taken when there are so many symbols already.
    #[must_use]
    pub fn of(rule: &Rule, first: usize) -> Self {
        Self { first: Symbol::at(first), numbered: rule.choices.iter().map(|(symbol, _)| *symbol).collect() }
    }

    /// What a symbol of the rule is in the composed path, given the slots before the step.
    #[must_use]
    pub fn form(&self, values: &[Linear], symbol: Symbol) -> Option<Linear> {
        if let Some(form) = values.get(symbol.index()) {
            return Some(form.clone());
        }
        let choice = self.numbered.iter().position(|s| *s == symbol)?;
        Some(Linear::symbol(self.first.plus(choice)))
    }

    /// The slots after the step.
    #[must_use]
    pub fn after(&self, values: &[Linear], rule: &Rule) -> Vec<Linear> {
        let mut next = values.to_vec();
        for (slot, form) in &rule.update {
            next[slot.index()] = form.substitute(&|symbol| self.form(values, symbol));
        }
        for (slot, location) in rule.after.iter().enumerate() {
            next[slot] = Linear::constant_form(Rational::from(i64::from(*location)));
        }
        next
    }
}
