//! What terms of the model are in all states of a node.
//!
//! A number is an [`Enclosure`], a condition is true, false or open; and either can be in error in some state of the node, or in none. Only in the latter case does the
//! value say anything.
//!
//! Evaluation is lazy where the language is: an operand behind one that decides is not looked at, so its errors do not count. Where a
//! term is of a kind that this module does not enclose (a product of variables in an exponent, say), it counts as possibly in error: nothing is
//! concluded from it, and a proof has to split until its operands are constant.

use std::collections::BTreeMap;

use surefoot_linear::Symbol;
use surefoot_model::term::{ArithOp, CmpOp};
use surefoot_model::{Model, SlotId, Term, TermId, TransientId};
use surefoot_num::Rational;

use crate::enclosure::{Enclosure, Range};
use crate::formula::Atom;

/// The truth of a condition in all states of a node; `None` where it is open.
pub type Truth = Option<bool>;

/// A value, and whether there may be states in which there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked<T> {
    /// The value.
    pub value: T,
    /// Whether it can be in error. Then the value says nothing.
    pub error: bool,
}

impl<T> Checked<T> {
    pub(crate) fn sure(value: T) -> Self {
        Self { value, error: false }
    }
}

impl Checked<Truth> {
    /// Whether it is surely this truth value, and never in error.
    #[must_use]
    pub fn is(&self, truth: bool) -> bool {
        !self.error && self.value == Some(truth)
    }
}

/// Chains of conjunctions and disjunctions are followed so deep by recursion.
const MOST_NESTED: usize = 100;

/// The bounds of a slot.
pub type Bounds = (i64, i64);

/// The states of a node, and what has been assigned since.
#[derive(Debug)]
pub struct Values<'n> {
    /// The model.
    pub model: &'n Model,
    /// Bounds of the slots.
    pub bounds: &'n [Bounds],
    /// Atoms that are known.
    pub known: &'n [Atom],
    /// Bounds of the non-deterministic values: symbols behind the slots.
    pub choices: Vec<Range>,
    /// New values of slots.
    pub updated: BTreeMap<SlotId, Enclosure>,
    /// New values of transient variables.
    pub transients: BTreeMap<TransientId, Enclosure>,
}

impl<'n> Values<'n> {
    /// The states of a node.
    #[must_use]
    pub fn new(model: &'n Model, bounds: &'n [Bounds], known: &'n [Atom]) -> Self {
        let (choices, updated, transients) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        Self { model, bounds, known, choices, updated, transients }
    }

    /// The value of a slot.
    #[must_use]
    pub fn slot(&self, slot: SlotId) -> Enclosure {
        if let Some(value) = self.updated.get(&slot) {
            return value.clone();
        }
        self.before(slot)
    }

    /// The value of a slot before anything was assigned.
    fn before(&self, slot: SlotId) -> Enclosure {
        let (lower, upper) = self.bounds[slot.index()];
        if lower == upper { Enclosure::constant(lower.into()) } else { Enclosure::symbol(slot.into()) }
    }

    fn symbol_range(&self, symbol: Symbol) -> Range {
        match self.bounds.get(symbol.index()) {
            Some((lower, upper)) => (Rational::from(*lower), Rational::from(*upper)),
            None => self.choices[symbol.index() - self.bounds.len()].clone(),
        }
    }

    /// The range of a number: that of its symbols, and what known atoms say about its linear part.
    #[must_use]
    pub fn range(&self, number: &Enclosure) -> Range {
        let (mut lower, mut upper) = (Rational::ZERO, Rational::ZERO);
        for (symbol, a) in number.terms() {
            let (low, high) = self.symbol_range(*symbol);
            let (low, high) = if a.signum() > 0 { (low, high) } else { (high, low) };
            lower = &lower + &(a * &low);
            upper = &upper + &(a * &high);
        }
        if number.terms().len() > 1 {
            for atom in self.known {
                let Some((bound, above)) = atom.bounds_direction(number.terms(), self.bounds) else { continue };
                if above { upper = upper.min(bound) } else { lower = lower.max(bound) }
            }
        }
        let (least, most) = number.rest();
        (&lower + least, &upper + most)
    }

    /// The truth of a condition.
    #[must_use]
    pub fn truth(&self, term: TermId) -> Checked<Truth> {
        match self.model.terms.get(term) {
            Term::Bool(value) => Checked::sure(Some(*value)),
            Term::Not(a) => {
                let a = self.truth(*a);
                Checked { value: a.value.map(|truth| !truth), error: a.error }
            }
            Term::And(..) => self.joined(term, false),
            Term::Or(..) => self.joined(term, true),
            Term::Cmp(op, a, b) => self.compare(*op, *a, *b),
            Term::Ite(condition, a, b) => self.branch(
                *condition,
                |values, first| values.truth(if first { *a } else { *b }),
                |a, b| if a == b { a } else { None },
            ),
            _ => {
                let number = self.number(term);
                let (lower, upper) = self.range(&number.value);
                let value = match (lower.signum(), upper.signum()) {
                    (0, 0) => Some(false),
                    (low, _) if low > 0 => Some(true),
                    _ => None,
                };
                Checked { value, error: number.error }
            }
        }
    }

