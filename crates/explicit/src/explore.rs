//! Breadth-first search over packed states, in parallel and deterministic.
//!
//! The search goes in rounds over a frontier of states in a fixed order. A round takes some chunks of the
//! frontier, as many as earlier rounds suggest; workers expand them in any order, each into buffers sorted by shard; then every shard inserts
//! its successors in the order of the chunks. Chunks, rounds and shards do not depend on the number of threads, so neither do
//! the numbering of states, the witness found, or any figure. (How chunks are batched does, and shows nowhere.)

use std::collections::VecDeque;
use std::ops::ControlFlow;

use rayon::prelude::*;
use surefoot_limits::Stop;
use surefoot_model::State;
use surefoot_verdict::Reporter;

use crate::chunk::{BatchResult, CHUNK, Chunk, Halt, Hands, ROUND, add, batches, insert_all, take_round};
use crate::compare::{Compared, Differences};
use crate::compile::{Condition, Expansion, Generator};
use crate::record::{RecordError, Recorder, Resolution};
use crate::reference;
use crate::start::{StartError, StartSearch};
use crate::store::{SHARDS, Shard, StateRef, Store};
use crate::task::{Ending, Exploration, Explored, Statistics, Task};

/// Rounds of fewer states are left to one thread.
const PARALLEL: usize = 128;
/// States of the first round; later ones have as many as give about [`ROUND_SUCCESSORS`] successors.
const FIRST_ROUND: usize = 16;
/// Successors of a round: what is buffered before it goes to the store.
const ROUND_SUCCESSORS: usize = 1 << 22;

/// Explores a task. Models with real variables go through the [reference](mod@crate::reference) exploration.
#[must_use]
pub fn explore(task: &Task<'_>, reporter: &dyn Reporter) -> Exploration {
    if !task.model.is_discrete() {
        return reference::explore(task, reporter);
    }
    match Search::new(task, None) {
        Ok(search) => match search.run(reporter) {
            Ok((exploration, _)) => exploration,
            Err(_) => unreachable!("nothing is recorded, so recording cannot fail"),
        },
        Err(error) => Exploration { ending: Ending::StartError(error), statistics: Statistics::default() },
    }
}

/// A search in progress.
#[derive(Debug)]
pub(crate) struct Search<'m> {
    pub(crate) task: Task<'m>,
    pub(crate) generator: Generator<'m>,
    pub(crate) starts: Vec<StartSearch<'m>>,
    pub(crate) reach: Option<Condition>,
    pub(crate) goal: Option<Condition>,
    pub(crate) absorb: Option<Condition>,
    pub(crate) store: Store,
    pub(crate) recorder: Option<Recorder>,
    /// Another policy, where it is compared, and what came of it so far.
    pub(crate) compared: Option<Compared<'m>>,
    pub(crate) differences: Differences,
    statistics: Statistics,
    /// States of the next round: from what earlier rounds gave, never from the clock or the threads.
    round_states: usize,
}

impl<'m> Search<'m> {
    /// Prepares a search; `record` says how to keep the transitions, if they are kept.
    pub(crate) fn new(task: &Task<'m>, record: Option<Resolution>) -> Result<Self, StartError> {
        let model = task.model;
        let starts = searches(task)?;
        let fixed = fixed_slots(task, &starts);
        let mut generator = Generator::new(model, task.policy, &fixed, task.dropped);
        let reach = task.reach.map(|term| generator.condition(term));
        let goal = task.goal.map(|term| generator.condition(term));
        let absorb = task.absorb.map(|term| generator.condition(term));
        let store = Store::new(generator.layout().words(), task.stop_at_reach);
        let recorder = record.map(|resolution| Recorder::new(SHARDS, resolution));
        let statistics = Statistics::default();
        Ok(Self {
            task: task.clone(),
            generator,
            starts,
            reach,
            goal,
            absorb,
            store,
            recorder,
            compared: None,
            differences: Differences::default(),
            statistics,
            round_states: FIRST_ROUND,
        })
    }

    /// Runs the search to its end.
    ///
    /// # Errors
    /// Where the transitions cannot be kept.
    pub(crate) fn run(mut self, reporter: &dyn Reporter) -> Result<(Exploration, Self), RecordError> {
        let ending = match self.insert_starts(reporter) {
            Ok(None) => self.search(reporter)?,
            Ok(Some(limit)) => {
                self.number_states()?;
                Ending::Limit(limit)
            }
            Err(StartError::Stopped(stop)) => Ending::Limit(stop),
            Err(error) => Ending::StartError(error),
        };
        self.statistics.states = self.store.len() as u64;
        self.statistics.bytes = self.store.bytes() as u64;
        Ok((Exploration { ending, statistics: self.statistics }, self))
    }

