//! Values of numbers: sums and products by constants are forms, everything else is enclosed by its range, or counts as possibly in error.

use surefoot_model::interpret::arithmetic;
use surefoot_model::term::{ArithOp, RoundOp};
use surefoot_model::{Domain, ScalarType, Term, TermId, TransientId};
use surefoot_num::Rational;

use crate::enclosure::Enclosure;
use crate::values::{Checked, Values};

impl Values<'_> {
    /// The value of a number; conditions are 0 and 1.
    #[must_use]
    pub fn number(&self, term: TermId) -> Checked<Enclosure> {
        match self.model.terms.get(term) {
            Term::Num(value) => Checked::sure(Enclosure::constant(value.clone())),
            Term::Slot(slot) => Checked::sure(self.slot(*slot)),
            Term::Transient(transient) => self.transient(*transient),
            Term::Bool(_) | Term::Not(_) | Term::And(..) | Term::Or(..) | Term::Cmp(..) => {
                let Checked { value, error } = self.truth(term);
                let number = |truth: bool| Rational::from(truth);
                let value = value.map_or_else(
                    || Enclosure::interval((Rational::ZERO, Rational::ONE)),
                    |truth| Enclosure::constant(number(truth)),
                );
                Checked { value, error }
            }
            Term::Arith(op, a, b) => {
                let (a, b) = (self.number(*a), self.number(*b));
                let error = a.error || b.error;
                let whole = self.model.terms.ty(term) == ScalarType::Int;
                match self.arithmetic(*op, &a.value, &b.value, whole) {
                    Some(value) => Checked { value, error },
                    None => Checked { value: Enclosure::constant(Rational::ZERO), error: true },
                }
            }
            Term::Round(op, a) => {
                let a = self.number(*a);
                Checked { value: self.round(*op, &a.value), error: a.error }
            }
            Term::Ite(condition, a, b) => self.branch(
                *condition,
                |values, first| values.number(if first { *a } else { *b }),
                |a, b| a.hull(&b, |x| self.range(x)),
            ),
            Term::Select(items, index) => self.select(items, *index),
        }
    }

    fn transient(&self, transient: TransientId) -> Checked<Enclosure> {
        if let Some(value) = self.transients.get(&transient) {
            return Checked::sure(value.clone());
        }
        let declaration = &self.model.transients[transient.0 as usize];
        let defined = self.number(declaration.definition);
        let inside = declaration.domain.as_ref().is_none_or(|domain| self.is_inside(&defined.value, domain));
        Checked { error: defined.error || !inside, value: defined.value }
    }

    /// Whether a number surely is in a domain. It is an integer where the domain is of integers: types see to that.
    #[must_use]
    pub fn is_inside(&self, number: &Enclosure, domain: &Domain) -> bool {
        let (lower, upper) = self.range(number);
        match domain.int_bounds() {
            Some((least, most)) => Rational::from(least) <= lower && upper <= Rational::from(most),
            None => domain.contains(&lower) && domain.contains(&upper),
        }
    }

    /// Whether a number is a form whose values are integers.
    fn is_integral(number: &Enclosure) -> bool {
        let (lower, upper) = number.rest();
        lower == upper && lower.is_integer() && number.terms().iter().all(|(_, a)| a.is_integer())
    }

    fn select(&self, items: &[TermId], index: TermId) -> Checked<Enclosure> {
        let index = self.number(index);
        let (lower, upper) = self.range(&index.value);
        let last = i64::try_from(items.len()).unwrap_or(i64::MAX) - 1;
        let first = lower.ceil().max(Rational::ZERO).to_i64().unwrap_or(0);
        let beyond = upper.floor().min(Rational::from(last)).to_i64().unwrap_or(last);
        let outside = lower.signum() < 0 || upper > Rational::from(last);
        let mut found: Option<Checked<Enclosure>> = None;
        for item in items.iter().skip(usize::try_from(first).unwrap_or(usize::MAX)).take(count(first, beyond)) {
            let item = self.number(*item);
            found = Some(match found {
                None => item,
                Some(before) => Checked {
                    value: before.value.hull(&item.value, |x| self.range(x)),
                    error: before.error || item.error,
                },
            });
        }
        match found {
            Some(found) => Checked { value: found.value, error: found.error || outside || index.error },
            None => Checked { value: Enclosure::constant(Rational::ZERO), error: true },
        }
    }

    /// The result of an operation, of integers or not; `None` where it is not enclosed, or can have no value.
    fn arithmetic(&self, op: ArithOp, a: &Enclosure, b: &Enclosure, whole: bool) -> Option<Enclosure> {
        let minus = -&Rational::ONE;
        match (op, a.as_constant(), b.as_constant()) {
            (ArithOp::Add, ..) => Some(a.plus_scaled(b, &Rational::ONE)),
            (ArithOp::Sub, ..) => Some(a.plus_scaled(b, &minus)),
            (_, Some(a), Some(b)) => arithmetic::binary(op, a, b).ok().map(Enclosure::constant),
            (ArithOp::Mul, Some(factor), None) => Some(b.scaled(factor)),
            (ArithOp::Mul, None, Some(factor)) => Some(a.scaled(factor)),
            (ArithOp::Mul, None, None) => self.product(a, b),
            (ArithOp::Div, None, Some(divisor)) => Some(a.scaled(&Rational::ONE.checked_div(divisor)?)),
            (ArithOp::Mod, None, Some(modulus)) => self.remainder(a, modulus, whole),
            (ArithOp::Min, ..) => Some(self.extreme(a, b, false)),
            (ArithOp::Max, ..) => Some(self.extreme(a, b, true)),
            (ArithOp::Div | ArithOp::Mod | ArithOp::Pow | ArithOp::Log, ..) => None,
        }
    }

    fn product(&self, a: &Enclosure, b: &Enclosure) -> Option<Enclosure> {
        let ((a, b), (c, d)) = (self.range(a), self.range(b));
        let times = |x: &Rational, y: &Rational| arithmetic::binary(ArithOp::Mul, x, y).ok();
        let mut ends = [times(&a, &c)?, times(&a, &d)?, times(&b, &c)?, times(&b, &d)?];
        ends.sort();
        let [least, .., most] = ends;
        Some(Enclosure::interval((least, most)))
    }

    /// `a % m`: `a` less a multiple of `m` where the range says which, else anything from 0 to `|m|`, of integers to `|m| - 1`.
    fn remainder(&self, a: &Enclosure, modulus: &Rational, whole: bool) -> Option<Enclosure> {
        let size = modulus.abs();
        let (lower, upper) = self.range(a);
        let quotient = lower.checked_div(&size)?.floor();
        if upper.checked_div(&size)?.floor() == quotient {
            return Some(a.plus_scaled(&Enclosure::constant(&size * &quotient), &-&Rational::ONE));
        }
        let most = if whole { &size - &Rational::ONE } else { size };
        Some(Enclosure::interval((Rational::ZERO, most)))
    }

    /// The smaller or the larger one: which, where that is decided.
    fn extreme(&self, a: &Enclosure, b: &Enclosure, largest: bool) -> Enclosure {
        let (lower, upper) = self.range(&a.plus_scaled(b, &-&Rational::ONE));
        if upper.signum() <= 0 {
            return if largest { b.clone() } else { a.clone() };
        }
        if lower.signum() >= 0 {
            return if largest { a.clone() } else { b.clone() };
        }
        let ((a, b), (c, d)) = (self.range(a), self.range(b));
        Enclosure::interval(if largest { (a.max(c), b.max(d)) } else { (a.min(c), b.min(d)) })
    }

    fn round(&self, op: RoundOp, a: &Enclosure) -> Enclosure {
        if let Some(value) = a.as_constant() {
            return Enclosure::constant(arithmetic::unary(op, value));
        }
        let (lower, upper) = self.range(a);
        match op {
            RoundOp::Floor | RoundOp::Ceil | RoundOp::Trc if Self::is_integral(a) => a.clone(),
            RoundOp::Abs if lower.signum() >= 0 => a.clone(),
            RoundOp::Abs if upper.signum() <= 0 => a.scaled(&-&Rational::ONE),
            RoundOp::Abs => Enclosure::interval((Rational::ZERO, upper.max(-&lower))),
            // The others do not decrease.
            _ => Enclosure::interval((arithmetic::unary(op, &lower), arithmetic::unary(op, &upper))),
        }
    }
}

/// How many integers there are from one to another.
fn count(first: i64, last: i64) -> usize {
    last.checked_sub(first).and_then(|width| usize::try_from(width + 1).ok()).unwrap_or(0)
}
