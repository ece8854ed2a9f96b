//! What a move is, over the slots of the model and the choices of its assignments.
//!
//! Questions about one abstract state are made from rules once per set of predicates ([`crate::moves`]); questions about
//! paths compose them. Locations are those that the rule was made for: no symbol of a location is left in it.

use std::sync::Arc;

use surefoot_linear::{Formula, Linear, Space, Symbol};
use surefoot_model::model::Operator;
use surefoot_model::{Domain, LabelId, SlotId};
use surefoot_num::Rational;
use surefoot_symbolic::{ChoiceBounds, Probability, SymbolicOperator};
use surefoot_text::diagnostic::Diagnostic;

use crate::chooser::Chooser;
use crate::locations::ByLocations;
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
    /// How likely the outcome is.
    pub probability: Probability,
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

/// The rules of location vectors, made when they are first needed.
pub type Rules = ByLocations<Vec<Arc<Rule>>>;

impl System<'_> {
    /// Makes the rules at given locations, once.
    ///
    /// # Errors
    /// What cannot be lowered, with its place.
    pub fn prepare_rules(&mut self, locations: &[u32], rules: &mut Rules) -> Result<(), Diagnostic> {
        rules.prepare(locations, || self.rules(locations))
    }

    /// All rules at given locations: by vector, operator, outcome and case.
    ///
    /// # Errors
    /// What cannot be lowered, with its place.
    pub fn rules(&mut self, locations: &[u32]) -> Result<Vec<Arc<Rule>>, Diagnostic> {
        let mut rules = Vec::new();
        for vector in self.model().vector_numbers() {
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
                    probability: outcome.probability.clone(),
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
}

/// The location behind a symbol, if it stands for one.
pub(crate) fn at_location(locations: &[u32], symbol: Symbol) -> Option<Linear> {
    let location = locations.get(symbol.index())?;
    Some(Linear::constant_form(Rational::from(i64::from(*location))))
}
