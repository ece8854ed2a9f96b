//! Leaving variables out of the states that the answer cannot depend on.

use surefoot_model::policy::Policy;
use surefoot_model::slice::droppable;
use surefoot_model::{Model, State, TermId};

use crate::question::Query;

/// The variables that are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// Per slot: whether it is left out.
    pub dropped: Vec<bool>,
}

impl Slice {
    /// The slice for a query; `None` when every variable matters.
    #[must_use]
    pub fn new(model: &Model, policy: Option<&Policy>, query: &Query) -> Option<Self> {
        // A formula or a sum may count steps, and a variable that nothing reads may still make steps.
        if query.temporal.is_some() || query.expected.is_some() {
            return None;
        }
        let mut read: Vec<TermId> = query.target.into_iter().chain(query.goal).collect();
        if let Some(quantity) = &query.quantity {
            read.extend([quantity.right, quantity.decided]);
            read.extend(quantity.left);
        }
        let dropped = droppable(model, policy, &read);
        if dropped.contains(&true) { Some(Self { dropped }) } else { None }
    }

    /// What is left out, in words.
    #[must_use]
    pub fn describe(&self, model: &Model) -> String {
        let names: Vec<&str> =
            model.slots.iter().zip(&self.dropped).filter(|(_, d)| **d).map(|(slot, _)| &*slot.name).collect();
        format!("left out, because the answer cannot depend on it: {}", names.join(", "))
    }

    /// Whether two states differ at most in what is left out.
    #[must_use]
    pub fn agree(&self, a: &State, b: &State) -> bool {
        a.0.iter().zip(&b.0).zip(&self.dropped).all(|((a, b), dropped)| *dropped || a == b)
    }
}