    /// The truth of parts joined so that one of truth `deciding` decides; parts behind it are not looked at.
    ///
    /// Soundness: parts are evaluated in order, and none behind the first that decides in a state. A part that decides in all states ends
    /// the evaluation; before it, errors count.
    fn joined(&self, term: TermId, deciding: bool) -> Checked<Truth> {
        let mut whole = Checked::sure(Some(!deciding));
        self.join(term, deciding, &mut whole, MOST_NESTED);
        whole
    }

    /// Joins the parts of a term with those before it; whether one of them decides.
    fn join(&self, term: TermId, deciding: bool, whole: &mut Checked<Truth>, depth: usize) -> bool {
        match self.model.terms.get(term) {
            Term::And(a, b) if !deciding && depth > 0 => {
                self.join(*a, deciding, whole, depth - 1) || self.join(*b, deciding, whole, depth - 1)
            }
            Term::Or(a, b) if deciding && depth > 0 => {
                self.join(*a, deciding, whole, depth - 1) || self.join(*b, deciding, whole, depth - 1)
            }
            // Long chains are taken apart in a loop.
            Term::And(..) if !deciding => {
                let parts = self.model.terms.conjuncts(term);
                parts.into_iter().any(|part| self.join(part, deciding, whole, MOST_NESTED))
            }
            Term::Or(..) if deciding => {
                let parts = self.model.terms.disjuncts(term);
                parts.into_iter().any(|part| self.join(part, deciding, whole, MOST_NESTED))
            }
            _ => {
                let part = self.truth(term);
                whole.error |= part.error;
                if part.value == Some(deciding) {
                    whole.value = Some(deciding);
                    return true;
                }
                if part.value.is_none() {
                    whole.value = None;
                }
                false
            }
        }
    }

    pub(crate) fn branch<T>(
        &self,
        condition: TermId,
        value: impl Fn(&Self, bool) -> Checked<T>,
        hull: impl Fn(T, T) -> T,
    ) -> Checked<T> {
        let condition = self.truth(condition);
        let mut found = match condition.value {
            Some(truth) => value(self, truth),
            None => {
                let (a, b) = (value(self, true), value(self, false));
                Checked { value: hull(a.value, b.value), error: a.error || b.error }
            }
        };
        found.error |= condition.error;
        found
    }

    /// The range of a plain term over the box, in machine integers: of what has a value in every state, and no more than slots, constants and their sums,
    /// differences and products. `None` for anything else, and where numbers get large.
    fn quick(&self, term: TermId) -> Option<Bounds> {
        match self.model.terms.get(term) {
            Term::Num(value) => value.to_i64().map(|value| (value, value)),
            Term::Bool(value) => Some((i64::from(*value), i64::from(*value))),
            Term::Slot(slot) => Some(self.bounds[slot.index()]),
            Term::Arith(op @ (ArithOp::Add | ArithOp::Sub | ArithOp::Mul), a, b) => {
                let ((a, b), (c, d)) = (self.quick(*a)?, self.quick(*b)?);
                match op {
                    ArithOp::Add => Some((a.checked_add(c)?, b.checked_add(d)?)),
                    ArithOp::Sub => Some((a.checked_sub(d)?, b.checked_sub(c)?)),
                    _ => {
                        let ends = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
                        Some((*ends.iter().min()?, *ends.iter().max()?))
                    }
                }
            }
            _ => None,
        }
    }

    /// What [`Values::compare`] finds, where the ranges of both sides decide it.
    fn quick_compare(&self, op: CmpOp, a: TermId, b: TermId) -> Option<bool> {
        if !self.updated.is_empty() {
            return None;
        }
        let ((a, b), (c, d)) = (self.quick(a)?, self.quick(b)?);
        match op {
            CmpOp::Eq | CmpOp::Ne if a == b && b == c && c == d => Some(op == CmpOp::Eq),
            CmpOp::Eq | CmpOp::Ne if b < c || d < a => Some(op == CmpOp::Ne),
            CmpOp::Lt if b < c => Some(true),
            CmpOp::Lt if a >= d => Some(false),
            CmpOp::Le if b <= c => Some(true),
            CmpOp::Le if a > d => Some(false),
            _ => None,
        }
    }

    fn compare(&self, op: CmpOp, a: TermId, b: TermId) -> Checked<Truth> {
        if let Some(truth) = self.quick_compare(op, a, b) {
            return Checked::sure(Some(truth));
        }
        let (a, b) = (self.number(a), self.number(b));
        let error = a.error || b.error;
        let (lower, upper) = self.range(&a.value.plus_scaled(&b.value, &-&Rational::ONE));
        let (low, high) = (lower.signum(), upper.signum());
        let value = match op {
            CmpOp::Eq if low == 0 && high == 0 => Some(true),
            CmpOp::Eq if low > 0 || high < 0 => Some(false),
            CmpOp::Ne if low == 0 && high == 0 => Some(false),
            CmpOp::Ne if low > 0 || high < 0 => Some(true),
            CmpOp::Lt if high < 0 => Some(true),
            CmpOp::Lt if low >= 0 => Some(false),
            CmpOp::Le if high <= 0 => Some(true),
            CmpOp::Le if low > 0 => Some(false),
            _ => None,
        };
        Checked { value, error }
    }
}
