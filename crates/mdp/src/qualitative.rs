//! Where the probability is exactly zero or exactly one, by graph analysis alone.
//!
//! Baier & Katoen, *Principles of Model Checking*, section 10.6.1 (Algorithms 45 and 46), for the constrained
//! until `left U right`. *Open* states are those in `left` and not in `right`; every other state outside `right`
//! has probability zero, and so has a deadlock outside `right`.
//!
//! * `Pmax > 0`: some path of open states leads to `right`.
//! * `Pmax = 1`: the greatest set `U` such that from each state of `U` some path leads to `right` along choices
//!   that stay in `U`.
//! * `Pmin > 0`: the least set containing `right` and each open state all of whose choices (at least one) have a
//!   branch into the set.
//! * `Pmin = 1`: no path of open states leads to a state with `Pmin = 0`.
//!
//! Soundness: no floating point is involved; probabilities matter only in being positive.

use crate::mdp::{Mdp, number};
use crate::predecessors::Predecessors;
use crate::query::{Direction, Until};
use crate::set::StateSet;

/// States whose optimal probability is known without arithmetic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Qualitative {
    /// Probability exactly zero.
    pub zero: StateSet,
    /// Probability exactly one.
    pub one: StateSet,
}

/// The states of optimal probability zero and one; `None` when `stop` says so between passes over the graph.
#[must_use]
pub fn qualitative(
    mdp: &Mdp,
    predecessors: &Predecessors,
    direction: Direction,
    until: &Until,
    stop: &dyn Fn() -> bool,
) -> Option<Qualitative> {
    Some(match direction {
        Direction::Max => {
            let positive = can_reach(mdp, predecessors, until, until.right());
            let one = surely_max(mdp, predecessors, until, &positive, stop)?;
            Qualitative { zero: positive.complement(), one }
        }
        Direction::Min => {
            let zero = positive_min(mdp, predecessors, until).complement();
            let one = can_reach(mdp, predecessors, until, &zero).complement();
            Qualitative { zero, one }
        }
    })
}

/// The states from which a path of open states leads into `goals`, those included.
fn can_reach(mdp: &Mdp, predecessors: &Predecessors, until: &Until, goals: &StateSet) -> StateSet {
    reach_along(mdp, predecessors, until, goals, |_| true)
}

/// The same along choices that `admit` admits.
fn reach_along(
    mdp: &Mdp,
    predecessors: &Predecessors,
    until: &Until,
    goals: &StateSet,
    admit: impl Fn(u32) -> bool,
) -> StateSet {
    debug_assert_eq!(goals.universe(), mdp.num_states());
    let mut reached = goals.clone();
    let mut stack: Vec<u32> = goals.iter().collect();
    while let Some(target) = stack.pop() {
        for &choice in predecessors.of(target) {
            let state = predecessors.owner(choice);
            if until.is_open(state) && !reached.contains(state) && admit(choice) {
                reached.insert(state);
                stack.push(state);
            }
        }
    }
    reached
}

/// The greatest fixed point for `Pmax = 1`, from the states of positive `Pmax`.
///
/// Two kinds of states fall out: those left without a choice that stays, found by following removals backwards
/// (each choice once, however long the chain of removals), and those that cannot reach `right` any more along what
/// is left, found by a search. Only searches are repeated, and only after one has removed something.
pub(crate) fn surely_max(
    mdp: &Mdp,
    predecessors: &Predecessors,
    until: &Until,
    positive: &StateSet,
    stop: &dyn Fn() -> bool,
) -> Option<StateSet> {
    let mut surely = positive.clone();
    let mut stays = StateSet::full(mdp.num_choices());
    let mut staying: Vec<u32> = mdp.states().map(|state| number(mdp.choices(state).len())).collect();
    let mut removed: Vec<u32> = positive.complement().iter().collect();
    loop {
        while let Some(target) = removed.pop() {
            for &choice in predecessors.of(target) {
                if stays.remove(choice) {
                    let state = predecessors.owner(choice);
                    staying[state as usize] -= 1;
                    if staying[state as usize] == 0 && !until.is_right(state) && surely.remove(state) {
                        removed.push(state);
                    }
                }
            }
        }
        let reached = reach_along(mdp, predecessors, until, until.right(), |choice| stays.contains(choice));
        removed.extend(surely.iter().filter(|&state| !reached.contains(state)));
        if removed.is_empty() {
            return Some(surely);
        }
        if stop() {
            return None;
        }
        surely = reached;
    }
}

/// The least fixed point for `Pmin > 0`: each state waits until all its choices have been hit.
pub(crate) fn positive_min(mdp: &Mdp, predecessors: &Predecessors, until: &Until) -> StateSet {
    let mut positive = until.right().clone();
    let mut waiting: Vec<u32> = mdp.states().map(|state| number(mdp.choices(state).len())).collect();
    let mut hit = StateSet::empty(mdp.num_choices());
    let mut stack: Vec<u32> = positive.iter().collect();
    while let Some(target) = stack.pop() {
        for &choice in predecessors.of(target) {
            if hit.insert(choice) {
                let state = predecessors.owner(choice);
                waiting[state as usize] -= 1;
                if waiting[state as usize] == 0 && until.is_open(state) && positive.insert(state) {
                    stack.push(state);
                }
            }
        }
    }
    positive
}

/// The same sets by iterating the definitions over all states until nothing changes.
#[must_use]
pub fn qualitative_reference(mdp: &Mdp, direction: Direction, until: &Until) -> Qualitative {
    let states = mdp.num_states();
    let least = |start: &StateSet, step: &dyn Fn(&StateSet, u32) -> bool| {
        let mut set = start.clone();
        loop {
            let next = StateSet::from_fn(states, |s| set.contains(s) || until.is_open(s) && step(&set, s));
            if next == set {
                return set;
            }
            set = next;
        }
    };
    let some = |set: &StateSet, choice: u32| mdp.branches(choice).iter().any(|b| set.contains(b.target));
    let all = |set: &StateSet, choice: u32| mdp.branches(choice).iter().all(|b| set.contains(b.target));
    let exists = |set: &StateSet, s: u32| mdp.choices(s).any(|c| some(set, c));
    match direction {
        Direction::Max => {
            let positive = least(until.right(), &exists);
            let mut one = positive.clone();
            loop {
                let within = |set: &StateSet, s: u32| mdp.choices(s).any(|c| some(set, c) && all(&one, c));
                let next = least(until.right(), &within);
                if next == one {
                    return Qualitative { zero: positive.complement(), one };
                }
                one = next;
            }
        }
        Direction::Min => {
            let forced = |set: &StateSet, s: u32| !mdp.choices(s).is_empty() && mdp.choices(s).all(|c| some(set, c));
            let zero = least(until.right(), &forced).complement();
            let one = least(&zero, &exists).complement();
            Qualitative { zero, one }
        }
    }
}
