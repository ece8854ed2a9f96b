//! The states of finite expected reward as a stochastic shortest path problem that has one solution.
//!
//! Choices that may leave those states are taken out: they give an infinite reward, which a smallest value avoids (and a largest finite one does not
//! have). For the smallest value, staying in an end component of choices without reward costs nothing and reaches nothing, so the Bellman
//! equation has smaller solutions than the value; such end components are collapsed (de Alfaro, *Computing minimum and maximum
//! reachability times in probabilistic systems*, CONCUR 1999). A choice that then stays in its class with probability one only costs, and goes
//! too; one that stays with probability `q` has its reward and its other branches divided by `1 - q`.
//!
//! Soundness: afterwards, for the largest value, every scheduler reaches the target with probability one; for the smallest one, some does, and one
//! that does not collects infinitely much, since every cycle of classes that it may stay in has a choice with a reward. These are the
//! assumptions of Bertsekas and Tsitsiklis (1991, Proposition 2): the Bellman operator `T` is monotone, has one fixed point, the value, and
//! iteration from anywhere converges to it. So `l <= T(l)` makes `l` a lower bound and `T(u) <= u` makes `u` an upper bound: iteration goes up from `l` and down from `u`.

use surefoot_num::Rational;

use super::Rewards;
use crate::end_components::{EndComponents, maximal_end_components};
use crate::limits::Limits;
use crate::mdp::{Mdp, number};
use crate::predecessors::Predecessors;
use crate::prepare::reachable;
use crate::qualitative::qualitative;
use crate::query::{Direction, Until};
use crate::quotient::Quotient;
use crate::scheduler::{Scheduler, towards};
use crate::set::StateSet;

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Stopping {
    /// The states of finite value.
    pub(super) finite: StateSet,
    /// Those of them that arithmetic is about: neither in the target, nor out of reach.
    pub(super) open: StateSet,
    /// Choices are numbered as in `kept`.
    pub(super) quotient: Quotient,
    /// The rewards of the quotient's choices.
    pub(super) rewards: Vec<Rational>,
    /// The choices that were not taken out, as the process numbers them.
    kept: Vec<u32>,
    /// End components that were collapsed, and their choices.
    ends: Option<(EndComponents, Mdp, Vec<u32>)>,
}

impl Stopping {
    /// `None` when it takes too long.
    pub(super) fn new(
        mdp: &Mdp,
        direction: Direction,
        target: &StateSet,
        rewards: &Rewards,
        initial: Option<&[u32]>,
        limits: &Limits,
    ) -> Option<Self> {
        let until = Until::eventually(target.clone());
        let predecessors = Predecessors::new(mdp);
        let opposite = match direction {
            Direction::Max => Direction::Min,
            Direction::Min => Direction::Max,
        };
        let finite = qualitative(mdp, &predecessors, opposite, &until, &|| limits.expired())?.one;
        drop(predecessors);
        let is_open = |state: u32| finite.contains(state) && !target.contains(state);
        let stays = |choice: u32| mdp.branches(choice).iter().all(|branch| finite.contains(branch.target));
        let (inner, kept) = restrict(mdp, |state, choice| is_open(state) && stays(choice));
        let open = match initial {
            Some(initial) => reachable(&inner, initial, is_open),
            None => StateSet::from_fn(mdp.num_states(), is_open),
        };
        let ends = (direction == Direction::Min).then(|| {
            let free = |choice: u32| rewards.of(kept[choice as usize]).is_zero();
            let (graph, origin) = restrict(&inner, |state, choice| open.contains(state) && free(choice));
            let ends = maximal_end_components(&graph, &Predecessors::new(&graph), &open);
            (ends, graph, origin)
        });
        if limits.expired() {
            return None;
        }
        let quotient = Quotient::new(&inner, &open, target, ends.as_ref().map(|(ends, ..)| ends));
        let scaled = |choice: usize, class: u32| {
            let origin = quotient.origin[choice];
            let own = inner.branches(origin).iter().filter(|b| quotient.class_of[b.target as usize] == class);
            let stay: Rational = own.map(|&branch| inner.exact(branch).clone()).sum();
            let leave = &Rational::ONE - &stay;
            rewards.of(kept[origin as usize]).checked_div(&leave).expect("a choice of the quotient leaves its class")
        };
        let classes = 0..quotient.classes();
        let rewards =
            classes.flat_map(|class| quotient.rows.choices(class).map(move |choice| (choice as usize, class)));
        let rewards: Vec<Rational> = rewards.map(|(choice, class)| scaled(choice, class)).collect();
        Some(Self { finite, open, quotient, rewards, kept, ends })
    }

    /// A scheduler of the quotient that reaches the target with probability one.
    pub(super) fn proper(&self) -> Vec<u32> {
        let rows = &self.quotient.rows;
        let mut scheduler = Scheduler::first(rows);
        let classes = self.quotient.classes();
        let inside = |class: u32| class < classes;
        towards(rows, &Predecessors::new(rows), [self.quotient.one()], inside, |_| true, &mut scheduler);
        let choice = |class| scheduler.choice(class).expect("every class has a choice on its way to the target");
        (0..classes).map(choice).collect()
    }

    /// The scheduler of the process that takes, in every class, the given choice of the quotient: within an end component it moves to the state of that
    /// choice, which costs nothing.
    pub(super) fn scheduler(&self, mdp: &Mdp, choices: &[u32]) -> Scheduler {
        let mut scheduler = Scheduler::first(mdp);
        let predecessors = Predecessors::new(mdp);
        let mut exits = StateSet::empty(mdp.num_states());
        for &choice in choices {
            let choice = self.kept[self.quotient.origin[choice as usize] as usize];
            let state = predecessors.owner(choice);
            exits.insert(state);
            scheduler.set(state, choice);
        }
        if let Some((ends, _, origin)) = &self.ends {
            let inner = |choice: &u32| self.kept[origin[*choice as usize] as usize];
            let free = StateSet::from_members(mdp.num_choices(), ends.inner_choices.iter().map(|c| inner(&c)));
            let members = StateSet::from_members(mdp.num_states(), ends.components.iter().flatten().copied());
            let inside = |state| members.contains(state) && !exits.contains(state);
            let goals = members.iter().filter(|&state| exits.contains(state));
            towards(mdp, &predecessors, goals, inside, |choice| free.contains(choice), &mut scheduler);
        }
        scheduler
    }
}

/// The process with some of its choices, and what they are numbered in the one given.
fn restrict(mdp: &Mdp, keep: impl Fn(u32, u32) -> bool) -> (Mdp, Vec<u32>) {
    let mut graph = Mdp {
        state_choices: vec![0],
        choice_branches: vec![0],
        branches: Vec::new(),
        table: mdp.table.clone(),
        vanishing: 0,
    };
    let mut origin = Vec::new();
    for state in mdp.states() {
        for choice in mdp.choices(state).filter(|&choice| keep(state, choice)) {
            graph.branches.extend_from_slice(mdp.branches(choice));
            graph.choice_branches.push(number(graph.branches.len()));
            origin.push(choice);
        }
        graph.state_choices.push(number(origin.len()));
    }
    (graph, origin)
}
