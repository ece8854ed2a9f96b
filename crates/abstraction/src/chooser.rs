//! How the policy comes to choose a label: a network that is asked, and its output for the label before all others.

use std::sync::Arc;

use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_model::LabelId;
use surefoot_model::policy::{Outputs, Ties, plaja_tolerance};
use surefoot_network::Network;
use surefoot_oracle::{Application, Question};
use surefoot_text::diagnostic::Diagnostic;

use crate::rule::at_location;
use crate::system::System;

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

/// That one of some networks chooses the label: they become applications of the question.
pub fn chosen(question: &mut Question, choosers: &[Chooser], map: &impl Fn(Symbol) -> Option<Linear>) -> Formula {
    Formula::any(choosers.iter().map(|chooser| {
        question.applications.push(chooser.application(map));
        chooser.chosen(question, question.applications.len() - 1, map)
    }))
}

impl System<'_> {
    /// How the policy comes to choose a label at given locations. `None` for moves of the environment.
    ///
    /// # Errors
    /// A guard that cannot be lowered, where the filter reads it.
    pub fn choosers(
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

    /// Where each label of the policy is applicable at given locations, if that matters to its choice.
    fn filter_conditions(&mut self, locations: &[u32]) -> Result<Vec<Formula>, Diagnostic> {
        let Some(policy) = &self.policy else { return Ok(Vec::new()) };
        let Outputs::Labels(labels) = policy.outputs.clone() else { return Ok(Vec::new()) };
        if !policy.filter {
            return Ok(vec![Formula::truth(); labels.len()]);
        }
        labels.iter().map(|label| self.lowering.applicable(*label, Some(locations))).collect()
    }
}
