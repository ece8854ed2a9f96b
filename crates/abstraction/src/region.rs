//! Questions about the concrete states of one abstract state.
//!
//! They are over all slots of the model, so that every formula of the lowering can be asked as it is; locations and the
//! predicates on single variables are bounds.

use surefoot_linear::{Formula, Symbol};
use surefoot_model::State;
use surefoot_model::policy::Outputs;
use surefoot_num::Rational;
use surefoot_oracle::{Answer, BranchAndBound, Limits, Oracle, Question};

use crate::exclude::excludes;
use crate::predicate::{Literal, PredicateSet};
use crate::rule::Chooser;
use crate::state::AbstractState;
use crate::system::System;

/// The concrete states of an abstract one.
#[derive(Debug, Clone)]
pub struct Region {
    question: Question,
}

impl Region {
    /// The region of an abstract state.
    #[must_use]
    pub fn of(system: &System<'_>, predicates: &PredicateSet, state: &AbstractState) -> Self {
        let slots = Symbol::first(system.model().slots.len());
        let mut variables: Vec<_> = slots.map(|slot| system.slot_variable(slot)).collect();
        for (variable, location) in variables.iter_mut().zip(&state.locations) {
            let location = Rational::from(i64::from(*location));
            (variable.lower, variable.upper) = (location.clone(), location);
        }
        let mut parts = Vec::new();
        for (predicate, value) in state.values.iter().enumerate() {
            match predicates.literal(predicate, value) {
                Literal::AtLeast(slot, least) if variables[slot.index()].lower < *least => {
                    variables[slot.index()].lower.clone_from(least);
                }
                Literal::AtMost(slot, most) if variables[slot.index()].upper > *most => {
                    variables[slot.index()].upper.clone_from(most);
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
        chooser: Option<&Chooser>,
        limits: &Limits,
    ) -> Answer {
        if excludes(&self.question.variables, property) {
            return Answer::Unsat;
        }
        let mut question = self.question.clone();
        let own = std::mem::replace(&mut question.formula, Formula::truth());
        let as_it_is = |_: Symbol| None;
        question.applications.extend(chooser.map(|chooser| chooser.application(&as_it_is)));
        let chosen = chooser.map(|chooser| chooser.chosen(&question, 0, &as_it_is));
        question.formula = Formula::all([own, property.clone()].into_iter().chain(chosen));
        oracle.decide(&question, limits)
    }
}

/// A witness as a state.
pub(crate) fn witness(point: Vec<Rational>) -> State {
    State(point.into())
}

impl System<'_> {
    /// Where each label of the policy is applicable at given locations, if that matters to its choice.
    pub(crate) fn filter_conditions(
        &mut self,
        locations: &[u32],
    ) -> Result<Vec<Formula>, surefoot_text::diagnostic::Diagnostic> {
        let Some(policy) = &self.policy else { return Ok(Vec::new()) };
        let Outputs::Labels(labels) = policy.outputs.clone() else { return Ok(Vec::new()) };
        if !policy.filter {
            return Ok(vec![Formula::truth(); labels.len()]);
        }
        labels.iter().map(|label| self.lowering.applicable(*label, Some(locations))).collect()
    }
}
