//! What is known of states on a piece.
//!
//! What holds all over a piece holds on its parts, so a part begins with everything its piece found out: memories are chained,
//! youngest first. What is decided is remembered, and where the policy's choice changes: a part need not look for that again.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::image::Shared;
use super::step::Successors;
use crate::formula::unfold::NodeId;
use crate::region::Cut;

/// Chains longer than this are joined.
const LONGEST: usize = 6;

/// What is known of states.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    older: Option<Arc<Memory>>,
    length: usize,
    images: FxHashSet<Shared>,
    truths: FxHashMap<(NodeId, Shared), bool>,
    successors: FxHashMap<Shared, Arc<Successors>>,
    /// Where the policy's choice changed on a larger piece.
    borders: FxHashMap<Shared, Cut>,
    /// Roughly how many bytes images and successors take besides the tables.
    heap: usize,
}

impl Memory {
    /// What a part of a piece begins with.
    #[must_use]
    pub fn after(older: &Arc<Self>) -> Self {
        if older.length < LONGEST {
            return Self { older: Some(Arc::clone(older)), length: older.length + 1, ..Self::default() };
        }
        let mut joined = Self::default();
        // From the oldest on: where several know something, the youngest counts.
        let chain: Vec<&Self> = older.chain().collect();
        for memory in chain.into_iter().rev() {
            joined.images.extend(memory.images.iter().cloned());
            joined.truths.extend(memory.truths.iter().map(|(key, value)| (key.clone(), *value)));
            joined.successors.extend(memory.successors.iter().map(|(key, value)| (key.clone(), Arc::clone(value))));
            joined.borders.extend(memory.borders.iter().map(|(key, cut)| (key.clone(), cut.clone())));
        }
        joined
    }

    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |memory| memory.older.as_deref())
    }

    /// The one shared copy of an image.
    pub fn share(&mut self, image: Shared) -> Shared {
        if let Some(known) = self.chain().find_map(|memory| memory.images.get(&image)) {
            return Arc::clone(known);
        }
        self.heap += image.bytes();
        self.images.insert(Arc::clone(&image));
        image
    }

    /// The truth of a node in a state.
    #[must_use]
    pub fn truth(&self, key: &(NodeId, Shared)) -> Option<bool> {
        self.chain().find_map(|memory| memory.truths.get(key).copied())
    }

    /// Notes a truth.
    pub fn set_truth(&mut self, key: (NodeId, Shared), value: bool) {
        self.truths.insert(key, value);
    }

    /// The successors of a state.
    #[must_use]
    pub fn successors(&self, state: &Shared) -> Option<&Arc<Successors>> {
        self.chain().find_map(|memory| memory.successors.get(state))
    }

    /// Notes the successors of a state.
    pub fn set_successors(&mut self, state: Shared, successors: Arc<Successors>) {
        self.heap += 128 + successors.steps.len() * 160;
        self.successors.insert(state, successors);
    }

    /// Where the policy's choice in a state changed, on a larger piece.
    #[must_use]
    pub fn border(&self, state: &Shared) -> Option<&Cut> {
        self.chain().find_map(|memory| memory.borders.get(state))
    }

    /// Notes where the policy's choice in a state changes.
    pub fn set_border(&mut self, state: &Shared, cut: &Cut) {
        self.borders.insert(Arc::clone(state), cut.clone());
    }

    /// All states whose successors are known, in no particular order.
    pub fn expanded(&self) -> impl Iterator<Item = (&Shared, &Arc<Successors>)> {
        self.chain().flat_map(|memory| memory.successors.iter())
    }

    /// Roughly how many bytes the youngest part takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.heap + self.images.len() * 32 + self.truths.len() * 64 + self.successors.len() * 64
    }
}
