//! A run on which a formula can be seen to hold.
//!
//! The formula is in negation normal form and holds in the first state. A run is followed as the operators ask: to where an until ends, by falling
//! ranks; along a release until what releases it, or until the run comes back to where it was, and then it goes round for ever (a lasso).
//! Of a conjunction one part may ask for a run, and conditions for nothing. Where all paths are spoken of, any is taken. So the run is a *proposal*:
//! whether it shows the formula is for [`crate::tree`] to say, which knows nothing of labels. Of several runs the first successors are
//! taken, so that the same comes out always.

use std::collections::HashMap;

use super::{Graph, NEVER, Rank};
use crate::formula::{Ctl, Quantifier};

/// A run: its states, and to which position it goes back from the last one, if it goes round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shown {
    /// The states.
    pub states: Vec<u32>,
    /// Where the last state's successor is, if the run goes on.
    pub back: Option<usize>,
}

/// Work beyond which no run is looked for: rows of `X^k`.
const MOST_ROWS: usize = 50_000_000;

impl Graph {
    /// A run from a state in which a formula holds; `None` where a single one cannot be proposed. `leaf` says where a signed condition holds.
    ///
    /// # Errors
    /// The first of a condition.
    pub fn show<C, E>(
        &self,
        formula: &Ctl<C>,
        start: u32,
        leaf: &mut impl FnMut(&C) -> Result<Vec<bool>, E>,
    ) -> Result<Option<Shown>, E> {
        let mut run = Shown { states: vec![start], back: None };
        Ok(self.follow(formula, &mut run, leaf)?.then_some(run))
    }

    /// Goes on from the last state of a run; whether that could be done.
    fn follow<C, E>(
        &self,
        formula: &Ctl<C>,
        run: &mut Shown,
        leaf: &mut impl FnMut(&C) -> Result<Vec<bool>, E>,
    ) -> Result<bool, E> {
        let at = *run.states.last().expect("runs have a first state");
        match formula {
            Ctl::State(_) | Ctl::Not(_) => Ok(true),
            Ctl::And(parts) => {
                let timed: Vec<&Ctl<C>> = parts.iter().filter(|part| !part.is_condition()).collect();
                match timed[..] {
                    [] => Ok(true),
                    [one] => self.follow(one, run, leaf),
                    _ => Ok(false),
                }
            }
            Ctl::Or(parts) => {
                // Conditions first: they need no run.
                let order = parts.iter().filter(|p| p.is_condition()).chain(parts.iter().filter(|p| !p.is_condition()));
                for part in order {
                    let before = run.clone();
                    if self.label(part, leaf)?[at as usize] && self.follow(part, run, leaf)? {
                        return Ok(true);
                    }
                    *run = before;
                }
                Ok(false)
            }
            Ctl::Next(quantifier, steps, f) => {
                let rows = usize::try_from(*steps).unwrap_or(usize::MAX);
                if rows.saturating_mul(self.len()) > MOST_ROWS {
                    return Ok(false);
                }
                let mut sets = vec![self.label(f, leaf)?];
                for _ in 1..rows {
                    sets.push(self.next(*quantifier, &sets[sets.len() - 1]));
                }
                for set in sets.iter().take(rows).rev() {
                    self.step(run, |state| set[state as usize]);
                }
                self.follow(f, run, leaf)
            }
            Ctl::Finally(quantifier, _, f) => {
                let set = self.label(f, leaf)?;
                let ranks = self.ranks(*quantifier, &vec![true; self.len()], &set);
                self.nearest(run, &ranks);
                self.descend(run, &ranks);
                self.follow(f, run, leaf)
            }
            Ctl::Until(quantifier, _, f, g) => {
                if !f.is_condition() {
                    return Ok(false);
                }
                let (left, right) = (self.label(f, leaf)?, self.label(g, leaf)?);
                let ranks = self.ranks(*quantifier, &left, &right);
                self.descend(run, &ranks);
                self.follow(g, run, leaf)
            }
            Ctl::Globally(quantifier, bound, f) => {
                let first = run.states.len();
                let bound = match bound {
                    Some(0) => return Ok(true),
                    bound => bound.map(|bound| bound - 1),
                };
                let kept = Kept { quantifier: *quantifier, bound, released: None, good: f, first };
                self.keep(&kept, run, true, leaf)
            }
            Ctl::Release(quantifier, bound, f, g) => {
                let first = run.states.len() - 1;
                let kept = Kept { quantifier: *quantifier, bound: *bound, released: Some(f), good: g, first };
                self.keep(&kept, run, false, leaf)
            }
        }
    }

