//! Moves from rules: what of a question does not depend on the abstract state, made once per set of predicates.

use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
use surefoot_oracle::{Question, Template};
use surefoot_text::diagnostic::Diagnostic;

use crate::choice::Choice;
use crate::chooser::Chooser;
use crate::frame::{Matters, mentions};
use crate::joint::Joint;
use crate::moves::{Move, Next, Other};
use crate::predicate::{Literal, PredicateSet};
use crate::rule::{Rule, at_location};
use crate::system::System;

/// The moves at given locations under a set of predicates, ready to be asked about.
#[derive(Debug, Clone)]
pub struct Moves {
    moves: Vec<Move>,
    /// Per move, the first one of the same operator with the same guard: whether it is chosen is the same question.
    same_guard: Vec<usize>,
    /// What the policy chooses, for all moves at once.
    choice: Option<Choice>,
}

impl Moves {
    /// The moves of all rules of a location vector.
    #[must_use]
    pub fn new(system: &System<'_>, predicates: &PredicateSet, rules: &[Arc<Rule>]) -> Self {
        let moves = rules.iter().map(|rule| system.prepared(predicates, rule)).collect();
        let first = |by: usize| {
            let same = |other: &Arc<Rule>| {
                let (a, b) = (other, &rules[by]);
                a.formula == b.formula && a.operator == b.operator && a.choices == b.choices
            };
            rules[..by].iter().position(same).unwrap_or(by)
        };
        let same_guard = (0..rules.len()).map(first).collect();
        Self { moves, same_guard, choice: Choice::new(system, predicates, rules) }
    }

    /// The moves of all operators of a location vector, each with all its outcomes at once.
    #[must_use]
    pub fn of_operators(system: &System<'_>, predicates: &PredicateSet, joints: &[Joint]) -> Self {
        let moves: Vec<Move> = joints.iter().map(|joint| system.prepared_jointly(predicates, &joint.apart)).collect();
        // Two of one operator differ in a case of an update, and so in where they are enabled.
        let same_guard = (0..moves.len()).collect();
        let firsts: Vec<Arc<Rule>> = joints.iter().map(|joint| joint.rules[0].clone()).collect();
        Self { moves, same_guard, choice: Choice::new(system, predicates, &firsts) }
    }

    /// All moves, by the rules they are of.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Move> {
        self.moves.iter()
    }

    /// The move of a rule.
    #[must_use]
    pub fn get(&self, by: usize) -> Option<&Move> {
        self.moves.get(by)
    }

    /// The first move of the same operator with the same guard, which may be the move itself.
    pub(crate) fn same_guard(&self, by: usize) -> usize {
        self.same_guard[by]
    }

    /// What the policy chooses, for all moves at once; `None` where that is not one choice.
    pub(crate) fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// The bytes that they take, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.moves.iter().map(Move::bytes).sum()
    }
}

impl System<'_> {
    /// All moves from given locations.
    ///
    /// # Errors
    /// What cannot be lowered, with its place.
    pub fn moves(&mut self, predicates: &PredicateSet, locations: &[u32]) -> Result<Moves, Diagnostic> {
        let rules = self.rules(locations)?;
        Ok(Moves::new(self, predicates, &rules))
    }

    /// A rule, ready to be asked about.
    #[must_use]
    pub fn prepared(&self, predicates: &PredicateSet, rule: &Arc<Rule>) -> Move {
        self.prepared_jointly(predicates, std::slice::from_ref(rule))
    }

    /// Rules of one operator, one per outcome, ready to be asked about at once. They have no choices in common.
    ///
    /// # Panics
    /// When there are none.
    #[must_use]
    fn prepared_jointly(&self, predicates: &PredicateSet, rules: &[Arc<Rule>]) -> Move {
        let (first, others) = rules.split_first().expect("an operator has an outcome");
        let mut successors: Vec<Formula> = Vec::new();
        let next = self.successor_predicates(predicates, first, &mut successors);
        let other = |rule: &Arc<Rule>| {
            let next = self.successor_predicates(predicates, rule, &mut successors);
            Other { rule: rule.clone(), next }
        };
        let others: Vec<Other> = others.iter().map(other).collect();
        let mut matters = Matters::default();
        rules.iter().for_each(|rule| matters.formula(&rule.formula));
        predicates.formulas().iter().for_each(|predicate| matters.formula(predicate));
        successors.iter().for_each(|predicate| matters.formula(predicate));
        first.choosers.iter().flat_map(|choosers| choosers.iter()).for_each(|chooser| matters.chooser(chooser));
        let frame = self.frame(predicates, rules, matters);
        let map = |symbol: Symbol| frame.map(symbol);
        let enabled = conjunction(rules.iter().map(|rule| &rule.formula));
        let plain = enabled.substitute(&map);
        let tracked: Vec<Formula> = successors.iter().map(|predicate| predicate.substitute(&map)).collect();
        let template = |question: Question| Template::new(question, tracked.clone());
        let question = frame.question(plain.clone());
        let decisions = match &first.choosers {
            None => vec![template(question)],
            Some(choosers) => choosers.iter().map(|chooser| template(asked(&question, chooser, &map))).collect(),
        };
        let demands = demands(&enabled, self.model().slots.len());
        Move { decisions, plain, frame, demands, next, tracked, rule: first.clone(), others }
    }

    /// Where the successor's predicates come from; those that are to be tracked join others that are.
    fn successor_predicates(&self, predicates: &PredicateSet, rule: &Rule, tracked: &mut Vec<Formula>) -> Vec<Next> {
        let (before, after) = (&rule.before, &rule.after);
        let changed = |symbol: Symbol| {
            rule.update.iter().find(|(slot, _)| slot.index() == symbol.index()).map(|(_, value)| value.clone())
        };
        let mut next = Vec::new();
        for predicate in predicates.formulas() {
            let affected = |symbol: Symbol| match before.get(symbol.index()) {
                Some(location) => *location != after[symbol.index()],
                None => rule.update.iter().any(|(slot, _)| slot.index() == symbol.index()),
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
        next
    }
}

/// What several formulas say together, each part once: outcomes of one operator have most of it in common.
fn conjunction<'f>(formulas: impl ExactSizeIterator<Item = &'f Formula>) -> Formula {
    if formulas.len() == 1 {
        return formulas.into_iter().cloned().collect::<Vec<_>>().swap_remove(0);
    }
    let mut parts: Vec<&Formula> = Vec::new();
    for formula in formulas {
        let own = if let Formula::All(own) = formula { own.as_slice() } else { std::slice::from_ref(formula) };
        for part in own {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
    }
    Formula::all(parts.into_iter().cloned())
}

/// The bounds on single slots that a conjunction contains.
fn demands(formula: &Formula, slots: usize) -> Vec<Literal> {
    let parts = if let Formula::All(parts) = formula { parts.as_slice() } else { std::slice::from_ref(formula) };
    let mut demands = Vec::new();
    for part in parts {
        let Formula::Atom(atom) = part else { continue };
        let bounds = match atom.relation {
            Relation::Zero => vec![atom.form.clone(), -&atom.form],
            _ => vec![atom.form.clone()],
        };
        let relation = if atom.relation == Relation::Zero { Relation::AtLeastZero } else { atom.relation };
        let literals = bounds.into_iter().map(|form| Literal::of(&Formula::Atom(Atom { form, relation })));
        demands.extend(literals.filter(
            |literal| matches!(literal, Literal::AtLeast(slot, _) | Literal::AtMost(slot, _) if slot.index() < slots),
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
