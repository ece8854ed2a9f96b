//! Negation normal form: negation is pushed to the conditions, which absorb it.
//!
//! Every operator has its dual (`A`/`E` with `X`/`X`, `F`/`G`, `U`/`R`), so the form is no larger than the formula. The dual
//! of `E[f U g]` is `A[!f R !g]`; a disjunction of `AG` and `AU` instead is right on single paths only.

use crate::formula::{Ctl, Quantifier};

impl<C> Ctl<C> {
    /// A formula without negations that holds where this one does, or where it does not; `leaf` signs a condition.
    #[must_use]
    pub fn signed<D>(&self, positive: bool, leaf: &mut impl FnMut(&C, bool) -> D) -> Ctl<D> {
        let q = |q: Quantifier| if positive { q } else { q.dual() };
        match self {
            Self::State(condition) => Ctl::State(leaf(condition, positive)),
            Self::Not(f) => f.signed(!positive, leaf),
            Self::And(parts) | Self::Or(parts) => {
                let signed = parts.iter().map(|part| part.signed(positive, leaf)).collect();
                if matches!(self, Self::And(_)) == positive { Ctl::And(signed) } else { Ctl::Or(signed) }
            }
            Self::Next(quantifier, steps, f) => Ctl::Next(q(*quantifier), *steps, Box::new(f.signed(positive, leaf))),
            Self::Finally(quantifier, bound, f) | Self::Globally(quantifier, bound, f) => {
                let inner = Box::new(f.signed(positive, leaf));
                if matches!(self, Self::Finally(..)) == positive {
                    Ctl::Finally(q(*quantifier), *bound, inner)
                } else {
                    Ctl::Globally(q(*quantifier), *bound, inner)
                }
            }
            Self::Until(quantifier, bound, f, g) | Self::Release(quantifier, bound, f, g) => {
                let (f, g) = (Box::new(f.signed(positive, leaf)), Box::new(g.signed(positive, leaf)));
                if matches!(self, Self::Until(..)) == positive {
                    Ctl::Until(q(*quantifier), *bound, f, g)
                } else {
                    Ctl::Release(q(*quantifier), *bound, f, g)
                }
            }
        }
    }

    /// The same without `F` and `G`, which are `X (true U f)` and `X (false R f)`: one step of a bound is that `X`.
    #[must_use]
    pub fn stepwise(&self) -> Self
    where
        C: Clone,
    {
        let one = |f: &Self| Box::new(f.stepwise());
        let all = |parts: &[Self]| parts.iter().map(Self::stepwise).collect();
        match self {
            Self::State(_) => self.clone(),
            Self::Not(f) => Self::Not(one(f)),
            Self::And(parts) => Self::And(all(parts)),
            Self::Or(parts) => Self::Or(all(parts)),
            Self::Next(q, count, f) => Self::Next(*q, *count, one(f)),
            Self::Finally(_, Some(0), _) => Self::falsehood(),
            Self::Globally(_, Some(0), _) => Self::truth(),
            Self::Finally(q, bound, f) => {
                Self::Next(*q, 1, Box::new(Self::reached(*q, bound.map(|k| k - 1), f.stepwise())))
            }
            Self::Globally(q, bound, f) => {
                Self::Next(*q, 1, Box::new(Self::kept(*q, bound.map(|k| k - 1), f.stepwise())))
            }
            Self::Until(q, bound, f, g) => Self::Until(*q, *bound, one(f), one(g)),
            Self::Release(q, bound, f, g) => Self::Release(*q, *bound, one(f), one(g)),
        }
    }

    /// The same with `F` and `G` where [`Self::stepwise`] has taken them apart: what people read.
    #[must_use]
    pub fn abbreviated(&self) -> Self
    where
        C: Clone,
    {
        let one = |f: &Self| Box::new(f.abbreviated());
        let all = |parts: &[Self]| parts.iter().map(Self::abbreviated).collect();
        let next = |bound: &Option<u64>| bound.map(|k| k.saturating_add(1));
        match self {
            Self::State(_) => self.clone(),
            Self::Not(f) => Self::Not(one(f)),
            Self::And(parts) => Self::And(all(parts)),
            Self::Or(parts) => Self::Or(all(parts)),
            Self::Next(q, 1, inner) => match &**inner {
                Self::Until(p, bound, f, g) if p == q && matches!(&**f, Self::And(parts) if parts.is_empty()) => {
                    Self::Finally(*q, next(bound), one(g))
                }
                Self::Release(p, bound, f, g) if p == q && matches!(&**f, Self::Or(parts) if parts.is_empty()) => {
                    Self::Globally(*q, next(bound), one(g))
                }
                _ => Self::Next(*q, 1, one(inner)),
            },
            Self::Next(q, count, f) => Self::Next(*q, *count, one(f)),
            Self::Finally(q, bound, f) => Self::Finally(*q, *bound, one(f)),
            Self::Globally(q, bound, f) => Self::Globally(*q, *bound, one(f)),
            Self::Until(q, bound, f, g) => Self::Until(*q, *bound, one(f), one(g)),
            Self::Release(q, bound, f, g) => Self::Release(*q, *bound, one(f), one(g)),
        }
    }

    /// A formula that holds wherever this one does, and looks ahead only so many steps where this one has no bounds; `None` where
    /// something without a bound has to happen. This is for formulas in negation normal form.
    #[must_use]
    pub fn weakened(&self, steps: u64) -> Option<Self>
    where
        C: Clone,
    {
        let one = |f: &Self| f.weakened(steps).map(Box::new);
        let all = |parts: &[Self]| parts.iter().map(|part| part.weakened(steps)).collect::<Option<Vec<_>>>();
        Some(match self {
            Self::State(_) => self.clone(),
            Self::Not(_) | Self::Finally(_, None, _) | Self::Until(_, None, ..) => return None,
            Self::And(parts) => Self::And(all(parts)?),
            Self::Or(parts) => Self::Or(all(parts)?),
            Self::Next(q, count, f) => Self::Next(*q, *count, one(f)?),
            Self::Finally(q, bound, f) => Self::Finally(*q, *bound, one(f)?),
            Self::Globally(q, bound, f) => Self::Globally(*q, bound.or(Some(steps)), one(f)?),
            Self::Until(q, bound, f, g) => Self::Until(*q, *bound, one(f)?, one(g)?),
            Self::Release(q, bound, f, g) => Self::Release(*q, bound.or(Some(steps)), one(f)?, one(g)?),
        })
    }
}
