//! Moves from rules: what of a question does not depend on the abstract state, made once per set of predicates.

use std::collections::BTreeSet;
use std::sync::Arc;

use surefoot_jani::diagnostic::Diagnostic;
use surefoot_model::SlotId;
use surefoot_oracle::{Question, Variable};
use surefoot_symbolic::{Atom, Formula, Linear, Relation, Symbol};

use crate::moves::{Move, Next, Way};
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
        let (locations, space) = (&rule.before, &rule.space);
        let (next, successors) = self.successor_predicates(predicates, rule);
        let sources: Vec<[Formula; 2]> = predicates
            .formulas()
            .iter()
            .map(|predicate| {
                let here = self.lowering.at_all_locations(predicate, locations);
                let negated = space.negated(&here);
                [here, negated]
            })
            .collect();
        let mut matters = Matters::default();
        matters.formula(&rule.formula);
        sources.iter().for_each(|[predicate, _]| matters.formula(predicate));
        successors.iter().for_each(|predicate| matters.formula(predicate));
        for chooser in rule.choosers.iter().flat_map(|choosers| choosers.iter()) {
            matters.formula(&chooser.asked);
            chooser.applicable.iter().for_each(|condition| matters.formula(condition));
            chooser.inputs.iter().for_each(|form| matters.form(form));
        }
        let symbols = matters.symbols();
        let slots = self.model().slots.len() as Symbol;
        let variable = |symbol: &Symbol| {
            let choice = || rule.choices.iter().find(|(choice, _)| choice == symbol);
            if *symbol < slots { self.slot_variable(*symbol) } else { domain_variable(&choice().expect("a choice").1) }
        };
        let map = |symbol: Symbol| symbols.binary_search(&symbol).ok().map(|index| Linear::symbol(index as Symbol));
        let variables: Vec<Variable> = symbols.iter().map(variable).collect();
        let plain = rule.formula.substitute(&map);
        let ways = match &rule.choosers {
            None => vec![Way { applications: Vec::new(), formula: plain.clone() }],
            Some(choosers) => choosers.iter().map(|chooser| way(chooser, &plain, &variables, &map)).collect(),
        };
        let literal = |formula: &Formula| crate::predicate::literal(&formula.substitute(&map));
        Move {
            ways,
            plain,
            variables,
            literals: sources.iter().map(|[yes, no]| [literal(yes), literal(no)]).collect(),
            demands: demands(&rule.formula, slots),
            next,
            tracked: successors.iter().map(|predicate| predicate.substitute(&map)).collect(),
            symbols,
            rule: rule.clone(),
        }
    }

    /// Where the successor's predicates come from, and those that are to be tracked.
    fn successor_predicates(&self, predicates: &PredicateSet, rule: &Rule) -> (Vec<Next>, Vec<Formula>) {
        let (before, after) = (&rule.before, &rule.after);
        let mut tracked: Vec<Formula> = Vec::new();
        let changed =
            |slot: Symbol| rule.update.iter().find(|(SlotId(s), _)| *s == slot).map(|(_, value)| value.clone());
        let mut next = Vec::new();
        for predicate in predicates.formulas() {
            let there = self.lowering.at_all_locations(predicate, after);
            let mut same = there == self.lowering.at_all_locations(predicate, before);
            there.for_each_atom(&mut |atom| same &= atom.form.terms().iter().all(|(s, _)| changed(*s).is_none()));
            if same {
                next.push(Next::Copied);
                continue;
            }
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

fn way(chooser: &Chooser, plain: &Formula, variables: &[Variable], map: &impl Fn(Symbol) -> Option<Linear>) -> Way {
    let applications = vec![chooser.application(map)];
    let frame = Question { variables: variables.to_vec(), applications, formula: Formula::truth() };
    let chosen = chooser.chosen(&frame, 0, map);
    Way { formula: Formula::all([plain.clone(), chosen]), applications: frame.applications }
}

/// Collects the symbols that matter.
#[derive(Debug, Default)]
struct Matters(BTreeSet<Symbol>);

impl Matters {
    fn form(&mut self, form: &Linear) {
        self.0.extend(form.terms().iter().map(|(symbol, _)| *symbol));
    }

    fn formula(&mut self, formula: &Formula) {
        formula.for_each_atom(&mut |atom| self.form(&atom.form));
    }

    fn symbols(self) -> Vec<Symbol> {
        self.0.into_iter().collect()
    }
}
