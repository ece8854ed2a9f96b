//! The reference interpreter: slow, exact, and meant to be read.
//!
//! Every engine is compared with it and every witness is replayed in it. It follows `Semantics` of the book line by line:
//! an operator is enabled where all its edges leave their instance's current location and all guards hold; its outcomes
//! are the product of the destinations with their probabilities multiplied and products of probability zero dropped;
//! assignments of equal index happen at once, those of a larger index see their results; an update
//! that leaves a variable's domain is an error of the model.

pub mod arithmetic;
mod collect;
pub mod eval;
mod step;

use surefoot_num::Rational;
use surefoot_text::source::Span;

pub use collect::Collected;
pub use eval::{EvalError, EvalErrorKind};
pub use step::{Choice, MAX_PRODUCT, Outcome, PROBABILITY_TOLERANCE, normalise};

use crate::model::{LabelId, Model, Operator, SlotId, Transient, TransientId};
use crate::policy::Policy;
use crate::term::TermId;
use eval::{Environment, TransientValue};

/// A concrete state: one value per slot, locations first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(pub Box<[Rational]>);

impl State {
    /// From machine integers.
    #[must_use]
    pub fn from_ints(values: &[i64]) -> Self {
        Self(values.iter().map(|v| Rational::from(*v)).collect())
    }

    /// As machine integers, when all values are.
    #[must_use]
    pub fn to_ints(&self) -> Option<Vec<i64>> {
        self.0.iter().map(Rational::to_i64).collect()
    }

    /// The value of a slot.
    #[must_use]
    pub fn get(&self, slot: SlotId) -> &Rational {
        &self.0[slot.index()]
    }

    /// The state for people: `car=at_home, x=3, door=true`; locations only of instances that have several.
    #[must_use]
    pub fn describe(&self, model: &Model) -> String {
        let parts: Vec<String> = model
            .slots
            .iter()
            .zip(&self.0)
            .enumerate()
            .filter(|(i, _)| *i >= model.instances.len() || model.instances[*i].locations.len() > 1)
            .map(|(i, (slot, value))| format!("{}={}", slot.name, model.describe_value(SlotId::at(i), value)))
            .collect();
        parts.join(", ")
    }
}

impl Model {
    /// A value of a slot for people: location names, `true` and `false`, or the number.
    #[must_use]
    pub fn describe_value(&self, slot: SlotId, value: &Rational) -> String {
        if let Some(instance) = self.instances.get(slot.index()) {
            let location = value.to_i64().and_then(|v| usize::try_from(v).ok()).and_then(|v| instance.locations.get(v));
            return location.map_or_else(|| value.to_string(), |l| l.name.to_string());
        }
        match self.slots[slot.index()].domain {
            crate::Domain::Bool => (!value.is_zero()).to_string(),
            _ => value.to_string(),
        }
    }
}

/// An error of the model met while running it: always with the state, and the operator where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    /// What went wrong.
    pub kind: ModelErrorKind,
    /// In which state.
    pub state: State,
    /// In which operator.
    pub operator: Option<Operator>,
    /// Where in the model's text.
    pub span: Option<Span>,
}

/// What is wrong with the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelErrorKind {
    /// A term without value.
    #[error("{0}")]
    Evaluation(EvalErrorKind),
    /// An update that leaves the domain.
    #[error("variable '{variable}' would get the value {value}, outside its domain {domain}")]
    OutOfDomain {
        /// The variable.
        variable: String,
        /// The value.
        value: Rational,
        /// Its domain.
        domain: String,
    },
    /// Two automata assign different values to one variable at once.
    #[error("variable '{0}' is assigned two different values at once")]
    ConflictingAssignment(String),
    /// An interval without a value of the domain.
    #[error("no value of '{variable}' lies in the assigned interval {lower}..{upper}")]
    EmptyInterval {
        /// The variable.
        variable: String,
        /// Lower end.
        lower: Rational,
        /// Upper end.
        upper: Rational,
    },
    /// A non-deterministic assignment to a real variable: infinitely many successors.
    #[error("the non-deterministic assignment to the real variable '{0}' has infinitely many outcomes")]
    InfiniteInterval(String),
    /// More values in an interval than anybody can want.
    #[error("the non-deterministic assignment to '{0}' has more than {limit} outcomes", limit = step::MAX_INTERVAL)]
    HugeInterval(String),
    /// More operators than can be listed.
    #[error("more than {limit} operators of one vector are enabled at once", limit = step::MAX_PRODUCT)]
    TooManyOperators,
    /// More outcomes than can be listed.
    #[error("one operator has more than {limit} outcomes", limit = step::MAX_PRODUCT)]
    TooManyOutcomes,
    /// Probabilities that do not sum to one, or are negative.
    #[error("the probabilities of an edge of '{automaton}' sum to {sum}, not to 1")]
    ProbabilitySum {
        /// The instance.
        automaton: String,
        /// The sum.
        sum: Rational,
    },
    /// A negative probability.
    #[error("an edge of '{automaton}' has the negative probability {value}")]
    NegativeProbability {
        /// The instance.
        automaton: String,
        /// The value.
        value: Rational,
    },
}

