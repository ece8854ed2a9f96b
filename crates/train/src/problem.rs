//! What to learn: a model, where runs start, what is wanted and what is not.

use surefoot_explicit::Task;
use surefoot_explicit::simulate::Starts;
use surefoot_explicit::start::StartError;
use surefoot_limits::Limits;
use surefoot_model::policy::Policy;
use surefoot_model::property::StartSet;
use surefoot_model::{Model, SlotId, TermId};

use crate::interface::Interface;

/// What to learn.
#[derive(Debug, Clone)]
pub struct Problem<'m> {
    /// The model, of bounded integers.
    pub model: &'m Model,
    /// Where runs start.
    pub start: &'m StartSet,
    /// What is to be reached.
    pub goal: Option<TermId>,
    /// What is unsafe.
    pub avoid: Option<TermId>,
    /// What every step earns besides, in the state that it enters.
    pub reward: Option<TermId>,
    /// What every step earns besides: how much this grew by it.
    pub progress: Option<TermId>,
    /// Whether runs of evaluations end at the goal; those of training do.
    pub ends_at_goal: bool,
    /// Threads of evaluations.
    pub threads: usize,
    /// When to stop learning.
    pub limits: Limits,
}

impl<'m> Problem<'m> {
    /// The runs of it under a policy.
    pub(crate) fn task<'t>(&self, policy: Option<&'t Policy>) -> Task<'t>
    where
        'm: 't,
    {
        Task {
            model: self.model,
            policy,
            start: self.start,
            reach: self.avoid,
            goal: self.goal,
            goal_terminal: self.ends_at_goal,
            absorb: None,
            dropped: None,
            stop_at_reach: false,
            threads: self.threads,
            limits: self.limits.clone(),
        }
    }

    /// Its start states.
    ///
    /// # Errors
    /// Where there are none, or a limit was met first.
    pub fn starts(&self) -> Result<Starts<'m>, StartError> {
        Starts::new(&self.task(None))
    }

    /// The slots that may have several values.
    #[must_use]
    pub fn inputs(&self, starts: &Starts<'_>) -> Vec<SlotId> {
        Interface::inputs_of(self.model, &self.fixed(starts))
    }

    /// Per slot: the value that it has throughout, if it has one.
    #[must_use]
    pub fn fixed(&self, starts: &Starts<'_>) -> Vec<Option<i64>> {
        starts.fixed(&self.task(None))
    }
}
