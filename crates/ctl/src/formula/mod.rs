//! Formulas of (bounded) CTL over linear constraints: Definitions 7 to 9 of Akintunde, Botoeva, Kouvaros and Lomuscio,
//! *Formal verification of neural agents in non-deterministic environments* (2022), with everything that abbreviates.
//!
//! [`Ctl`] is what is written, negation and all. Its meaning, over paths `s_0 s_1 ...` in which a state without
//! successors is its own:
//!
//! | | holds in `s_0` when on all (`A`) or some (`E`) paths |
//! |---|---|
//! | `X^k f` | `f` holds in `s_k`; `X^0 f` is `f` |
//! | `F[<=k] f` | `f` holds in one of `s_1 .. s_k`: never for `k = 0` |
//! | `G[<=k] f` | `f` holds in all of `s_1 .. s_k`: always for `k = 0` |
//! | `f U<=k g` | `g` holds in some `s_i`, `0 <= i <= k`, and `f` in all before it |
//! | `f R<=k g` | not `(!f U<=k !g)` |
//!
//! Without a bound the positions go on for ever, and `F` and `G` still leave out the first.
//!
//! * [`normal`]: negation normal form, where only atoms are negated;
//! * [`unfold`]: operators written out step by step, as a graph of few kinds of nodes: what procedures work on;
//! * [`finite`]: the definition itself, on finite systems: slow, and what everything else is compared with.

pub mod finite;
pub mod normal;
mod show;
pub mod unfold;

use surefoot_linear::{Atom, Formula};
use surefoot_symbolic::Condition;

/// Which paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantifier {
    /// All of them: `A`.
    All,
    /// At least one: `E`.
    Some,
}

impl Quantifier {
    /// The other one.
    #[must_use]
    pub fn dual(self) -> Self {
        match self {
            Self::All => Self::Some,
            Self::Some => Self::All,
        }
    }

    /// `A` or `E`.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::All => 'A',
            Self::Some => 'E',
        }
    }
}

/// A formula. Leaves are conditions over the slots of the state vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ctl {
    /// A condition on the state. Where it has no value the model is in error.
    State(Condition),
    /// Negation.
    Not(Box<Ctl>),
    /// All of them; true when there are none.
    And(Vec<Ctl>),
    /// At least one of them; false when there are none.
    Or(Vec<Ctl>),
    /// After exactly so many steps.
    Next(Quantifier, u64, Box<Ctl>),
    /// At some step from 1, up to the bound if there is one.
    Finally(Quantifier, Option<u64>, Box<Ctl>),
    /// At all steps from 1, up to the bound if there is one.
    Globally(Quantifier, Option<u64>, Box<Ctl>),
    /// The second at some step from 0, the first at all before it.
    Until(Quantifier, Option<u64>, Box<Ctl>, Box<Ctl>),
    /// The second at all steps from 0, up to one at which the first holds too.
    Release(Quantifier, Option<u64>, Box<Ctl>, Box<Ctl>),
}

impl Ctl {
    /// A linear constraint.
    #[must_use]
    pub fn atom(atom: Atom) -> Self {
        Self::formula(Formula::atom(atom))
    }

    /// A Boolean combination of linear constraints.
    #[must_use]
    pub fn formula(holds: Formula) -> Self {
        Self::State(Condition { holds, defined: Formula::truth() })
    }

    /// A truth value.
    #[must_use]
    pub fn constant(value: bool) -> Self {
        Self::formula(Formula::constant(value))
    }

    /// Its negation.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::And(vec![self, other])
    }

    /// At least one.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::Or(vec![self, other])
    }

    /// The parts of a formula.
    #[must_use]
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::State(_) => Vec::new(),
            Self::Not(f) | Self::Next(_, _, f) | Self::Finally(_, _, f) | Self::Globally(_, _, f) => vec![f],
            Self::And(parts) | Self::Or(parts) => parts.iter().collect(),
            Self::Until(_, _, f, g) | Self::Release(_, _, f, g) => vec![f, g],
        }
    }

    /// After how many steps at most the formula looks at a state; `None` if there is no such number. Saturating.
    #[must_use]
    pub fn horizon(&self) -> Option<u64> {
        let mut inner = 0;
        for part in self.parts() {
            inner = part.horizon()?.max(inner);
        }
        let own = match self {
            Self::State(_) | Self::Not(_) | Self::And(_) | Self::Or(_) => 0,
            Self::Next(_, steps, _) => *steps,
            Self::Finally(_, bound, _)
            | Self::Globally(_, bound, _)
            | Self::Until(_, bound, _, _)
            | Self::Release(_, bound, _, _) => (*bound)?,
        };
        Some(inner.saturating_add(own))
    }

    /// Whether all operators have bounds.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.horizon().is_some()
    }
}
