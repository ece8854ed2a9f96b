//! Integer expressions: constants, slots, linear forms, or short stack programs with overflow checks.

use surefoot_model::term::{ArithOp, RoundOp};
use surefoot_model::{EvalError, ScalarType, Term, TermId};
use surefoot_num::Rational;

use super::Terms;
use super::condition::Condition;
use crate::number::number;

/// Programs that need a deeper stack are evaluated exactly instead.
const STACK: usize = 16;
/// Conditions inside values inside conditions, at most this deep.
pub(super) const MAX_NESTING: usize = 16;

/// A compiled integer (or boolean, as 0/1) expression.
#[derive(Debug, Clone)]
pub struct Value {
    kind: Kind,
    /// The term it stands for, for exact evaluation.
    term: TermId,
}

#[derive(Debug, Clone)]
enum Kind {
    Constant(i64),
    Slot(u32),
    /// `slot + constant`.
    Offset(u32, i64),
    Linear(Box<[(u32, i64)]>, i64),
    Program(Box<[Op]>),
    Exact,
}

#[derive(Debug, Clone)]
enum Op {
    Constant(i64),
    Slot(u32),
    Add,
    Sub,
    Mul,
    Mod,
    Min,
    Max,
    Abs,
    Sgn,
    FloorDiv,
    CeilDiv,
    /// Push 0 or 1.
    Condition(Box<Condition>),
    /// Go on at the target if the condition does not hold.
    JumpUnless(Box<Condition>, u32),
    Jump(u32),
    /// Replace an index by the value of one of these slots.
    SelectSlot(Box<[u32]>),
    /// Replace an index by one of these constants.
    SelectConstant(Box<[i64]>),
}

impl Value {
    /// Compiles a term of type bool or int.
    pub(super) fn compile(terms: &mut Terms<'_>, term: TermId, depth: usize) -> Self {
        let term = terms.inline(term);
        let kind = simple(terms, term).or_else(|| linear(terms, term)).unwrap_or_else(|| {
            if depth > MAX_NESTING || terms.pool.tree_size(term) > 10_000 {
                return Kind::Exact;
            }
            let mut program = Program { ops: Vec::new(), height: 0 };
            match program.push(terms, term, depth) {
                Some(()) => Kind::Program(program.ops.into()),
                None => Kind::Exact,
            }
        });
        Self { kind, term }
    }

    /// The value in a state; `Ok(None)` when it is no machine integer.
    ///
    /// # Errors
    /// Where the term has no value.
    #[inline]
    pub fn eval(&self, terms: &Terms<'_>, values: &[i64]) -> Result<Option<i64>, EvalError> {
        let fast = match &self.kind {
            Kind::Constant(value) => Some(*value),
            Kind::Slot(slot) => Some(values[*slot as usize]),
            Kind::Offset(slot, constant) => values[*slot as usize].checked_add(*constant),
            Kind::Linear(coefficients, constant) => sum(coefficients, *constant, values),
            Kind::Program(ops) => run(ops, terms, values),
            Kind::Exact => None,
        };
        match fast {
            Some(value) => Ok(Some(value)),
            None => Ok(terms.eval_exactly(self.term, values)?.to_i64()),
        }
    }

    /// The value in a state, or `None` when the fast path cannot tell.
    #[inline]
    pub(super) fn eval_fast(&self, terms: &Terms<'_>, values: &[i64]) -> Option<i64> {
        match &self.kind {
            Kind::Constant(value) => Some(*value),
            Kind::Slot(slot) => Some(values[*slot as usize]),
            Kind::Offset(slot, constant) => values[*slot as usize].checked_add(*constant),
            _ => self.eval(terms, values).ok().flatten(),
        }
    }
}

/// `sum of coefficient * slot + constant`, unless it overflows.
#[inline]
pub(super) fn sum(coefficients: &[(u32, i64)], constant: i64, values: &[i64]) -> Option<i64> {
    let mut total = constant;
    for (slot, coefficient) in coefficients {
        total = total.checked_add(coefficient.checked_mul(values[*slot as usize])?)?;
    }
    Some(total)
}

