//! The states in which a formula holds.

use super::measure::is_within;
use super::{Graph, Rank};
use crate::formula::{Ctl, Quantifier};
use crate::repeat::repeated;

impl Graph {
    /// The states in which a formula holds; `leaf` says where a condition does.
    ///
    /// # Errors
    /// The first of a condition.
    pub fn label<C, E>(
        &self,
        formula: &Ctl<C>,
        leaf: &mut impl FnMut(&C) -> Result<Vec<bool>, E>,
    ) -> Result<Vec<bool>, E> {
        Ok(match formula {
            Ctl::State(condition) => leaf(condition)?,
            Ctl::Not(f) => not(self.label(f, leaf)?),
            Ctl::And(parts) | Ctl::Or(parts) => {
                let all = matches!(formula, Ctl::And(_));
                let mut set = vec![all; self.len()];
                for part in parts {
                    let part = self.label(part, leaf)?;
                    set.iter_mut().zip(part).for_each(|(x, y)| *x = if all { *x && y } else { *x || y });
                }
                set
            }
            Ctl::Next(quantifier, steps, f) => self.after(*quantifier, *steps, self.label(f, leaf)?),
            Ctl::Finally(quantifier, bound, f) => {
                let set = self.label(f, leaf)?;
                self.later(*quantifier, *bound, &set)
            }
            // The duals: what fails somewhere does not hold everywhere.
            Ctl::Globally(quantifier, bound, f) => {
                let set = not(self.label(f, leaf)?);
                not(self.later(quantifier.dual(), *bound, &set))
            }
            Ctl::Until(quantifier, bound, f, g) => {
                let (f, g) = (self.label(f, leaf)?, self.label(g, leaf)?);
                within(&self.ranks(*quantifier, &f, &g), *bound)
            }
            Ctl::Release(quantifier, bound, f, g) => {
                let (f, g) = (not(self.label(f, leaf)?), not(self.label(g, leaf)?));
                not(within(&self.ranks(quantifier.dual(), &f, &g), *bound))
            }
        })
    }

    /// `X^k`.
    fn after(&self, quantifier: Quantifier, steps: u64, set: Vec<bool>) -> Vec<bool> {
        repeated(set, steps, |set| self.next(quantifier, set))
    }

    /// `F[<=k]`, which leaves out the state itself: `X (true U<=k-1 f)`.
    fn later(&self, quantifier: Quantifier, bound: Option<u64>, set: &[bool]) -> Vec<bool> {
        let rest = match bound {
            Some(0) => return vec![false; self.len()],
            Some(bound) => Some(bound - 1),
            None => None,
        };
        let all = vec![true; self.len()];
        self.next(quantifier, &within(&self.ranks(quantifier, &all, set), rest))
    }
}

/// The states whose ranks are within a bound.
fn within(ranks: &[Rank], bound: Option<u64>) -> Vec<bool> {
    ranks.iter().map(|rank| is_within(*rank, bound)).collect()
}

fn not(mut set: Vec<bool>) -> Vec<bool> {
    set.iter_mut().for_each(|value| *value = !*value);
    set
}
