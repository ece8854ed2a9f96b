//! The set of states found so far, in shards.
//!
//! A state belongs to the shard that its hash names. A shard keeps its states in the order they came, one after the other
//! in one vector, and a hash table of indices into it. With [`Store::with_parents`] it also keeps for every state the one
//! it was first reached from, for the path of a witness.

use hashbrown::HashTable;

use crate::pack::hash;

/// The number of shards. Part of the search order, so it does not depend on the number of threads.
pub(crate) const SHARDS: usize = 32;

/// A state in the store: shard and index within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StateRef(u64);

/// "No parent": a start state.
const NONE: u64 = u64::MAX;

impl StateRef {
    pub(crate) fn new(shard: usize, index: usize) -> Self {
        Self(((shard as u64) << 48) | index as u64)
    }

    pub(crate) fn none() -> Self {
        Self(NONE)
    }

    pub(crate) fn raw(self) -> u64 {
        self.0
    }

    fn parts(self) -> Option<(usize, usize)> {
        if self.0 == NONE { None } else { Some(((self.0 >> 48) as usize, (self.0 & 0xFFFF_FFFF_FFFF) as usize)) }
    }
}

/// The shard of a state.
#[inline]
pub(crate) fn shard_of(hash: u64) -> usize {
    // Bits that neither the table's buckets (low) nor its tags (top seven) use.
    ((hash >> 48) as usize) % SHARDS
}

/// One shard.
#[derive(Debug, Default)]
pub(crate) struct Shard {
    table: HashTable<u32>,
    words: Vec<u64>,
    parents: Option<Vec<u64>>,
    len: usize,
}

impl Shard {
    /// The index of a state, inserted if it is new.
    #[inline]
    pub(crate) fn insert(&mut self, stride: usize, state: &[u64], hashed: u64, parent: u64) -> u32 {
        let words = &self.words;
        let at = |index: u32| &words[index as usize * stride..(index as usize + 1) * stride];
        // Most states are one word, and a call to compare memory costs more than comparing it.
        let same = |index: &u32| at(*index).iter().zip(state).all(|(a, b)| a == b);
        let entry = self.table.entry(hashed, same, |index| hash(at(*index)));
        match entry {
            hashbrown::hash_table::Entry::Occupied(occupied) => *occupied.get(),
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                let index = u32::try_from(self.len).expect("fewer than 2^32 states per shard");
                vacant.insert(index);
                self.words.extend_from_slice(state);
                self.len += 1;
                if let Some(parents) = &mut self.parents {
                    parents.push(parent);
                }
                index
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn state(&self, stride: usize, index: usize) -> &[u64] {
        &self.words[index * stride..(index + 1) * stride]
    }

    fn contains(&self, stride: usize, state: &[u64], hashed: u64) -> bool {
        self.table.find(hashed, |index| self.state(stride, *index as usize) == state).is_some()
    }

    fn bytes(&self) -> usize {
        let parents = self.parents.as_ref().map_or(0, Vec::capacity);
        self.table.allocation_size() + 8 * (self.words.capacity() + parents)
    }
}

/// The set of states found so far.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) stride: usize,
    pub(crate) shards: Vec<Shard>,
}

impl Store {
    pub(crate) fn new(stride: usize, with_parents: bool) -> Self {
        let shard = || Shard { parents: with_parents.then(Vec::new), ..Shard::default() };
        Self { stride, shards: (0..SHARDS).map(|_| shard()).collect() }
    }

    /// Inserts one start state.
    pub(crate) fn insert_start(&mut self, state: &[u64]) {
        let hashed = hash(state);
        self.shards[shard_of(hashed)].insert(self.stride, state, hashed, NONE);
    }

    pub(crate) fn contains(&self, state: &[u64]) -> bool {
        let hashed = hash(state);
        self.shards[shard_of(hashed)].contains(self.stride, state, hashed)
    }

    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(Shard::len).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.shards.iter().map(Shard::bytes).sum()
    }

    /// The packed states from a start state to the given one.
    pub(crate) fn path_to(&self, last: StateRef) -> Vec<Vec<u64>> {
        let mut path = Vec::new();
        let mut current = last;
        while let Some((shard, index)) = current.parts() {
            let shard = &self.shards[shard];
            path.push(shard.state(self.stride, index).to_vec());
            let parents = shard.parents.as_ref().expect("paths need parents");
            current = StateRef(parents[index]);
        }
        path.reverse();
        path
    }
}
