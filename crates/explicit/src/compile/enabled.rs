//! Which operators are enabled in a state, and which of them the policy permits.

use surefoot_model::interpret::{MAX_PRODUCT, ModelErrorKind};
use surefoot_model::{EvalError, ModelError, State};

use super::generator::{CompiledVector, Generator, Worker, advance};
use super::policy::{CompiledPolicy, PolicyScratch};

impl Generator<'_> {
    /// Collects the enabled and permitted operators of the worker's state, in the interpreter's order.
    pub(super) fn collect(&self, worker: &mut Worker) -> Result<(), Box<ModelError>> {
        worker.operators.clear();
        worker.operator_edges.clear();
        self.possible_at(worker);
        match &self.policy {
            None => self.enabled(worker, |_| true),
            Some(policy) => {
                let mut scratch = worker.policy.take().expect("a worker for a policy has its scratch");
                let result = self.permitted(policy, worker, &mut scratch);
                worker.policy = Some(scratch);
                result
            }
        }
    }

    /// The vectors whose participants all have edges at their locations.
    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "locations are numbered from 0")]
    fn possible_at(&self, worker: &mut Worker) {
        worker.candidates.fill(u64::MAX);
        for (instance, locations) in self.possible.iter().enumerate() {
            let bits = &locations[worker.values[instance] as usize];
            for (all, here) in worker.candidates.iter_mut().zip(bits) {
                *all &= here;
            }
        }
    }

    fn permitted(
        &self,
        policy: &CompiledPolicy,
        worker: &mut Worker,
        scratch: &mut PolicyScratch,
    ) -> Result<(), Box<ModelError>> {
        let governed = |vector: &CompiledVector| policy.output_of(vector.label);
        if !policy.filter && !self.fallible {
            // Asking first saves testing the guards of all labels that are not chosen. A choice that cannot be decided is an error only
            // where there is something to choose, which is not known yet.
            if let Ok(true) = self.decide(policy, worker, scratch) {
                let chosen = &scratch.chosen;
                return self.enabled(worker, |vector| governed(vector).is_none_or(|output| chosen[output]));
            }
        }
        if self.asked(policy, worker, scratch)? {
            let chosen = &scratch.chosen;
            worker.operators.retain(|o| governed(&self.vectors[o.0 as usize]).is_none_or(|output| chosen[output]));
        }
        Ok(())
    }

    /// Whether the policy is asked in the worker's state, as an operator with one of its labels is enabled there; what it chooses is then in
    /// [`Worker::chosen`].
    ///
    /// # Errors
    /// The first error of a guard or of the policy, as the reference interpreter has it.
    pub fn ask(&self, worker: &mut Worker) -> Result<bool, Box<ModelError>> {
        worker.operators.clear();
        worker.operator_edges.clear();
        self.possible_at(worker);
        let (Some(policy), Some(mut scratch)) = (&self.policy, worker.policy.take()) else { return Ok(false) };
        let asked = self.asked(policy, worker, &mut scratch);
        worker.policy = Some(scratch);
        asked
    }

    /// Collects all enabled operators; where one is governed, what the policy chooses.
    fn asked(
        &self,
        policy: &CompiledPolicy,
        worker: &mut Worker,
        scratch: &mut PolicyScratch,
    ) -> Result<bool, Box<ModelError>> {
        self.enabled(worker, |_| true)?;
        let governed = |operator: &(u32, u32)| policy.output_of(self.vectors[operator.0 as usize].label);
        if !worker.operators.iter().any(|operator| governed(operator).is_some()) {
            return Ok(false);
        }
        scratch.applicable.fill(false);
        for output in worker.operators.iter().filter_map(governed) {
            scratch.applicable[output] = true;
        }
        if !self.decide(policy, worker, scratch)? {
            let kind = surefoot_model::interpret::EvalErrorKind::NoNetwork;
            return Err(self.failure(EvalError { kind, span: None }, &worker.values));
        }
        Ok(true)
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
    #[expect(clippy::cast_possible_truncation, reason = "vectors were numbered when the model was read")]
    fn enabled(&self, worker: &mut Worker, wanted: impl Fn(&CompiledVector) -> bool) -> Result<(), Box<ModelError>> {
        for block in 0..worker.candidates.len() {
            let mut bits = worker.candidates[block];
            while bits != 0 {
                let index = block * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let Some(vector) = self.vectors.get(index) else { break };
                if wanted(vector) {
                    self.enabled_of(index as u32, vector, worker)?;
                }
            }
        }
        Ok(())
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "at most a million operators of a few edges each")]
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
        let total = worker.enabled[..count].iter().try_fold(1usize, |n, e| n.checked_mul(e.len()));
        if total.is_none_or(|n| n > MAX_PRODUCT) {
            let (kind, state) = (ModelErrorKind::TooManyOperators, State::from_ints(&worker.values));
            return Err(Box::new(ModelError { kind, state, operator: None, span: None }));
        }
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
}
