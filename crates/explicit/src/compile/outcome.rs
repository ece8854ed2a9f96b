//! What an operator does to a packed state: all its outcomes.

use surefoot_model::interpret::MAX_PRODUCT;
use surefoot_model::model::Operator;
use surefoot_model::{ModelError, SlotId, State};

use super::generator::{ChoiceEnd, CompiledParticipant, CompiledVector, Expansion, Generator, Worker, advance};
use super::probability::{Branch, Distribution, ProbabilityNumber, Support, distribution};
use super::update::{CompiledDestination, Place, Write, Written};
use crate::number::number;

/// Distributions that depend on the state, remembered per worker.
const MAX_REMEMBERED: usize = 1 << 18;

impl Generator<'_> {
    /// Applies an operator; `None` when the fast path cannot.
    pub(super) fn apply(&self, vector: u32, first: usize, worker: &mut Worker, out: &mut Expansion) -> Option<()> {
        let compiled = &self.vectors[vector as usize];
        let count = compiled.participants.len();
        let mut total = 1usize;
        for p in 0..count {
            let instance = compiled.participants[p].instance;
            let outcomes = match &self.edges[instance][worker.operator_edges[first + p] as usize].support {
                Support::Constant(support) => support.len(),
                Support::Dynamic(slots) => {
                    worker.supports[p] = self.distribution(vector, first, p, slots, worker)?;
                    worker.supports[p].len()
                }
            };
            total = total.checked_mul(outcomes).filter(|total| *total <= MAX_PRODUCT)?;
        }
        worker.taken[..count].fill(0);
        loop {
            self.apply_outcome(compiled, first, worker, out)?;
            if out.record {
                let probability = self.probability(compiled, first, worker);
                out.outcomes.push((probability, out.successors.len() / self.layout.words()));
            }
            let (edges, supports) = (&worker.operator_edges, &worker.supports);
            let more = advance(&mut worker.taken[..count], |p| {
                let edge = edges[first + p];
                match &self.edges[compiled.participants[p].instance][edge as usize].support {
                    Support::Constant(support) => support.len(),
                    Support::Dynamic(_) => supports[p].len(),
                }
            });
            if !more {
                return Some(());
            }
        }
    }

    /// The distribution of a participant's edge, whose probabilities depend on some slots; `None` when it is none.
    pub(super) fn distribution(
        &self,
        vector: u32,
        first: usize,
        p: usize,
        slots: &[SlotId],
        worker: &mut Worker,
    ) -> Option<Distribution> {
        let participants = &self.vectors[vector as usize].participants;
        let (instance, edge) = (participants[p].instance, worker.operator_edges[first + p]);
        let key = (number(instance), edge, slots.iter().map(|s| worker.values[s.index()]).collect::<Box<[i64]>>());
        if let Some(known) = worker.distributions.get(&key) {
            return Some(known.clone());
        }
        let edges = worker.operator_edges[first..first + participants.len()].to_vec();
        let (state, operator) = (State::from_ints(&worker.values), Operator { vector, edges });
        let values = self.interpreter().probabilities(&state, instance, edge, &operator).ok()?;
        let distribution = distribution(&values, &self.probabilities);
        if worker.distributions.len() >= MAX_REMEMBERED {
            worker.distributions.clear();
        }
        worker.distributions.insert(key, distribution.clone());
        Some(distribution)
    }

    /// One outcome: the writes of all participants' destinations.
    #[inline]
    pub(super) fn apply_outcome(
        &self,
        vector: &CompiledVector,
        first: usize,
        worker: &mut Worker,
        out: &mut Expansion,
    ) -> Option<()> {
        worker.writes.clear();
        let mut indices: Option<(i64, i64)> = None;
        let (mut assigns, mut reads) = (false, false);
        for (p, participant) in vector.participants.iter().enumerate() {
            let destination = self.destination(participant, p, first, worker);
            assigns |= destination.assigns_transient;
            reads |= destination.reads_transient;
            if destination.exact || (assigns && reads) {
                return None;
            }
            if let Some((low, high)) = destination.indices {
                indices = Some(indices.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
            }
        }
        if indices.is_some_and(|(low, high)| low != high) {
            return self.apply_sequence(vector, first, worker, out);
        }
        let mut forks = false;
        for (p, participant) in vector.participants.iter().enumerate() {
            let destination = self.destination(participant, p, first, worker);
            for write in &destination.writes {
                let (slot, low, high) = self.evaluate(write, &worker.values)?;
                forks |= low != high;
                if vector.may_conflict && worker.writes.iter().any(|w| w.0 == slot && (w.1, w.2) != (low, high)) {
                    return None;
                }
                worker.writes.push((slot, low, high));
            }
            worker.writes.push((SlotId::at(participant.instance), destination.location, destination.location));
        }
        let start = out.successors.len();
        out.successors.extend_from_slice(&worker.words);
        for (slot, low, _) in &worker.writes {
            self.layout.set(&mut out.successors[start..], *slot, *low);
        }
        if forks { self.fork(start, worker, out) } else { Some(()) }
    }

    /// All combinations of the values of interval writes; the first is already there.
    fn fork(&self, start: usize, worker: &Worker, out: &mut Expansion) -> Option<()> {
        let stride = self.layout.words();
        let mut done: Vec<SlotId> = Vec::new();
        for (slot, low, high) in &worker.writes {
            if low == high || done.contains(slot) {
                continue;
            }
            done.push(*slot);
            // Too many, and the difference may not even fit; the reference interpreter says so.
            let so_far = (out.successors.len() - start) / stride;
            let width = usize::try_from(high.abs_diff(*low)).ok().filter(|width| *width < 1_000_000)?;
            if so_far * (width + 1) > MAX_PRODUCT {
                return None;
            }
            // The slower-changing values come first, as in the reference interpreter.
            let existing: Vec<u64> = out.successors.drain(start..).collect();
            for base in existing.chunks(stride) {
                for value in *low..=*high {
                    let at = out.successors.len();
                    out.successors.extend_from_slice(base);
                    self.layout.set(&mut out.successors[at..], *slot, value);
                }
            }
        }
        Some(())
    }

    /// Assignments with several indices, on a copy of the state.
    fn apply_sequence(
        &self,
        vector: &CompiledVector,
        first: usize,
        worker: &mut Worker,
        out: &mut Expansion,
    ) -> Option<()> {
        let mut indices: Vec<i64> = Vec::new();
        for (p, participant) in vector.participants.iter().enumerate() {
            indices.extend(self.destination(participant, p, first, worker).writes.iter().map(|w| w.index));
        }
        indices.sort_unstable();
        indices.dedup();
        let mut sequence = std::mem::take(&mut worker.sequence);
        sequence.clone_from(&worker.values);
        let mut written: Vec<SlotId> = Vec::new();
        for index in indices {
            worker.writes.clear();
            for (p, participant) in vector.participants.iter().enumerate() {
                let destination = self.destination(participant, p, first, worker);
                for write in destination.writes.iter().filter(|w| w.index == index) {
                    // An interval has to meet the domain there and then.
                    if matches!(write.written, Written::Interval(..)) {
                        return None;
                    }
                    // Only the last value of a slot has to be in its domain.
                    let (slot, value, _) = self.evaluate_unchecked(write, &sequence)?;
                    if worker.writes.iter().any(|w| w.0 == slot && w.1 != value) {
                        return None;
                    }
                    worker.writes.push((slot, value, value));
                }
            }
            for (slot, value, _) in &worker.writes {
                sequence[slot.index()] = *value;
                written.push(*slot);
            }
        }
        for slot in written {
            let (lower, upper) = self.bounds[slot.index()];
            if !(lower..=upper).contains(&sequence[slot.index()]) {
                return None;
            }
        }
        for (p, participant) in vector.participants.iter().enumerate() {
            sequence[participant.instance] = self.destination(participant, p, first, worker).location;
        }
        let start = out.successors.len();
        out.successors.resize(start + self.layout.words(), 0);
        self.layout.pack(&sequence, &mut out.successors[start..]);
        worker.sequence = sequence;
        Some(())
    }

    /// The destination that a participant takes, and its probability.
    #[inline]
    pub(super) fn taken(&self, participant: &CompiledParticipant, p: usize, first: usize, worker: &Worker) -> Branch {
        let edge = &self.edges[participant.instance][worker.operator_edges[first + p] as usize];
        match &edge.support {
            Support::Constant(support) => support[worker.taken[p]],
            Support::Dynamic(_) => worker.supports[p][worker.taken[p]],
        }
    }

    #[inline]
    fn destination(
        &self,
        participant: &CompiledParticipant,
        p: usize,
        first: usize,
        worker: &Worker,
    ) -> &CompiledDestination {
        let edge = &self.edges[participant.instance][worker.operator_edges[first + p] as usize];
        &edge.destinations[self.taken(participant, p, first, worker).destination as usize]
    }

    /// The probability of the outcome taken: the product over the participants.
    fn probability(&self, vector: &CompiledVector, first: usize, worker: &mut Worker) -> ProbabilityNumber {
        let mut product = ProbabilityNumber::ONE;
        for (p, participant) in vector.participants.iter().enumerate() {
            let factor = self.taken(participant, p, first, worker).probability;
            product = match (product, factor) {
                (ProbabilityNumber::ONE, other) | (other, ProbabilityNumber::ONE) => other,
                pair => *worker.products.entry(pair).or_insert_with(|| self.probabilities.product(pair.0, pair.1)),
            };
        }
        product
    }

    /// The slot and the values of a write, inside the slot's domain; `None` when the fast path cannot tell.
    #[inline]
    fn evaluate(&self, write: &Write, values: &[i64]) -> Option<(SlotId, i64, i64)> {
        let (slot, low, high) = self.evaluate_unchecked(write, values)?;
        let (lower, upper) = self.bounds[slot.index()];
        match write.written {
            Written::Value(_) if lower <= low && low <= upper => Some((slot, low, high)),
            Written::Value(_) => None,
            Written::Interval(..) => {
                let (low, high) = (low.max(lower), high.min(upper));
                if low <= high { Some((slot, low, high)) } else { None }
            }
        }
    }

    #[inline]
    fn evaluate_unchecked(&self, write: &Write, values: &[i64]) -> Option<(SlotId, i64, i64)> {
        let slot = match &write.place {
            Place::Slot(slot) => *slot,
            Place::Cell(base, dimensions) => {
                let mut offset = 0u32;
                for (length, index) in dimensions {
                    let index = u32::try_from(index.eval_fast(&self.terms, values)?).ok()?;
                    if index >= *length {
                        return None;
                    }
                    offset = offset * length + index;
                }
                SlotId(base.0 + offset)
            }
        };
        match &write.written {
            Written::Value(value) => {
                let value = value.eval_fast(&self.terms, values)?;
                Some((slot, value, value))
            }
            Written::Interval(low, high) => {
                Some((slot, low.eval_fast(&self.terms, values)?, high.eval_fast(&self.terms, values)?))
            }
        }
    }

    /// The reference interpreter's answer.
    #[cold]
    pub(super) fn apply_exactly(
        &self,
        vector: u32,
        first: usize,
        worker: &mut Worker,
        out: &mut Expansion,
    ) -> Result<(), Box<ModelError>> {
        let compiled = &self.vectors[vector as usize];
        let edges = worker.operator_edges[first..first + compiled.participants.len()].to_vec();
        let state = State::from_ints(&worker.values);
        let choice = self.interpreter().choice(&state, Operator { vector, edges }).map_err(Box::new)?;
        for outcome in &choice.outcomes {
            for successor in &outcome.successors {
                let values = successor.to_ints().expect("a discrete model has integer states");
                let start = out.successors.len();
                out.successors.resize(start + self.layout.words(), 0);
                self.layout.pack(&values, &mut out.successors[start..]);
            }
            if out.record {
                let number = self.probabilities.number(&outcome.probability);
                out.outcomes.push((number, out.successors.len() / self.layout.words()));
            }
        }
        Ok(())
    }

    /// Leaves each successor of the choice once, first occurrence first.
    #[inline]
    pub(super) fn close_choice(&self, vector: u32, before: usize, out: &mut Expansion) {
        let stride = self.layout.words();
        let count = (out.successors.len() - before) / stride;
        if out.record {
            // Each successor keeps its outcome.
        } else if count > 64 {
            let mut seen: rustc_hash::FxHashSet<Box<[u64]>> = rustc_hash::FxHashSet::default();
            let all: Vec<u64> = out.successors.drain(before..).collect();
            for state in all.chunks(stride) {
                if seen.insert(state.into()) {
                    out.successors.extend_from_slice(state);
                }
            }
        } else if count > 1 {
            let mut kept = 1;
            for i in 1..count {
                let (head, tail) = out.successors[before..].split_at(i * stride);
                let state = &tail[..stride];
                if !head[..kept * stride].chunks(stride).any(|other| other == state) {
                    out.successors.copy_within(before + i * stride..before + (i + 1) * stride, before + kept * stride);
                    kept += 1;
                }
            }
            out.successors.truncate(before + kept * stride);
        }
        let (successors, outcomes) = (out.successors.len() / stride, out.outcomes.len());
        out.choices.push(ChoiceEnd { vector, successors, outcomes });
    }
}
