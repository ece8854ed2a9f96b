//! Memoryless deterministic schedulers: one choice per state.
//!
//! They suffice for reachability (Baier & Katoen, Lemmas 10.102 and 10.113), but not every one that picks a
//! *value-optimal* choice is optimal: inside an end component staying forever looks as good as leaving.
//! [`towards`] gives the choices that make progress.

use std::collections::VecDeque;

use crate::mdp::Mdp;
use crate::predecessors::Predecessors;
use crate::set::StateSet;

/// No choice: the state is a deadlock.
const NONE: u32 = u32::MAX;

/// A memoryless deterministic scheduler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheduler {
    choices: Vec<u32>,
}

impl Scheduler {
    /// The scheduler that takes the first choice everywhere.
    #[must_use]
    pub fn first(mdp: &Mdp) -> Self {
        let pick = |state| mdp.choices(state).next().unwrap_or(NONE);
        Self { choices: mdp.states().map(pick).collect() }
    }

    /// The global number of the choice taken in `state`; `None` in a deadlock.
    #[must_use]
    pub fn choice(&self, state: u32) -> Option<u32> {
        Some(self.choices[state as usize]).filter(|&choice| choice != NONE)
    }

    /// Takes `choice` in `state`, one of its own.
    pub fn set(&mut self, state: u32, choice: u32) {
        self.choices[state as usize] = choice;
    }
}

/// In every state of `within` that can get to `goals` by choices that `allowed` admits, takes a choice with a
/// branch to a state nearer to the goals.
///
/// Soundness: if every allowed choice of a state of `within` stays in `within` or the goals, and all of
/// `within` is ranked, the goals are reached with probability one: from each of finitely many states there is
/// a positive probability of doing so within as many steps as there are states.
pub(crate) fn towards(
    mdp: &Mdp,
    predecessors: &Predecessors,
    goals: impl IntoIterator<Item = u32>,
    within: impl Fn(u32) -> bool,
    allowed: impl Fn(u32) -> bool,
    scheduler: &mut Scheduler,
) {
    let mut seen = StateSet::empty(mdp.num_states());
    let mut queue: VecDeque<u32> = goals.into_iter().filter(|&goal| seen.insert(goal)).collect();
    while let Some(target) = queue.pop_front() {
        for &choice in predecessors.of(target) {
            let state = predecessors.owner(choice);
            if !seen.contains(state) && within(state) && allowed(choice) {
                seen.insert(state);
                scheduler.set(state, choice);
                queue.push_back(state);
            }
        }
    }
}
