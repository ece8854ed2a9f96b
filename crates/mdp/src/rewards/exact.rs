//! Expected rewards as exact fractions: policy iteration, component by component.
//!
//! For the smallest value it starts from a scheduler that reaches the target with probability one. A scheduler that is strictly better somewhere and
//! worse nowhere still does: a cycle of its own that it never left would have, by the equations of the one before, rewards of zero
//! and no improvement, and so be one of that one (Bertsekas & Tsitsiklis 1991, Proposition 3).

use surefoot_limits::{Stop, Unit};
use surefoot_num::Rational;

use super::stopping::Stopping;
use super::{RewardError, Rewards};
use crate::exact_component::solve_with_rewards;
use crate::limits::Limits;
use crate::mdp::Mdp;
use crate::query::Direction;
use crate::scheduler::Scheduler;
use crate::set::StateSet;

/// Exact values, and a scheduler that attains them.
#[derive(Debug, Clone)]
pub struct ExactRewards {
    /// Per state; `None` where the value is infinite.
    pub values: Vec<Option<Rational>>,
    /// Attains them where they are finite.
    pub scheduler: Scheduler,
}

/// The optimal expected reward of every state until `target`, as fractions.
///
/// # Errors
/// [`RewardError`]: what does not fit the process, and limits.
pub fn solve_rewards_exact(
    mdp: &Mdp,
    direction: Direction,
    target: &StateSet,
    rewards: &Rewards,
    limits: &Limits,
) -> Result<ExactRewards, RewardError> {
    super::floats::check(mdp, target, rewards)?;
    let late = || RewardError::Stopped(limits.stopped());
    let stopping = Stopping::new(mdp, direction, target, rewards, None, limits).ok_or_else(late)?;
    let quotient = &stopping.quotient;
    let mut choices = stopping.proper();
    let mut values = vec![Rational::ZERO; quotient.rows.num_states()];
    let mut budget = limits.exact_work.unwrap_or(u64::MAX);
    for component in quotient.components() {
        let range = component.start as usize..component.end as usize;
        let reward = |choice: u32| stopping.rewards[choice as usize].clone();
        let boundary = |class: u32| values[class as usize].clone();
        let policy = &mut choices[range.clone()];
        let solved = solve_with_rewards(quotient, direction, component, reward, boundary, policy, &mut budget, || {
            limits.expired()
        });
        let spent = || Stop::Most(Unit::Fractions, limits.exact_work.unwrap_or(u64::MAX));
        let solved = solved.ok_or_else(|| RewardError::Stopped(limits.run.stop().unwrap_or_else(spent)))?;
        values.splice(range, solved);
    }
    let scheduler = stopping.scheduler(mdp, &choices);
    let value = |state: u32| match (stopping.finite.contains(state), stopping.open.contains(state)) {
        (false, _) => None,
        (true, true) => Some(values[quotient.class_of[state as usize] as usize].clone()),
        (true, false) => Some(Rational::ZERO),
    };
    Ok(ExactRewards { values: mdp.states().map(value).collect(), scheduler })
}
