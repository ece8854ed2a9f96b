//! The variables that matter to the questions about a rule, and what abstract states say about them.

use std::collections::BTreeSet;
use std::sync::Arc;

use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_oracle::{Question, Variable};

use crate::cell::Cell;
use crate::chooser::Chooser;
use crate::predicate::{Literal, PredicateSet};
use crate::rule::Rule;
use crate::state::AbstractState;
use crate::system::{System, domain_variable};
use crate::untouched::SlotRange;

/// The variables of a question, and what predicates say about them.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// The symbols that matter, in the order of the question's variables.
    pub(crate) symbols: Vec<Symbol>,
    /// Their domains.
    pub(crate) variables: Vec<Variable>,
    /// What the truth and the falsity of each predicate say, over the question's symbols.
    pub(crate) literals: Vec<[Literal; 2]>,
}

impl Frame {
    /// What a symbol of the model is in the question.
    pub(crate) fn map(&self, symbol: Symbol) -> Option<Linear> {
        self.symbols.binary_search(&symbol).ok().map(|index| Linear::symbol(Symbol::at(index)))
    }

    /// A question over the whole domains.
    pub(crate) fn question(&self, formula: Formula) -> Question {
        Question { variables: self.variables.clone(), applications: Vec::new(), formula }
    }

    /// What an abstract state and ranges say about the variables; nothing where that contradicts a domain.
    pub(crate) fn cell(&self, state: &AbstractState, within: &[SlotRange]) -> Option<Cell> {
        let mut variables = self.variables.clone();
        for range in within {
            if let Ok(index) = self.symbols.binary_search(&range.slot) {
                range.narrow(&mut variables[index]);
            }
        }
        let literals = self.literals.iter().zip(0..state.values.len());
        let literals = literals.map(|(both, predicate)| &both[usize::from(!state.values.get(predicate))]);
        Some(Cell::new(variables, literals)).filter(|cell| !cell.is_empty())
    }
}

impl System<'_> {
    /// The variables of the questions about rules of one operator, and what predicates say about them.
    pub(crate) fn frame(&self, predicates: &PredicateSet, rules: &[Arc<Rule>], matters: Matters) -> Frame {
        let rule = &rules[0];
        let symbols = matters.symbols(rule.before.len());
        let slots = self.model().slots.len();
        let variable = |symbol: &Symbol| {
            let choice = || rules.iter().flat_map(|rule| &rule.choices).find(|(choice, _)| choice == symbol);
            if symbol.index() < slots {
                self.slot_variable(*symbol)
            } else {
                domain_variable(&choice().expect("a choice").1)
            }
        };
        let variables = symbols.iter().map(variable).collect();
        let mut frame = Frame { symbols, variables, literals: Vec::new() };
        frame.literals = self.source_literals(predicates, rule, &frame);
        frame
    }

    /// What the truth and the falsity of each predicate say before the move, over the question's symbols.
    fn source_literals(&self, predicates: &PredicateSet, rule: &Rule, frame: &Frame) -> Vec<[Literal; 2]> {
        let map = &|symbol: Symbol| frame.map(symbol);
        let renamed = |literal: &Literal| {
            let index = |symbol: &Symbol| Symbol::at(frame.symbols.binary_search(symbol).expect("it matters"));
            match literal {
                Literal::AtLeast(symbol, bound) => Literal::AtLeast(index(symbol), bound.clone()),
                Literal::AtMost(symbol, bound) => Literal::AtMost(index(symbol), bound.clone()),
                Literal::Formula(formula) => Literal::of(&formula.substitute(map)),
            }
        };
        let both = |(index, predicate): (usize, &Formula)| {
            if !mentions(predicate, |symbol| symbol.index() < rule.before.len()) {
                return [true, false].map(|value| renamed(predicates.literal(index, value)));
            }
            let here = self.lowering.at_all_locations(predicate, &rule.before);
            let negated = rule.space.negated(&here);
            [here, negated].map(|formula| Literal::of(&formula.substitute(map)))
        };
        predicates.formulas().iter().enumerate().map(both).collect()
    }
}

/// Whether a symbol of some kind occurs in a formula.
pub(crate) fn mentions(formula: &Formula, kind: impl Fn(Symbol) -> bool) -> bool {
    let mut found = false;
    formula.for_each_atom(&mut |atom| found |= atom.form.terms().iter().any(|(symbol, _)| kind(*symbol)));
    found
}

/// Collects the symbols that matter.
#[derive(Debug, Default)]
pub(crate) struct Matters(BTreeSet<Symbol>);

impl Matters {
    /// Those that a choice depends on.
    pub(crate) fn chooser(&mut self, chooser: &Chooser) {
        self.formula(&chooser.asked);
        chooser.applicable.iter().for_each(|condition| self.formula(condition));
        chooser.inputs.iter().for_each(|form| self.form(form));
    }

    fn form(&mut self, form: &Linear) {
        self.0.extend(form.terms().iter().map(|(symbol, _)| *symbol));
    }

    /// Those of a formula.
    pub(crate) fn formula(&mut self, formula: &Formula) {
        formula.for_each_atom(&mut |atom| self.form(&atom.form));
    }

    /// All but those of locations, of which there are so many.
    fn symbols(self, locations: usize) -> Vec<Symbol> {
        self.0.into_iter().filter(|symbol| symbol.index() >= locations).collect()
    }
}
