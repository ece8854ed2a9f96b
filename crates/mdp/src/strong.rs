//! Strongly connected components, without recursion.
//!
//! Tarjan's algorithm (Depth-first search and linear graph algorithms, SIAM J. Comput. 1972) on the graph
//! whose edges are the branches of admitted choices between included states, with an explicit stack: deep
//! models must not overflow ours.
//!
//! Invariant used by the solvers: components come out in reverse topological order, successors first.

use crate::mdp::{Mdp, number};

/// A partition of states into strongly connected components, successors first.
#[derive(Debug, Clone, Default)]
pub struct Components {
    states: Vec<u32>,
    starts: Vec<u32>,
}

impl Components {
    /// The number of components.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The states of a component.
    #[must_use]
    pub fn get(&self, component: usize) -> &[u32] {
        let end = self.starts.get(component + 1).map_or(self.states.len(), |&end| end as usize);
        &self.states[self.starts[component] as usize..end]
    }

    /// All components, successors first.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|component| self.get(component))
    }
}

/// The numbering of states, kept between calls on disjoint or shrinking parts of one graph.
#[derive(Debug)]
pub(crate) struct Tarjan {
    /// Zero: not visited; `DONE`: in a component; else the preorder number.
    index: Vec<u32>,
    low: Vec<u32>,
    stack: Vec<u32>,
    frames: Vec<Frame>,
}

const DONE: u32 = u32::MAX;

#[derive(Debug)]
struct Frame {
    state: u32,
    choice: u32,
    /// How many branches of `choice` were followed.
    branch: u32,
}

impl Tarjan {
    pub(crate) fn new(states: usize) -> Self {
        Self { index: vec![0; states], low: vec![0; states], stack: Vec::new(), frames: Vec::new() }
    }

    /// The components of the part of the graph on `roots` and what they reach.
    pub(crate) fn run(
        &mut self,
        mdp: &Mdp,
        roots: impl Iterator<Item = u32> + Clone,
        include: impl Fn(u32) -> bool,
        admit: impl Fn(u32) -> bool,
    ) -> Components {
        for state in roots.clone() {
            self.index[state as usize] = 0;
        }
        let mut found = Components::default();
        let mut next = 0;
        for root in roots {
            if self.index[root as usize] == 0 && include(root) {
                self.visit(mdp, root, &mut next);
                self.walk(mdp, &mut next, &include, &admit, &mut found);
            }
        }
        found
    }

    fn visit(&mut self, mdp: &Mdp, state: u32, next: &mut u32) {
        *next += 1;
        self.index[state as usize] = *next;
        self.low[state as usize] = *next;
        self.stack.push(state);
        self.frames.push(Frame { state, choice: mdp.choices(state).start, branch: 0 });
    }

    fn walk(
        &mut self,
        mdp: &Mdp,
        next: &mut u32,
        include: &impl Fn(u32) -> bool,
        admit: &impl Fn(u32) -> bool,
        found: &mut Components,
    ) {
        'frames: while let Some(frame) = self.frames.last_mut() {
            let state = frame.state;
            while frame.choice < mdp.choices(state).end {
                if admit(frame.choice) {
                    let branches = mdp.branches(frame.choice);
                    while let Some(branch) = branches.get(frame.branch as usize) {
                        let target = branch.target;
                        frame.branch += 1;
                        if !include(target) {
                            continue;
                        }
                        match self.index[target as usize] {
                            0 => {
                                self.visit(mdp, target, next);
                                continue 'frames;
                            }
                            DONE => {}
                            index => self.low[state as usize] = self.low[state as usize].min(index),
                        }
                    }
                }
                frame.choice += 1;
                frame.branch = 0;
            }
            self.frames.pop();
            let low = self.low[state as usize];
            if let Some(parent) = self.frames.last() {
                let parent = parent.state as usize;
                self.low[parent] = self.low[parent].min(low);
            }
            if low == self.index[state as usize] {
                found.starts.push(number(found.states.len()));
                while let Some(member) = self.stack.pop() {
                    self.index[member as usize] = DONE;
                    found.states.push(member);
                    if member == state {
                        break;
                    }
                }
            }
        }
    }
}

/// The components of the included states along admitted choices, successors first.
#[must_use]
pub fn strong_components(mdp: &Mdp, include: impl Fn(u32) -> bool, admit: impl Fn(u32) -> bool) -> Components {
    let states = mdp.states();
    Tarjan::new(mdp.num_states()).run(mdp, states, include, admit)
}

/// The same by definition, in cubic time: who reaches whom, and back. Sorted, not topologically.
#[must_use]
pub fn strong_components_reference(
    mdp: &Mdp,
    include: impl Fn(u32) -> bool,
    admit: impl Fn(u32) -> bool,
) -> Vec<Vec<u32>> {
    let states = mdp.num_states();
    let mut reach = vec![vec![false; states]; states];
    for state in (0..number(states)).filter(|&state| include(state)) {
        reach[state as usize][state as usize] = true;
        for choice in mdp.choices(state).filter(|&choice| admit(choice)) {
            for branch in mdp.branches(choice).iter().filter(|branch| include(branch.target)) {
                reach[state as usize][branch.target as usize] = true;
            }
        }
    }
    for via in 0..states {
        for from in 0..states {
            if reach[from][via] {
                let further = reach[via].clone();
                reach[from].iter_mut().zip(further).for_each(|(reach, more)| *reach |= more);
            }
        }
    }
    let mut components: Vec<Vec<u32>> = Vec::new();
    for state in (0..number(states)).filter(|&state| include(state)) {
        let with = |member: u32| reach[state as usize][member as usize] && reach[member as usize][state as usize];
        let component: Vec<u32> = (0..number(states)).filter(|&member| with(member)).collect();
        if component[0] == state {
            components.push(component);
        }
    }
    components
}
