//! Chunks of the frontier, and batches of them: the unit of work of one thread.
//!
//! A chunk is a run of states of one shard, a batch some chunks in a row. Expanding a batch fills one buffer per shard with successors, in order, and
//! counts what there is to count. Nothing here touches the store, so batches can be expanded in any order. What a shard is given is the same
//! however a round is cut into batches: one thread takes all of it as one.

use std::collections::VecDeque;

use surefoot_limits::Stop;
use surefoot_model::ModelError;

use crate::compare::Found;
use crate::compile::{Expansion, Worker};
use crate::explore::Search;
use crate::pack::hash;
use crate::record::Trace;
use crate::store::{SHARDS, Shard, StateRef, shard_of};
use crate::task::Statistics;

/// States per chunk at most, and chunks per round.
pub(crate) const CHUNK: usize = 512;
pub(crate) const ROUND: usize = 64;
/// States per batch at least: every batch has a buffer per shard.
const BATCH: usize = 64;

/// What expanding one batch gave.
#[derive(Debug)]
pub(crate) struct BatchResult {
    /// Successors per shard: parent (when paths are wanted), then the state.
    pub(crate) buffers: Vec<Vec<u64>>,
    pub(crate) figures: Statistics,
    pub(crate) trace: Option<Trace>,
    pub(crate) halt: Option<Halt>,
    /// What another policy chooses, where it is compared.
    pub(crate) found: Found,
}

/// What a thread works with.
#[derive(Debug)]
pub(crate) struct Hands {
    pub(crate) worker: Worker,
    pub(crate) expansion: Expansion,
    /// For the policy that is compared.
    pub(crate) other: Option<Worker>,
}

/// Why a batch was not expanded to its end.
#[derive(Debug)]
pub(crate) enum Halt {
    Reached(StateRef),
    Error(Box<ModelError>),
    Limit(Stop),
}

/// A run of states of one shard.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk {
    pub(crate) shard: usize,
    pub(crate) first: usize,
    pub(crate) end: usize,
}

impl Search<'_> {
    /// Expands the states of a batch, in order, until one says to stop.
    pub(crate) fn expand(&self, batch: &[Chunk], hands: &mut Hands) -> BatchResult {
        let Hands { worker, expansion, other } = hands;
        let mut result = BatchResult {
            buffers: vec![Vec::new(); SHARDS],
            figures: Statistics::default(),
            trace: expansion.record.then(Trace::default),
            halt: None,
            found: Found::default(),
        };
        let stride = self.store.stride;
        let exact_before = worker.exact_policy_evaluations();
        // The clock is asked now and then: by states, and by successors where a state has many.
        let mut since = usize::MAX;
        'batch: for chunk in batch {
            for index in chunk.first..chunk.end {
                since = since.saturating_add(1 + expansion.choices.len() + expansion.successors.len() / stride);
                if since > 4096 {
                    since = 0;
                    if let Some(stop) = self.task.limits.stop() {
                        result.halt = Some(Halt::Limit(stop));
                        break 'batch;
                    }
                }
                self.generator.load(worker, self.store.shards[chunk.shard].state(stride, index));
                let parent = StateRef::new(chunk.shard, index);
                let visited = match self.visit(worker, expansion, parent, &mut result) {
                    Ok(true) => self.look(worker, other.as_mut(), parent, &mut result.found).map(|()| true),
                    stopped => stopped,
                };
                match visited {
                    Ok(true) => {}
                    Ok(false) => break 'batch,
                    Err(error) => {
                        result.halt = Some(Halt::Error(error));
                        break 'batch;
                    }
                }
            }
        }
        result.figures.exact_decisions = worker.exact_policy_evaluations() - exact_before;
        result
    }

    /// Counts and expands the worker's state; `false` to stop at it.
    #[inline]
    fn visit(
        &self,
        worker: &mut Worker,
        expansion: &mut Expansion,
        parent: StateRef,
        result: &mut BatchResult,
    ) -> Result<bool, Box<ModelError>> {
        let figures = &mut result.figures;
        if let Some(reach) = &self.reach
            && self.generator.holds(reach, worker)?
        {
            figures.reach_states += 1;
            if self.task.stop_at_reach {
                result.halt = Some(Halt::Reached(parent));
                return Ok(false);
            }
        }
        if let Some(goal) = &self.goal
            && self.generator.holds(goal, worker)?
        {
            figures.goal_states += 1;
            if self.task.goal_terminal {
                figures.terminal_states += 1;
                figures.expanded += 1;
                record(result, None);
                return Ok(true);
            }
        }
        if let Some(absorb) = &self.absorb
            && self.generator.holds(absorb, worker)?
        {
            figures.expanded += 1;
            record(result, None);
            return Ok(true);
        }
        self.generator.expand(worker, expansion)?;
        figures.expanded += 1;
        figures.choices += expansion.choices.len() as u64;
        figures.deadlocks += u64::from(expansion.choices.is_empty());
        let stride = self.store.stride;
        figures.transitions += (expansion.successors.len() / stride) as u64;
        record(result, Some(expansion));
        for successor in expansion.successors.chunks_exact(stride) {
            let shard = shard_of(hash(successor));
            if let Some(trace) = &mut result.trace {
                #[expect(clippy::cast_possible_truncation, reason = "there are 32 shards")]
                trace.shards.push(shard as u8);
            }
            let buffer = &mut result.buffers[shard];
            if self.task.stop_at_reach {
                buffer.push(parent.raw());
            }
            buffer.extend_from_slice(successor);
        }
        Ok(true)
    }
}

