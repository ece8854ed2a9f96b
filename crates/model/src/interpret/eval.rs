//! Evaluation of terms: a tree walk with an explicit stack, left to right, lazy where the language is.

use surefoot_network::Undecided;
use surefoot_num::Rational;
use surefoot_text::source::Span;

use super::arithmetic::{self, ArithmeticError};
use crate::model::{SlotId, Transient, TransientId};
use crate::term::{Term, TermId, TermPool};

/// Where a term's leaves get their values.
pub trait Environment {
    /// The value of a state slot.
    fn slot(&self, slot: SlotId) -> Rational;
    /// The value of a transient variable, or the term that defines it.
    fn transient(&self, transient: TransientId) -> Result<TransientValue, EvalError>;
    /// The declaration of a transient variable.
    fn declaration(&self, transient: TransientId) -> &Transient;
}

/// What a transient variable stands for.
pub enum TransientValue {
    /// A value.
    Value(Rational),
    /// The value of a term in the same environment.
    Defined(TermId),
}

/// Why a term has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalError {
    /// What went wrong.
    pub kind: EvalErrorKind,
    /// Where the term was written.
    pub span: Option<Span>,
}

/// What went wrong in an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvalErrorKind {
    /// An operation without value.
    #[error("{0}")]
    Arithmetic(#[from] ArithmeticError),
    /// An array index outside the array.
    #[error("array index {index} is out of range 0..{}", length - 1)]
    IndexOutOfRange {
        /// The index.
        index: Rational,
        /// The array's length.
        length: usize,
    },
    /// A policy that defines a transient variable has no network for the state.
    #[error("no network of the policy has a 'when' condition that holds here")]
    NoNetwork,
    /// A policy whose scores cannot be compared.
    #[error("the policy's choice cannot be decided here: {0}")]
    Undecided(Undecided),
    /// A transient variable with a value outside its domain.
    #[error("the transient variable '{variable}' has the value {value}, outside its domain {domain}")]
    TransientOutOfDomain {
        /// The variable.
        variable: String,
        /// The value.
        value: Rational,
        /// Its domain.
        domain: String,
    },
}

enum Task {
    /// Evaluate a term and push its value.
    Eval(TermId),
    /// All operands are on the value stack: combine them.
    Apply(TermId),
    /// The deciding operand is on the value stack: go on with what it selects.
    Branch(TermId),
    /// A transient variable's definition has been evaluated: its value must be in the domain.
    Check(TermId, TransientId),
}

/// Whether a value of a transient variable is in its domain.
///
/// # Errors
/// [`EvalErrorKind::TransientOutOfDomain`] if not.
pub fn check_transient(declaration: &Transient, value: &Rational) -> Result<(), EvalErrorKind> {
    match &declaration.domain {
        Some(domain) if !domain.contains(value) => Err(EvalErrorKind::TransientOutOfDomain {
            variable: declaration.name.to_string(),
            value: value.clone(),
            domain: domain.describe(),
        }),
        _ => Ok(()),
    }
}

/// The value of a term.
///
/// # Errors
/// [`EvalError`] with the place, at the first failing operation in evaluation order.
pub fn eval(pool: &TermPool, root: TermId, environment: &impl Environment) -> Result<Rational, EvalError> {
    let mut tasks = vec![Task::Eval(root)];
    let mut values: Vec<Rational> = Vec::new();
    let fail = |id: TermId, kind: EvalErrorKind| EvalError { kind, span: pool.span(id) };
    while let Some(task) = tasks.pop() {
        match task {
            Task::Check(id, transient) => {
                let value = values.last().expect("the definition left its value");
                check_transient(environment.declaration(transient), value).map_err(|kind| fail(id, kind))?;
            }
            Task::Eval(id) => match pool.get(id) {
                Term::Bool(value) => values.push(Rational::from(*value)),
                Term::Num(value) => values.push(value.clone()),
                Term::Slot(slot) => values.push(environment.slot(*slot)),
                Term::Transient(transient) => match environment.transient(*transient)? {
                    TransientValue::Value(value) => values.push(value),
                    TransientValue::Defined(definition) => {
                        // Definitions are not circular: that was refused when the model was read.
                        tasks.push(Task::Check(id, *transient));
                        tasks.push(Task::Eval(definition));
                    }
                },
                Term::And(a, _) | Term::Or(a, _) | Term::Ite(a, _, _) | Term::Select(_, a) => {
                    tasks.push(Task::Branch(id));
                    tasks.push(Task::Eval(*a));
                }
                Term::Not(a) | Term::Round(_, a) => {
                    tasks.push(Task::Apply(id));
                    tasks.push(Task::Eval(*a));
                }
                Term::Cmp(_, a, b) | Term::Arith(_, a, b) => {
                    tasks.push(Task::Apply(id));
                    tasks.push(Task::Eval(*b));
                    tasks.push(Task::Eval(*a));
                }
            },
            Task::Branch(id) => {
                let decider = values.pop().expect("the deciding operand was evaluated");
                match pool.get(id) {
                    Term::And(_, b) if !decider.is_zero() => tasks.push(Task::Eval(*b)),
                    Term::Or(_, b) if decider.is_zero() => tasks.push(Task::Eval(*b)),
                    Term::And(..) | Term::Or(..) => values.push(decider),
                    Term::Ite(_, then, otherwise) => {
                        tasks.push(Task::Eval(if decider.is_zero() { *otherwise } else { *then }));
                    }
                    Term::Select(items, _) => {
                        let item = decider.to_i64().and_then(|i| usize::try_from(i).ok()).and_then(|i| items.get(i));
                        let item = item.ok_or_else(|| {
                            fail(id, EvalErrorKind::IndexOutOfRange { index: decider.clone(), length: items.len() })
                        })?;
                        tasks.push(Task::Eval(*item));
                    }
                    _ => unreachable!("only lazy terms branch"),
                }
            }
            Task::Apply(id) => {
                let last = values.pop().expect("operands were evaluated");
                let value = match pool.get(id) {
                    Term::Not(_) => Rational::from(last.is_zero()),
                    Term::Round(op, _) => arithmetic::unary(*op, &last),
                    Term::Cmp(op, ..) => {
                        let first = values.pop().expect("operands were evaluated");
                        Rational::from(arithmetic::compare(*op, &first, &last))
                    }
                    Term::Arith(op, ..) => {
                        let first = values.pop().expect("operands were evaluated");
                        arithmetic::binary(*op, &first, &last).map_err(|e| fail(id, e.into()))?
                    }
                    _ => unreachable!("only strict terms are applied"),
                };
                values.push(value);
            }
        }
    }
    Ok(values.pop().expect("the root left its value"))
}
