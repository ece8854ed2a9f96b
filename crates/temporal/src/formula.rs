//! Formulas of (bounded) CTL: Definitions 7 to 9 of Akintunde, Botoeva, Kouvaros and Lomuscio, *Formal verification of neural
//! agents in non-deterministic environments* (2022), with everything that abbreviates.
//!
//! [`Ctl`] is what is written, negation and all. Its leaves are conditions on states: expressions of a text, terms of a model, or linear
//! constraints. Its meaning, over paths `s_0 s_1 ...` in which a state without successors is its own:
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

/// A formula over conditions on states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ctl<C> {
    /// A condition on the state. Where it has no value the model is in error.
    State(C),
    /// Negation.
    Not(Box<Ctl<C>>),
    /// All of them; true when there are none.
    And(Vec<Ctl<C>>),
    /// At least one of them; false when there are none.
    Or(Vec<Ctl<C>>),
    /// After exactly so many steps.
    Next(Quantifier, u64, Box<Ctl<C>>),
    /// At some step from 1, up to the bound if there is one.
    Finally(Quantifier, Option<u64>, Box<Ctl<C>>),
    /// At all steps from 1, up to the bound if there is one.
    Globally(Quantifier, Option<u64>, Box<Ctl<C>>),
    /// The second at some step from 0, the first at all before it.
    Until(Quantifier, Option<u64>, Box<Ctl<C>>, Box<Ctl<C>>),
    /// The second at all steps from 0, up to one at which the first holds too.
    Release(Quantifier, Option<u64>, Box<Ctl<C>>, Box<Ctl<C>>),
}

impl<C> Ctl<C> {
    /// What is always so.
    #[must_use]
    pub fn truth() -> Self {
        Self::And(Vec::new())
    }

    /// What is never so.
    #[must_use]
    pub fn falsehood() -> Self {
        Self::Or(Vec::new())
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

    /// At some step from 0: what is there already counts.
    #[must_use]
    pub fn reached(quantifier: Quantifier, bound: Option<u64>, goal: Self) -> Self {
        Self::Until(quantifier, bound, Box::new(Self::truth()), Box::new(goal))
    }

    /// At all steps from 0.
    #[must_use]
    pub fn kept(quantifier: Quantifier, bound: Option<u64>, good: Self) -> Self {
        Self::Release(quantifier, bound, Box::new(Self::falsehood()), Box::new(good))
    }

    /// The second at all steps from 0, up to one before which the first has failed: weak until, `f W g = g R (f | g)`.
    #[must_use]
    pub fn weak_until(quantifier: Quantifier, bound: Option<u64>, f: Self, g: Self) -> Self
    where
        C: Clone,
    {
        let either = g.clone().or(f);
        Self::Release(quantifier, bound, Box::new(g), Box::new(either))
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

    /// The formula and all its parts, each before its own parts and these in order: their places are their numbers.
    #[must_use]
    pub fn numbered(&self) -> Vec<&Self> {
        let (mut listed, mut work) = (Vec::new(), vec![self]);
        while let Some(formula) = work.pop() {
            listed.push(formula);
            work.extend(formula.parts().into_iter().rev());
        }
        listed
    }

    /// The operator's quantifier; none where it says nothing about time.
    #[must_use]
    pub fn quantifier(&self) -> Option<Quantifier> {
        match self {
            Self::State(_) | Self::Not(_) | Self::And(_) | Self::Or(_) => None,
            Self::Next(q, ..)
            | Self::Finally(q, ..)
            | Self::Globally(q, ..)
            | Self::Until(q, ..)
            | Self::Release(q, ..) => Some(*q),
        }
    }

    /// Whether it or a part of it speaks of such paths.
    #[must_use]
    pub fn speaks_of(&self, paths: Quantifier) -> bool {
        self.quantifier() == Some(paths) || self.parts().into_iter().any(|part| part.speaks_of(paths))
    }

    /// Whether it says nothing about time.
    #[must_use]
    pub fn is_condition(&self) -> bool {
        self.quantifier().is_none() && self.parts().into_iter().all(Self::is_condition)
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

    /// The same over other conditions.
    ///
    /// # Errors
    /// The first error of a condition, from left to right.
    pub fn map<D, E>(&self, leaf: &mut impl FnMut(&C) -> Result<D, E>) -> Result<Ctl<D>, E> {
        let all = |parts: &[Self], leaf: &mut _| parts.iter().map(|part| part.map(leaf)).collect::<Result<Vec<_>, E>>();
        Ok(match self {
            Self::State(condition) => Ctl::State(leaf(condition)?),
            Self::Not(f) => f.map(leaf)?.negated(),
            Self::And(parts) => Ctl::And(all(parts, leaf)?),
            Self::Or(parts) => Ctl::Or(all(parts, leaf)?),
            Self::Next(q, steps, f) => Ctl::Next(*q, *steps, Box::new(f.map(leaf)?)),
            Self::Finally(q, bound, f) => Ctl::Finally(*q, *bound, Box::new(f.map(leaf)?)),
            Self::Globally(q, bound, f) => Ctl::Globally(*q, *bound, Box::new(f.map(leaf)?)),
            Self::Until(q, bound, f, g) => Ctl::Until(*q, *bound, Box::new(f.map(leaf)?), Box::new(g.map(leaf)?)),
            Self::Release(q, bound, f, g) => Ctl::Release(*q, *bound, Box::new(f.map(leaf)?), Box::new(g.map(leaf)?)),
        })
    }
}
