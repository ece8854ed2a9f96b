//! Terms as JANI expressions.

use std::sync::Arc;

use surefoot_jani::syntax::{BinaryOp, Expr, ExprId, UnaryOp};
use surefoot_model::term::{ArithOp, CmpOp, RoundOp};
use surefoot_model::{SlotId, Term, TermId};
use surefoot_num::Rational;

use super::Writer;

impl Writer<'_> {
    pub(super) fn slot(&mut self, slot: SlotId) -> ExprId {
        let text: Arc<str> = self.names.slot(slot.index()).into();
        self.push(Expr::Identifier(text))
    }

    /// A term as an expression. Operands first, by a stack: terms may be deep.
    pub(super) fn expression(&mut self, root: TermId) -> ExprId {
        let mut work = vec![(root, false)];
        let mut done: Vec<ExprId> = Vec::new();
        while let Some((id, ready)) = work.pop() {
            if !ready {
                work.push((id, true));
                let mut operands = Vec::new();
                self.model().terms.for_each_operand(id, |operand| operands.push(operand));
                if let Term::Select(items, index) = self.term_of(id) {
                    // The index is compared with each position but the last.
                    operands = items.iter().copied().collect();
                    operands.extend(std::iter::repeat_n(*index, items.len() - 1));
                }
                work.extend(operands.into_iter().rev().map(|operand| (operand, false)));
                continue;
            }
            let expression = self.node(id, &mut done);
            done.push(expression);
        }
        done.pop().unwrap_or(ExprId(0))
    }

    /// One term, its operands taken from what is done.
    fn node(&mut self, id: TermId, done: &mut Vec<ExprId>) -> ExprId {
        let mut operands = |count: usize| done.split_off(done.len() - count);
        let expression = match self.term_of(id).clone() {
            Term::Bool(value) => Expr::Bool(value),
            Term::Num(value) => Expr::Number(value),
            Term::Slot(slot) => return self.slot(slot),
            // There are none in a plain model.
            Term::Transient(_) => Expr::Bool(false),
            Term::Not(_) => Expr::Unary(UnaryOp::Not, operands(1)[0]),
            Term::And(..) => pair(BinaryOp::And, &operands(2)),
            Term::Or(..) => pair(BinaryOp::Or, &operands(2)),
            Term::Cmp(op, ..) => pair(comparison(op), &operands(2)),
            Term::Arith(op, ..) => pair(arithmetic(op), &operands(2)),
            Term::Round(op, _) => Expr::Unary(rounding(op), operands(1)[0]),
            Term::Ite(..) => {
                let parts = operands(3);
                Expr::IfThenElse(parts[0], parts[1], parts[2])
            }
            Term::Select(items, _) => {
                let indices = operands(items.len() - 1);
                let items = operands(items.len());
                let mut chosen = items[items.len() - 1];
                for (position, index) in indices.into_iter().enumerate().rev() {
                    let number = self.number(&Rational::from(i64::try_from(position).unwrap_or(i64::MAX)));
                    let here = self.binary(BinaryOp::Eq, index, number);
                    chosen = self.push(Expr::IfThenElse(here, items[position], chosen));
                }
                return chosen;
            }
        };
        self.push(expression)
    }
}

fn pair(op: BinaryOp, operands: &[ExprId]) -> Expr {
    Expr::Binary(op, operands[0], operands[1])
}

fn comparison(op: CmpOp) -> BinaryOp {
    match op {
        CmpOp::Eq => BinaryOp::Eq,
        CmpOp::Ne => BinaryOp::Ne,
        CmpOp::Lt => BinaryOp::Lt,
        CmpOp::Le => BinaryOp::Le,
    }
}

fn arithmetic(op: ArithOp) -> BinaryOp {
    match op {
        ArithOp::Add => BinaryOp::Add,
        ArithOp::Sub => BinaryOp::Sub,
        ArithOp::Mul => BinaryOp::Mul,
        ArithOp::Div => BinaryOp::Div,
        ArithOp::Mod => BinaryOp::Mod,
        ArithOp::Pow => BinaryOp::Pow,
        ArithOp::Log => BinaryOp::Log,
        ArithOp::Min => BinaryOp::Min,
        ArithOp::Max => BinaryOp::Max,
    }
}

fn rounding(op: RoundOp) -> UnaryOp {
    match op {
        RoundOp::Floor => UnaryOp::Floor,
        RoundOp::Ceil => UnaryOp::Ceil,
        RoundOp::Trc => UnaryOp::Trc,
        RoundOp::Abs => UnaryOp::Abs,
        RoundOp::Sgn => UnaryOp::Sgn,
    }
}
