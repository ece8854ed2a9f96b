//! A model, a policy and a safety property, lowered for abstraction.

use surefoot_linear::{Formula, Symbol};
use surefoot_model::model::Slot;
use surefoot_model::policy::{Outputs, Policy};
use surefoot_model::property::Safety;
use surefoot_model::slice::droppable;
use surefoot_model::{Domain, Model, SlotId, State, TermId};
use surefoot_oracle::{Assignment, MOST_INTEGER, Variable};
use surefoot_symbolic::{Condition, Lowering, SymbolicPolicy};
use surefoot_text::diagnostic::{Diagnostic, Refusal};
use surefoot_text::option;

use crate::predicate::PredicateSet;
use crate::state::AbstractState;

/// The first variable that symbolic engines cannot have, and why.
///
/// Soundness: the oracle tells integers apart by floats, which hold all of them up to 2^53 and not all beyond.
#[must_use]
pub fn unsuitable(model: &Model) -> Option<(SlotId, Diagnostic)> {
    let refusal = |slot: &Slot| match slot.domain.int_bounds() {
        None => {
            let message = format!("predicate abstraction is for integers, and variable '{}' is real", slot.name);
            let refusal = Diagnostic::error_anywhere(&message).refused(Refusal::Reals);
            Some(refusal.with_help("use `ctl` for models over reals"))
        }
        Some((lower, upper)) if lower.unsigned_abs().max(upper.unsigned_abs()) > MOST_INTEGER => {
            let domain = slot.domain.describe();
            let message = format!(
                "symbolic engines have integers between -2^53 and 2^53 ({MOST_INTEGER}), and variable '{}' may be larger ({domain})",
                slot.name
            );
            let help = "give it a smaller domain, or use the explicit engine, which has all 64 bits";
            Some(Diagnostic::error_anywhere(&message).refusal().with_help(help))
        }
        Some(_) => None,
    };
    model.slots.iter().enumerate().find_map(|(slot, declared)| Some((SlotId::at(slot), refusal(declared)?)))
}

/// What is abstracted. A copy is as good as lowering the same again.
#[derive(Debug, Clone)]
pub struct System<'m> {
    pub(crate) lowering: Lowering<'m>,
    pub(crate) policy: Option<SymbolicPolicy>,
    /// Start conditions, each of which fixes locations too.
    pub(crate) start_conditions: Vec<Formula>,
    /// Start states that are listed.
    pub(crate) start_states: Vec<State>,
    /// The unsafe states.
    pub(crate) reach: Formula,
    /// States without moves.
    pub(crate) terminal: Formula,
    /// Where the conditions above have values.
    pub(crate) defined: Formula,
    /// Per slot, whether runs cannot depend on it.
    dropped: Vec<bool>,
    /// Predicates that the property gives.
    pub given: Option<Vec<Formula>>,
}

impl<'m> System<'m> {
    /// Lowers a model with a property, under a policy where there is one. With `goal_terminal`, goal states have no
    /// moves.
    ///
    /// # Errors
    /// What cannot be lowered, with its place; real variables, and integers beyond 2^53; a policy that computes values instead of choosing labels.
    pub fn new(
        model: &'m Model,
        policy: Option<&'m Policy>,
        safety: &Safety,
        goal_terminal: bool,
    ) -> Result<Self, Diagnostic> {
        Self::until(model, policy, safety, goal_terminal, None)
    }

