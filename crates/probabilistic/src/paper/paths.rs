//! The paths of a chain to unsafe states, most probable first, one after the other as they are asked for (Han and Katoen, *Counterexamples in
//! Probabilistic Model Checking*).
//!
//! Best-first search over prefixes, by the probability of a prefix times that of the best way on, which is known exactly up to rounding: so every prefix that
//! is taken up belongs to the next path or to one that is as probable. Prefixes form a tree; paths that share a prefix share its steps, and what is found out
//! about a step serves all paths through it. Two paths differ in an outcome of some step, never only in a state: they are distinct updates.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use surefoot_num::Rational;

use super::chain::{Chain, Cost};

/// A number of a step in the tree; the root is the start of all paths.
pub type StepId = usize;

/// The last step of a prefix.
#[derive(Debug, Clone)]
pub struct Step {
    /// The step before; `None` at the root.
    pub before: Option<StepId>,
    /// The outcome that is drawn.
    pub outcome: usize,
    /// Where it ends, in the chain.
    pub spot: usize,
    /// The probability of the whole prefix.
    pub probability: Rational,
    /// Its cost, for the order only.
    cost: f64,
}

/// Paths in the order of their probabilities.
#[derive(Debug)]
pub struct Paths {
    /// The tree.
    pub steps: Vec<Step>,
    /// Prefixes to be taken up: the whole cost, the step before, the outcome.
    queue: BinaryHeap<Reverse<(Cost, StepId, usize)>>,
    /// Whether the root was looked at.
    begun: bool,
}

impl Default for Paths {
    /// No path yet.
    fn default() -> Self {
        let root = Step { before: None, outcome: 0, spot: 0, probability: Rational::ONE, cost: 0.0 };
        Self { steps: vec![root], queue: BinaryHeap::new(), begun: false }
    }
}

impl Paths {
    /// The most probable path that was not given yet, by its last step.
    pub fn next(&mut self, chain: &Chain) -> Option<StepId> {
        if !self.begun {
            self.begun = true;
            if self.arrive(chain, 0) {
                return Some(0);
            }
        }
        while let Some(Reverse((_, before, outcome))) = self.queue.pop() {
            let Step { spot, probability, cost, .. } = &self.steps[before];
            let taken =
                &chain.spots[*spot].joint().expect("a prefix goes on where there is a step").probabilities[outcome];
            let step = Step {
                before: Some(before),
                outcome,
                spot: chain.spots[*spot].targets[outcome] as usize,
                probability: probability * taken,
                cost: cost + chain.cost(*spot, outcome),
            };
            self.steps.push(step);
            let id = self.steps.len() - 1;
            if self.arrive(chain, id) {
                return Some(id);
            }
        }
        None
    }

    /// Puts the ways on from a step into the queue; says whether it ends a path.
    fn arrive(&mut self, chain: &Chain, id: StepId) -> bool {
        let Step { spot, cost, .. } = self.steps[id];
        let here = &chain.spots[spot];
        if here.ends {
            return true;
        }
        for (outcome, target) in here.targets.iter().enumerate() {
            let rest = chain.spots[*target as usize].cost;
            if rest.is_finite() {
                self.queue.push(Reverse((Cost(cost + chain.cost(spot, outcome) + rest), id, outcome)));
            }
        }
        false
    }

    /// The steps of a path, the root first.
    #[must_use]
    pub fn way(&self, end: StepId) -> Vec<StepId> {
        let mut way: Vec<StepId> = std::iter::successors(Some(end), |id| self.steps[*id].before).collect();
        way.reverse();
        way
    }

    /// The bytes that it takes, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.steps.len() * (size_of::<Step>() + 64) + self.queue.len() * size_of::<(Cost, StepId, usize)>()
    }
}
