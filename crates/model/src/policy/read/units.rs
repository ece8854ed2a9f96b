//! Piecewise linear functions of the state as ReLU units: terms of the model turned into sums, maxima and comparisons of linear forms.
//!
//! Soundness: comparisons jump, and the units that stand for them are exact on integers only; `ite` and cells at computed places
//! multiply with a truth value, which is exact where the other factor has bounds.

use std::rc::Rc;

use surefoot_linear::{Interval, Linear, Space};
use surefoot_network::encode::{EncodeError, Encoder, Piece};
use surefoot_num::{IBig, Rational};

use crate::term::{ArithOp, CmpOp, RoundOp, Term, TermId, TermPool};

/// Operators that the inputs of a network may have together, each counted as often as it is used.
pub(super) const MAX_UNITS: usize = 1 << 18;
/// Operators deeper than this are no input any more.
const MAX_DEPTH: usize = 64;

/// A piecewise linear function of forms.
#[derive(Debug, Clone)]
pub(super) enum Unit {
    Form(usize),
    Sum(Rc<[(Unit, Rational)]>, Rational),
    Max(Rc<Unit>, Rc<Unit>),
    Min(Rc<Unit>, Rc<Unit>),
    /// Whether an integer is zero.
    Zero(Rc<Unit>),
    /// Whether an integer is positive.
    Positive(Rc<Unit>),
}

impl Unit {
    fn times(self, factor: Rational) -> Self {
        Self::Sum([(self, factor)].into(), Rational::ZERO)
    }

    fn minus(self, other: Self) -> Self {
        Self::Sum([(self, Rational::ONE), (other, Rational::from(-1))].into(), Rational::ZERO)
    }

    fn negation(self) -> Self {
        Self::Sum([(self, Rational::from(-1))].into(), Rational::ONE)
    }

    /// The function; parts that stand at several places are made anew, so there is a limit on how many are made.
    pub(super) fn piece(&self, encoder: &mut Encoder, left: &mut usize) -> Result<Piece, EncodeError> {
        *left = left.checked_sub(1).ok_or_else(EncodeError::too_large)?;
        Ok(match self {
            Self::Form(index) => encoder.input(*index),
            Self::Sum(parts, constant) => {
                let mut pieces = vec![(Encoder::constant(constant.clone()), Rational::ONE)];
                for (part, factor) in parts.iter() {
                    pieces.push((part.piece(encoder, left)?, factor.clone()));
                }
                encoder.sum(&pieces)?
            }
            Self::Max(a, b) | Self::Min(a, b) => {
                let (a, b) = (a.piece(encoder, left)?, b.piece(encoder, left)?);
                if matches!(self, Self::Max(..)) { encoder.maximum(&a, &b)? } else { encoder.minimum(&a, &b)? }
            }
            Self::Zero(a) => {
                let a = a.piece(encoder, left)?;
                encoder.is_zero(&a)?
            }
            Self::Positive(a) => {
                let a = a.piece(encoder, left)?;
                encoder.is_positive(&a)?
            }
        })
    }
}

/// Units under construction, and the forms that they read.
pub(super) struct Units<'a> {
    pub(super) terms: &'a TermPool,
    pub(super) space: &'a Space,
    pub(super) forms: Vec<Linear>,
    /// Operators that may still be looked at.
    pub(super) left: usize,
}

