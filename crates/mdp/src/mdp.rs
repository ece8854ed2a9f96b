//! Markov decision processes in compressed rows.
//!
//! An MDP is a finite set of states `0..n`; a state has zero or more *choices*; a choice is a probability
//! distribution over states, given by its *branches* (Baier & Katoen, *Principles of Model Checking*,
//! Definition 10.81). Choices are numbered through the whole process, the choices of a state are consecutive,
//! and so are the branches of a choice.
//!
//! Invariants (established by [`MdpBuilder`](crate::MdpBuilder)): every target is a state; every probability
//! is positive; the probabilities of a choice sum to one, exactly. A state without choices is a deadlock: a
//! run ends there, and reaches nothing it has not reached already.
//!
//! The last states may be *vanishing*: a decision within a step, taken after the branch that leads to it was drawn. They are never two in a
//! row, their choices are certain, and they count as no step where steps count; otherwise they are states like others. (The word is
//! that of stochastic Petri nets.)
//!
//! Memory: eight bytes per branch, four per choice, four per state, and the table of distinct probabilities.

use std::ops::Range;

use surefoot_num::{FloatInterval, Rational};

use crate::probability::{ProbabilityId, ProbabilityTable};
use crate::scheduler::Scheduler;

/// One outcome of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Branch {
    /// The state reached.
    pub target: u32,
    /// Its probability, as an index into the process's table.
    pub probability: ProbabilityId,
}

/// A number of states, choices or branches in 32 bits: [`MdpBuilder`](crate::MdpBuilder) refuses processes with more of them.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the builder counts, and this is in every inner loop")]
pub(crate) fn number(count: usize) -> u32 {
    debug_assert!(u32::try_from(count).is_ok(), "more than a process can have");
    count as u32
}

/// A sparse Markov decision process.
#[derive(Debug, Clone)]
pub struct Mdp {
    /// Choices of state `s`: `state_choices[s]..state_choices[s + 1]`.
    pub(crate) state_choices: Vec<u32>,
    /// Branches of choice `c`: `choice_branches[c]..choice_branches[c + 1]`.
    pub(crate) choice_branches: Vec<u32>,
    pub(crate) branches: Vec<Branch>,
    pub(crate) table: ProbabilityTable,
    /// How many of the last states are vanishing.
    pub(crate) vanishing: usize,
}

impl Mdp {
    /// The number of states.
    #[must_use]
    pub fn num_states(&self) -> usize {
        self.state_choices.len() - 1
    }

    /// All states.
    #[must_use]
    pub fn states(&self) -> Range<u32> {
        0..number(self.num_states())
    }

    /// The states that vanish: the last ones.
    #[must_use]
    pub fn vanishing(&self) -> Range<u32> {
        number(self.num_states() - self.vanishing)..number(self.num_states())
    }

    /// The number of choices of all states together.
    #[must_use]
    pub fn num_choices(&self) -> usize {
        self.choice_branches.len() - 1
    }

    /// The number of branches of all choices together.
    #[must_use]
    pub fn num_branches(&self) -> usize {
        self.branches.len()
    }

    /// The choices of `state`, as global numbers.
    #[must_use]
    pub fn choices(&self, state: u32) -> Range<u32> {
        self.state_choices[state as usize]..self.state_choices[state as usize + 1]
    }

    /// The branches of `choice`.
    #[must_use]
    pub fn branches(&self, choice: u32) -> &[Branch] {
        let (start, end) = (self.choice_branches[choice as usize], self.choice_branches[choice as usize + 1]);
        &self.branches[start as usize..end as usize]
    }

    /// The exact probability of a branch.
    #[must_use]
    pub fn exact(&self, branch: Branch) -> &Rational {
        self.table.exact(branch.probability)
    }

    /// Floats below and above the exact probability of a branch.
    #[must_use]
    pub fn bounds(&self, branch: Branch) -> FloatInterval {
        self.table.bounds(branch.probability)
    }

    /// The distinct probabilities.
    #[must_use]
    pub fn probabilities(&self) -> &ProbabilityTable {
        &self.table
    }

    /// Whether no state has two choices (a Markov chain, up to deadlocks).
    #[must_use]
    pub fn is_chain(&self) -> bool {
        self.states().all(|state| self.choices(state).len() <= 1)
    }

    /// The Markov chain that `scheduler` leaves: the same states, one choice each (none in deadlocks).
    ///
    /// Solving it gives guaranteed bounds on what the scheduler itself achieves.
    #[must_use]
    pub fn induced_chain(&self, scheduler: &Scheduler) -> Self {
        let mut chain = Self {
            state_choices: vec![0],
            choice_branches: vec![0],
            branches: Vec::new(),
            table: self.table.clone(),
            vanishing: self.vanishing,
        };
        for state in self.states() {
            if let Some(choice) = scheduler.choice(state) {
                chain.branches.extend_from_slice(self.branches(choice));
                chain.choice_branches.push(number(chain.branches.len()));
            }
            chain.state_choices.push(number(chain.choice_branches.len() - 1));
        }
        chain
    }

    /// The memory taken by the process, without spare capacity.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.branches.len() * size_of::<Branch>()
            + (self.state_choices.len() + self.choice_branches.len()) * size_of::<u32>()
            + self.table.bytes()
    }
}
