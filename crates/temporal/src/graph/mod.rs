//! CTL on finite graphs: every subformula labels the states in which it holds (Clarke, Emerson and Sistla, *Automatic verification of
//! finite-state concurrent systems using temporal logic specifications*, 1986).
//!
//! * this file: the graph, and how far every state is from what it must reach; `label`: formulas on it;
//! * [`mod@reference`]: the same by iterating the equations of fixpoints: slow, and what labels are compared with;
//! * `show`: a run on which a formula can be seen to hold; [`mod@proof`]: a tree of runs, where it takes several;
//! * `measure`: labels with reasons that can be checked at every state alone.
//!
//! **Cost.** Unbounded and bounded until cost one pass over the edges backwards; `X^k` costs k passes, or fewer where they repeat.

mod label;
mod measure;
pub mod proof;
pub mod reference;
mod show;

pub use measure::{Measure, Measures};
pub use proof::Proof;
pub use show::Shown;

use std::collections::VecDeque;

use crate::formula::Quantifier;

/// States and their successors. A state without successors is its own.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// Successors of state `s`: `targets[ends[s - 1]..ends[s]]`, sorted, each once.
    ends: Vec<usize>,
    targets: Vec<u32>,
    /// States that have none but themselves, because they have none.
    stuck: Vec<bool>,
}

/// How many steps a state is from what it must reach: [`NEVER`] where it does not.
pub type Rank = u32;

/// The rank of states that do not reach it.
pub const NEVER: Rank = Rank::MAX;

impl Graph {
    /// Adds the next state with its successors, in any order; whoever has none stays.
    ///
    /// # Panics
    /// With more than 2^32 states.
    pub fn push(&mut self, successors: &mut Vec<u32>) {
        successors.sort_unstable();
        successors.dedup();
        let state = u32::try_from(self.ends.len()).expect("states have numbers of 32 bits");
        self.stuck.push(successors.is_empty());
        if successors.is_empty() {
            successors.push(state);
        }
        self.targets.extend_from_slice(successors);
        self.ends.push(self.targets.len());
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Roughly the bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        9 * self.ends.len() + 4 * self.targets.len()
    }

    /// The successors of a state, in order.
    #[must_use]
    pub fn successors(&self, state: u32) -> &[u32] {
        let state = state as usize;
        let start = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.targets[start..self.ends[state]]
    }

    /// Whether a state has no successors, and is its own for that reason.
    #[must_use]
    pub fn is_stuck(&self, state: u32) -> bool {
        self.stuck[state as usize]
    }

    /// How many states have no successors.
    #[must_use]
    pub fn stuck(&self) -> usize {
        self.stuck.iter().filter(|stuck| **stuck).count()
    }

    /// All states.
    pub fn states(&self) -> impl Iterator<Item = u32> + use<> {
        // As pushed.
        0..u32::try_from(self.len()).expect("states have numbers of 32 bits")
    }

    /// Within how many steps all or some paths reach a state of `right`, over states of `left`: the least `k` for which `Q[left U<=k right]` holds.
    #[must_use]
    pub fn ranks(&self, quantifier: Quantifier, left: &[bool], right: &[bool]) -> Vec<Rank> {
        let (starts, sources) = self.predecessors();
        let mut ranks: Vec<Rank> = right.iter().map(|end| if *end { 0 } else { NEVER }).collect();
        let mut open: Vec<u32> = self.states().map(|state| count(self.successors(state).len())).collect();
        let mut work: VecDeque<u32> = self.states().filter(|state| right[*state as usize]).collect();
        // First in, first out: ranks never fall, so the successor that closes a state has the largest rank of them.
        while let Some(state) = work.pop_front() {
            for before in &sources[starts[state as usize]..starts[state as usize + 1]] {
                let at = *before as usize;
                open[at] -= 1;
                let reached = quantifier == Quantifier::Some || open[at] == 0;
                if reached && left[at] && ranks[at] == NEVER {
                    ranks[at] = ranks[state as usize].saturating_add(1);
                    work.push_back(*before);
                }
            }
        }
        ranks
    }

    /// All states that can be reached from some, these included, in order.
    #[must_use]
    pub fn reachable(&self, from: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut seen = vec![false; self.len()];
        let mut work: Vec<u32> = from.into_iter().collect();
        while let Some(state) = work.pop() {
            if !std::mem::replace(&mut seen[state as usize], true) {
                work.extend(self.successors(state));
            }
        }
        self.states().filter(|state| seen[*state as usize]).collect()
    }

    /// Predecessors of state `s`: `sources[starts[s]..starts[s + 1]]`.
    fn predecessors(&self) -> (Vec<usize>, Vec<u32>) {
        let mut starts = vec![0; self.len() + 1];
        for target in &self.targets {
            starts[*target as usize + 1] += 1;
        }
        for state in 0..self.len() {
            starts[state + 1] += starts[state];
        }
        let mut next = starts.clone();
        let mut sources = vec![0; self.targets.len()];
        for state in self.states() {
            for target in self.successors(state) {
                sources[next[*target as usize]] = state;
                next[*target as usize] += 1;
            }
        }
        (starts, sources)
    }

    /// Where all or some successors are in a set.
    #[must_use]
    pub fn next(&self, quantifier: Quantifier, set: &[bool]) -> Vec<bool> {
        let inside = |state: &u32| set[*state as usize];
        let holds = |state: u32| match quantifier {
            Quantifier::All => self.successors(state).iter().all(inside),
            Quantifier::Some => self.successors(state).iter().any(inside),
        };
        self.states().map(holds).collect()
    }
}

fn count(successors: usize) -> u32 {
    u32::try_from(successors).expect("states have numbers of 32 bits, and so have their successors")
}