impl Units<'_> {
    pub(super) fn form(&mut self, form: Linear) -> Unit {
        if let Some(constant) = form.as_constant() {
            return Unit::Sum([].into(), constant.clone());
        }
        let index = self.forms.iter().position(|known| *known == form).unwrap_or_else(|| {
            self.forms.push(form);
            self.forms.len() - 1
        });
        Unit::Form(index)
    }

    /// `wanted`, as `base` and a constant, where that is what it is.
    pub(super) fn linear(&mut self, base: Linear, wanted: &Linear) -> Unit {
        let rest = wanted - &base;
        match rest.as_constant() {
            Some(constant) => Unit::Sum([(self.form(base), Rational::ONE)].into(), constant.clone()),
            None => self.form(wanted.clone()),
        }
    }

    /// A number with the sign and the zeros of `a - b`, which is an integer.
    fn difference(&mut self, a: TermId, b: TermId, depth: usize) -> Result<Unit, String> {
        if let (Some(left), Some(right)) = (self.terms.linear(a), self.terms.linear(b)) {
            let (form, _) = (&left - &right).over_integers();
            if !self.space.is_integral(&form) {
                return Err("a comparison of real values jumps; only integers can be compared here".to_owned());
            }
            // Comparisons of one expression with several constants share their units.
            let constant = form.constant().clone();
            let base = &form - &Linear::constant_form(constant);
            return Ok(self.linear(base, &form));
        }
        Ok(self.unit(a, depth)?.minus(self.unit(b, depth)?))
    }

    fn range(&mut self, term: TermId, depth: usize) -> Option<Interval> {
        self.left = self.left.checked_sub(1)?;
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(form) = self.terms.linear(term) {
            let range = self.space.range(&form);
            return range.ends().is_some().then_some(range);
        }
        let interval = |low: i64, high: i64| Interval::new(Rational::from(low), Rational::from(high));
        let terms = self.terms;
        let mut of = |term: TermId| self.range(term, depth + 1);
        match terms.get(term) {
            Term::Bool(_) | Term::Not(_) | Term::And(..) | Term::Or(..) | Term::Cmp(..) => Some(interval(0, 1)),
            Term::Round(RoundOp::Sgn, _) => Some(interval(-1, 1)),
            Term::Round(_, a) => {
                let range = of(*a)?;
                let (low, high) = range.ends()?;
                let largest = std::cmp::max(low.abs(), high.abs());
                Some(Interval::new(-&largest, largest))
            }
            Term::Arith(ArithOp::Add, a, b) => Some(of(*a)?.plus(&of(*b)?)),
            Term::Arith(ArithOp::Sub, a, b) => Some(of(*a)?.plus(&of(*b)?.scaled(&Rational::from(-1)))),
            Term::Arith(ArithOp::Mul, a, b) => match (terms.constant(*a), terms.constant(*b)) {
                (Some(k), _) => Some(of(*b)?.scaled(&k)),
                (_, Some(k)) => Some(of(*a)?.scaled(&k)),
                _ => None,
            },
            Term::Arith(ArithOp::Div, a, b) => {
                let inverse = Rational::ONE.checked_div(&terms.constant(*b)?)?;
                Some(of(*a)?.scaled(&inverse))
            }
            Term::Arith(ArithOp::Min | ArithOp::Max, a, b) | Term::Ite(_, a, b) => Some(of(*a)?.hull(&of(*b)?)),
            Term::Select(items, _) => {
                let mut items = items.iter();
                let first = of(*items.next()?)?;
                items.try_fold(first, |hull, item| Some(hull.hull(&of(*item)?)))
            }
            _ => None,
        }
    }

    /// A value where a truth value holds, else 0: `max(v - m (1 - c), 0) - max(-v - m (1 - c), 0)`, where `m` bounds `|v|`.
    fn gated(condition: &Unit, value: &Unit, bound: &Rational) -> Unit {
        let zero = || Rc::new(Unit::Sum([].into(), Rational::ZERO));
        let side = |sign: i64| {
            let parts = [(value.clone(), Rational::from(sign)), (condition.clone(), bound.clone())].into();
            Unit::Max(Rc::new(Unit::Sum(parts, -bound)), zero())
        };
        side(1).minus(side(-1))
    }

    /// The unit of a term; the text says what it has none for.
    pub(super) fn unit(&mut self, term: TermId, depth: usize) -> Result<Unit, String> {
        if depth > MAX_DEPTH {
            return Err(format!("it is nested more than {MAX_DEPTH} deep"));
        }
        self.left = self.left.checked_sub(1).ok_or("this takes too many neurons")?;
        if let Some(form) = self.terms.linear(term) {
            return Ok(self.form(form));
        }
        let depth = depth + 1;
        Ok(match self.terms.get(term).clone() {
            Term::Not(a) => self.unit(a, depth)?.negation(),
            Term::And(a, b) | Term::Or(a, b) => {
                let parts: Rc<[_]> =
                    [(self.unit(a, depth)?, Rational::ONE), (self.unit(b, depth)?, Rational::ONE)].into();
                let zero = Rc::new(Unit::Sum([].into(), Rational::ZERO));
                let both = Unit::Max(Rc::new(Unit::Sum(parts.clone(), Rational::from(-1))), zero);
                match self.terms.get(term) {
                    Term::And(..) => both,
                    _ => Unit::Sum(parts, Rational::ZERO).minus(both),
                }
            }
            Term::Cmp(op, a, b) => match op {
                CmpOp::Eq => Unit::Zero(Rc::new(self.difference(a, b, depth)?)),
                CmpOp::Ne => Unit::Zero(Rc::new(self.difference(a, b, depth)?)).negation(),
                CmpOp::Lt => Unit::Positive(Rc::new(self.difference(b, a, depth)?)),
                CmpOp::Le => Unit::Positive(Rc::new(self.difference(a, b, depth)?)).negation(),
            },
            Term::Arith(ArithOp::Add, a, b) => {
                let parts = [(self.unit(a, depth)?, Rational::ONE), (self.unit(b, depth)?, Rational::ONE)];
                Unit::Sum(parts.into(), Rational::ZERO)
            }
            Term::Arith(ArithOp::Sub, a, b) => self.unit(a, depth)?.minus(self.unit(b, depth)?),
            Term::Arith(ArithOp::Mul, a, b) => match (self.terms.constant(a), self.terms.constant(b)) {
                (Some(k), _) => self.unit(b, depth)?.times(k),
                (_, Some(k)) => self.unit(a, depth)?.times(k),
                _ => return Err("a product of two values of the state is not piecewise linear".to_owned()),
            },
            Term::Arith(ArithOp::Div, a, b) => {
                let inverse = self.terms.constant(b).and_then(|k| Rational::ONE.checked_div(&k));
                self.unit(a, depth)?.times(inverse.ok_or("only a division by a constant other than zero is linear")?)
            }
            Term::Arith(ArithOp::Max, a, b) => Unit::Max(Rc::new(self.unit(a, depth)?), Rc::new(self.unit(b, depth)?)),
            Term::Arith(ArithOp::Min, a, b) => Unit::Min(Rc::new(self.unit(a, depth)?), Rc::new(self.unit(b, depth)?)),
            Term::Round(RoundOp::Abs, a) => {
                let a = self.unit(a, depth)?;
                Unit::Max(Rc::new(a.clone()), Rc::new(a.times(Rational::from(-1))))
            }
            Term::Round(RoundOp::Sgn, a) => {
                let a = self.unit(a, depth)?;
                Unit::Positive(Rc::new(a.clone())).minus(Unit::Positive(Rc::new(a.times(Rational::from(-1)))))
            }
            Term::Ite(condition, a, b) => {
                let range = match (self.range(a, depth), self.range(b, depth)) {
                    (Some(a), Some(b)) => a.plus(&b.scaled(&Rational::from(-1))),
                    _ => return Err("both sides of an \"ite\" need bounds".to_owned()),
                };
                let (condition, a, b) = (self.unit(condition, depth)?, self.unit(a, depth)?, self.unit(b, depth)?);
                let bound = largest(&range).ok_or("both sides of an \"ite\" need bounds")?;
                let chosen = Self::gated(&condition, &a.minus(b.clone()), &bound);
                Unit::Sum([(b, Rational::ONE), (chosen, Rational::ONE)].into(), Rational::ZERO)
            }
            Term::Select(items, index) => {
                let form = self.terms.linear(index).filter(|form| self.space.is_integral(form));
                let form = form.ok_or("a cell at a computed place needs an integer that is linear in the state")?;
                let range = self.space.range(&form);
                let last = Rational::from(IBig::from(items.len()));
                let inside = range.ends().is_some_and(|(low, high)| low.signum() >= 0 && *high < last);
                if !inside {
                    return Err(format!("the index may leave the {} cells of the array", items.len()));
                }
                let mut parts = Vec::new();
                for (at, item) in items.iter().enumerate() {
                    let at = Linear::constant_form(Rational::from(IBig::from(at)));
                    let here = Unit::Zero(Rc::new(self.linear(form.clone(), &(&form - &at))));
                    let range = self.range(*item, depth).and_then(|range| largest(&range));
                    let bound = range.ok_or("the cells of an array with a computed place need bounds")?;
                    let value = self.unit(*item, depth)?;
                    parts.push((Self::gated(&here, &value, &bound), Rational::ONE));
                }
                Unit::Sum(parts.into(), Rational::ZERO)
            }
            _ => return Err("it is not piecewise linear (rest, power, logarithm or rounding)".to_owned()),
        })
    }
}

/// The largest absolute value.
fn largest(range: &Interval) -> Option<Rational> {
    let (low, high) = range.ends()?;
    Some(std::cmp::max(low.abs(), high.abs()))
}
