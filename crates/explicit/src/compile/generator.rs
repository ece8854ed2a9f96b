//! Compiled successor generation.
//!
//! For every state: which vectors are possible at the current locations (bit sets), which of their edges are enabled,
//! which labels the policy permits, and what the outcomes do to the packed state. Order and multiplicity are those of
//! the reference interpreter; tests compare the two state by state.

use rustc_hash::FxHashMap;
use surefoot_model::model::Edge;
use surefoot_model::policy::Policy;
use surefoot_model::{EvalError, Interpreter, LabelId, Model, ModelError, SlotId, State, TermId};

use super::Terms;
use super::condition::Condition;
use super::dispatch::Dispatch;
use super::policy::{CompiledPolicy, PolicyScratch};
use super::probability::{Distribution, Probabilities, ProbabilityNumber, Support};
use super::update::{CompiledDestination, may_write_twice, written_slots};
use crate::pack::Layout;

#[derive(Debug)]
pub(super) struct CompiledEdge {
    pub(super) guard: Condition,
    pub(super) support: Support,
    pub(super) destinations: Box<[CompiledDestination]>,
}

#[derive(Debug)]
pub(super) struct CompiledParticipant {
    pub(super) instance: usize,
    /// Candidate edges per location; `None` where there are none.
    edges: Vec<Option<Dispatch>>,
}

#[derive(Debug)]
pub(super) struct CompiledVector {
    pub(super) label: Option<LabelId>,
    pub(super) participants: Box<[CompiledParticipant]>,
    /// A slot may be written twice: by two participants, or as two cells of an array.
    pub(super) may_conflict: bool,
}

impl CompiledParticipant {
    /// The edges worth testing in a state.
    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "locations are numbered from 0")]
    pub(super) fn candidates(&self, values: &[i64]) -> &[u32] {
        self.edges[values[self.instance] as usize].as_ref().map_or(&[], |dispatch| dispatch.edges(values))
    }
}

/// What a model does, compiled.
#[derive(Debug)]
pub struct Generator<'m> {
    pub(super) terms: Terms<'m>,
    pub(super) layout: Layout,
    pub(super) vectors: Vec<CompiledVector>,
    pub(super) edges: Vec<Vec<CompiledEdge>>,
    /// Per instance and location: the vectors that are possible there, as bits.
    pub(super) possible: Vec<Vec<Box<[u64]>>>,
    pub(super) policy: Option<CompiledPolicy>,
    /// Whether evaluating a guard or a policy's condition may fail: then all guards are tested before the policy is asked.
    pub(super) fallible: bool,
    pub(super) bounds: Vec<(i64, i64)>,
    pub(super) probabilities: Probabilities,
}

/// A choice of an [`Expansion`]: its vector, and where its successors and outcomes end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceEnd {
    /// The vector.
    pub vector: u32,
    /// End of its successors, in states.
    pub successors: usize,
    /// End of its outcomes.
    pub outcomes: usize,
}

/// The successors of one state. All buffers are reused.
#[derive(Debug, Default)]
pub struct Expansion {
    /// Whether to record outcomes with their probabilities. Successors are then not made distinct.
    pub record: bool,
    /// Packed successors, one after the other; distinct within a choice unless outcomes are recorded.
    pub successors: Vec<u64>,
    /// The choices, in order.
    pub choices: Vec<ChoiceEnd>,
    /// Recorded outcomes: probability and end of the successors (in states). An outcome has several successors where
    /// assignments are non-deterministic.
    pub outcomes: Vec<(ProbabilityNumber, usize)>,
}

/// Distributions by instance, edge and the values they depend on.
type DistributionCache = FxHashMap<(u32, u32, Box<[i64]>), Distribution>;

/// A thread's own state.
#[derive(Debug)]
pub struct Worker {
    /// The state being expanded, unpacked.
    pub values: Vec<i64>,
    pub(super) candidates: Vec<u64>,
    /// Enabled operators: vector, and start of its edges in `operator_edges`.
    pub(super) operators: Vec<(u32, u32)>,
    pub(super) operator_edges: Vec<u32>,
    pub(super) enabled: Vec<Vec<u32>>,
    pub(super) supports: Vec<Distribution>,
    pub(super) taken: Vec<usize>,
    pub(super) writes: Vec<(SlotId, i64, i64)>,
    pub(super) sequence: Vec<i64>,
    pub(super) words: Vec<u64>,
    pub(super) policy: Option<PolicyScratch>,
    pub(super) distributions: DistributionCache,
    pub(super) products: FxHashMap<(ProbabilityNumber, ProbabilityNumber), ProbabilityNumber>,
}

