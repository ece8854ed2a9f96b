//! What a step adds up: the value of a term when a transition is taken.
//!
//! JANI's rewards at `steps` are evaluated after all assignments of the transition: variables have the values of the state
//! it leads to, transient variables those that it assigns, or else their initial ones, whatever the locations say.

use surefoot_num::Rational;

use super::step::Fork;
use super::{EvalError, Interpreter, ModelError, ModelErrorKind, State, Valuation, eval};
use crate::model::{Operator, TransientId};
use crate::term::{Term, TermId};

/// What an operator adds up in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collected {
    /// The expected value over its outcomes; `None` where it depends on a value that is assigned non-deterministically.
    pub expected: Option<Rational>,
    /// The smallest value of an outcome.
    pub smallest: Rational,
    /// How many outcomes there are.
    pub outcomes: usize,
    /// How many states the last outcome may lead to.
    pub successors: usize,
}

impl Interpreter<'_> {
    /// What an enabled operator adds up in a state where the value of a term is added at steps.
    ///
    /// # Errors
    /// [`ModelError`] where a probability, an update or the term is in error, or the term reads a transient variable that two
    /// automata assign different values to at once.
    pub fn collected(&self, state: &State, operator: &Operator, term: TermId) -> Result<Collected, ModelError> {
        let reads = |transient: TransientId| {
            let terms = &self.model.terms;
            terms.reachable(term).into_iter().any(|id| *terms.get(id) == Term::Transient(transient))
        };
        let mut sum = Some(Rational::ZERO);
        let mut smallest: Option<Rational> = None;
        let (mut outcomes, mut successors) = (0, 0);
        for (probability, taken) in self.products(state, operator)? {
            let mut of_outcome: Option<Rational> = None;
            let mut states: Vec<State> = Vec::new();
            for fork in self.forks(state, operator, &taken)? {
                if let Some(transient) = fork.conflict.filter(|transient| reads(*transient)) {
                    let name = self.model.transients[transient.0 as usize].name.to_string();
                    let kind = ModelErrorKind::ConflictingAssignment(name);
                    return Err(ModelError {
                        kind,
                        state: state.clone(),
                        operator: Some(operator.clone()),
                        span: None,
                    });
                }
                let value = self.eval_moving(term, &fork).map_err(|e| self.failure(e, state, Some(operator)))?;
                if smallest.as_ref().is_none_or(|smallest| value < *smallest) {
                    smallest = Some(value.clone());
                }
                if of_outcome.as_ref().is_some_and(|other| *other != value) {
                    sum = None;
                }
                of_outcome = Some(value);
                if !states.contains(&fork.state) {
                    states.push(fork.state);
                }
            }
            outcomes += 1;
            successors = states.len();
            sum = sum.zip(of_outcome).map(|(sum, value)| &sum + &(&probability * &value));
        }
        Ok(Collected { expected: sum, smallest: smallest.unwrap_or_default(), outcomes, successors })
    }

    /// The value of a term when a transition has done its assignments.
    fn eval_moving(&self, term: TermId, fork: &Fork) -> Result<Rational, EvalError> {
        let (state, transients) = (&fork.state, &*fork.transients);
        eval::eval(&self.model.terms, term, &Valuation { interpreter: *self, state, transients, moving: true })
    }
}
