//! What a move is, over the slots of the model and the choices of its assignments.
//!
//! Questions about one abstract state are made from rules once per set of predicates ([`crate::moves`]); questions about
//! paths compose them. Locations are those that the rule was made for: no symbol of a location is left in it.

use std::sync::Arc;

use surefoot_linear::{Formula, Linear, Space, Symbol};
use surefoot_model::model::Operator;
use surefoot_model::policy::{Outputs, Ties, plaja_tolerance};
use surefoot_model::{Domain, LabelId, SlotId};
use surefoot_network::Network;
use surefoot_num::Rational;
use surefoot_oracle::{Application, Question};
use surefoot_symbolic::{ChoiceBounds, SymbolicOperator};
use surefoot_text::diagnostic::Diagnostic;

use crate::system::System;

/// More operators per synchronisation vector and locations are refused.
pub(crate) const MOST_OPERATORS: usize = 100_000;

/// One outcome of one operator in one case of its update, at given locations.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The operator.
    pub operator: Operator,
    /// Its label; `None` = silent.
    pub label: Option<LabelId>,
    /// The destination taken by each participant.
    pub destinations: Vec<u32>,
    /// Locations before it.
    pub before: Box<[u32]>,
    /// Locations after it.
    pub after: Box<[u32]>,
    /// The guard, and that the state is not terminal.
    pub guard: Formula,
    /// Where it is enabled, for given choices: guard, case, bounds of the choices, no error.
    pub formula: Formula,
    /// New values of the variables that change, by ascending slot.
    pub update: Vec<(SlotId, Linear)>,
    /// The choices, numbered after all symbols of the model's space.
    pub choices: Vec<(Symbol, Domain)>,
    /// Bounds of the choices besides their domains, in the order of the choices.
    pub limits: Vec<ChoiceBounds>,
    /// The symbols of the model and of the choices.
    pub space: Space,
    /// How the policy comes to permit it: one of these; `None` for moves of the environment.
    pub choosers: Option<Arc<[Chooser]>>,
}

/// A network that may choose a label.
#[derive(Debug, Clone)]
pub struct Chooser {
    /// Where it is the one that is asked.
    pub asked: Formula,
    /// Its inputs.
    pub inputs: Arc<[Linear]>,
    /// The network.
    pub network: Arc<Network>,
    /// The label's output.
    pub output: usize,
    /// How ties are resolved.
    pub ties: surefoot_oracle::Ties,
    /// Where each label may be chosen at all.
    pub applicable: Arc<[Formula]>,
}

impl Chooser {
    /// Whether another is the same network, asked in the same way: they differ in the label at most.
    #[must_use]
    pub fn is_same_choice(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.network, &other.network)
            && self.ties == other.ties
            && (Arc::ptr_eq(&self.inputs, &other.inputs) || self.inputs == other.inputs)
            && self.asked == other.asked
            && (Arc::ptr_eq(&self.applicable, &other.applicable) || self.applicable == other.applicable)
    }

    /// The application over other symbols.
    pub fn application(&self, map: &impl Fn(Symbol) -> Option<Linear>) -> Application {
        let inputs: Arc<[Linear]> = self.inputs.iter().map(|form| form.substitute(map)).collect();
        Application { network: self.network.clone(), inputs }
    }

    /// That it is asked and chooses the label, where it is an application of the question.
    pub fn chosen(&self, question: &Question, application: usize, map: &impl Fn(Symbol) -> Option<Linear>) -> Formula {
        let applicable = |label: usize| self.applicable[label].substitute(map);
        let chosen = question.chosen(application, self.output, &self.ties, applicable);
        Formula::all([self.asked.substitute(map), chosen])
    }
}

