//! The states that an exploration reached, to be looked at afterwards.

use std::fmt;

use surefoot_verdict::Reporter;

use crate::explore::{Search, explore};
use crate::pack::Layout;
use crate::store::Store;
use crate::task::{Ending, Exploration, Task};

/// All reachable states, start states included.
pub struct Reached {
    layout: Layout,
    store: Store,
    kept: Vec<usize>,
    slots: usize,
}

impl fmt::Debug for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reached").field("states", &self.len()).field("kept", &self.kept).finish_non_exhaustive()
    }
}

impl Reached {
    /// Those of a search that came to its end.
    pub(crate) fn of(task: &Task<'_>, search: Search<'_>) -> Self {
        let slots = task.model.slots.len();
        let kept = (0..slots).filter(|slot| task.dropped.is_none_or(|dropped| !dropped[*slot])).collect();
        Self { layout: search.generator.layout().clone(), store: search.store, kept, slots }
    }

    /// How many bytes they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.store.bytes()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The slots that the states have values of, ascending. The others were left out: they may have any value.
    #[must_use]
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// Whether a state, given by the values of all slots, is one of them.
    #[must_use]
    pub fn contains(&self, point: &[i64]) -> bool {
        let mut words = vec![0; self.layout.words()];
        self.layout.pack(point, &mut words);
        let mut values = vec![0; self.slots];
        self.layout.unpack(&words, &mut values);
        // Slots with one value in all states take no room, and packing loses what else they might be.
        self.kept.iter().all(|slot| values[*slot] == point[*slot]) && self.store.contains(&words)
    }

    /// Calls `found` on every state, in a fixed order: the values of the slots that are kept.
    pub fn for_each(&self, mut found: impl FnMut(&[i64])) {
        let mut values = vec![0; self.slots];
        let mut kept = vec![0; self.kept.len()];
        for shard in &self.store.shards {
            for index in 0..shard.len() {
                self.layout.unpack(shard.state(self.store.stride, index), &mut values);
                for (value, slot) in kept.iter_mut().zip(&self.kept) {
                    *value = values[*slot];
                }
                found(&kept);
            }
        }
    }
}

/// Explores a task as [`explore`] does, and hands out the states of a complete exploration. Models with real variables have none.
#[must_use]
pub fn explore_keeping(task: &Task<'_>, reporter: &dyn Reporter) -> (Exploration, Option<Reached>) {
    if !task.model.is_discrete() {
        return (explore(task, reporter), None);
    }
    let search = match Search::new(task, None) {
        Ok(search) => search,
        Err(error) => {
            let statistics = crate::task::Statistics::default();
            return (Exploration { ending: Ending::StartError(error), statistics }, None);
        }
    };
    match search.run(reporter) {
        Ok((exploration, search)) => {
            let complete = exploration.ending == Ending::Complete;
            (exploration, complete.then(|| Reached::of(task, search)))
        }
        Err(_) => unreachable!("nothing is recorded, so recording cannot fail"),
    }
}
