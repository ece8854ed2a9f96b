//! Systems (NANES, Definition 5) from models and policies.
//!
//! A [`System`] is a model lowered to linear formulas, the policy likewise, and the start set. The successors of a state
//! are all outcomes of positive probability of all enabled operators that the policy permits; labels that are no output
//! of the policy, and silent operators, are moves of the environment and always possible. A state without successors
//! is its own.
//!
//! What can happen depends on where the automata are; [`System::local`] tells it for given locations and remembers it.
//!
//! Refused by name: non-deterministic assignments to real variables (infinitely many successors), and whatever has no
//! linear cases.

mod class;
mod local;

use std::sync::{Arc, Mutex, RwLock};

use rustc_hash::FxHashMap;
use surefoot_linear::{Formula, Linear, Space};
use surefoot_model::policy::{Outputs, Policy};
use surefoot_model::property::StartSet;
use surefoot_model::{Interpreter, Model, State, TermId};
use surefoot_symbolic::{Condition, Lowering, SymbolicOutcome, SymbolicPolicy, UpdateCase};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::Span;

pub use class::{MOST_CHOICES, outside};
pub use local::Local;

/// Where runs start: states that satisfy one of the conditions, and states that are listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Start {
    /// Conditions over the slots, locations included.
    pub conditions: Vec<Condition>,
    /// States.
    pub states: Vec<State>,
}

/// A neural agent in a non-deterministic environment.
#[derive(Debug)]
pub struct System<'m> {
    model: &'m Model,
    policy: Option<&'m Policy>,
    lowering: Mutex<Lowering<'m>>,
    /// The symbols: slots first, then the policy's outputs where these are values of transient variables.
    space: Space,
    symbolic: Option<SymbolicPolicy>,
    start: Start,
    terminal: Option<Condition>,
    local: RwLock<FxHashMap<Box<[u32]>, Arc<Local>>>,
}

impl<'m> System<'m> {
    /// Lowers a model with a start set, under a policy where there is one. In states that satisfy `terminal` nothing happens.
    ///
    /// # Errors
    /// What is not in the class, with its place.
    pub fn new(
        model: &'m Model,
        policy: Option<&'m Policy>,
        start: &StartSet,
        terminal: Option<TermId>,
        span: Option<Span>,
    ) -> Result<Self, Diagnostic> {
        if let Some(refusal) = class::infinite_choice(model) {
            return Err(refusal);
        }
        let mut lowering = Lowering::new(model, policy)?;
        let mut conditions = Vec::new();
        for condition in &start.conditions {
            conditions.push(lowering.condition(*condition, span, "the start condition")?);
        }
        let terminal = terminal.map(|goal| lowering.condition(goal, span, "the goal condition")).transpose()?;
        let symbolic = lowering.policy()?;
        Ok(Self {
            model,
            policy,
            space: lowering.space().clone(),
            lowering: Mutex::new(lowering),
            symbolic,
            start: Start { conditions, states: start.states.clone() },
            terminal,
            local: RwLock::default(),
        })
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The policy; `None` = every enabled operator is possible.
    #[must_use]
    pub fn policy(&self) -> Option<&'m Policy> {
        self.policy
    }

    /// The policy over symbols.
    #[must_use]
    pub fn symbolic_policy(&self) -> Option<&SymbolicPolicy> {
        self.symbolic.as_ref()
    }

    /// The symbols and their ranges.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Where runs start.
    #[must_use]
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Where nothing happens.
    #[must_use]
    pub fn terminal(&self) -> Option<&Condition> {
        self.terminal.as_ref()
    }

    /// The reference interpreter.
    #[must_use]
    pub fn interpreter(&self) -> Interpreter<'m> {
        match self.policy {
            Some(policy) => Interpreter::with_policy(self.model, policy),
            None => Interpreter::new(self.model),
        }
    }

    /// Whether the policy computes values of transient variables, which are then symbols after the slots.
    #[must_use]
    pub fn computes_values(&self) -> bool {
        self.policy.is_some_and(|policy| matches!(policy.outputs, Outputs::Transients(_)))
    }

    /// The first symbol that stands for a value the policy computes, and how many there are.
    #[must_use]
    pub fn output_symbols(&self) -> (usize, usize) {
        let outputs = match self.policy.map(|policy| &policy.outputs) {
            Some(Outputs::Transients(transients)) => transients.len(),
            _ => 0,
        };
        (self.model.slots.len(), outputs)
    }

    /// Whether a form mentions values that the policy computes.
    fn form_reads_outputs(&self, form: &Linear) -> bool {
        let (first, count) = self.output_symbols();
        form.terms().iter().any(|(symbol, _)| (first..first + count).contains(&(symbol.index())))
    }

    /// Whether a formula mentions values that the policy computes.
    #[must_use]
    pub fn reads_outputs(&self, formula: &Formula) -> bool {
        let mut reads = false;
        formula.for_each_atom(&mut |atom| reads |= self.form_reads_outputs(&atom.form));
        reads
    }

    /// Whether an outcome's updates mention values that the policy computes, in what decides about them as well.
    #[must_use]
    pub fn updates_read_outputs(&self, outcome: &SymbolicOutcome) -> bool {
        let case = |case: &UpdateCase| {
            let updates = case.update.iter().map(|(_, form)| form);
            let choices = case.choices.iter().flat_map(|bounds| [&bounds.lower, &bounds.upper]);
            updates.chain(choices).any(|form| self.form_reads_outputs(form))
                || [&case.condition, &case.in_domain].into_iter().any(|formula| self.reads_outputs(formula))
        };
        self.computes_values() && (self.reads_outputs(&outcome.defined) || outcome.cases.iter().any(case))
    }

    /// What can happen at given locations, one per instance.
    ///
    /// # Errors
    /// What cannot be lowered, with its place.
    pub fn local(&self, locations: &[u32]) -> Result<Arc<Local>, Diagnostic> {
        let known = self.local.read().unwrap_or_else(std::sync::PoisonError::into_inner).get(locations).cloned();
        if let Some(local) = known {
            return Ok(local);
        }
        let mut lowering = self.lowering.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let local = Arc::new(Local::new(&mut lowering, self.symbolic.as_ref(), locations)?);
        let mut table = self.local.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(Arc::clone(table.entry(locations.into()).or_insert(local)))
    }

    /// Lowers a condition of the model, as for a formula.
    ///
    /// # Errors
    /// If it cannot be lowered.
    pub fn with_lowering<T>(
        &self,
        lower: impl FnOnce(&mut Lowering<'m>) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        lower(&mut self.lowering.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
