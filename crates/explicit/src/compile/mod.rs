//! A model as small programs over machine integers.
//!
//! Conditions become jump tables of tests, values become constants, slots, linear forms or short stack programs. What does
//! not fit (reals, huge numbers, deep nesting) stays a term and is evaluated exactly; what goes wrong on the fast path
//! (overflow, an index out of range, a value outside its domain) is done again by the reference interpreter, which then
//! gives the answer or the error. So the fast path never has to explain anything.

mod condition;
mod dispatch;
mod enabled;
mod generator;
mod outcome;
mod policy;
mod probability;
mod step;
mod update;
mod value;

use rustc_hash::FxHashMap;
use surefoot_model::interpret::eval::{self, Environment, TransientValue};
use surefoot_model::model::Transient;
use surefoot_model::policy::Policy;
use surefoot_model::{EvalError, Interpreter, Model, SlotId, State, Term, TermId, TermPool, TransientId};
use surefoot_num::Rational;

pub use condition::Condition;
pub use generator::{ChoiceEnd, Expansion, Generator, Worker, changing_slots};
pub use probability::ProbabilityNumber;
pub use value::Value;

/// The terms of a model with transient variables replaced by their definitions, and the exact evaluation of what is not
/// compiled.
#[derive(Debug)]
pub struct Terms<'m> {
    model: &'m Model,
    policy: Option<&'m Policy>,
    pool: TermPool,
    definitions: FxHashMap<TermId, TermId>,
}

struct IntEnvironment<'a> {
    terms: &'a Terms<'a>,
    values: &'a [i64],
}

impl Environment for IntEnvironment<'_> {
    fn slot(&self, slot: SlotId) -> Rational {
        Rational::from(self.values[slot.index()])
    }

    fn transient(&self, transient: TransientId) -> Result<TransientValue, EvalError> {
        if let Some(policy) = self.terms.policy
            && let Some(output) = policy.output_of_transient(transient)
        {
            let state = State::from_ints(self.values);
            let outputs = policy.outputs_at(&Interpreter::new(self.terms.model), &state)?;
            return Ok(TransientValue::Value(outputs[output].clone()));
        }
        Ok(TransientValue::Defined(self.terms.model.transients[transient.0 as usize].definition))
    }

    fn declaration(&self, transient: TransientId) -> &Transient {
        &self.terms.model.transients[transient.0 as usize]
    }
}

/// Whether a definition is a choice of constants: those were checked when the model was read.
fn gives_constants(pool: &TermPool, definition: TermId) -> bool {
    let mut current = definition;
    while let Term::Ite(_, value, rest) = *pool.get(current) {
        if pool.constant(value).is_none() {
            return false;
        }
        current = rest;
    }
    pool.constant(current).is_some()
}

impl<'m> Terms<'m> {
    /// Prepares a model's terms for compilation.
    #[must_use]
    pub fn new(model: &'m Model, policy: Option<&'m Policy>) -> Self {
        let mut pool = model.terms.clone();
        let mut definitions = FxHashMap::default();
        for (i, transient) in model.transients.iter().enumerate() {
            let id = TransientId::at(i);
            // What the policy computes is not known before the state is, and a value that may be outside the domain must be
            // checked where it is read.
            let computed = policy.is_some_and(|p| p.output_of_transient(id).is_some());
            if !computed && (transient.domain.is_none() || gives_constants(&pool, transient.definition)) {
                definitions.insert(pool.transient(id, transient.ty), transient.definition);
            }
        }
        Self { model, policy, pool, definitions }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// A term with transient variables replaced by their definitions, as far as they are not circular.
    fn inline(&mut self, term: TermId) -> TermId {
        let mut current = term;
        for _ in 0..=self.definitions.len() {
            let next = self.pool.substitute(current, &self.definitions);
            if next == current {
                break;
            }
            current = next;
        }
        current
    }

    fn get(&self, term: TermId) -> &Term {
        self.pool.get(term)
    }

    /// The exact value of a term (of this pool) in a state of machine integers.
    #[cold]
    fn eval_exactly(&self, term: TermId, values: &[i64]) -> Result<Rational, EvalError> {
        eval::eval(&self.pool, term, &IntEnvironment { terms: self, values })
    }
}
