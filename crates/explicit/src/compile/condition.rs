//! Conditions as tests with two exits: short circuit without a stack, whatever the nesting.

use surefoot_model::term::CmpOp;
use surefoot_model::{EvalError, ScalarType, Term, TermId};
use surefoot_num::Rational;

use super::Terms;
use super::value::{Value, sum};
use crate::number::number;

const TRUE: u32 = u32::MAX;
const FALSE: u32 = u32::MAX - 1;

/// Integer comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Eq,
    Ne,
    Le,
    Ge,
    Lt,
}

impl Comparison {
    #[inline]
    pub(super) fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Le => a <= b,
            Self::Ge => a >= b,
            Self::Lt => a < b,
        }
    }

    fn of(op: CmpOp) -> Self {
        match op {
            CmpOp::Eq => Self::Eq,
            CmpOp::Ne => Self::Ne,
            CmpOp::Lt => Self::Lt,
            CmpOp::Le => Self::Le,
        }
    }
}

#[derive(Debug, Clone)]
enum Atom {
    Constant(bool),
    Slot(u32),
    SlotConstant(Comparison, u32, i64),
    SlotSlot(Comparison, u32, u32),
    /// `sum ~ 0`.
    Linear(Comparison, Box<[(u32, i64)]>, i64),
    Values(Comparison, Box<(Value, Value)>),
    Exact,
}

#[derive(Debug, Clone)]
struct Test {
    atom: Atom,
    /// The atom's term, for exact evaluation.
    term: TermId,
    on_true: u32,
    on_false: u32,
}

/// A compiled condition.
#[derive(Debug, Clone)]
pub struct Condition {
    tests: Box<[Test]>,
}

impl Condition {
    /// Compiles a term of type bool.
    pub(super) fn compile(terms: &mut Terms<'_>, term: TermId, depth: usize) -> Self {
        let root = terms.inline(term);
        let mut tests: Vec<Test> = Vec::new();
        // Labels are numbered apart from tests and resolved at the end; TRUE and FALSE stand for themselves.
        let mut labels: Vec<u32> = vec![0];
        let mut work = vec![(root, 0u32, TRUE, FALSE)];
        while let Some((term, label, on_true, on_false)) = work.pop() {
            labels[label as usize] = number(tests.len());
            let mut fresh = || {
                labels.push(0);
                number(labels.len() - 1)
            };
            match *terms.get(term) {
                Term::Not(a) => work.push((a, label, on_false, on_true)),
                Term::And(a, b) => {
                    let next = fresh();
                    work.push((b, next, on_true, on_false));
                    work.push((a, label, next, on_false));
                }
                Term::Or(a, b) => {
                    let next = fresh();
                    work.push((b, next, on_true, on_false));
                    work.push((a, label, on_true, next));
                }
                Term::Ite(condition, then, otherwise) => {
                    let (yes, no) = (fresh(), fresh());
                    work.push((otherwise, no, on_true, on_false));
                    work.push((then, yes, on_true, on_false));
                    work.push((condition, label, yes, no));
                }
                _ => {
                    let atom = atom(terms, term, depth);
                    tests.push(Test { atom, term, on_true, on_false });
                }
            }
        }
        let resolve = |label: u32| if label >= FALSE { label } else { labels[label as usize] };
        for test in &mut tests {
            test.on_true = resolve(test.on_true);
            test.on_false = resolve(test.on_false);
        }
        Self { tests: tests.into() }
    }

    /// Whether it holds in a state.
    ///
    /// # Errors
    /// Where the condition has no value.
    #[inline]
    pub fn eval(&self, terms: &Terms<'_>, values: &[i64]) -> Result<bool, EvalError> {
        let mut next = 0u32;
        loop {
            let test = &self.tests[next as usize];
            let fast = match &test.atom {
                Atom::Constant(value) => Some(*value),
                Atom::Slot(slot) => Some(values[*slot as usize] != 0),
                Atom::SlotConstant(op, slot, constant) => Some(op.holds(values[*slot as usize], *constant)),
                Atom::SlotSlot(op, a, b) => Some(op.holds(values[*a as usize], values[*b as usize])),
                Atom::Linear(op, coefficients, constant) => {
                    sum(coefficients, *constant, values).map(|total| op.holds(total, 0))
                }
                Atom::Values(op, pair) => match (pair.0.eval(terms, values)?, pair.1.eval(terms, values)?) {
                    (Some(a), Some(b)) => Some(op.holds(a, b)),
                    _ => None,
                },
                Atom::Exact => None,
            };
            let holds = match fast {
                Some(holds) => holds,
                None => !terms.eval_exactly(test.term, values)?.is_zero(),
            };
            next = if holds { test.on_true } else { test.on_false };
            if next >= FALSE {
                return Ok(next == TRUE);
            }
        }
    }
}