    fn insert_starts(&mut self, reporter: &dyn Reporter) -> Result<Option<Stop>, StartError> {
        let mut words = vec![0; self.generator.layout().words()];
        let mut limit = None;
        let mut count = 0u64;
        for search in &self.starts {
            let listed = search.for_each(|values| {
                self.generator.layout().pack(values, &mut words);
                self.store.insert_start(&words);
                count += 1;
                if count.is_multiple_of(1 << 12) {
                    reporter.tell(&Explored { states: self.store.len() as u64, ..Explored::default() });
                    limit = self.task.limits.exceeded(self.store.bytes());
                }
                if limit.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            match listed {
                Ok(()) => {}
                Err(StartError::Stopped(stop)) => limit = Some(stop),
                Err(error) => return Err(error),
            }
            if limit.is_some() {
                break;
            }
        }
        for state in &self.task.start.states {
            let values = state.to_ints().expect("a discrete model has integer states");
            self.generator.layout().pack(&values, &mut words);
            self.store.insert_start(&words);
        }
        self.statistics.start_states = self.store.len() as u64;
        match limit {
            None if self.store.len() == 0 => Err(StartError::Empty),
            // Without a single state there is nothing to tell but the limit.
            Some(stop) if self.store.len() == 0 => Err(StartError::Stopped(stop)),
            limit => Ok(limit),
        }
    }

    fn search(&mut self, reporter: &dyn Reporter) -> Result<Ending, RecordError> {
        // One pool for the whole search: one thread needs none.
        let pool = if self.task.threads > 1 {
            rayon::ThreadPoolBuilder::new().num_threads(self.task.threads).build().ok()
        } else {
            None
        };
        let threads = pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads);
        let mut workers: Vec<Hands> = (0..threads).map(|_| self.hands()).collect();
        let mut level_start = [0usize; SHARDS];
        self.number_states()?;
        let ending = loop {
            let mut frontier = self.frontier(&level_start);
            if frontier.is_empty() {
                break Ending::Complete;
            }
            for (start, shard) in level_start.iter_mut().zip(&self.store.shards) {
                *start = shard.len();
            }
            let mut stopped = None;
            while !frontier.is_empty() {
                let round = take_round(&mut frontier, self.round_states);
                stopped = self.round(&round, pool.as_ref(), &mut workers)?;
                let states = self.store.len() as u64;
                reporter.tell(&Explored { states, ..self.statistics.explored() });
                if stopped.is_none() {
                    stopped = self.task.limits.exceeded(self.bytes()).map(Ending::Limit);
                }
                if stopped.is_some() {
                    break;
                }
            }
            self.number_states()?;
            if let Some(recorder) = &mut self.recorder {
                recorder.flush(&self.generator).map_err(|error| self.located(error))?;
            }
            if let Some(ending) = stopped {
                break ending;
            }
            self.statistics.depth += 1;
        };
        if ending == Ending::Complete {
            // The last level had no new states.
            self.statistics.depth = self.statistics.depth.saturating_sub(1);
        }
        Ok(ending)
    }

    fn hands(&self) -> Hands {
        Hands {
            worker: self.generator.worker(),
            expansion: Expansion { record: self.recorder.is_some(), ..Expansion::default() },
            other: self.compared.as_ref().map(Compared::worker),
        }
    }

    fn bytes(&self) -> usize {
        self.store.bytes() + self.recorder.as_ref().map_or(0, Recorder::bytes)
    }

    /// An error of the row begun last, with its state.
    fn located(&self, error: RecordError) -> RecordError {
        let last = self.recorder.as_ref().and_then(Recorder::last);
        match (error, last) {
            (RecordError::Combinations { combinations, vector, .. }, Some(last)) => {
                let (shard, index) = last.parts();
                let mut values = vec![0; self.task.model.slots.len()];
                self.generator.layout().unpack(self.store.shards[shard].state(self.store.stride, index), &mut values);
                let state = Some(Box::new(State::from_ints(&values)));
                RecordError::Combinations { combinations, vector, state }
            }
            (error, _) => error,
        }
    }

    /// Numbers the states of the next level, in the order in which they will be expanded.
    fn number_states(&mut self) -> Result<(), RecordError> {
        if let Some(recorder) = &mut self.recorder {
            for (i, shard) in self.store.shards.iter().enumerate() {
                recorder.number(i, shard.len())?;
            }
        }
        Ok(())
    }

    /// The states found since the given lengths, shard by shard.
    fn frontier(&self, level_start: &[usize; SHARDS]) -> VecDeque<Chunk> {
        let found = level_start.iter().zip(&self.store.shards).enumerate();
        let chunks = found.map(|(shard, (first, states))| Chunk { shard, first: *first, end: states.len() });
        chunks.filter(|chunk| chunk.first < chunk.end).collect()
    }

    /// Expands some chunks and inserts what they give; how the search ends, if it does.
    fn round(
        &mut self,
        chunks: &[Chunk],
        pool: Option<&rayon::ThreadPool>,
        workers: &mut [Hands],
    ) -> Result<Option<Ending>, RecordError> {
        // Waking the threads costs more than a few states do.
        let states: usize = chunks.iter().map(|c| c.end - c.first).sum();
        let pool = pool.filter(|_| states >= PARALLEL);
        let mut results: Vec<BatchResult> = match pool {
            None => vec![self.expand(chunks, &mut workers[0])],
            Some(pool) => self.expand_parallel(&batches(chunks), pool, workers),
        };
        // Batches before the first one that stopped count; what came after it is as if it had never been.
        let mut ending = None;
        let mut counted = 0;
        for result in &results {
            add(&mut self.statistics, &result.figures);
            self.differences.add(self.statistics.depth, &result.found);
            counted += 1;
            if let Some(halt) = &result.halt {
                ending = Some(match halt {
                    Halt::Reached(last) => Ending::Reached(self.path(*last)),
                    Halt::Error(error) => Ending::ModelError(error.clone()),
                    Halt::Limit(stop) => Ending::Limit(*stop),
                });
                break;
            }
        }
        results.truncate(counted);
        self.plan(chunks, &results);
        let (stride, with_parents, record) = (self.store.stride, self.task.stop_at_reach, self.recorder.is_some());
        // Per shard and batch: the indices of its successors, when they are recorded.
        let insert = |(index, shard): (usize, &mut Shard)| -> Vec<Vec<u32>> {
            results.iter().map(|r| insert_all(shard, &r.buffers[index], stride, with_parents, record)).collect()
        };
        let indices: Vec<Vec<Vec<u32>>> = match pool {
            None => self.store.shards.iter_mut().enumerate().map(insert).collect(),
            Some(pool) => pool.install(|| self.store.shards.par_iter_mut().enumerate().map(insert).collect()),
        };
        if let Some(recorder) = &mut self.recorder {
            for (i, result) in results.into_iter().enumerate() {
                let per_shard: Vec<&[u32]> = indices.iter().map(|batches| &*batches[i]).collect();
                recorder.keep(result.trace.expect("recorded"), &per_shard)?;
            }
        }
        Ok(ending)
    }

    /// How many states the next round takes: more by and by, fewer where each has many successors.
    fn plan(&mut self, chunks: &[Chunk], results: &[BatchResult]) {
        let states: usize = chunks.iter().map(|c| c.end - c.first).sum();
        let words: usize = results.iter().flat_map(|r| &r.buffers).map(Vec::len).sum();
        let each = (words / self.store.stride).div_ceil(states.max(1)).max(1);
        // Of little memory, what is buffered takes an eighth at most.
        let little = self.task.limits.memory.map_or(usize::MAX, |most| most / (64 * self.store.stride));
        let successors = ROUND_SUCCESSORS.min(little);
        self.round_states = (4 * self.round_states).min(successors / each).clamp(1, CHUNK * ROUND);
    }

    fn expand_parallel(
        &self,
        batches: &[&[Chunk]],
        pool: &rayon::ThreadPool,
        workers: &mut [Hands],
    ) -> Vec<BatchResult> {
        let next = std::sync::atomic::AtomicUsize::new(0);
        let results: Vec<std::sync::OnceLock<BatchResult>> =
            batches.iter().map(|_| std::sync::OnceLock::new()).collect();
        pool.scope(|scope| {
            for hands in workers.iter_mut() {
                let (next, results) = (&next, &results);
                scope.spawn(move |_| {
                    loop {
                        let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        let Some(batch) = batches.get(i) else { break };
                        // Each index is handed out once, so the cell is empty.
                        let _ = results[i].set(self.expand(batch, hands));
                    }
                });
            }
        });
        results.into_iter().map(|cell| cell.into_inner().expect("every batch was expanded")).collect()
    }

    pub(crate) fn path(&self, last: StateRef) -> Vec<State> {
        let mut values = vec![0; self.task.model.slots.len()];
        let unpack = |words: Vec<u64>| {
            self.generator.layout().unpack(&words, &mut values);
            State::from_ints(&values)
        };
        self.store.path_to(last).into_iter().map(unpack).collect()
    }
}

/// The searches for the start states of a task, within its limits.
pub(crate) fn searches<'m>(task: &Task<'m>) -> Result<Vec<StartSearch<'m>>, StartError> {
    task.start.conditions.iter().map(|c| Ok(StartSearch::new(task.model, *c)?.within(&task.limits))).collect()
}

/// Slots that no edge writes and that have one value in all start states, and those to be dropped (with any value).
pub(crate) fn fixed_slots(task: &Task<'_>, starts: &[StartSearch<'_>]) -> Vec<Option<i64>> {
    let (model, states) = (task.model, &task.start.states);
    let dropped = |i: usize| task.dropped.is_some_and(|d| d[i]);
    let changing = crate::compile::changing_slots(model);
    (0..model.slots.len())
        .map(|i| {
            if dropped(i) {
                return model.slots[i].domain.int_bounds().map(|(lower, _)| lower);
            }
            if changing[i] {
                return None;
            }
            let mut value: Option<i64> = None;
            let boxes = starts.iter().filter_map(StartSearch::bounds).map(|b| b[i]);
            let listed = states.iter().filter_map(|s| s.0[i].to_i64()).map(|v| (v, v));
            for (low, high) in boxes.chain(listed) {
                if low != high || value.is_some_and(|v| v != low) {
                    return None;
                }
                value = Some(low);
            }
            value
        })
        .collect()
}
