//! Narrowing a box by a constraint that must hold.
//!
//! Linear constraints narrow every variable by the bounds of the others. A disjunction narrows once all but one of its
//! disjuncts fail in the whole box. Other constraints do not narrow; they decide by splitting.

use surefoot_model::term::CmpOp;
use surefoot_model::{Model, Term, TermId};
use surefoot_num::Rational;

use super::IntBox;
use super::interval::{IntervalProgram, Truth};

/// How a constraint narrows.
#[derive(Debug)]
pub(super) enum Narrowing {
    Nothing,
    /// `sum a x + c <= 0`.
    AtMost(Box<[(u32, i128)]>, i128),
    /// `sum a x + c = 0`.
    Equal(Box<[(u32, i128)]>, i128),
    /// `sum a x + c != 0` (only single variables narrow).
    Different(Box<[(u32, i128)]>, i128),
    /// All of them.
    All(Vec<Narrowing>),
    /// One of them: each with its truth over a box.
    One(Vec<(IntervalProgram, Narrowing)>),
}

/// Nested disjunctions and conjunctions are followed this far.
const MAX_DEPTH: usize = 8;

impl Narrowing {
    pub(super) fn of(model: &Model, term: TermId) -> Self {
        Self::of_polarity(model, term, true, 0)
    }

    fn of_polarity(model: &Model, term: TermId, polarity: bool, depth: usize) -> Self {
        let terms = &model.terms;
        let (mut term, mut polarity) = (term, polarity);
        while let Term::Not(inner) = *terms.get(term) {
            term = inner;
            polarity = !polarity;
        }
        if depth > MAX_DEPTH {
            return Self::Nothing;
        }
        match (terms.get(term), polarity) {
            (Term::And(..), true) => {
                let parts = terms.conjuncts(term);
                Self::All(parts.into_iter().map(|t| Self::of_polarity(model, t, true, depth + 1)).collect())
            }
            (Term::Or(..), false) => {
                let parts = terms.disjuncts(term);
                Self::All(parts.into_iter().map(|t| Self::of_polarity(model, t, false, depth + 1)).collect())
            }
            (Term::Or(..), true) => {
                let parts = terms.disjuncts(term);
                let part =
                    |t: TermId| (IntervalProgram::compile(model, t), Self::of_polarity(model, t, true, depth + 1));
                Self::One(parts.into_iter().map(part).collect())
            }
            (Term::Slot(slot), _) => {
                let value = i128::from(polarity);
                Self::Equal([(slot.0, 1)].into(), -value)
            }
            (Term::Cmp(op, a, b), _) => Self::comparison(model, *op, *a, *b, polarity).unwrap_or(Self::Nothing),
            _ => Self::Nothing,
        }
    }

    fn comparison(model: &Model, op: CmpOp, a: TermId, b: TermId, polarity: bool) -> Option<Self> {
        // not (a < b) is b <= a, not (a <= b) is b < a.
        let (op, a, b) = match (op, polarity) {
            (CmpOp::Lt, false) => (CmpOp::Le, b, a),
            (CmpOp::Le, false) => (CmpOp::Lt, b, a),
            (CmpOp::Eq, false) => (CmpOp::Ne, a, b),
            (CmpOp::Ne, false) => (CmpOp::Eq, a, b),
            (op, true) => (op, a, b),
        };
        let form = &model.terms.linear(a)? - &model.terms.linear(b)?;
        if form.terms().iter().any(|(slot, _)| model.slots[slot.index()].domain.int_bounds().is_none()) {
            return None;
        }
        let (numerators, _) = form.over_integers();
        // Soundness: with coefficients below 2^40, a million of them times 64-bit values stay below 2^124.
        let wide = |value: &Rational| value.to_i64().map(i128::from);
        let small = |a: &i128| a.abs() < 1 << 40;
        let coefficients: Option<Box<[(u32, i128)]>> =
            numerators.terms().iter().map(|(slot, a)| Some((slot.0, wide(a)?))).collect();
        let (coefficients, constant) = (coefficients?, wide(numerators.constant())?);
        if coefficients.len() > 1 << 20 || !coefficients.iter().all(|(_, a)| small(a)) {
            return None;
        }
        Some(match op {
            CmpOp::Le => Self::AtMost(coefficients, constant),
            // Over the integers, sum < 0 is sum + 1 <= 0.
            CmpOp::Lt => Self::AtMost(coefficients, constant + 1),
            CmpOp::Eq => Self::Equal(coefficients, constant),
            CmpOp::Ne => Self::Different(coefficients, constant),
        })
    }

    /// Narrows a box; whether it changed, or `None` when it became empty.
    pub(super) fn apply(&self, region: &mut IntBox) -> Option<bool> {
        match self {
            Self::Nothing => Some(false),
            Self::AtMost(coefficients, constant) => at_most(coefficients, *constant, region),
            Self::Equal(coefficients, constant) => {
                let negated: Vec<(u32, i128)> = coefficients.iter().map(|(s, a)| (*s, -a)).collect();
                let below = at_most(coefficients, *constant, region)?;
                let above = at_most(&negated, -constant, region)?;
                Some(below || above)
            }
            Self::Different(coefficients, constant) => {
                let [(slot, a)] = coefficients[..] else { return Some(false) };
                if constant % a != 0 {
                    return Some(false);
                }
                let value = -constant / a;
                let (low, high) = &mut region[slot as usize];
                if i128::from(*low) == value && i128::from(*high) == value {
                    return None;
                }
                if i128::from(*low) == value {
                    *low += 1;
                    return Some(true);
                }
                if i128::from(*high) == value {
                    *high -= 1;
                    return Some(true);
                }
                Some(false)
            }
            Self::All(parts) => {
                let mut changed = false;
                for part in parts {
                    changed |= part.apply(region)?;
                }
                Some(changed)
            }
            Self::One(parts) => {
                let mut alive = None;
                for (program, narrowing) in parts {
                    match program.eval(region) {
                        Truth::Holds => return Some(false),
                        Truth::Fails => {}
                        Truth::Open if alive.is_some() => return Some(false),
                        Truth::Open => alive = Some(narrowing),
                    }
                }
                alive?.apply(region)
            }
        }
    }
}

/// `sum a x + c <= 0`: every `a x` is at most `-(c + sum of the others' minima)`.
fn at_most(coefficients: &[(u32, i128)], constant: i128, region: &mut IntBox) -> Option<bool> {
    let minimum = |(slot, a): &(u32, i128), region: &IntBox| {
        let (low, high) = region[*slot as usize];
        a * i128::from(if *a > 0 { low } else { high })
    };
    let total: i128 = coefficients.iter().map(|term| minimum(term, region)).sum::<i128>() + constant;
    if total > 0 {
        return None;
    }
    let mut changed = false;
    for term @ (slot, a) in coefficients {
        // a x <= slack.
        let slack = minimum(term, region) - total;
        let (low, high) = &mut region[*slot as usize];
        if *a > 0 {
            let most = slack.div_euclid(*a);
            if most < i128::from(*high) {
                *high = i64::try_from(most).ok()?;
                changed = true;
            }
        } else {
            // x >= slack / a, rounded up.
            let least = -(slack.div_euclid(-a));
            if least > i128::from(*low) {
                *low = i64::try_from(least).ok()?;
                changed = true;
            }
        }
        if *low > *high {
            return None;
        }
    }
    Some(changed)
}
