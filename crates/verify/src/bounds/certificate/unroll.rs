//! A part of a model step by step: states with the number of steps that are left.
//!
//! A probability within so many steps is one without a bound in the process whose states count: from `(s, k)` the moves of `s` lead to `(t, k - 1)`, and at 0 nothing comes. It has no
//! cycles, so all that is done with parts is done with it as well.

use rustc_hash::FxHashMap;
use surefoot_mdp::{BuildError, MdpBuilder, StateSet};

use super::no_certificate;
use super::part::Part;
use crate::problem::Failure;

/// The most branches of a process that counts.
const MOST_BRANCHES: usize = 1 << 22;

impl Part<'_> {
    /// The same for a probability within so many steps; itself where they are not counted.
    pub(super) fn within(mut self, steps: Option<u64>) -> Result<Self, Failure> {
        let Some(steps) = steps else { return Ok(self) };
        let failed = |error: BuildError| Failure::Internal(error.to_string());
        let mut builder = MdpBuilder::new();
        let (mut counted, mut labels, mut branches) = (Vec::new(), Vec::new(), 0);
        // One layer after the other: numbers of the next one come after all of this one.
        let mut layer: Vec<u32> = (0..self.starts).collect();
        for left in (0..=steps).rev() {
            let first = counted.len() + layer.len();
            let mut next: Vec<u32> = Vec::new();
            let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
            for state in layer {
                builder.begin_state().map_err(failed)?;
                counted.push((state, left));
                for choice in self.mdp.choices(state).filter(|_| left > 0) {
                    builder.begin_choice().map_err(failed)?;
                    labels.push(self.labels[choice as usize]);
                    for branch in self.mdp.branches(choice) {
                        let number = *numbers.entry(branch.target).or_insert_with(|| {
                            next.push(branch.target);
                            next.len() - 1
                        });
                        let many = || no_certificate("step by step there are too many states");
                        let target = u32::try_from(first + number).map_err(|_| many())?;
                        builder.branch_exact(target, self.mdp.exact(*branch)).map_err(failed)?;
                        branches += 1;
                        if branches > MOST_BRANCHES {
                            return Err(many());
                        }
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            layer = next;
        }
        let lifted = |set: &StateSet| StateSet::from_fn(counted.len(), |state| set.contains(counted[state as usize].0));
        self.frontier = lifted(&self.frontier);
        self.right = lifted(&self.right);
        self.left = self.left.as_ref().map(lifted);
        self.mdp = builder.finish().map_err(failed)?;
        self.labels = labels;
        self.counted = Some(counted);
        Ok(self)
    }
}