/// Takes so many states off the frontier, in chunks of equal size.
pub(crate) fn take_round(frontier: &mut VecDeque<Chunk>, states: usize) -> Vec<Chunk> {
    let size = states.div_ceil(ROUND).clamp(1, CHUNK);
    let (mut round, mut taken) = (Vec::new(), 0);
    while taken < states
        && let Some(chunk) = frontier.pop_front()
    {
        let end = chunk.end.min(chunk.first + size.min(states - taken));
        round.push(Chunk { end, ..chunk });
        taken += end - chunk.first;
        if end < chunk.end {
            frontier.push_front(Chunk { first: end, ..chunk });
        }
    }
    round
}

/// The chunks of a round in batches of about equal size.
pub(crate) fn batches(round: &[Chunk]) -> Vec<&[Chunk]> {
    let states: usize = round.iter().map(|chunk| chunk.end - chunk.first).sum();
    let size = states.div_ceil(ROUND).max(BATCH);
    let (mut batches, mut rest, mut taken, mut count) = (Vec::new(), round, 0, 0);
    for chunk in round {
        taken += chunk.end - chunk.first;
        count += 1;
        if taken >= size {
            let (batch, others) = rest.split_at(count);
            batches.push(batch);
            (rest, taken, count) = (others, 0, 0);
        }
    }
    if !rest.is_empty() {
        batches.push(rest);
    }
    batches
}

/// Keeps the moves of a state, when they are recorded.
#[inline]
fn record(result: &mut BatchResult, expansion: Option<&Expansion>) {
    if let Some(trace) = &mut result.trace {
        trace.add(expansion);
    }
}

/// Inserts the states of a buffer; their indices, when they are recorded.
pub(crate) fn insert_all(
    shard: &mut Shard,
    buffer: &[u64],
    stride: usize,
    with_parents: bool,
    record: bool,
) -> Vec<u32> {
    let entry = if with_parents { stride + 1 } else { stride };
    let mut indices = Vec::with_capacity(if record { buffer.len() / entry } else { 0 });
    let mut insert = |state: &[u64], parent: u64| {
        let index = shard.insert(stride, state, hash(state), parent);
        if record {
            indices.push(index);
        }
    };
    if with_parents {
        buffer.chunks_exact(entry).for_each(|entry| insert(&entry[1..], entry[0]));
    } else {
        buffer.chunks_exact(entry).for_each(|state| insert(state, StateRef::none().raw()));
    }
    indices
}

/// Adds what a batch counted.
pub(crate) fn add(total: &mut Statistics, part: &Statistics) {
    total.expanded += part.expanded;
    total.choices += part.choices;
    total.transitions += part.transitions;
    total.deadlocks += part.deadlocks;
    total.reach_states += part.reach_states;
    total.goal_states += part.goal_states;
    total.terminal_states += part.terminal_states;
    total.exact_decisions += part.exact_decisions;
}
