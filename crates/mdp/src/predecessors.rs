//! Edges backwards: for each state, the choices that may lead to it.
//!
//! Compressed rows as in [`Mdp`], built by counting. Four bytes per branch, and four per choice for the state
//! that owns it. A choice with two branches to the same state is listed twice.

use crate::mdp::Mdp;

/// The incoming choices of every state.
#[derive(Debug, Clone)]
pub struct Predecessors {
    starts: Vec<u32>,
    choices: Vec<u32>,
    owners: Vec<u32>,
}

impl Predecessors {
    /// Of all states of `mdp`.
    #[must_use]
    pub fn new(mdp: &Mdp) -> Self {
        let mut owners = vec![0; mdp.num_choices()];
        let mut starts = vec![0u32; mdp.num_states() + 1];
        for branch in &mdp.branches {
            starts[branch.target as usize + 1] += 1;
        }
        for state in 0..mdp.num_states() {
            starts[state + 1] += starts[state];
        }
        let mut choices = vec![0; mdp.num_branches()];
        let mut next = starts.clone();
        for state in mdp.states() {
            for choice in mdp.choices(state) {
                owners[choice as usize] = state;
                for branch in mdp.branches(choice) {
                    let slot = &mut next[branch.target as usize];
                    choices[*slot as usize] = choice;
                    *slot += 1;
                }
            }
        }
        Self { starts, choices, owners }
    }

    /// The choices with a branch to `state`.
    #[must_use]
    pub fn of(&self, state: u32) -> &[u32] {
        &self.choices[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }

    /// The state that `choice` belongs to.
    #[must_use]
    pub fn owner(&self, choice: u32) -> u32 {
        self.owners[choice as usize]
    }
}
