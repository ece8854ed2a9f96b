//! Truth values in arithmetic: in inputs of a policy file they count as 0 and 1, which JANI's own arithmetic does not have.
//!
//! `(x = 3) * 2` is read as `ite(x = 3, 1, 0) * 2`: an expression that is a truth value and stands where a number must stand
//! gets that form. Whatever else JANI refuses stays refused.

use std::collections::BTreeSet;

use surefoot_jani::syntax::{BinaryOp, Expr, ExprId, UnaryOp};
use surefoot_num::Rational;

use super::Reading;
use crate::term::ScalarType;

/// Whether both operands are numbers.
fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Div, Ge, Gt, Le, Log, Lt, Max, Min, Mod, Mul, Pow, Sub};
    matches!(op, Add | Sub | Mul | Div | Mod | Pow | Log | Min | Max | Lt | Le | Gt | Ge)
}

/// Whether the result is a truth value.
fn is_condition(op: BinaryOp) -> bool {
    use BinaryOp::{And, Eq, Ge, Gt, Implies, Le, Lt, Ne, Or};
    matches!(op, Or | And | Implies | Eq | Ne | Lt | Le | Gt | Ge)
}

/// The same node over other operands; none for what stands in properties only, or binds names.
fn with_operands(node: &Expr, mut of: impl FnMut(ExprId) -> ExprId) -> Option<Expr> {
    Some(match node {
        Expr::Bool(_) | Expr::Number(_) | Expr::MathConstant(_) | Expr::Identifier(_) => node.clone(),
        Expr::Unary(op, a) => Expr::Unary(*op, of(*a)),
        Expr::Binary(op, a, b) => Expr::Binary(*op, of(*a), of(*b)),
        Expr::IfThenElse(c, a, b) => Expr::IfThenElse(of(*c), of(*a), of(*b)),
        Expr::ArrayAccess(a, index) => Expr::ArrayAccess(of(*a), of(*index)),
        Expr::ArrayValue(items) => Expr::ArrayValue(items.iter().map(|item| of(*item)).collect()),
        Expr::Call(name, items) => Expr::Call(name.clone(), items.iter().map(|item| of(*item)).collect()),
        _ => return None,
    })
}

impl Reading<'_> {
    /// The expression with its truth values as numbers where numbers must stand; none if there are no such places.
    pub(super) fn truth_values_as_numbers(&mut self, root: ExprId) -> Option<ExprId> {
        let ids: Vec<ExprId> = self.lowered.pool_mut().subtree(root).collect();
        let first = ids.first()?.0;
        let at = |id: ExprId| (id.0 - first) as usize;
        let mut truth = vec![false; ids.len()];
        let mut counted: BTreeSet<ExprId> = BTreeSet::new();
        // Operands come before what they are operands of.
        for &id in &ids {
            let node = self.lowered.pool_mut().get(id).clone();
            truth[at(id)] = match node {
                Expr::Bool(_) | Expr::Unary(UnaryOp::Not, _) => true,
                Expr::Binary(op, ..) => is_condition(op),
                Expr::IfThenElse(_, a, b) => truth[at(a)] && truth[at(b)],
                Expr::Identifier(_) => {
                    let term = self.lowered.lower_scalar(id).ok();
                    term.is_some_and(|term| self.lowered.model.terms.ty(term) == ScalarType::Bool)
                }
                _ => false,
            };
            let numbers = match node {
                Expr::Unary(UnaryOp::Not, _) => vec![],
                Expr::Unary(_, a) => vec![a],
                Expr::Binary(op, a, b) if is_arithmetic(op) => vec![a, b],
                Expr::IfThenElse(_, a, b) if truth[at(a)] != truth[at(b)] => vec![a, b],
                _ => vec![],
            };
            counted.extend(numbers.into_iter().filter(|id| truth[at(*id)]));
        }
        if counted.is_empty() {
            return None;
        }
        let mut made: Vec<ExprId> = Vec::with_capacity(ids.len());
        for &id in &ids {
            let pool = self.lowered.pool_mut();
            let (node, span) = (pool.get(id).clone(), pool.span(id));
            let mut new = pool.push(with_operands(&node, |operand| made[at(operand)])?, span);
            if counted.contains(&id) {
                let one = pool.push(Expr::Number(Rational::ONE), span);
                let zero = pool.push(Expr::Number(Rational::ZERO), span);
                new = pool.push(Expr::IfThenElse(new, one, zero), span);
            }
            made.push(new);
        }
        made.pop()
    }
}