    /// The same where runs also end in states in which something else is decided.
    ///
    /// # Errors
    /// As [`System::new`].
    pub fn until(
        model: &'m Model,
        policy: Option<&'m Policy>,
        safety: &Safety,
        goal_terminal: bool,
        decided: Option<TermId>,
    ) -> Result<Self, Diagnostic> {
        if let Some((_, refusal)) = unsuitable(model) {
            return Err(refusal);
        }
        if let Some(Policy { outputs: Outputs::Transients(_), .. }) = policy {
            let message = "the policy computes values of transient variables instead of choosing labels";
            return Err(Diagnostic::error_anywhere(message)
                .with_help(format!("use `verify {} explicit`, or `ctl`", option("engine")))
                .refused(Refusal::ComputedValues));
        }
        let mut lowering = Lowering::new(model, policy)?;
        let lowered = lowering.safety(safety, None)?;
        let mut start_conditions = Vec::new();
        for condition in &safety.start.conditions {
            start_conditions.push(lowering.condition(*condition, None, "the start condition")?.holds);
        }
        let ends = decided.map(|term| lowering.condition(term, None, "where the question is decided")).transpose()?;
        let holds = |condition: Option<Condition>| condition.map_or_else(Formula::falsity, |c| c.holds);
        let looked_at = lowered.reach.iter().chain(lowered.goal.as_ref().filter(|_| goal_terminal)).chain(&ends);
        let defined = Formula::all(looked_at.map(|condition| condition.defined.clone()));
        let terminal = if goal_terminal { holds(lowered.goal) } else { Formula::falsity() };
        let terminal = Formula::any([terminal, holds(ends)]);
        let read: Vec<TermId> = safety.reach.into_iter().chain(safety.goal).chain(decided).collect();
        let lowered_policy = lowering.policy()?;
        Ok(Self {
            lowering,
            policy: lowered_policy,
            start_conditions,
            start_states: safety.start.states.clone(),
            reach: holds(lowered.reach),
            terminal,
            defined,
            dropped: droppable(model, policy, &read),
            given: lowered.predicates.map(|predicates| predicates.into_iter().map(|p| p.holds).collect()),
        })
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.lowering.model()
    }

    /// The lowering, for its symbols.
    #[must_use]
    pub fn lowering(&self) -> &Lowering<'m> {
        &self.lowering
    }

    /// Start conditions, each of which fixes locations too.
    #[must_use]
    pub fn start_conditions(&self) -> &[Formula] {
        &self.start_conditions
    }

    /// Start states that are listed.
    #[must_use]
    pub fn start_states(&self) -> &[State] {
        &self.start_states
    }

    /// The unsafe states.
    #[must_use]
    pub fn reach(&self) -> &Formula {
        &self.reach
    }

    /// States without moves: terminal goal states, and those in which something else is decided.
    #[must_use]
    pub fn terminal(&self) -> &Formula {
        &self.terminal
    }

    /// Whether runs may depend on a slot: a guard, the policy or the property reads it, or what they read does.
    #[must_use]
    pub fn matters(&self, slot: Symbol) -> bool {
        !self.dropped[slot.index()]
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> Option<&SymbolicPolicy> {
        self.policy.as_ref()
    }

    /// The abstract state of a concrete one.
    ///
    /// # Panics
    /// When a location is none.
    #[must_use]
    pub fn abstract_of(&self, predicates: &PredicateSet, state: &State) -> AbstractState {
        let location = |slot: usize| {
            let number = state.0[slot].to_i64().and_then(|l| u32::try_from(l).ok());
            number.expect("locations are numbers from 0")
        };
        let value = |predicate: &Formula| predicate.eval(&|slot: Symbol| state.0[slot.index()].clone());
        let values = Assignment::new(predicates.formulas().iter().map(value));
        AbstractState { locations: (0..self.model().instances.len()).map(location).collect(), values }
    }

    /// The variable of a question that stands for a slot.
    ///
    /// # Panics
    /// When there is no such slot.
    #[must_use]
    pub fn slot_variable(&self, slot: Symbol) -> Variable {
        domain_variable(&self.model().slots[slot.index()].domain)
    }
}

/// The variable of a question with a domain.
///
/// # Panics
/// When the domain is real.
#[must_use]
pub fn domain_variable(domain: &Domain) -> Variable {
    let (lower, upper) = domain.int_bounds().expect("real variables are refused");
    Variable::integer(lower, upper)
}
