//! Questions about the concrete states of one abstract state.
//!
//! They are over all slots of the model, so that every formula of the lowering can be asked as it is; locations and the
//! predicates on single variables are bounds.

use surefoot_model::policy::{Outputs, Ties, plaja_tolerance};
use surefoot_model::{LabelId, State};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Application, BranchAndBound, Limits, Oracle, Question};
use surefoot_symbolic::{Formula, Symbol};

use crate::predicate::{Literal, PredicateSet};
use crate::state::AbstractState;
use crate::system::System;

/// One way in which a policy comes to choose a label: a network that is asked, and what it must say.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    application: Application,
    formula: Formula,
}

/// The concrete states of an abstract one.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    question: Question,
}

impl Region {
    /// The region of an abstract state.
    pub(crate) fn of(system: &System<'_>, predicates: &PredicateSet, state: &AbstractState) -> Self {
        let slots = system.model().slots.len() as Symbol;
        let mut variables: Vec<_> = (0..slots).map(|slot| system.slot_variable(slot)).collect();
        for (variable, location) in variables.iter_mut().zip(&state.locations) {
            let location = Rational::from(i64::from(*location));
            (variable.lower, variable.upper) = (location.clone(), location);
        }
        let mut parts = Vec::new();
        for (predicate, value) in state.values.iter().enumerate() {
            match predicates.literal(predicate, value) {
                Literal::AtLeast(slot, least) if variables[*slot as usize].lower < *least => {
                    variables[*slot as usize].lower.clone_from(least);
                }
                Literal::AtMost(slot, most) if variables[*slot as usize].upper > *most => {
                    variables[*slot as usize].upper.clone_from(most);
                }
                Literal::AtLeast(..) | Literal::AtMost(..) => {}
                Literal::Formula(formula) => parts.push(formula.clone()),
            }
        }
        Self { question: Question { variables, applications: Vec::new(), formula: Formula::all(parts) } }
    }

    /// Is there a state in it with a property, and in which the policy chooses as given?
    pub(crate) fn ask(
        &self,
        oracle: &mut BranchAndBound,
        property: &Formula,
        choice: Option<&Choice>,
        limits: &Limits,
    ) -> Answer {
        let mut question = self.question.clone();
        let own = std::mem::replace(&mut question.formula, Formula::truth());
        let chosen = choice.map(|choice| choice.formula.clone());
        question.applications.extend(choice.map(|choice| choice.application.clone()));
        question.formula = Formula::all([own, property.clone()].into_iter().chain(chosen));
        oracle.decide(&question, limits)
    }
}

/// A witness as a state.
pub(crate) fn witness(point: Vec<Rational>) -> State {
    State(point.into())
}

impl System<'_> {
    /// How the policy comes to choose a label at given locations, where `applicable` says when each of its labels is
    /// applicable (the truth, without the filter). `None` for labels that it has no say in.
    pub(crate) fn choices(
        &self,
        label: Option<LabelId>,
        locations: &[u32],
        applicable: &[Formula],
    ) -> Option<Vec<Choice>> {
        let policy = self.policy.as_ref()?;
        let Outputs::Labels(labels) = &policy.outputs else { return None };
        let label = label?;
        let output = labels.iter().position(|l| *l == label)?;
        let ties = match policy.ties {
            Ties::First => surefoot_oracle::Ties::First,
            Ties::Any => surefoot_oracle::Ties::Any,
            Ties::Plaja => surefoot_oracle::Ties::Within(plaja_tolerance()),
        };
        let slots = self.model().slots.len() as Symbol;
        let variables: Vec<_> = (0..slots).map(|slot| self.slot_variable(slot)).collect();
        let mut choices = Vec::new();
        for network in &policy.networks {
            let asked = self.lowering.at_all_locations(&network.asked, locations);
            if asked.is_falsity() {
                continue;
            }
            let application = Application { network: network.network.clone(), inputs: network.inputs.clone() };
            let frame = Question {
                variables: variables.clone(),
                applications: vec![application.clone()],
                formula: Formula::truth(),
            };
            let chosen = frame.chosen(0, output, &ties, |label| applicable[label].clone());
            choices.push(Choice { application, formula: Formula::all([asked, chosen]) });
        }
        Some(choices)
    }

    /// Where each label of the policy is applicable at given locations, if that matters to its choice.
    pub(crate) fn filter_conditions(
        &mut self,
        locations: &[u32],
    ) -> Result<Vec<Formula>, surefoot_jani::diagnostic::Diagnostic> {
        let Some(policy) = &self.policy else { return Ok(Vec::new()) };
        let Outputs::Labels(labels) = policy.outputs.clone() else { return Ok(Vec::new()) };
        if !policy.filter {
            return Ok(vec![Formula::truth(); labels.len()]);
        }
        labels.iter().map(|label| self.lowering.applicable(*label, Some(locations))).collect()
    }
}