fn simple(terms: &Terms<'_>, term: TermId) -> Option<Kind> {
    match terms.get(term) {
        Term::Bool(value) => Some(Kind::Constant(i64::from(*value))),
        Term::Num(value) => value.to_i64().map(Kind::Constant),
        Term::Slot(slot) => Some(Kind::Slot(slot.0)),
        _ => None,
    }
}

fn linear(terms: &Terms<'_>, term: TermId) -> Option<Kind> {
    let form = terms.pool.linear(term)?;
    let coefficients: Option<Vec<(u32, i64)>> =
        form.terms().iter().map(|(slot, a)| Some((slot.0, a.to_i64()?))).collect();
    let (coefficients, constant) = (coefficients?, form.constant().to_i64()?);
    match coefficients[..] {
        [(slot, 1)] => Some(Kind::Offset(slot, constant)),
        _ => Some(Kind::Linear(coefficients.into(), constant)),
    }
}

struct Program {
    ops: Vec<Op>,
    height: usize,
}

impl Program {
    fn op(&mut self, op: Op, pops: usize) -> Option<()> {
        self.height = self.height - pops + 1;
        self.ops.push(op);
        if self.height > STACK { None } else { Some(()) }
    }

    /// Code that pushes the value of a term; `None` when it does not fit.
    fn push(&mut self, terms: &mut Terms<'_>, term: TermId, depth: usize) -> Option<()> {
        if depth > MAX_NESTING {
            return None;
        }
        if terms.pool.ty(term) == ScalarType::Bool && !matches!(terms.get(term), Term::Bool(_) | Term::Slot(_)) {
            let condition = Condition::compile(terms, term, depth + 1);
            return self.op(Op::Condition(Box::new(condition)), 0);
        }
        let is_int = |terms: &Terms<'_>, t: TermId| terms.pool.ty(t) != ScalarType::Real;
        match terms.get(term).clone() {
            Term::Bool(value) => self.op(Op::Constant(i64::from(value)), 0),
            Term::Num(value) => self.op(Op::Constant(value.to_i64()?), 0),
            Term::Slot(slot) => self.op(Op::Slot(slot.0), 0),
            Term::Arith(op, a, b) if is_int(terms, a) && is_int(terms, b) => {
                let op = match op {
                    ArithOp::Add => Op::Add,
                    ArithOp::Sub => Op::Sub,
                    ArithOp::Mul => Op::Mul,
                    ArithOp::Mod => Op::Mod,
                    ArithOp::Min => Op::Min,
                    ArithOp::Max => Op::Max,
                    ArithOp::Div | ArithOp::Pow | ArithOp::Log => return None,
                };
                self.push(terms, a, depth + 1)?;
                self.push(terms, b, depth + 1)?;
                self.op(op, 2)
            }
            Term::Round(op @ (RoundOp::Floor | RoundOp::Ceil), a) => match *terms.get(a) {
                Term::Arith(ArithOp::Div, a, b) if is_int(terms, a) && is_int(terms, b) => {
                    self.push(terms, a, depth + 1)?;
                    self.push(terms, b, depth + 1)?;
                    self.op(if op == RoundOp::Floor { Op::FloorDiv } else { Op::CeilDiv }, 2)
                }
                _ => None,
            },
            Term::Round(op, a) if is_int(terms, a) => {
                self.push(terms, a, depth + 1)?;
                self.op(if op == RoundOp::Abs { Op::Abs } else { Op::Sgn }, 1)
            }
            Term::Ite(condition, then, otherwise) if is_int(terms, then) && is_int(terms, otherwise) => {
                let condition = Condition::compile(terms, condition, depth + 1);
                let unless = self.ops.len();
                self.ops.push(Op::Jump(0));
                self.push(terms, then, depth + 1)?;
                self.height -= 1;
                let jump = self.ops.len();
                self.ops.push(Op::Jump(0));
                self.ops[unless] = Op::JumpUnless(Box::new(condition), number(self.ops.len()));
                self.push(terms, otherwise, depth + 1)?;
                self.ops[jump] = Op::Jump(number(self.ops.len()));
                Some(())
            }
            Term::Select(items, index) if is_int(terms, index) => {
                let slots: Option<Box<[u32]>> =
                    items.iter().map(|i| if let Term::Slot(s) = terms.get(*i) { Some(s.0) } else { None }).collect();
                let op = if let Some(slots) = slots {
                    Op::SelectSlot(slots)
                } else {
                    let constants: Option<Box<[i64]>> =
                        items.iter().map(|i| terms.pool.constant(*i).as_ref().and_then(Rational::to_i64)).collect();
                    Op::SelectConstant(constants?)
                };
                self.push(terms, index, depth + 1)?;
                self.op(op, 1)
            }
            _ => None,
        }
    }
}

