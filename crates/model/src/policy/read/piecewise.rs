//! Network inputs that are piecewise linear in the state: comparisons, maxima, one-hot encodings.
//!
//! Such inputs become ReLU units in front of the network ([`surefoot_network::encode`]), which then reads the linear forms that
//! occur in them. So every engine sees linear inputs and a network, as always, and nothing is approximated. Comparisons jump,
//! so they need integers: there the units are exact.

use std::rc::Rc;
use std::sync::Arc;

use surefoot_linear::{Interval, Linear, Space};
use surefoot_network::Network;
use surefoot_network::encode::{EncodeError, Encoder, Piece};
use surefoot_num::{IBig, Rational};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Node, ObjectReader, Shape};
use surefoot_text::source::Span;

use super::Reading;
use crate::term::{ArithOp, CmpOp, RoundOp, Term, TermId, TermPool};

const ONE_HOT: Shape = Shape::new("a one-hot input", &["one_hot"], &["from", "to"]);
/// More values than this are no one-hot encoding.
const MAX_VALUES: i64 = 1 << 16;
/// Operators that the inputs of a network may have together, each counted as often as it is used.
const MAX_UNITS: usize = 1 << 18;
/// Operators deeper than this are no input any more.
const MAX_DEPTH: usize = 64;

/// An entry of the list of inputs.
#[derive(Debug, Clone)]
pub(super) enum Entry {
    /// A linear form.
    Linear(Linear),
    /// Any other term.
    Term(TermId),
    /// The truth values `form = from`, ..., `form = to`.
    OneHot { form: Linear, from: i64, to: i64 },
}

impl Entry {
    /// How many inputs of the network it is.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Linear(_) | Self::Term(_) => 1,
            Self::OneHot { from, to, .. } => usize::try_from(to - from + 1).unwrap_or(0),
        }
    }
}

/// Whether an input is `{"one_hot": ...}`.
pub(super) fn is_one_hot(node: Node<'_>) -> bool {
    node.get("op").is_none() && node.get("one_hot").is_some()
}

impl Reading<'_> {
    /// `{"one_hot": ..., "from": ..., "to": ...}`; by default all values that the expression can have.
    pub(super) fn one_hot(&mut self, node: Node<'_>) -> Result<Entry, Diagnostic> {
        let object = ObjectReader::new(node, &ONE_HOT)?;
        let of = object.required("one_hot");
        let form = self.input_form(of, 0).map_err(|error| {
            error.with_help(
                "a one-hot input is about a linear expression; compute any other one in a variable of the model",
            )
        })?;
        let space = self.lowered.model.space();
        if !space.is_integral(&form) {
            return Err(Diagnostic::error(of.span(), "a one-hot input needs an integer")
                .with_help("it is 1 at the place of its value; use an integer variable or a sum of them"));
        }
        let range = space.range(&form);
        let ends = range.ends().and_then(|(low, high)| Some((low.to_i64()?, high.to_i64()?)));
        let end = |name: &str, default: Option<i64>| match object.optional(name) {
            Some(node) => node.expect_i64("an integer"),
            None => default.ok_or_else(|| {
                Diagnostic::error(of.span(), "this expression has no bounds").with_help("give \"from\" and \"to\"")
            }),
        };
        let (from, to) = (end("from", ends.map(|(low, _)| low))?, end("to", ends.map(|(_, high)| high))?);
        if to < from || to.saturating_sub(from) >= MAX_VALUES {
            let message = format!("one-hot from {from} to {to}: expected 1 to {MAX_VALUES} values");
            return Err(Diagnostic::error(node.span(), message));
        }
        Ok(Entry::OneHot { form, from, to })
    }

    /// Why a term has no units, so that it cannot be an input.
    pub(super) fn not_piecewise(&self, term: TermId) -> Option<String> {
        let space = self.lowered.model.space();
        let terms = &self.lowered.model.terms;
        Units { terms, space: &space, forms: Vec::new(), left: MAX_UNITS }.unit(term, 0).err()
    }

    /// What the network reads, and the network with the units that the entries need.
    pub(super) fn encoded(
        &self,
        entries: &[Entry],
        network: &Arc<Network>,
        span: Span,
    ) -> Result<(Vec<Linear>, Arc<Network>), Diagnostic> {
        let linear = |entry: &Entry| match entry {
            Entry::Linear(form) => Some(form.clone()),
            _ => None,
        };
        if let Some(forms) = entries.iter().map(linear).collect::<Option<Vec<_>>>() {
            return Ok((forms, Arc::clone(network)));
        }
        let space = self.lowered.model.space();
        let mut units = Units { terms: &self.lowered.model.terms, space: &space, forms: Vec::new(), left: MAX_UNITS };
        let mut shapes = Vec::new();
        for entry in entries {
            match entry {
                Entry::Linear(form) => shapes.push(units.form(form.clone())),
                Entry::Term(term) => shapes.push(units.unit(*term, 0).map_err(|text| refused(span, &text))?),
                Entry::OneHot { form, from, to } => {
                    for value in *from..=*to {
                        let shifted = form - &Linear::constant_form(Rational::from(value));
                        shapes.push(Unit::Zero(Rc::new(units.linear(form.clone(), &shifted))));
                    }
                }
            }
        }
        if units.forms.is_empty() {
            // All inputs are constant, and a network has at least one.
            units.forms.push(Linear::default());
        }
        let mut left = MAX_UNITS;
        let mut encoder = Encoder::new(units.forms.len());
        let pieces: Result<Vec<Piece>, EncodeError> =
            shapes.iter().map(|unit| unit.piece(&mut encoder, &mut left)).collect();
        let whole = pieces.and_then(|pieces| encoder.before(&pieces, network));
        let whole = whole.map_err(|error| refused(span, &error.to_string()))?;
        Ok((units.forms, Arc::new(whole)))
    }
}

fn refused(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(span, format!("these inputs cannot be turned into exact ReLU units: {text}"))
        .with_help("compute it in a variable of the model, or before the network")
}

/// A piecewise linear function of forms.
#[derive(Debug, Clone)]
enum Unit {
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
    fn piece(&self, encoder: &mut Encoder, left: &mut usize) -> Result<Piece, EncodeError> {
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
struct Units<'a> {
    terms: &'a TermPool,
    space: &'a Space,
    forms: Vec<Linear>,
    /// Operators that may still be looked at.
    left: usize,
}

impl Units<'_> {
    fn form(&mut self, form: Linear) -> Unit {
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
    fn linear(&mut self, base: Linear, wanted: &Linear) -> Unit {
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
    fn unit(&mut self, term: TermId, depth: usize) -> Result<Unit, String> {
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
