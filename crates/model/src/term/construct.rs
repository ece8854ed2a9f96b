//! Constructors of terms: they fold constants, and never fold away an operand that could have raised an error first.

use surefoot_num::Rational;

use super::{ArithOp, CmpOp, RoundOp, ScalarType, Term, TermId, TermPool};
use crate::interpret::arithmetic;
use crate::model::{SlotId, TransientId};

impl TermPool {
    /// A truth value.
    pub fn bool(&mut self, value: bool) -> TermId {
        self.intern(Term::Bool(value), ScalarType::Bool, false)
    }

    /// A number, of type int when it is an integer.
    pub fn num(&mut self, value: Rational) -> TermId {
        let ty = if value.is_integer() { ScalarType::Int } else { ScalarType::Real };
        self.intern(Term::Num(value), ty, false)
    }

    /// A value of a given type.
    pub fn value(&mut self, value: Rational, ty: ScalarType) -> TermId {
        match ty {
            ScalarType::Bool => self.bool(!value.is_zero()),
            _ => self.num(value),
        }
    }

    /// A state slot.
    pub fn slot(&mut self, slot: SlotId, ty: ScalarType) -> TermId {
        self.intern(Term::Slot(slot), ty, false)
    }

    /// A transient variable. Its definition may fail, so the read may.
    pub fn transient(&mut self, transient: TransientId, ty: ScalarType) -> TermId {
        self.intern(Term::Transient(transient), ty, true)
    }

    /// Negation.
    pub fn not(&mut self, a: TermId) -> TermId {
        match self.get(a).clone() {
            Term::Bool(value) => self.bool(!value),
            Term::Not(inner) => inner,
            _ => self.intern(Term::Not(a), ScalarType::Bool, false),
        }
    }

    /// Conjunction.
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.bool_constant(a), self.bool_constant(b)) {
            (Some(true), _) => b,
            (Some(false), _) | (_, Some(true)) => a,
            (_, Some(false)) if !self.is_fallible(a) => b,
            _ if a == b => a,
            _ => self.intern(Term::And(a, b), ScalarType::Bool, false),
        }
    }

    /// Disjunction.
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.bool_constant(a), self.bool_constant(b)) {
            (Some(false), _) => b,
            (Some(true), _) | (_, Some(false)) => a,
            (_, Some(true)) if !self.is_fallible(a) => b,
            _ if a == b => a,
            _ => self.intern(Term::Or(a, b), ScalarType::Bool, false),
        }
    }

    /// Conjunction of many.
    pub fn all(&mut self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        let start = self.bool(true);
        terms.into_iter().fold(start, |a, b| self.and(a, b))
    }

    /// Disjunction of many.
    pub fn any(&mut self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        let start = self.bool(false);
        terms.into_iter().fold(start, |a, b| self.or(a, b))
    }

    /// A comparison.
    pub fn cmp(&mut self, op: CmpOp, a: TermId, b: TermId) -> TermId {
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            return self.bool(arithmetic::compare(op, &x, &y));
        }
        self.intern(Term::Cmp(op, a, b), ScalarType::Bool, false)
    }

    /// Arithmetic. Constants fold when that does not fail; the failure is then met at evaluation, with state and place.
    pub fn arith(&mut self, op: ArithOp, a: TermId, b: TermId) -> TermId {
        let mut fails = false;
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            match arithmetic::binary(op, &x, &y) {
                Ok(value) => return self.num(value),
                Err(_) => fails = true,
            }
        }
        let both_int = self.ty(a) == ScalarType::Int && self.ty(b) == ScalarType::Int;
        let divisor_is_safe = self.constant(b).is_some_and(|b| !b.is_zero());
        let (ty, fallible) = match op {
            ArithOp::Div => (ScalarType::Real, !divisor_is_safe),
            ArithOp::Mod => (if both_int { ScalarType::Int } else { ScalarType::Real }, !divisor_is_safe),
            // An integer power is an integer only for exponents known to be natural numbers.
            ArithOp::Pow => {
                let natural = self.constant(b).is_some_and(|b| b.is_integer() && b.signum() >= 0);
                (if both_int && natural { ScalarType::Int } else { ScalarType::Real }, true)
            }
            ArithOp::Log => (ScalarType::Real, true),
            _ => (if both_int { ScalarType::Int } else { ScalarType::Real }, false),
        };
        self.intern(Term::Arith(op, a, b), ty, fallible || fails)
    }

    /// Rounding, absolute value and sign.
    pub fn round(&mut self, op: RoundOp, a: TermId) -> TermId {
        if let Some(x) = self.constant(a) {
            return self.num(arithmetic::unary(op, &x));
        }
        let ty = if op == RoundOp::Abs { self.ty(a) } else { ScalarType::Int };
        if self.ty(a) == ScalarType::Int && matches!(op, RoundOp::Floor | RoundOp::Ceil | RoundOp::Trc) {
            return a;
        }
        self.intern(Term::Round(op, a), ty, false)
    }

    /// Choice between two terms of the same kind.
    pub fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        match self.bool_constant(condition) {
            Some(true) => return then,
            Some(false) => return otherwise,
            None if then == otherwise && !self.is_fallible(condition) => return then,
            None => {}
        }
        let ty = if self.ty(then) == self.ty(otherwise) { self.ty(then) } else { ScalarType::Real };
        self.intern(Term::Ite(condition, then, otherwise), ty, false)
    }

    /// The item at an index.
    ///
    /// # Panics
    /// If there are no items: the type of the result would be unknown.
    pub fn select(&mut self, items: &[TermId], index: TermId) -> TermId {
        assert!(!items.is_empty(), "selection from an empty array");
        if let Some(index) = self.constant(index).and_then(|i| i.to_i64())
            && let Some(item) = usize::try_from(index).ok().and_then(|i| items.get(i))
        {
            return *item;
        }
        let ty = items.iter().map(|i| self.ty(*i)).reduce(|a, b| if a == b { a } else { ScalarType::Real });
        self.intern(Term::Select(items.into(), index), ty.expect("not empty"), true)
    }
}