    /// Follows a release, after a step if `later`.
    fn keep<C, E>(
        &self,
        kept: &Kept<'_, C>,
        run: &mut Shown,
        later: bool,
        leaf: &mut impl FnMut(&C) -> Result<Vec<bool>, E>,
    ) -> Result<bool, E> {
        if !kept.good.is_condition() {
            return Ok(false);
        }
        let bad: Vec<bool> = self.label(kept.good, leaf)?.into_iter().map(|good| !good).collect();
        let released = kept.released.map(|f| self.label(f, leaf)).transpose()?;
        let bound_by = released.as_ref().map_or(vec![true; self.len()], |set| set.iter().map(|r| !r).collect());
        // When it breaks at the latest, whatever is done: not within the bound, where it is kept.
        let breaks = self.ranks(kept.quantifier.dual(), &bound_by, &bad);
        let keeps = |state: u32, left: Option<u64>| {
            let rank = breaks[state as usize];
            rank == NEVER || left.is_some_and(|left| u64::from(rank) > left)
        };
        let (mut left, for_ever) = (kept.bound, |state: u32| keeps(state, None));
        let mut seen: HashMap<u32, usize> = HashMap::new();
        let from = kept.first - usize::from(later);
        if later {
            // Whoever comes back to the first state goes round from there, too: it is kept there then.
            seen.insert(run.states[from], from);
            // Where it can be kept for ever, it is: that makes the shorter runs.
            if !self.step(run, for_ever) && !self.step(run, |state| keeps(state, left)) {
                return Ok(false);
            }
        }
        loop {
            let at = *run.states.last().expect("runs have a first state");
            if released.as_ref().is_some_and(|set| set[at as usize]) {
                return kept.released.map_or(Ok(true), |f| self.follow(f, run, leaf));
            }
            if left == Some(0) {
                return Ok(true);
            }
            // Back where it was since the release began: it goes round, if the states there are kept for ever.
            let position = run.states.len() - 1;
            if let Some(before) = seen.insert(at, position).filter(|before| *before >= from && for_ever(at)) {
                run.states.pop();
                run.back = Some(before);
                return Ok(true);
            }
            left = left.map(|left| left - 1);
            if !self.step(run, for_ever) && !self.step(run, |state| keeps(state, left)) {
                return Ok(false);
            }
        }
    }

    /// One step to the first successor of a kind; whether there is one.
    fn step(&self, run: &mut Shown, good: impl Fn(u32) -> bool) -> bool {
        let at = *run.states.last().expect("runs have a first state");
        let next = self.successors(at).iter().copied().find(|state| good(*state));
        run.states.extend(next);
        next.is_some()
    }

    /// One step to the first successor of least rank.
    fn nearest(&self, run: &mut Shown, ranks: &[Rank]) {
        let at = *run.states.last().expect("runs have a first state");
        let least = self.successors(at).iter().map(|state| ranks[*state as usize]).min();
        self.step(run, |state| Some(ranks[state as usize]) == least);
    }

    /// Steps to ever lower ranks, until there is none.
    fn descend(&self, run: &mut Shown, ranks: &[Rank]) {
        while let Some(at) = run.states.last().copied().filter(|at| !matches!(ranks[*at as usize], 0 | NEVER)) {
            let rank = ranks[at as usize];
            let lower = |state: u32| ranks[state as usize] < rank;
            if !self.step(run, lower) {
                return;
            }
        }
    }
}

/// What is kept along a run, until what releases it.
struct Kept<'f, C> {
    quantifier: Quantifier,
    bound: Option<u64>,
    released: Option<&'f Ctl<C>>,
    good: &'f Ctl<C>,
    /// The position at which it begins.
    first: usize,
}
