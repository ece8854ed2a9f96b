//! Abstract states, stored once each.

use rustc_hash::FxHashMap;
use surefoot_oracle::Assignment;

/// A location per automaton instance and a truth value per predicate.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AbstractState {
    /// Locations.
    pub locations: Box<[u32]>,
    /// Truth values of the predicates.
    pub values: Assignment,
}

impl AbstractState {
    /// The bytes behind its pointers, as an allocator hands them out.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        allocated(size_of_val(&*self.locations)) + allocated(self.values.len().div_ceil(64) * size_of::<u64>())
    }
}

impl AbstractState {
    /// The same over the first predicates only.
    #[must_use]
    pub fn over_first(&self, predicates: usize) -> Self {
        let values = Assignment::new((0..predicates).map(|predicate| self.values.get(predicate)));
        Self { locations: self.locations.clone(), values }
    }
}

/// What an allocator takes for so many bytes: it rounds up, and keeps a word for itself.
pub(crate) fn allocated(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + size_of::<usize>()).next_multiple_of(16).max(32) }
}

/// The number of a stored abstract state, from 0 in the order in which they were reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    /// The state of an index.
    ///
    /// # Panics
    /// Beyond 2^32 states, which do not fit the memory.
    #[must_use]
    pub fn at(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 abstract states"))
    }

    /// The index into lists by state.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A store of abstract states.
#[derive(Debug, Clone, Default)]
pub struct States {
    states: Vec<AbstractState>,
    ids: FxHashMap<AbstractState, StateId>,
    /// Bytes behind the states' pointers.
    held: usize,
}

impl States {
    /// The number of a state, and whether it is new.
    ///
    /// # Panics
    /// When there are 2^32 of them.
    pub fn insert(&mut self, state: AbstractState) -> (StateId, bool) {
        if let Some(id) = self.ids.get(&state) {
            return (*id, false);
        }
        let id = StateId(u32::try_from(self.states.len()).expect("fewer than 2^32 abstract states"));
        self.held += 2 * state.heap_bytes();
        self.states.push(state.clone());
        self.ids.insert(state, id);
        (id, true)
    }

    /// The number of a state that is stored.
    #[must_use]
    pub fn id(&self, state: &AbstractState) -> Option<StateId> {
        self.ids.get(state).copied()
    }

    /// A state.
    #[must_use]
    pub fn get(&self, id: StateId) -> &AbstractState {
        &self.states[id.index()]
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The bytes that they take, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let entry = size_of::<(AbstractState, StateId)>() + 1;
        self.held + self.states.capacity() * size_of::<AbstractState>() + self.ids.capacity() * entry
    }

    /// The numbers of all but the first so many.
    pub fn since(&self, first: usize) -> impl Iterator<Item = StateId> + use<> {
        (first..self.states.len()).map(StateId::at)
    }

    /// All states, in the order in which they were reached.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (StateId, &AbstractState)> {
        self.states.iter().enumerate().map(|(index, state)| (StateId::at(index), state))
    }
}
