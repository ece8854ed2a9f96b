//! What a search saw: the states that were reached, what is known of them, and a sketch of it all.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_abstraction::{AbstractState, Drawn, Sketch, SlotRange, StateId};
use surefoot_oracle::FullOracle;

use super::Search;
use crate::store::Record;

impl<O: FullOracle> Search<'_, '_, O> {
    /// The states that were reached.
    pub(crate) fn invariant(&self) -> Vec<(StateId, AbstractState)> {
        let reached = self.states.iter().filter(|(id, _)| self.reached[id.index()].is_some());
        reached.map(|(id, state)| (id, state.clone())).collect()
    }

    /// The ranges of what was not written in each of these states.
    pub(crate) fn within(&self) -> Vec<Arc<[SlotRange]>> {
        let mut known: FxHashSet<Arc<[SlotRange]>> = FxHashSet::default();
        let mut shared = |ranges: Arc<[SlotRange]>| {
            let first = known.get(&ranges).cloned();
            first.unwrap_or_else(|| {
                known.insert(ranges.clone());
                ranges
            })
        };
        let reached = self.states.iter().zip(&self.reached);
        let reached = reached.filter_map(|((_, state), reached)| Some((state, reached.as_ref()?.written)));
        reached.map(|(state, written)| shared(self.telling.ranges(self.watched, written, state))).collect()
    }

    /// What was seen, to be looked at.
    pub(crate) fn sketch(&self) -> Sketch {
        let ids: Vec<StateId> = self.invariant().into_iter().map(|(id, _)| id).collect();
        let mut numbers = vec![None; self.states.len()];
        (0..).zip(&ids).for_each(|(number, id): (u32, &StateId)| numbers[id.index()] = Some(number));
        let mut expanded = vec![false; ids.len()];
        self.looked.iter().filter_map(|id| numbers[id.index()]).for_each(|number| expanded[number as usize] = true);
        let mut transitions = Vec::with_capacity(self.drawn.len());
        for (source, by, target) in &self.drawn {
            let (Some(source), Some(target)) = (numbers[source.index()], numbers[target.index()]) else { continue };
            let locations = &self.states.get(ids[source as usize]).locations;
            let rule = &self.rules.at(locations)[*by as usize];
            transitions.push(Drawn { source, target, label: rule.label, probability: None });
        }
        // The search stops at the first unsafe state that it comes to.
        let is_unsafe = |id: &StateId| self.unsafe_state == Some(*id);
        Sketch {
            predicates: self.predicates.clone(),
            within: self.within(),
            states: ids.iter().map(|id| self.states.get(*id).clone()).collect(),
            start: ids.iter().map(|id| self.starts.contains(id)).collect(),
            is_unsafe: ids.iter().map(is_unsafe).collect(),
            expanded,
            transitions,
            complete: false,
            values: None,
            boxes: None,
        }
    }

    /// What was found out, for later iterations.
    pub(crate) fn into_records(self) -> FxHashMap<AbstractState, Record> {
        self.records
    }
}
