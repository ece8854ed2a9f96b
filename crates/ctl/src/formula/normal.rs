//! Negation normal form: negation is pushed to the conditions, which absorb it.
//!
//! Every operator has its dual (`A`/`E` with `X`/`X`, `F`/`G`, `U`/`R`), so the form is no larger than the formula. The dual
//! of `E[f U g]` is `A[!f R !g]`; a disjunction of `AG` and `AU` instead is right on single paths only.

use surefoot_symbolic::Condition;

use super::Ctl;

impl Ctl {
    /// An equivalent formula without negations.
    #[must_use]
    pub fn negation_normal(&self) -> Self {
        self.signed(true)
    }

    /// A formula without negations that holds where this one does not.
    #[must_use]
    pub fn negation_normal_of_negation(&self) -> Self {
        self.signed(false)
    }

    fn signed(&self, positive: bool) -> Self {
        let q = |q: super::Quantifier| if positive { q } else { q.dual() };
        let one = |f: &Self| Box::new(f.signed(positive));
        let all = |parts: &[Self]| parts.iter().map(|part| part.signed(positive)).collect();
        match self {
            Self::State(condition) if positive => Self::State(condition.clone()),
            Self::State(condition) => Self::State(Condition {
                holds: condition.holds.negated(),
                // Whether it has a value is asked first, whatever the sign.
                defined: condition.defined.clone(),
            }),
            Self::Not(f) => f.signed(!positive),
            Self::And(parts) if positive => Self::And(all(parts)),
            Self::Or(parts) if !positive => Self::And(all(parts)),
            Self::And(parts) | Self::Or(parts) => Self::Or(all(parts)),
            Self::Next(quantifier, steps, f) => Self::Next(q(*quantifier), *steps, one(f)),
            Self::Finally(quantifier, bound, f) if positive => Self::Finally(q(*quantifier), *bound, one(f)),
            Self::Globally(quantifier, bound, f) if !positive => Self::Finally(q(*quantifier), *bound, one(f)),
            Self::Finally(quantifier, bound, f) | Self::Globally(quantifier, bound, f) => {
                Self::Globally(q(*quantifier), *bound, one(f))
            }
            Self::Until(quantifier, bound, f, g) if positive => Self::Until(q(*quantifier), *bound, one(f), one(g)),
            Self::Release(quantifier, bound, f, g) if !positive => Self::Until(q(*quantifier), *bound, one(f), one(g)),
            Self::Until(quantifier, bound, f, g) | Self::Release(quantifier, bound, f, g) => {
                Self::Release(q(*quantifier), *bound, one(f), one(g))
            }
        }
    }

    /// A formula that holds wherever this one does, and looks ahead only so many steps where this one has no bounds; `None` where
    /// something without a bound has to happen. This is for formulas in negation normal form.
    pub(crate) fn weakened(&self, steps: u64) -> Option<Self> {
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
