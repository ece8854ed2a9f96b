//! Moves from rules: what of a question does not depend on the abstract state, made once per set of predicates.

use std::collections::BTreeSet;
use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};

use surefoot_oracle::{Question, Template};
use surefoot_text::diagnostic::Diagnostic;

use crate::moves::{Frame, Move, Next};
use crate::predicate::{Literal, PredicateSet};
use crate::rule::{Chooser, Rule, at_location};
use crate::system::{System, domain_variable};

impl System<'_> {
    /// All moves from given locations.
    ///
    /// # Errors
    /// What cannot be lowered, with its place.
    pub fn moves(&mut self, predicates: &PredicateSet, locations: &[u32]) -> Result<Vec<Move>, Diagnostic> {
        let rules = self.rules(locations)?;
        Ok(rules.iter().map(|rule| self.prepared(predicates, rule)).collect())
    }

    /// A rule, ready to be asked about.
    #[must_use]
    pub fn prepared(&self, predicates: &PredicateSet, rule: &Arc<Rule>) -> Move {
        let (next, successors) = self.successor_predicates(predicates, rule);
        let mut matters = Matters::default();
        matters.formula(&rule.formula);
        predicates.formulas().iter().for_each(|predicate| matters.formula(predicate));
        successors.iter().for_each(|predicate| matters.formula(predicate));
        rule.choosers.iter().flat_map(|choosers| choosers.iter()).for_each(|chooser| matters.chooser(chooser));
        let frame = self.frame(predicates, rule, matters);
        let map = |symbol: Symbol| frame.map(symbol);
        let plain = rule.formula.substitute(&map);
        let tracked: Vec<Formula> = successors.iter().map(|predicate| predicate.substitute(&map)).collect();
        let template = |question: Question| Template::new(question, tracked.clone());
        let question = frame.question(plain.clone());
        let ways = match &rule.choosers {
            None => vec![template(question)],
            Some(choosers) => choosers.iter().map(|chooser| template(asked(&question, chooser, &map))).collect(),
        };
        let slots = Symbol::at(self.model().slots.len());
        let demands = demands(&rule.formula, slots);
        Move { ways, plain, frame, demands, next, tracked, rule: rule.clone() }
    }

    /// The variables of a rule's questions, and what predicates say about them.
    pub(crate) fn frame(&self, predicates: &PredicateSet, rule: &Rule, matters: Matters) -> Frame {
        let symbols = matters.symbols(Symbol::at(rule.before.len()));
        let slots = Symbol::at(self.model().slots.len());
        let variable = |symbol: &Symbol| {
            let choice = || rule.choices.iter().find(|(choice, _)| choice == symbol);
            if *symbol < slots { self.slot_variable(*symbol) } else { domain_variable(&choice().expect("a choice").1) }
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
                Literal::Formula(formula) => crate::predicate::literal(&formula.substitute(map)),
            }
        };
        let both = |(index, predicate): (usize, &Formula)| {
            if !mentions(predicate, |symbol| symbol.index() < rule.before.len()) {
                return [true, false].map(|value| renamed(predicates.literal(index, value)));
            }
            let here = self.lowering.at_all_locations(predicate, &rule.before);
            let negated = rule.space.negated(&here);
            [here, negated].map(|formula| crate::predicate::literal(&formula.substitute(map)))
        };
        predicates.formulas().iter().enumerate().map(both).collect()
    }

    /// Where the successor's predicates come from, and those that are to be tracked.
    fn successor_predicates(&self, predicates: &PredicateSet, rule: &Rule) -> (Vec<Next>, Vec<Formula>) {
        let (before, after) = (&rule.before, &rule.after);
        let mut tracked: Vec<Formula> = Vec::new();
        let changed =
            |slot: Symbol| rule.update.iter().find(|(s, _)| Symbol::from(*s) == slot).map(|(_, value)| value.clone());
        let mut next = Vec::new();
        for predicate in predicates.formulas() {
            let affected = |symbol: Symbol| match before.get(symbol.index()) {
                Some(location) => *location != after[symbol.index()],
                None => rule.update.iter().any(|(slot, _)| Symbol::from(*slot) == symbol),
            };
            if !mentions(predicate, affected) {
                next.push(Next::Copied);
                continue;
            }
            let there = self.lowering.at_all_locations(predicate, after);
            let there = rule.space.substitute(&there, &changed);
            let formula = rule.space.substitute(&there, &|symbol| at_location(before, symbol));
            if formula.is_truth() || formula.is_falsity() {
                next.push(Next::Constant(formula.is_truth()));
                continue;
            }
            let index = tracked.iter().position(|known| *known == formula).unwrap_or_else(|| {
                tracked.push(formula);
                tracked.len() - 1
            });
            next.push(Next::Tracked(index));
        }
        (next, tracked)
    }
}

/// The bounds on single slots that a conjunction contains.
fn demands(formula: &Formula, slots: Symbol) -> Vec<Literal> {
    let parts = if let Formula::All(parts) = formula { parts.as_slice() } else { std::slice::from_ref(formula) };
    let mut demands = Vec::new();
    for part in parts {
        let Formula::Atom(atom) = part else { continue };
        let bounds = match atom.relation {
            Relation::Zero => vec![atom.form.clone(), -&atom.form],
            _ => vec![atom.form.clone()],
        };
        let relation = if atom.relation == Relation::Zero { Relation::AtLeastZero } else { atom.relation };
        let literals =
            bounds.into_iter().map(|form| crate::predicate::literal(&Formula::Atom(Atom { form, relation })));
        demands.extend(literals.filter(
            |literal| matches!(literal, Literal::AtLeast(slot, _) | Literal::AtMost(slot, _) if *slot < slots),
        ));
    }
    demands
}

/// A question with the policy's choice.
fn asked(plain: &Question, chooser: &Chooser, map: &impl Fn(Symbol) -> Option<Linear>) -> Question {
    let mut question = Question { applications: vec![chooser.application(map)], ..plain.clone() };
    let chosen = chooser.chosen(&question, 0, map);
    let own = std::mem::replace(&mut question.formula, Formula::truth());
    question.formula = Formula::all([own, chosen]);
    question
}

/// Whether a symbol of some kind occurs in a formula.
fn mentions(formula: &Formula, kind: impl Fn(Symbol) -> bool) -> bool {
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

    pub(crate) fn formula(&mut self, formula: &Formula) {
        formula.for_each_atom(&mut |atom| self.form(&atom.form));
    }

    /// All but those of locations, of which there are so many.
    fn symbols(self, locations: Symbol) -> Vec<Symbol> {
        self.0.into_iter().filter(|symbol| *symbol >= locations).collect()
    }
}
