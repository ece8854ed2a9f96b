//! What the leaves of a term stand for: the state before a step, or that between two assignments of a sequence.

use std::collections::BTreeMap;

use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_model::policy::Policy;
use surefoot_model::{Model, SlotId, Term, TermId, TransientId};

/// Slots and transient variables assigned so far, as forms over the state before the step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Environment {
    pub(super) slots: BTreeMap<Symbol, Linear>,
    pub(super) transients: BTreeMap<TransientId, Linear>,
}

impl Environment {
    /// Whether nothing was assigned.
    pub(super) fn is_initial(&self) -> bool {
        self.slots.is_empty() && self.transients.is_empty()
    }

    /// A form over the state between assignments as one over the state before the step.
    pub(super) fn resolve(&self, form: &Linear) -> Linear {
        if self.slots.is_empty() {
            return form.clone();
        }
        form.substitute(&|symbol| self.slots.get(&symbol).cloned())
    }
}

/// The outputs of a policy that computes transient variables, as symbols.
#[derive(Debug, Clone)]
pub(super) struct NetworkOutputs<'m> {
    pub(super) policy: &'m Policy,
    /// The symbol of the first output.
    pub(super) first: Symbol,
    /// The slots that networks and their conditions read; `None` = maybe all.
    reads: Option<Vec<SlotId>>,
    /// Where some network is asked.
    pub(super) covered: Formula,
}

impl<'m> NetworkOutputs<'m> {
    pub(super) fn new(model: &Model, policy: &'m Policy, first: Symbol, covered: Formula) -> Self {
        let mut reads: Option<Vec<SlotId>> = Some(Vec::new());
        for network in &policy.networks {
            let through_transients = |when: &TermId| {
                let terms = model.terms.reachable(*when);
                terms.iter().any(|id| matches!(model.terms.get(*id), Term::Transient(_)))
            };
            if network.when.as_ref().is_some_and(through_transients) {
                reads = None;
            }
            if let Some(reads) = &mut reads {
                reads.extend(network.when.iter().flat_map(|when| model.terms.slots_read(*when)));
                reads.extend(
                    network.inputs.iter().flat_map(|form| form.terms().iter().map(|(symbol, _)| SlotId(symbol.0))),
                );
            }
        }
        Self { policy, first, reads, covered }
    }

    /// The symbol of an output, where the transient variable is one.
    pub(super) fn symbol(&self, transient: TransientId) -> Option<Symbol> {
        self.policy.output_of_transient(transient).map(|output| self.first.plus(output))
    }

    /// Whether the outputs are still those of the state before the step.
    pub(super) fn unchanged(&self, environment: &Environment) -> bool {
        match &self.reads {
            Some(reads) => reads.iter().all(|slot| !environment.slots.contains_key(&Symbol::from(*slot))),
            None => environment.slots.is_empty(),
        }
    }
}
