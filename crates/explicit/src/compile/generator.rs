//! Compiled successor generation.
//!
//! For every state: which vectors are possible at the current locations (bit sets), which of their edges are enabled,
//! which labels the policy permits, and what the outcomes do to the packed state. Order and multiplicity are those of
//! the reference interpreter; tests compare the two state by state.

use rustc_hash::FxHashMap;
use surefoot_model::model::Operator;
use surefoot_model::policy::Policy;
use surefoot_model::{EvalError, Interpreter, LabelId, Model, ModelError, SlotId, State, TermId};

use super::Terms;
use super::condition::Condition;
use super::dispatch::Dispatch;
use super::policy::{CompiledPolicy, PolicyScratch};
use super::update::{CompiledDestination, Place, Write, Written, reads_transient, written_slots};
use crate::pack::Layout;

/// Which destinations have positive probability.
#[derive(Debug)]
enum Support {
    Constant(Box<[u32]>),
    /// Depends on these slots; looked up per combination of their values.
    Dynamic(Box<[SlotId]>),
}

#[derive(Debug)]
struct CompiledEdge {
    guard: Condition,
    support: Support,
    destinations: Box<[CompiledDestination]>,
}

#[derive(Debug)]
struct CompiledParticipant {
    instance: usize,
    /// Candidate edges per location; `None` where there are none.
    edges: Vec<Option<Dispatch>>,
}

#[derive(Debug)]
struct CompiledVector {
    label: Option<LabelId>,
    participants: Box<[CompiledParticipant]>,
    /// Two participants may write the same slot.
    may_conflict: bool,
}

impl CompiledParticipant {
    /// The edges worth testing in a state.
    #[inline]
    fn candidates(&self, values: &[i64]) -> &[u32] {
        self.edges[values[self.instance] as usize].as_ref().map_or(&[], |dispatch| dispatch.edges(values))
    }
}

/// What a model does, compiled.
#[derive(Debug)]
pub struct Generator<'m> {
    terms: Terms<'m>,
    layout: Layout,
    vectors: Vec<CompiledVector>,
    edges: Vec<Vec<CompiledEdge>>,
    /// Per instance and location: the vectors that are possible there, as bits.
    possible: Vec<Vec<Box<[u64]>>>,
    policy: Option<CompiledPolicy>,
    bounds: Vec<(i64, i64)>,
}

/// The successors of one state. All buffers are reused.
#[derive(Debug, Default)]
pub struct Expansion {
    /// Packed successors, distinct within a choice, one after the other.
    pub successors: Vec<u64>,
    /// Vector, and end of its successors (in states), per choice.
    pub choices: Vec<(u32, usize)>,
}

type SupportCache = FxHashMap<(u32, u32, Box<[i64]>), Box<[u32]>>;

/// A thread's own state.
#[derive(Debug)]
pub struct Worker {
    /// The state being expanded, unpacked.
    pub values: Vec<i64>,
    candidates: Vec<u64>,
    /// Enabled operators: vector, and start of its edges in `operator_edges`.
    operators: Vec<(u32, u32)>,
    operator_edges: Vec<u32>,
    enabled: Vec<Vec<u32>>,
    supports: Vec<Box<[u32]>>,
    taken: Vec<usize>,
    writes: Vec<(SlotId, i64, i64)>,
    sequence: Vec<i64>,
    words: Vec<u64>,
    policy: Option<PolicyScratch>,
    cache: SupportCache,
}

impl Worker {
    /// Policy decisions that needed exact arithmetic.
    #[must_use]
    pub fn exact_policy_evaluations(&self) -> u64 {
        self.policy.as_ref().map_or(0, PolicyScratch::exact_evaluations)
    }
}

/// Slots that some edge may write; the locations of instances with edges are among them.
#[must_use]
pub fn changing_slots(model: &Model) -> Vec<bool> {
    let mut changing = vec![false; model.slots.len()];
    for (i, instance) in model.instances.iter().enumerate() {
        changing[i] = instance.edges.iter().any(|e| e.destinations.iter().any(|d| d.location != e.source));
        for slot in written_slots(model, i) {
            changing[slot.index()] = true;
        }
    }
    changing
}

