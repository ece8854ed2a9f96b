//! What is known of states on a piece.
//!
//! What holds all over a piece holds on its parts, so a part begins with everything its piece found out: memories are chained,
//! youngest first. Only what is decided is remembered.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::image::Shared;
use super::step::Successors;
use crate::formula::unfold::NodeId;

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
}

impl Memory {
    /// What a part of a piece begins with.
    #[must_use]
    pub fn after(older: &Arc<Self>) -> Self {
        if older.length < LONGEST {
            return Self { older: Some(Arc::clone(older)), length: older.length + 1, ..Self::default() };
        }
        let mut joined = Self::default();
        for memory in older.chain() {
            joined.images.extend(memory.images.iter().cloned());
            joined.truths.extend(memory.truths.iter().map(|(key, value)| (key.clone(), *value)));
            joined.successors.extend(memory.successors.iter().map(|(key, value)| (key.clone(), Arc::clone(value))));
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
        self.successors.insert(state, successors);
    }

    /// All states whose successors are known, in no particular order.
    pub fn expanded(&self) -> impl Iterator<Item = (&Shared, &Arc<Successors>)> {
        self.chain().flat_map(|memory| memory.successors.iter())
    }

    /// Roughly how many bytes the youngest part takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.images.len() * 400 + self.truths.len() * 32 + self.successors.len() * 400
    }
}
