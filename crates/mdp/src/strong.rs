//! Strongly connected components, without recursion.
//!
//! Tarjan's algorithm (Depth-first search and linear graph algorithms, SIAM J. Comput. 1972) on the graph
//! whose edges are the branches of admitted choices between included states, with an explicit stack: deep
//! models must not overflow ours.
//!
//! Invariant used by the solvers: components come out in reverse topological order, successors first.
//!
//! On the way the *depth* of every component of several states is found: how many such components lie on the longest way ahead,
//! its own included. When a component is closed, all that its states lead to is below it in the search, or closed already.

use crate::mdp::{Mdp, number};

/// A partition of states into strongly connected components, successors first.
#[derive(Debug, Clone, Default)]
pub struct Components {
    states: Vec<u32>,
    starts: Vec<u32>,
    /// The components of several states, in order, with their depths.
    pub(crate) larger: Vec<(u32, u32)>,
}

impl Components {
    /// One component: all states of a process.
    pub(crate) fn all(states: u32) -> Self {
        Self { states: (0..states).collect(), starts: vec![0], larger: Vec::new() }
    }

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
    /// Two numbers per state, side by side as they are read together: zero while not visited, `DONE` in a component, else
    /// the preorder number; and of a state that is done the depth.
    marks: Vec<[u32; 2]>,
    stack: Vec<u32>,
    frames: Vec<Frame>,
}

const DONE: u32 = u32::MAX;
/// States visited between two looks at the limits.
const STEPS: u32 = 1 << 16;

#[derive(Debug)]
struct Frame {
    state: u32,
    /// The next choice to look at.
    choice: u32,
    /// The branches that are being followed: those of one choice, or of all choices at once, which are next to each other.
    branch: u32,
    end: u32,
    /// The least preorder number seen from here, and the largest depth.
    low: u32,
    depth: u32,
}

impl Tarjan {
    pub(crate) fn new(states: usize) -> Self {
        Self { marks: vec![[0; 2]; states], stack: Vec::new(), frames: Vec::new() }
    }

    /// The components of the states that satisfy `include`; `None` when `stop` says so.
    ///
    /// The search begins at the last state, then the one before: where most branches lead to later states, most of what a state leads to is done
    /// when it is visited, and the rows are read one after the other.
    pub(crate) fn from_the_end(
        mdp: &Mdp,
        include: impl Fn(u32) -> bool,
        stop: &dyn Fn() -> bool,
    ) -> Option<Components> {
        let mut search = Self::new(mdp.num_states());
        // What is not included counts as done: then the search looks at one place per branch.
        for (state, mark) in mdp.states().zip(&mut search.marks) {
            mark[0] = if include(state) { 0 } else { DONE };
        }
        let (mut found, mut next, mut looked) = (Components::default(), 0, 0);
        for root in mdp.states().rev() {
            if search.marks[root as usize][0] == 0 {
                search.visit::<true>(mdp, root, &mut next);
                let mut complete = false;
                while !complete {
                    complete = search.walk::<true>(mdp, &mut next, STEPS, &|_| true, &|_| true, &mut found);
                    if next - looked >= STEPS {
                        looked = next;
                        if stop() {
                            return None;
                        }
                    }
                }
            }
        }
        Some(found)
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
            self.marks[state as usize][0] = 0;
        }
        let mut found = Components::default();
        let mut next = 0;
        for root in roots {
            if self.marks[root as usize][0] == 0 && include(root) {
                self.visit::<false>(mdp, root, &mut next);
                while !self.walk::<false>(mdp, &mut next, STEPS, &include, &admit, &mut found) {}
            }
        }
        found
    }

    /// Begins with a state; `ALL` its choices are admitted.
    #[inline]
    fn visit<const ALL: bool>(&mut self, mdp: &Mdp, state: u32, next: &mut u32) {
        *next += 1;
        self.marks[state as usize][0] = *next;
        self.stack.push(state);
        let choices = mdp.choices(state);
        let branch = mdp.choice_branches[choices.start as usize];
        let (choice, end) =
            if ALL { (choices.end, mdp.choice_branches[choices.end as usize]) } else { (choices.start, branch) };
        self.frames.push(Frame { state, choice, branch, end, low: *next, depth: 0 });
    }

    /// Goes on with the search for so many visits; true when it is at its end.
    fn walk<const ALL: bool>(
        &mut self,
        mdp: &Mdp,
        next: &mut u32,
        visits: u32,
        include: &impl Fn(u32) -> bool,
        admit: &impl Fn(u32) -> bool,
        found: &mut Components,
    ) -> bool {
        let until = next.saturating_add(visits);
        'frames: while let Some(frame) = self.frames.last_mut() {
            let state = frame.state;
            loop {
                while frame.branch < frame.end {
                    let target = mdp.branches[frame.branch as usize].target;
                    frame.branch += 1;
                    if !include(target) {
                        continue;
                    }
                    match self.marks[target as usize] {
                        [0, _] => {
                            self.visit::<ALL>(mdp, target, next);
                            if *next >= until {
                                return false;
                            }
                            continue 'frames;
                        }
                        [DONE, depth] => frame.depth = frame.depth.max(depth),
                        [index, _] => frame.low = frame.low.min(index),
                    }
                }
                if ALL || frame.choice == mdp.choices(state).end {
                    break;
                }
                if admit(frame.choice) {
                    let choice = frame.choice as usize;
                    (frame.branch, frame.end) = (mdp.choice_branches[choice], mdp.choice_branches[choice + 1]);
                }
                frame.choice += 1;
            }
            let (low, mut depth) = (frame.low, frame.depth);
            self.frames.pop();
            if low == self.marks[state as usize][0] {
                depth = self.close(state, depth, found);
            }
            if let Some(parent) = self.frames.last_mut() {
                parent.depth = parent.depth.max(depth);
                parent.low = parent.low.min(low);
            }
        }
        true
    }

    /// The component whose search began at `state`; its depth, `ahead` being the largest of what it leads to.
    fn close(&mut self, state: u32, ahead: u32, found: &mut Components) -> u32 {
        let larger = self.stack.last() != Some(&state);
        let depth = ahead + u32::from(larger);
        if larger {
            found.larger.push((number(found.starts.len()), depth));
        }
        found.starts.push(number(found.states.len()));
        while let Some(member) = self.stack.pop() {
            self.marks[member as usize] = [DONE, depth];
            found.states.push(member);
            if member == state {
                break;
            }
        }
        depth
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
