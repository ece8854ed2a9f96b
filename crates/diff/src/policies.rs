//! Two policies over the same labels, and what they say in a state.
//!
//! **Definitions.** A policy is *asked* in a state that is no terminal goal state and in which an operator with one of its labels is enabled. Policies over the same
//! labels are asked in the same states. They *differ* in a state in which they are asked if the sets of labels that they permit are not the same, or if one
//! of them has no choice there (none of its networks is responsible) and the other has. Outputs are compared by the names of labels: their order only
//! matters to how each policy breaks its own ties.

use surefoot_linear::Formula;
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork, Ties, plaja_tolerance};
use surefoot_model::{Interpreter, LabelId, Model, ModelError, State};
use surefoot_oracle::Question;
use surefoot_symbolic::Lowering;
use surefoot_text::diagnostic::{Diagnostic, Refusal};

/// Two policies over one model.
#[derive(Debug, Clone, Copy)]
pub struct Policies<'p> {
    /// The model.
    pub model: &'p Model,
    /// The first.
    pub old: &'p Policy,
    /// The second.
    pub new: &'p Policy,
}

/// The labels that a policy permits in a state, ascending; nothing where it has no choice.
pub type Opinion = Option<Box<[LabelId]>>;

impl<'p> Policies<'p> {
    /// Two policies, which messages call by these names.
    ///
    /// # Errors
    /// Where they do not choose among the same labels.
    pub fn new(
        model: &'p Model,
        (old, old_name): (&'p Policy, &str),
        (new, new_name): (&'p Policy, &str),
    ) -> Result<Self, Diagnostic> {
        let labels = |policy: &'p Policy, name: &str| match &policy.outputs {
            Outputs::Labels(labels) => Ok(labels),
            Outputs::Transients(_) => {
                let message = format!("the policy {name} computes values of transient variables: it chooses no label");
                let error = Diagnostic::error_anywhere(message).refused(Refusal::ComputedValues);
                Err(error.with_help("compare policies whose outputs are action labels"))
            }
        };
        let (of_old, of_new) = (labels(old, old_name)?, labels(new, new_name)?);
        let alone = |own: &[LabelId], other: &[LabelId]| -> Vec<String> {
            let alone = own.iter().filter(|label| !other.contains(label));
            alone.map(|label| format!("'{}'", model.labels[label.0 as usize])).collect()
        };
        let only = |labels: &[String], name: &str| {
            let outputs = if labels.len() == 1 { "is an output" } else { "are outputs" };
            (!labels.is_empty()).then(|| format!("{} {outputs} of {name} alone", labels.join(", ")))
        };
        let (only_old, only_new) = (alone(of_old, of_new), alone(of_new, of_old));
        let apart: Vec<String> = only(&only_old, old_name).into_iter().chain(only(&only_new, new_name)).collect();
        if !apart.is_empty() {
            let message = format!("the policies do not choose among the same labels: {}", apart.join("; "));
            let help = "what is no output of a policy is a move of the environment under it; give both the same labels, in any order";
            return Err(Diagnostic::error_anywhere(message).with_help(help));
        }
        Ok(Self { model, old, new })
    }

    /// The labels of both, in the first one's order.
    #[must_use]
    pub fn labels(&self) -> &'p [LabelId] {
        labels(self.old)
    }

    /// Whether both are told by the same numbers: networks with the same parameters, conditions and inputs, for the same labels in the same order, with the same filter
    /// and ties. Then nothing tells them apart; where this says no, they may still choose alike.
    #[must_use]
    pub fn are_identical(&self) -> bool {
        let Self { old, new, .. } = self;
        let same = |(one, other): (&PolicyNetwork, &PolicyNetwork)| {
            let (a, b) = (&one.network, &other.network);
            one.when == other.when
                && one.inputs == other.inputs
                && a.same_parameters(b)
                && a.choices() == b.choices()
                && (a.largest_only(), a.order_only(), a.real_only())
                    == (b.largest_only(), b.order_only(), b.real_only())
        };
        old.outputs == new.outputs
            && (old.filter, old.ties) == (new.filter, new.ties)
            && old.networks.len() == new.networks.len()
            && old.networks.iter().zip(&new.networks).all(same)
    }

    /// What both say in a state; `None` where they are not asked.
    ///
    /// # Errors
    /// Where a guard has no value.
    pub fn opinions(&self, state: &State) -> Result<Option<[Opinion; 2]>, ModelError> {
        let interpreter = Interpreter::new(self.model);
        let applicable = interpreter.applicable_labels(state)?;
        if !applicable.iter().any(|label| self.labels().contains(label)) {
            return Ok(None);
        }
        let opinion = |policy: &Policy| -> Opinion {
            let mut labels = policy.permitted(&interpreter, state, &applicable).ok()?.labels;
            labels.sort_unstable();
            Some(labels.into())
        };
        Ok(Some([opinion(self.old), opinion(self.new)]))
    }
}

/// The labels of a policy's outputs.
pub(crate) fn labels(policy: &Policy) -> &[LabelId] {
    match &policy.outputs {
        Outputs::Labels(labels) => labels,
        Outputs::Transients(_) => &[],
    }
}

/// How ties are resolved, as the oracle has it.
pub(crate) fn ties(policy: &Policy) -> surefoot_oracle::Ties {
    match policy.ties {
        Ties::First => surefoot_oracle::Ties::First,
        Ties::Any => surefoot_oracle::Ties::Any,
        Ties::Plaja => surefoot_oracle::Ties::Within(plaja_tolerance()),
    }
}

/// Where each label of the model has an enabled operator, for the labels of policies.
#[derive(Debug)]
pub(crate) struct Applicable(Vec<Option<Formula>>);

impl Applicable {
    /// In all states, or in those with the given locations.
    pub(crate) fn new(
        lowering: &mut Lowering<'_>,
        labels: &[LabelId],
        locations: Option<&[u32]>,
    ) -> Result<Self, Diagnostic> {
        let mut formulas = vec![None; lowering.model().labels.len()];
        for label in labels {
            formulas[label.0 as usize] = Some(lowering.applicable(*label, locations)?);
        }
        Ok(Self(formulas))
    }

    /// Where one label has.
    pub(crate) fn of(&self, label: LabelId) -> Formula {
        self.0[label.0 as usize].clone().unwrap_or_else(Formula::falsity)
    }

    /// Where some label has.
    pub(crate) fn some(&self) -> Formula {
        Formula::any(self.0.iter().flatten().cloned())
    }

    /// That a policy permits a label, by a network that is an application of the question.
    pub(crate) fn permits(&self, question: &Question, application: usize, policy: &Policy, label: LabelId) -> Formula {
        let labels = labels(policy);
        let counts = |output: usize| if policy.filter { self.of(labels[output]) } else { Formula::truth() };
        match labels.iter().position(|own| *own == label) {
            Some(output) => {
                let chosen = question.chosen(application, output, &ties(policy), counts);
                Formula::all([counts(output), chosen])
            }
            None => Formula::falsity(),
        }
    }
}
