//! Expected rewards until a set of states is reached, with guaranteed bounds on both sides.
//!
//! Every choice has a reward, at least zero, which is collected when it is taken. The value of a scheduler is the expected sum up to the first
//! state of the target; where the target is not reached with probability one it is infinite (Baier & Katoen, *Principles of Model
//! Checking*, Definitions 10.71 and 10.102). The largest and the smallest value over schedulers are asked for.
//!
//! Which states have a finite value follows from the graph: for the largest one those from which *every* scheduler reaches the target with
//! probability one (`Pmin = 1`), for the smallest one those from which *some* does (`Pmax = 1`), by choices that stay among them. What
//! is left is a stochastic shortest path problem (Bertsekas & Tsitsiklis, *An analysis of stochastic shortest path problems*, Math. Oper. Res.
//! 1991): see [`stopping`]. [`floats`] has bounds, [`exact`] fractions.

mod exact;
mod floats;
mod stopping;

use rustc_hash::FxHashMap;
use surefoot_num::Rational;

use crate::limits::{Ending, Limits};
use crate::mdp::{Mdp, number};
use crate::scheduler::Scheduler;

pub use exact::{ExactRewards, solve_rewards_exact};
pub use floats::solve_rewards;

/// A reward for every choice of a process.
#[derive(Debug, Clone)]
pub struct Rewards {
    of_choice: Vec<u32>,
    values: Vec<Rational>,
}

/// Why rewards cannot be summed up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RewardError {
    /// Some are negative: then sums need not exist.
    #[error("the reward {value} of choice {choice} is negative")]
    Negative {
        /// The choice.
        choice: usize,
        /// Its reward.
        value: Rational,
    },
    /// A set or list is about another process.
    #[error("{what} is about {given}, the process has {own}")]
    Mismatch {
        /// What does not fit.
        what: &'static str,
        /// How many it speaks about.
        given: usize,
        /// How many there are.
        own: usize,
    },
    /// A limit was met before there was an answer.
    #[error("{0}")]
    Stopped(surefoot_limits::Stop),
}

impl Rewards {
    /// The rewards of the choices, in the order of their numbers.
    ///
    /// # Errors
    /// [`RewardError::Negative`].
    pub fn new(rewards: impl IntoIterator<Item = Rational>) -> Result<Self, RewardError> {
        let (mut of_choice, mut values) = (Vec::new(), Vec::new());
        let mut ids: FxHashMap<Rational, u32> = FxHashMap::default();
        for (choice, value) in rewards.into_iter().enumerate() {
            if value.signum() < 0 {
                return Err(RewardError::Negative { choice, value });
            }
            let id = *ids.entry(value).or_insert_with_key(|value| {
                values.push(value.clone());
                number(values.len() - 1)
            });
            of_choice.push(id);
        }
        Ok(Self { of_choice, values })
    }

    /// One for every step; what happens in a vanishing state is none.
    #[must_use]
    pub fn steps(mdp: &Mdp) -> Self {
        let lasting = mdp.choices(mdp.vanishing().start.min(number(mdp.num_states()).saturating_sub(1)));
        let first_vanishing = if mdp.vanishing().is_empty() { number(mdp.num_choices()) } else { lasting.start };
        let of_choice = (0..number(mdp.num_choices())).map(|choice| u32::from(choice < first_vanishing)).collect();
        Self { of_choice, values: vec![Rational::ZERO, Rational::ONE] }
    }

    /// The reward of a choice.
    #[must_use]
    pub fn of(&self, choice: u32) -> &Rational {
        &self.values[self.of_choice[choice as usize] as usize]
    }

    fn len(&self) -> usize {
        self.of_choice.len()
    }
}

/// How precisely, for which states, and for how long.
#[derive(Debug, Clone)]
pub struct RewardOptions {
    /// The wanted absolute difference between upper and lower bound.
    pub precision: f64,
    /// The states that need it; `None` for all. Others have no bounds: `[0, infinity]`.
    pub initial: Option<Vec<u32>>,
    /// When to give up.
    pub limits: Limits,
}

impl Default for RewardOptions {
    /// All states to 1e-6, without limits.
    fn default() -> Self {
        Self { precision: 1e-6, initial: None, limits: Limits::default() }
    }
}

/// Bounds, a scheduler that attains them, and how it went.
#[derive(Debug, Clone)]
pub struct RewardSolution {
    /// From below; infinite where the value is.
    pub lower: Vec<f64>,
    /// From above; infinite where the value is, and where there is no bound.
    pub upper: Vec<f64>,
    /// A scheduler that was the best by the bounds where the value is finite.
    pub scheduler: Scheduler,
    /// Why it ended; only [`Ending::Precise`] promises the precision.
    pub ending: Ending,
    /// Sweeps over components of more than one class.
    pub sweeps: u64,
}