/// Runs a program; `None` on overflow, division by zero, or an index out of range.
fn run(ops: &[Op], terms: &Terms<'_>, values: &[i64]) -> Option<i64> {
    let mut stack = [0i64; STACK];
    let mut top = 0;
    let mut next = 0;
    while let Some(op) = ops.get(next) {
        next += 1;
        let pushed = match op {
            Op::Constant(value) => *value,
            Op::Slot(slot) => values[*slot as usize],
            Op::Condition(condition) => i64::from(condition.eval(terms, values).ok()?),
            Op::JumpUnless(condition, target) => {
                if !condition.eval(terms, values).ok()? {
                    next = *target as usize;
                }
                continue;
            }
            Op::Jump(target) => {
                next = *target as usize;
                continue;
            }
            Op::Abs | Op::Sgn | Op::SelectSlot(_) | Op::SelectConstant(_) => {
                top -= 1;
                let a = stack[top];
                match op {
                    Op::Abs => a.checked_abs()?,
                    Op::Sgn => a.signum(),
                    Op::SelectSlot(slots) => values[*slots.get(usize::try_from(a).ok()?)? as usize],
                    Op::SelectConstant(constants) => *constants.get(usize::try_from(a).ok()?)?,
                    _ => unreachable!("listed above"),
                }
            }
            _ => {
                top -= 2;
                let (a, b) = (stack[top], stack[top + 1]);
                match op {
                    Op::Add => a.checked_add(b)?,
                    Op::Sub => a.checked_sub(b)?,
                    Op::Mul => a.checked_mul(b)?,
                    Op::Mod => a.checked_rem_euclid(b)?,
                    Op::Min => a.min(b),
                    Op::Max => a.max(b),
                    Op::FloorDiv => floor_div(a, b)?,
                    Op::CeilDiv => floor_div(a.checked_neg()?, b)?.checked_neg()?,
                    _ => unreachable!("all operators with two operands are listed"),
                }
            }
        };
        stack[top] = pushed;
        top += 1;
    }
    Some(stack[0])
}

fn floor_div(a: i64, b: i64) -> Option<i64> {
    let (quotient, remainder) = (a.checked_div(b)?, a.checked_rem(b)?);
    Some(if remainder != 0 && (remainder < 0) != (b < 0) { quotient - 1 } else { quotient })
}

#[cfg(test)]
mod tests {
    use super::floor_div;

    #[test]
    fn division_rounds_down() {
        for (a, b, expected) in [(7, 2, 3), (-7, 2, -4), (7, -2, -4), (-7, -2, 3), (6, 3, 2), (-6, 3, -2), (0, 5, 0)] {
            assert_eq!(floor_div(a, b), Some(expected), "{a} / {b}");
        }
        assert_eq!(floor_div(1, 0), None);
        assert_eq!(floor_div(i64::MIN, -1), None);
    }
}