fn atom(terms: &mut Terms<'_>, term: TermId, depth: usize) -> Atom {
    match *terms.get(term) {
        Term::Bool(value) => Atom::Constant(value),
        Term::Slot(slot) => Atom::Slot(slot.0),
        Term::Cmp(op, a, b) => linear_atom(terms, op, a, b).unwrap_or_else(|| {
            if terms.pool.ty(a) == ScalarType::Real || terms.pool.ty(b) == ScalarType::Real {
                return Atom::Exact;
            }
            let pair = (Value::compile(terms, a, depth + 1), Value::compile(terms, b, depth + 1));
            Atom::Values(Comparison::of(op), Box::new(pair))
        }),
        _ => {
            let one = terms.pool.bool(true);
            if depth > super::value::MAX_NESTING {
                return Atom::Exact;
            }
            let pair = (Value::compile(terms, term, depth + 1), Value::compile(terms, one, depth + 1));
            Atom::Values(Comparison::Eq, Box::new(pair))
        }
    }
}

/// `a ~ b` as a comparison of one slot with a constant, when it is one.
pub(super) fn slot_comparison(terms: &Terms<'_>, op: CmpOp, a: TermId, b: TermId) -> Option<(u32, Comparison, i64)> {
    match linear_atom(terms, op, a, b)? {
        Atom::SlotConstant(op, slot, constant) => Some((slot, op, constant)),
        _ => None,
    }
}

/// `a ~ b` as a comparison of integers, when both sides are linear: denominators are multiplied out, and a single
/// variable is compared with the right integer directly.
fn linear_atom(terms: &Terms<'_>, op: CmpOp, a: TermId, b: TermId) -> Option<Atom> {
    // The form `difference ~ 0`.
    let difference = &terms.pool.linear(a)? - &terms.pool.linear(b)?;
    match difference.terms() {
        [] => {
            let zero = Rational::ZERO;
            Some(Atom::Constant(surefoot_model::interpret::arithmetic::compare(op, difference.constant(), &zero)))
        }
        [(slot, coefficient)] => {
            // a x + c ~ 0: compare x with -c / a.
            let bound = (-difference.constant()).checked_div(coefficient)?;
            let positive = coefficient.signum() > 0;
            let (op, bound) = match (op, positive) {
                (CmpOp::Eq, _) if !bound.is_integer() => return Some(Atom::Constant(false)),
                (CmpOp::Ne, _) if !bound.is_integer() => return Some(Atom::Constant(true)),
                (CmpOp::Eq, _) => (Comparison::Eq, bound),
                (CmpOp::Ne, _) => (Comparison::Ne, bound),
                (CmpOp::Le, true) => (Comparison::Le, bound.floor()),
                (CmpOp::Le, false) => (Comparison::Ge, bound.ceil()),
                (CmpOp::Lt, true) => (Comparison::Le, &bound.ceil() - &Rational::ONE),
                (CmpOp::Lt, false) => (Comparison::Ge, &bound.floor() + &Rational::ONE),
            };
            Some(Atom::SlotConstant(op, slot.0, bound.to_i64()?))
        }
        [(first, x), (second, y)]
            if difference.constant().is_zero() && (x + y).is_zero() && x.abs() == Rational::ONE =>
        {
            let (left, right) = if x.signum() > 0 { (first.0, second.0) } else { (second.0, first.0) };
            Some(Atom::SlotSlot(Comparison::of(op), left, right))
        }
        _ => {
            let (numerators, _) = difference.over_integers();
            let coefficients: Option<Box<[(u32, i64)]>> =
                numerators.terms().iter().map(|(slot, a)| Some((slot.0, a.to_i64()?))).collect();
            Some(Atom::Linear(Comparison::of(op), coefficients?, numerators.constant().to_i64()?))
        }
    }
}