impl<'m> Generator<'m> {
    /// Compiles a discrete model. `fixed` are slots with one value throughout the exploration.
    ///
    /// # Panics
    /// If the model has a real-valued slot.
    #[must_use]
    pub fn new(model: &'m Model, policy: Option<&'m Policy>, fixed: &[Option<i64>]) -> Self {
        let mut terms = Terms::new(model, policy);
        let edges: Vec<Vec<CompiledEdge>> = model
            .instances
            .iter()
            .map(|instance| instance.edges.iter().map(|edge| compile_edge(&mut terms, edge)).collect())
            .collect();
        let writes: Vec<Vec<SlotId>> = (0..model.instances.len()).map(|i| written_slots(model, i)).collect();
        let vectors: Vec<CompiledVector> = model
            .vectors
            .iter()
            .map(|vector| {
                let participants: Box<[CompiledParticipant]> = vector
                    .participants
                    .iter()
                    .map(|p| {
                        let instance = &model.instances[p.instance];
                        let at = |location: usize| -> Option<Dispatch> {
                            let here = |e: &&u32| instance.edges[**e as usize].source as usize == location;
                            let edges: Vec<(u32, TermId)> =
                                p.edges.iter().filter(here).map(|e| (*e, instance.edges[*e as usize].guard)).collect();
                            if edges.is_empty() { None } else { Some(Dispatch::new(&mut terms, &edges)) }
                        };
                        let edges = (0..instance.locations.len()).map(at).collect();
                        CompiledParticipant { instance: p.instance, edges }
                    })
                    .collect();
                let may_conflict = participants.iter().enumerate().any(|(i, a)| {
                    participants[..i]
                        .iter()
                        .any(|b| writes[a.instance].iter().any(|s| writes[b.instance].binary_search(s).is_ok()))
                });
                CompiledVector { label: vector.label, participants, may_conflict }
            })
            .collect();
        let possible = possible_vectors(model, &vectors);
        let policy = policy.and_then(|policy| CompiledPolicy::compile(&mut terms, policy));
        let bounds = model.slots.iter().map(|s| s.domain.int_bounds().expect("discrete")).collect();
        Self { terms, layout: Layout::new(model, fixed), vectors, edges, possible, policy, bounds }
    }

    /// The layout of packed states.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Compiles a condition of the model, for use with [`Generator::holds`].
    #[must_use]
    pub fn condition(&mut self, term: TermId) -> Condition {
        Condition::compile(&mut self.terms, term, 0)
    }

    /// Whether a condition holds in the worker's state.
    ///
    /// # Errors
    /// Where it has no value.
    #[inline]
    pub fn holds(&self, condition: &Condition, worker: &Worker) -> Result<bool, Box<ModelError>> {
        condition.eval(&self.terms, &worker.values).map_err(|error| self.failure(error, &worker.values))
    }

    /// A fresh worker.
    #[must_use]
    pub fn worker(&self) -> Worker {
        let most = self.vectors.iter().map(|v| v.participants.len()).max().unwrap_or(0);
        Worker {
            values: vec![0; self.bounds.len()],
            candidates: vec![0; self.vectors.len().div_ceil(64)],
            operators: Vec::new(),
            operator_edges: Vec::new(),
            enabled: vec![Vec::new(); most],
            supports: vec![Box::default(); most],
            taken: vec![0; most],
            writes: Vec::new(),
            sequence: Vec::new(),
            words: vec![0; self.layout.words()],
            policy: self.policy.as_ref().map(CompiledPolicy::scratch),
            cache: FxHashMap::default(),
        }
    }

