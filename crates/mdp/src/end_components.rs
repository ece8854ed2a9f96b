//! Maximal end components.
//!
//! An end component is a non-empty set of states, each with a non-empty set of choices, such that the choices
//! stay inside and connect the set strongly (de Alfaro, *Formal Verification of Probabilistic Systems*, 1997;
//! Baier & Katoen, Definition 10.117). A scheduler can stay in one forever, and with probability one every run
//! ends in one. The maximal ones are disjoint.
//!
//! Algorithm: drop choices that leave, and states left without choices, backwards; split into strongly
//! connected components; repeat on every component that lost a choice (Baier & Katoen, Algorithm 47).

use crate::mdp::{Branch, Mdp, number};
use crate::predecessors::Predecessors;
use crate::set::StateSet;
use crate::strong::{Tarjan, strong_components_reference};

/// The maximal end components of a part of a process.
#[derive(Debug, Clone)]
pub struct EndComponents {
    /// Disjoint sets of states, each sorted.
    pub components: Vec<Vec<u32>>,
    /// The choices that stay within the end component of their state.
    pub inner_choices: StateSet,
}

/// The maximal end components among the states of `within`.
#[must_use]
pub fn maximal_end_components(mdp: &Mdp, predecessors: &Predecessors, within: &StateSet) -> EndComponents {
    let mut search = Search {
        mdp,
        predecessors,
        part: vec![OUTSIDE; mdp.num_states()],
        enabled: StateSet::empty(mdp.num_choices()),
        degree: vec![0; mdp.num_states()],
        doomed: Vec::new(),
    };
    for state in within.iter() {
        search.part[state as usize] = 0;
        for choice in mdp.choices(state) {
            if mdp.branches(choice).iter().all(|branch| within.contains(branch.target)) {
                search.enabled.insert(choice);
                search.degree[state as usize] += 1;
            }
        }
    }
    search.doomed.extend(within.iter().filter(|&state| search.degree[state as usize] == 0));
    search.cascade();
    search.split(within)
}

const OUTSIDE: u32 = u32::MAX;

struct Search<'a> {
    mdp: &'a Mdp,
    predecessors: &'a Predecessors,
    /// The part a state is currently in; parts are only ever split.
    part: Vec<u32>,
    enabled: StateSet,
    /// How many enabled choices a state has.
    degree: Vec<u32>,
    /// States that lost their last choice.
    doomed: Vec<u32>,
}

impl Search<'_> {
    fn disable(&mut self, choice: u32) {
        if self.enabled.remove(choice) {
            let state = self.predecessors.owner(choice);
            self.degree[state as usize] -= 1;
            if self.degree[state as usize] == 0 {
                self.doomed.push(state);
            }
        }
    }

    /// Takes doomed states out, and with them the choices that lead there, until none is left.
    fn cascade(&mut self) {
        while let Some(state) = self.doomed.pop() {
            self.part[state as usize] = OUTSIDE;
            let predecessors = self.predecessors;
            for &choice in predecessors.of(state) {
                self.disable(choice);
            }
        }
    }

    /// Disables the choices that leave `part`, whose states are `component`; true when there was one.
    fn disable_leaving(&mut self, component: &[u32], part: u32) -> bool {
        let mut any = false;
        for choice in component.iter().flat_map(|&state| self.mdp.choices(state)) {
            let stays = |branch: &Branch| self.part[branch.target as usize] == part;
            if self.enabled.contains(choice) && !self.mdp.branches(choice).iter().all(stays) {
                any = true;
                self.disable(choice);
            }
        }
        any
    }

    fn split(mut self, within: &StateSet) -> EndComponents {
        let mut tarjan = Tarjan::new(self.mdp.num_states());
        let mut parts = 0;
        let mut components = Vec::new();
        let all: Vec<u32> = within.iter().filter(|&state| self.part[state as usize] != OUTSIDE).collect();
        let mut work = vec![all];
        while let Some(list) = work.pop() {
            let Some(&first) = list.first() else { continue };
            let part = self.part[first as usize];
            let (parts_of, enabled) = (&self.part, &self.enabled);
            let found = tarjan.run(
                self.mdp,
                list.iter().copied(),
                |state| parts_of[state as usize] == part,
                |choice| enabled.contains(choice),
            );
            let base = parts + 1;
            for component in found.iter() {
                parts += 1;
                for &state in component {
                    self.part[state as usize] = parts;
                }
            }
            // First every leaving choice of every component, and only then the states this dooms: a choice that
            // the cascade takes away early would not be seen to leave, though it may have held its component together.
            let complete: Vec<bool> =
                found.iter().zip(base..).map(|(component, part)| !self.disable_leaving(component, part)).collect();
            self.cascade();
            for ((component, part), complete) in found.iter().zip(base..).zip(complete) {
                let mut rest: Vec<u32> =
                    component.iter().copied().filter(|&state| self.part[state as usize] == part).collect();
                if complete && !rest.is_empty() {
                    rest.sort_unstable();
                    components.push(rest);
                } else {
                    work.push(rest);
                }
            }
        }
        components.sort_unstable();
        EndComponents { components, inner_choices: self.enabled }
    }
}

/// The same by definition, in exponential time: the largest among all subsets that are end components. At most
/// 16 states.
#[must_use]
pub fn maximal_end_components_reference(mdp: &Mdp, within: &StateSet) -> Vec<Vec<u32>> {
    let states = mdp.num_states();
    assert!(states <= 16, "every subset is looked at");
    let mut found: Vec<u32> = Vec::new();
    for subset in 1u32..1 << states {
        let inside = |state: u32| subset >> state & 1 == 1;
        let members: Vec<u32> = (0..number(states)).filter(|&state| inside(state)).collect();
        let stays = |choice: u32| mdp.branches(choice).iter().all(|branch| inside(branch.target));
        let closed = members.iter().all(|&state| within.contains(state) && mdp.choices(state).any(stays));
        if closed && strong_components_reference(mdp, inside, stays).len() == 1 {
            found.push(subset);
        }
    }
    let maximal = |&&subset: &&u32| found.iter().all(|&other| other == subset || subset & other != subset);
    let list = |&subset: &u32| (0..number(states)).filter(|&state| subset >> state & 1 == 1).collect();
    let mut components: Vec<Vec<u32>> = found.iter().filter(maximal).map(list).collect();
    components.sort_unstable();
    components
}