impl System<'_> {
    /// All rules at given locations: by vector, operator, outcome and case.
    ///
    /// # Errors
    /// What cannot be lowered, with its place.
    pub fn rules(&mut self, locations: &[u32]) -> Result<Vec<Arc<Rule>>, Diagnostic> {
        let mut rules = Vec::new();
        for vector in 0..self.model().vectors.len() as u32 {
            for operator in self.lowering.operators(vector, Some(locations), MOST_OPERATORS)? {
                let operator = self.lowering.operator(&operator)?;
                self.operator_rules(locations, &operator, &mut rules)?;
            }
        }
        Ok(rules)
    }

    fn operator_rules(
        &mut self,
        locations: &[u32],
        operator: &SymbolicOperator,
        rules: &mut Vec<Arc<Rule>>,
    ) -> Result<(), Diagnostic> {
        let known = |symbol: Symbol| at_location(locations, symbol);
        let not_terminal = self.lowering.space().negated(&self.terminal);
        // Soundness: where an operator is an error it counts as absent; errors are looked for apart.
        let error_free = operator.error_free(self.lowering.space()).unwrap_or_else(Formula::truth);
        let guard = Formula::all([operator.guard.holds.clone(), not_terminal]);
        let guard = self.lowering.at_all_locations(&guard, locations);
        let enabled = Formula::all([guard.clone(), self.lowering.at_all_locations(&error_free, locations)]);
        if enabled.is_falsity() {
            return Ok(());
        }
        let choosers = self.choosers(operator.label, locations)?;
        for outcome in &operator.outcomes {
            let mut after: Box<[u32]> = locations.into();
            for (instance, location) in &outcome.locations {
                after[*instance] = *location;
            }
            for case in &outcome.cases {
                let space = outcome.space(self.lowering.space());
                let bounds = case.choices.iter().map(|choice| choice.formula(&space));
                let mut parts = vec![enabled.clone()];
                let own =
                    [outcome.possible.clone(), outcome.defined.clone(), case.condition.clone(), case.in_domain.clone()];
                // Choices have symbols of their own, which only the outcome's space knows.
                parts.extend(own.into_iter().chain(bounds).map(|formula| space.substitute(&formula, &known)));
                let formula = Formula::all(parts);
                if formula.is_falsity() {
                    continue;
                }
                let limit = |choice: &ChoiceBounds| ChoiceBounds {
                    symbol: choice.symbol,
                    lower: choice.lower.substitute(&known),
                    upper: choice.upper.substitute(&known),
                };
                rules.push(Arc::new(Rule {
                    operator: operator.operator.clone(),
                    label: operator.label,
                    destinations: outcome.destinations.clone(),
                    before: locations.into(),
                    after: after.clone(),
                    guard: guard.clone(),
                    formula,
                    update: case.update.clone(),
                    choices: outcome.choices.iter().map(|choice| (choice.symbol, choice.domain.clone())).collect(),
                    limits: case.choices.iter().map(limit).collect(),
                    space,
                    choosers: choosers.clone(),
                }));
            }
        }
        Ok(())
    }

    /// How the policy comes to choose a label at given locations. `None` for moves of the environment.
    pub(crate) fn choosers(
        &mut self,
        label: Option<LabelId>,
        locations: &[u32],
    ) -> Result<Option<Arc<[Chooser]>>, Diagnostic> {
        let (Some(label), Some(policy)) = (label, self.policy.clone()) else { return Ok(None) };
        let Outputs::Labels(labels) = &policy.outputs else { return Ok(None) };
        let Some(output) = labels.iter().position(|l| *l == label) else { return Ok(None) };
        let applicable: Arc<[Formula]> = self.filter_conditions(locations)?.into();
        let ties = match policy.ties {
            Ties::First => surefoot_oracle::Ties::First,
            Ties::Any => surefoot_oracle::Ties::Any,
            Ties::Plaja => surefoot_oracle::Ties::Within(plaja_tolerance()),
        };
        let chooser = |network: &surefoot_symbolic::SymbolicNetwork| {
            let at = |form: &Linear| form.substitute(&|symbol| at_location(locations, symbol));
            Chooser {
                asked: self.lowering.at_all_locations(&network.asked, locations),
                inputs: network.inputs.iter().map(at).collect(),
                network: network.network.clone(),
                output,
                ties: ties.clone(),
                applicable: applicable.clone(),
            }
        };
        Ok(Some(policy.networks.iter().map(chooser).filter(|chooser| !chooser.asked.is_falsity()).collect()))
    }
}

/// The location behind a symbol, if it stands for one.
pub(crate) fn at_location(locations: &[u32], symbol: Symbol) -> Option<Linear> {
    let location = locations.get(symbol.index())?;
    Some(Linear::constant_form(Rational::from(i64::from(*location))))
}
