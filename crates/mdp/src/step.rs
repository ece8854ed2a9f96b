//! One Bellman step at a state of the process itself, with zero and one kept exact.
//!
//! Where a strongly connected component is a single state, what it leads to is known and no graph analysis is needed. Let the
//! bounds of the successors be exact where the optimal value is zero (`[0, 0]`) or one (`[1, 1]`), and strictly between otherwise
//! (upper bounds above zero, lower bounds below one). A choice other than staying for ever has
//!
//! * value zero if all states it may leave to have value zero, and so has a choice that stays for ever;
//! * value one if all of them have value one;
//! * else the sum over them, divided by the probability of leaving where it also leads back to its own state: the solution of
//!   `x = q x + r`.
//!
//! Soundness: the state is left with probability one under a choice that may leave, so its value is what is said above, and
//! the best over choices is the value of the state; for `Max` staying is never better, for `Min` it gives zero. The invariant on
//! zero and one goes on to this state: [`up`] is above zero and [`down`] below one.

use std::sync::OnceLock;

use surefoot_num::{FloatInterval, Rational};

use crate::mdp::{Branch, Mdp};
use crate::query::Direction;
use crate::rounding::{down, up};

/// The bounds of a state, and a choice that proves them: the lower one for `Max`, the upper one for `Min`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stepped {
    pub(crate) bounds: [f64; 2],
    /// None where there is no choice.
    pub(crate) choice: Option<u32>,
}

/// Steps at single states.
#[derive(Debug)]
pub(crate) struct Steps<'a> {
    mdp: &'a Mdp,
    direction: Direction,
    /// By probability of staying, where it was asked for: that of leaving.
    leaving: Vec<OnceLock<FloatInterval>>,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(mdp: &'a Mdp, direction: Direction) -> Self {
        let leaving = (0..mdp.table.len()).map(|_| OnceLock::new()).collect();
        Self { mdp, direction, leaving }
    }

    /// One step at `state`; `values` are the bounds of the states from `first` on, which has all that it leads to but itself.
    #[inline]
    pub(crate) fn step(&self, state: u32, values: &[[f64; 2]], first: u32) -> Stepped {
        let mut best: Option<([f64; 2], u32)> = None;
        for choice in self.mdp.choices(state) {
            let bounds = self.choice(state, choice, values, first);
            best = Some(match (best, self.direction) {
                (None, _) => (bounds, choice),
                (Some((old, chosen)), Direction::Max) => {
                    let chosen = if bounds[0] > old[0] { choice } else { chosen };
                    ([old[0].max(bounds[0]), old[1].max(bounds[1])], chosen)
                }
                (Some((old, chosen)), Direction::Min) => {
                    let chosen = if bounds[1] < old[1] { choice } else { chosen };
                    ([old[0].min(bounds[0]), old[1].min(bounds[1])], chosen)
                }
            });
        }
        // A run that ends here reaches nothing.
        best.map_or(Stepped { bounds: [0.0; 2], choice: None }, |(bounds, choice)| Stepped {
            bounds,
            choice: Some(choice),
        })
    }

    #[inline]
    fn choice(&self, state: u32, choice: u32, values: &[[f64; 2]], first: u32) -> [f64; 2] {
        let (branches, nearest) = (self.mdp.branches(choice), self.mdp.table.nearest());
        let (mut lower, mut upper) = (0.0, 0.0);
        let (mut certain, mut positive, mut leaving) = (true, false, 0);
        for branch in branches {
            if branch.target == state {
                continue;
            }
            let probability = nearest[branch.probability.0 as usize];
            let value = values[(branch.target - first) as usize];
            lower += probability * value[0];
            upper += probability * value[1];
            certain &= value[0] >= 1.0;
            positive |= value[1] > 0.0;
            leaving += 1;
        }
        if !positive {
            return [0.0; 2];
        }
        if certain {
            return [1.0; 2];
        }
        let bounds = [down(lower, leaving), up(upper, leaving)];
        if leaving == branches.len() { bounds } else { self.without_staying(state, branches, bounds) }
    }

    /// Bounds of a value from those of its part that is gained by leaving.
    ///
    /// Soundness: the value is `r / (1 - q)`, with `r` within `bounds` and `1 - q` within floats around the exact number. A quotient of
    /// floats is rounded to nearest, so its neighbours enclose it. It may overflow, which is a bound too; it is always a number, as
    /// `leave.upper` and `upper` are above zero.
    fn without_staying(&self, state: u32, branches: &[Branch], [lower, upper]: [f64; 2]) -> [f64; 2] {
        let mut staying = branches.iter().filter(|branch| branch.target == state);
        let leave = |stay: &Rational| FloatInterval::tightest(&(&Rational::ONE - stay));
        let leave = match (staying.next(), staying.next()) {
            (Some(only), None) => {
                *self.leaving[only.probability.0 as usize].get_or_init(|| leave(self.mdp.exact(*only)))
            }
            _ => {
                let all = branches.iter().filter(|branch| branch.target == state);
                leave(&all.map(|branch| self.mdp.exact(*branch).clone()).sum())
            }
        };
        // A lower bound stays below one, an upper one above zero: see the module.
        [
            (lower / leave.upper).next_down().clamp(0.0, 1.0f64.next_down()),
            (upper / leave.lower).next_up().clamp(f64::MIN_POSITIVE, 1.0),
        ]
    }
}