impl Worker {
    /// Which outputs the policy chose when it was asked last; none without one.
    #[must_use]
    pub fn chosen(&self) -> &[bool] {
        self.policy.as_ref().map_or(&[], |scratch| &scratch.chosen)
    }

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
    /// Compiles a discrete model. `fixed` are slots with one value throughout the exploration; `dropped` ones are never
    /// written.
    ///
    /// # Panics
    /// If the model has a real-valued slot.
    #[must_use]
    pub fn new(model: &'m Model, policy: Option<&'m Policy>, fixed: &[Option<i64>], dropped: Option<&[bool]>) -> Self {
        let mut terms = Terms::new(model, policy);
        let probabilities = Probabilities::new();
        let edges: Vec<Vec<CompiledEdge>> = model
            .instances
            .iter()
            .map(|instance| {
                instance.edges.iter().map(|edge| compile_edge(&mut terms, edge, &probabilities, dropped)).collect()
            })
            .collect();
        let writes: Vec<Vec<SlotId>> = (0..model.instances.len()).map(|i| written_slots(model, i)).collect();
        let twice: Vec<bool> = (0..model.instances.len()).map(|i| may_write_twice(model, i)).collect();
        let vectors: Vec<CompiledVector> = model
            .vectors
            .iter()
            .map(|vector| {
                let participants: Box<[CompiledParticipant]> = vector
                    .participants
                    .iter()
                    .map(|p| {
                        let instance = &model.instances[p.instance];
                        let mut at: Vec<Vec<(u32, TermId)>> = vec![Vec::new(); instance.locations.len()];
                        for e in &p.edges {
                            let edge = &instance.edges[*e as usize];
                            at[edge.source as usize].push((*e, edge.guard));
                        }
                        let dispatch = |edges: Vec<(u32, TermId)>| {
                            if edges.is_empty() { None } else { Some(Dispatch::new(&mut terms, &edges)) }
                        };
                        let edges = at.into_iter().map(dispatch).collect();
                        CompiledParticipant { instance: p.instance, edges }
                    })
                    .collect();
                let may_conflict = participants.iter().enumerate().any(|(i, a)| {
                    twice[a.instance]
                        || participants[..i]
                            .iter()
                            .any(|b| writes[a.instance].iter().any(|s| writes[b.instance].binary_search(s).is_ok()))
                });
                CompiledVector { label: vector.label, participants, may_conflict }
            })
            .collect();
        let possible = possible_vectors(model, &vectors);
        let guards = model.instances.iter().flat_map(|i| &i.edges).map(|e| e.guard);
        let conditions = policy.iter().flat_map(|p| &p.networks).filter_map(|n| n.when);
        let fallible = guards.chain(conditions).any(|term| {
            let term = terms.inline(term);
            terms.pool.is_fallible(term)
        });
        let policy = policy.and_then(|policy| CompiledPolicy::compile(&mut terms, policy));
        let bounds = model.slots.iter().map(|s| s.domain.int_bounds().expect("discrete")).collect();
        let layout = Layout::new(model, fixed);
        Self { terms, layout, vectors, edges, possible, policy, fallible, bounds, probabilities }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.terms.model
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
            distributions: FxHashMap::default(),
            products: FxHashMap::default(),
        }
    }

    pub(super) fn interpreter(&self) -> Interpreter<'_> {
        match self.terms.policy {
            Some(policy) => Interpreter::with_policy(self.terms.model, policy),
            None => Interpreter::new(self.terms.model),
        }
    }

    pub(super) fn failure(&self, error: EvalError, values: &[i64]) -> Box<ModelError> {
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
        out.outcomes.clear();
        self.collect(worker)?;
        for i in 0..worker.operators.len() {
            let (vector, first) = worker.operators[i];
            let (successors, outcomes) = (out.successors.len(), out.outcomes.len());
            if self.apply(vector, first as usize, worker, out).is_none() {
                out.successors.truncate(successors);
                out.outcomes.truncate(outcomes);
                self.apply_exactly(vector, first as usize, worker, out)?;
            }
            self.close_choice(vector, successors, out);
        }
        Ok(())
    }

    /// The label of a vector.
    #[must_use]
    pub fn label(&self, vector: u32) -> Option<LabelId> {
        self.vectors[vector as usize].label
    }

    /// Brings a list of the values of all probabilities met so far, by number, up to date.
    pub fn update_probabilities(&self, values: &mut Vec<surefoot_num::Rational>) {
        self.probabilities.update(values);
    }
}

/// Steps a mixed-radix counter, last digit fastest; `false` when it is back at zero.
#[inline]
pub(super) fn advance(digits: &mut [usize], radix: impl Fn(usize) -> usize) -> bool {
    for p in (0..digits.len()).rev() {
        digits[p] += 1;
        if digits[p] < radix(p) {
            return true;
        }
        digits[p] = 0;
    }
    false
}

fn compile_edge(
    terms: &mut Terms<'_>,
    edge: &Edge,
    probabilities: &Probabilities,
    dropped: Option<&[bool]>,
) -> CompiledEdge {
    let guard = Condition::compile(terms, edge.guard, 0);
    let support = Support::compile(terms, edge, probabilities);
    let destinations = edge.destinations.iter().map(|d| CompiledDestination::compile(terms, d, dropped)).collect();
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