    fn interpreter(&self) -> Interpreter<'_> {
        match self.terms.policy {
            Some(policy) => Interpreter::with_policy(self.terms.model, policy),
            None => Interpreter::new(self.terms.model),
        }
    }

    fn failure(&self, error: EvalError, values: &[i64]) -> Box<ModelError> {
        Box::new(ModelError::evaluation(error, State::from_ints(values)))
    }

    /// Unpacks a state into the worker.
    #[inline]
    pub fn load(&self, worker: &mut Worker, words: &[u64]) {
        self.layout.unpack(words, &mut worker.values);
        worker.words.copy_from_slice(words);
    }

    /// Generates the successors of the state loaded into the worker.
    ///
    /// # Errors
    /// The first error of the model, as the reference interpreter has it.
    pub fn expand(&self, worker: &mut Worker, out: &mut Expansion) -> Result<(), Box<ModelError>> {
        out.successors.clear();
        out.choices.clear();
        self.possible_at(worker);
        worker.operators.clear();
        worker.operator_edges.clear();
        match &self.policy {
            None => self.enabled(worker, |_, _| true)?,
            Some(policy) => self.permitted(policy, worker)?,
        }
        for i in 0..worker.operators.len() {
            let (vector, first) = worker.operators[i];
            let before = out.successors.len();
            if self.apply(vector, first as usize, worker, out).is_none() {
                out.successors.truncate(before);
                self.apply_exactly(vector, first as usize, worker, out)?;
            }
            self.close_choice(vector, before, out);
        }
        Ok(())
    }

    /// The vectors whose participants all have edges at their locations.
    #[inline]
    fn possible_at(&self, worker: &mut Worker) {
        worker.candidates.fill(u64::MAX);
        for (instance, locations) in self.possible.iter().enumerate() {
            let bits = &locations[worker.values[instance] as usize];
            for (all, here) in worker.candidates.iter_mut().zip(bits) {
                *all &= here;
            }
        }
    }

    /// Collects the operators permitted by the policy.
    fn permitted(&self, policy: &CompiledPolicy, worker: &mut Worker) -> Result<(), Box<ModelError>> {
        let mut scratch = worker.policy.take().expect("a worker for a policy has its scratch");
        let result = self.permitted_with(policy, worker, &mut scratch);
        worker.policy = Some(scratch);
        result
    }

    fn permitted_with(
        &self,
        policy: &CompiledPolicy,
        worker: &mut Worker,
        scratch: &mut PolicyScratch,
    ) -> Result<(), Box<ModelError>> {
        let governed = |vector: &CompiledVector| policy.output_of(vector.label);
        if !policy.filter {
            let asked = self.decide(policy, worker, scratch)?;
            if asked {
                let chosen = &scratch.chosen;
                return self.enabled(worker, |_, vector| governed(vector).is_none_or(|output| chosen[output]));
            }
        }
        self.enabled(worker, |_, _| true)?;
        let vector_of = |operator: &(u32, u32)| &self.vectors[operator.0 as usize];
        if !worker.operators.iter().any(|o| governed(vector_of(o)).is_some()) {
            return Ok(());
        }
        scratch.applicable.fill(false);
        for operator in &worker.operators {
            if let Some(output) = governed(vector_of(operator)) {
                scratch.applicable[output] = true;
            }
        }
        if !self.decide(policy, worker, scratch)? {
            let kind = surefoot_model::interpret::EvalErrorKind::NoNetwork;
            return Err(self.failure(EvalError { kind, span: None }, &worker.values));
        }
        let chosen = &scratch.chosen;
        worker.operators.retain(|o| governed(vector_of(o)).is_none_or(|output| chosen[output]));
        Ok(())
    }

    fn decide(
        &self,
        policy: &CompiledPolicy,
        worker: &Worker,
        scratch: &mut PolicyScratch,
    ) -> Result<bool, Box<ModelError>> {
        policy.decide(&self.terms, &worker.values, scratch).map_err(|error| self.failure(error, &worker.values))
    }

    /// Collects the enabled operators of the candidate vectors that are wanted.
    #[inline]
    fn enabled(
        &self,
        worker: &mut Worker,
        wanted: impl Fn(u32, &CompiledVector) -> bool,
    ) -> Result<(), Box<ModelError>> {
        for block in 0..worker.candidates.len() {
            let mut bits = worker.candidates[block];
            while bits != 0 {
                let index = block * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let Some(vector) = self.vectors.get(index) else { break };
                if wanted(index as u32, vector) {
                    self.enabled_of(index as u32, vector, worker)?;
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn enabled_of(&self, index: u32, vector: &CompiledVector, worker: &mut Worker) -> Result<(), Box<ModelError>> {
        if let [participant] = &*vector.participants {
            let compiled = &self.edges[participant.instance];
            for e in participant.candidates(&worker.values) {
                let guard = &compiled[*e as usize].guard;
                if guard.eval(&self.terms, &worker.values).map_err(|error| self.failure(error, &worker.values))? {
                    worker.operators.push((index, worker.operator_edges.len() as u32));
                    worker.operator_edges.push(*e);
                }
            }
            return Ok(());
        }
        for (p, participant) in vector.participants.iter().enumerate() {
            let compiled = &self.edges[participant.instance];
            worker.enabled[p].clear();
            for e in participant.candidates(&worker.values) {
                let guard = &compiled[*e as usize].guard;
                if guard.eval(&self.terms, &worker.values).map_err(|error| self.failure(error, &worker.values))? {
                    worker.enabled[p].push(*e);
                }
            }
            if worker.enabled[p].is_empty() {
                return Ok(());
            }
        }
        // All combinations, the last participant's edge changing fastest.
        let count = vector.participants.len();
        worker.taken[..count].fill(0);
        loop {
            worker.operators.push((index, worker.operator_edges.len() as u32));
            for p in 0..count {
                worker.operator_edges.push(worker.enabled[p][worker.taken[p]]);
            }
            if !advance(&mut worker.taken[..count], |p| worker.enabled[p].len()) {
                return Ok(());
            }
        }
    }

    /// Applies an operator; `None` when the fast path cannot.
    fn apply(&self, vector: u32, first: usize, worker: &mut Worker, out: &mut Expansion) -> Option<()> {
        let compiled = &self.vectors[vector as usize];
        let count = compiled.participants.len();
        for p in 0..count {
            let edge_index = worker.operator_edges[first + p];
            let instance = compiled.participants[p].instance;
            let support = &self.edges[instance][edge_index as usize].support;
            if let Support::Dynamic(slots) = support {
                let key: Box<[i64]> = slots.iter().map(|s| worker.values[s.index()]).collect();
                let key = (instance as u32, edge_index, key);
                worker.supports[p] = worker.cache.get(&key)?.clone();
            }
        }
        worker.taken[..count].fill(0);
        loop {
            self.apply_outcome(compiled, first, worker, out)?;
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

    /// One outcome: the writes of all participants' destinations.
    #[inline]
    fn apply_outcome(
        &self,
        vector: &CompiledVector,
        first: usize,
        worker: &mut Worker,
        out: &mut Expansion,
    ) -> Option<()> {
        worker.writes.clear();
        let mut indices: Option<(i64, i64)> = None;
        for (p, participant) in vector.participants.iter().enumerate() {
            let destination = self.destination(participant, p, first, worker);
            if destination.exact {
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
            worker.writes.push((SlotId(participant.instance as u32), destination.location, destination.location));
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
            if high - low >= 1_000_000 {
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
                    // Only the last value of a slot has to be in its domain.
                    let (slot, low, high) = self.evaluate_unchecked(write, &sequence)?;
                    if low != high || worker.writes.iter().any(|w| w.0 == slot && w.1 != low) {
                        return None;
                    }
                    worker.writes.push((slot, low, high));
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

    #[inline]
    fn destination(
        &self,
        participant: &CompiledParticipant,
        p: usize,
        first: usize,
        worker: &Worker,
    ) -> &CompiledDestination {
        let edge = &self.edges[participant.instance][worker.operator_edges[first + p] as usize];
        let position = match &edge.support {
            Support::Constant(support) => support[worker.taken[p]],
            Support::Dynamic(_) => worker.supports[p][worker.taken[p]],
        };
        &edge.destinations[position as usize]
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

    /// The reference interpreter's answer, also remembered as the support of edges with dynamic probabilities.
    #[cold]
    fn apply_exactly(
        &self,
        vector: u32,
        first: usize,
        worker: &mut Worker,
        out: &mut Expansion,
    ) -> Result<(), Box<ModelError>> {
        let compiled = &self.vectors[vector as usize];
        let edges = worker.operator_edges[first..first + compiled.participants.len()].to_vec();
        let state = State::from_ints(&worker.values);
        let choice = self.interpreter().choice(&state, Operator { vector, edges: edges.clone() }).map_err(Box::new)?;
        for (p, participant) in compiled.participants.iter().enumerate() {
            let edge = &self.edges[participant.instance][edges[p] as usize];
            if let Support::Dynamic(slots) = &edge.support {
                let key: Box<[i64]> = slots.iter().map(|s| worker.values[s.index()]).collect();
                let mut support: Vec<u32> = choice.outcomes.iter().map(|o| o.destinations[p]).collect();
                support.sort_unstable();
                support.dedup();
                worker.cache.insert((participant.instance as u32, edges[p], key), support.into());
            }
        }
        for successor in choice.outcomes.iter().flat_map(|o| &o.successors) {
            let values = successor.to_ints().expect("a discrete model has integer states");
            let start = out.successors.len();
            out.successors.resize(start + self.layout.words(), 0);
            self.layout.pack(&values, &mut out.successors[start..]);
        }
        Ok(())
    }

    /// Leaves each successor of the choice once, first occurrence first.
    #[inline]
    fn close_choice(&self, vector: u32, before: usize, out: &mut Expansion) {
        let stride = self.layout.words();
        let count = (out.successors.len() - before) / stride;
        if count > 64 {
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
        out.choices.push((vector, out.successors.len() / stride));
    }
}

/// Steps a mixed-radix counter, last digit fastest; `false` when it is back at zero.
#[inline]
fn advance(digits: &mut [usize], radix: impl Fn(usize) -> usize) -> bool {
    for p in (0..digits.len()).rev() {
        digits[p] += 1;
        if digits[p] < radix(p) {
            return true;
        }
        digits[p] = 0;
    }
    false
}

fn compile_edge(terms: &mut Terms<'_>, edge: &surefoot_model::model::Edge) -> CompiledEdge {
    let guard = Condition::compile(terms, edge.guard, 0);
    let support = if edge.constant_probabilities {
        let positive = |d: &surefoot_model::model::Destination| {
            terms.model.terms.constant(d.probability).is_some_and(|p| !p.is_zero())
        };
        let positions = edge.destinations.iter().enumerate().filter(|(_, d)| positive(d));
        Support::Constant(positions.map(|(i, _)| i as u32).collect())
    } else {
        let mut slots: Vec<SlotId> = Vec::new();
        for destination in &edge.destinations {
            let term = terms.inline(destination.probability);
            slots.extend(terms.pool.slots_read(term));
            // What the policy computes may depend on anything.
            if reads_transient(terms, term) {
                slots.extend((0..terms.model.slots.len()).map(|s| SlotId(s as u32)));
            }
        }
        slots.sort_unstable();
        slots.dedup();
        Support::Dynamic(slots.into())
    };
    let destinations = edge.destinations.iter().map(|d| CompiledDestination::compile(terms, d)).collect();
    CompiledEdge { guard, support, destinations }
}

/// Per instance and location: bit `v` is set unless vector `v` needs the instance and has no edge for it there.
fn possible_vectors(model: &Model, vectors: &[CompiledVector]) -> Vec<Vec<Box<[u64]>>> {
    let blocks = vectors.len().div_ceil(64);
    let mut possible: Vec<Vec<Box<[u64]>>> = model
        .instances
        .iter()
        .map(|i| i.locations.iter().map(|_| vec![u64::MAX; blocks].into_boxed_slice()).collect())
        .collect();
    for (v, vector) in vectors.iter().enumerate() {
        for participant in &vector.participants {
            for (location, edges) in participant.edges.iter().enumerate() {
                if edges.is_none() {
                    possible[participant.instance][location][v / 64] &= !(1 << (v % 64));
                }
            }
        }
    }
    possible
}