impl ModelError {
    /// A term without value in a state.
    #[must_use]
    pub fn evaluation(error: EvalError, state: State) -> Self {
        Self { kind: ModelErrorKind::Evaluation(error.kind), state, operator: None, span: error.span }
    }

    /// The message with state and operator, without the place.
    #[must_use]
    pub fn describe(&self, model: &Model) -> String {
        let operator = self.operator.as_ref().map_or(String::new(), |o| format!(" by {}", model.describe_operator(o)));
        format!("{}{operator}, in the state {}", self.kind, self.state.describe(model))
    }
}

/// The reference interpreter of a model, with a policy that may define transient variables.
#[derive(Debug, Clone, Copy)]
pub struct Interpreter<'m> {
    model: &'m Model,
    policy: Option<&'m Policy>,
}

/// A state as an environment, with values for transient variables assigned in the current step.
struct Valuation<'a> {
    interpreter: Interpreter<'a>,
    state: &'a State,
    transients: &'a [(TransientId, Rational)],
    /// Whether this is a transition: then what is not assigned has its initial value, whatever the locations say.
    moving: bool,
}

impl Environment for Valuation<'_> {
    fn slot(&self, slot: SlotId) -> Rational {
        self.state.get(slot).clone()
    }

    fn transient(&self, transient: TransientId) -> Result<TransientValue, EvalError> {
        if let Some((_, value)) = self.transients.iter().rev().find(|(id, _)| *id == transient) {
            return Ok(TransientValue::Value(value.clone()));
        }
        if self.moving {
            let declared = &self.interpreter.model.transients[transient.0 as usize];
            return Ok(TransientValue::Defined(declared.initial));
        }
        if let Some(policy) = self.interpreter.policy
            && let Some(output) = policy.output_of_transient(transient)
        {
            let values = policy.outputs_at(&self.interpreter.without_policy(), self.state)?;
            return Ok(TransientValue::Value(values[output].clone()));
        }
        Ok(TransientValue::Defined(self.interpreter.model.transients[transient.0 as usize].definition))
    }

    fn declaration(&self, transient: TransientId) -> &Transient {
        &self.interpreter.model.transients[transient.0 as usize]
    }
}

impl<'m> Interpreter<'m> {
    /// An interpreter of the model alone.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        Self { model, policy: None }
    }

    /// An interpreter in which the policy's regression outputs define transient variables.
    #[must_use]
    pub fn with_policy(model: &'m Model, policy: &'m Policy) -> Self {
        Self { model, policy: Some(policy) }
    }

    fn without_policy(self) -> Self {
        Self { policy: None, ..self }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The value of a term in a state.
    ///
    /// # Errors
    /// Where the term has no value.
    pub fn eval(&self, term: TermId, state: &State) -> Result<Rational, EvalError> {
        self.eval_with(term, state, &[])
    }

    fn eval_with(
        &self,
        term: TermId,
        state: &State,
        transients: &[(TransientId, Rational)],
    ) -> Result<Rational, EvalError> {
        eval::eval(&self.model.terms, term, &Valuation { interpreter: *self, state, transients, moving: false })
    }

    /// The truth value of a term in a state.
    ///
    /// # Errors
    /// Where the term has no value.
    pub fn holds(&self, term: TermId, state: &State) -> Result<bool, EvalError> {
        Ok(!self.eval(term, state)?.is_zero())
    }

    /// The labels that have an enabled operator in a state, ascending.
    ///
    /// # Errors
    /// Where a guard has no value.
    pub fn applicable_labels(&self, state: &State) -> Result<Vec<LabelId>, ModelError> {
        let mut labels: Vec<LabelId> =
            self.enabled_operators(state)?.iter().filter_map(|o| self.model.vectors[o.vector as usize].label).collect();
        labels.sort_unstable();
        labels.dedup();
        Ok(labels)
    }
}
