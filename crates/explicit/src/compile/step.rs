//! One random step: one operator, one destination per participant, one successor.
//!
//! Nothing but the outcome that is drawn is worked out, so that products of many automata are never written out. What is drawn, and from
//! how many, is the same as in [`simulate::reference`](crate::simulate::reference): nothing where there is no choice; else the number of
//! an operator, a ticket per participant that has several destinations, the number of a successor.

use surefoot_model::model::Operator;
use surefoot_model::{LabelId, ModelError, State};
use surefoot_num::Random;

use super::generator::{Expansion, Generator, Worker};
use super::probability::{Support, draw};
use crate::simulate::one_of;

impl Generator<'_> {
    /// Takes the worker to a random successor of its state; the vector of the operator taken, `None` where nothing can happen.
    /// `out` is room to work in.
    ///
    /// # Errors
    /// The first error of the model, as the reference interpreter has it.
    pub fn step(
        &self,
        worker: &mut Worker,
        out: &mut Expansion,
        random: &mut Random,
    ) -> Result<Option<u32>, Box<ModelError>> {
        self.collect(worker)?;
        self.take(worker, out, random)
    }

    /// Looks at what is possible in the worker's state: [`Generator::labels`] tells it, [`Generator::step_among`] goes on.
    ///
    /// # Errors
    /// The first error of the model, as the reference interpreter has it.
    pub fn look(&self, worker: &mut Worker) -> Result<(), Box<ModelError>> {
        self.collect(worker)
    }

    /// The labels of the operators that were seen to be possible, one for each operator; `None` for silent ones.
    pub fn labels<'w>(&'w self, worker: &'w Worker) -> impl Iterator<Item = Option<LabelId>> + 'w {
        worker.operators.iter().map(|(vector, _)| self.label(*vector))
    }

    /// As [`Generator::step`], after a look, among the operators whose labels are permitted.
    ///
    /// # Errors
    /// The first error of the model, as the reference interpreter has it.
    pub fn step_among(
        &self,
        worker: &mut Worker,
        out: &mut Expansion,
        random: &mut Random,
        permitted: impl Fn(Option<LabelId>) -> bool,
    ) -> Result<Option<u32>, Box<ModelError>> {
        worker.operators.retain(|(vector, _)| permitted(self.label(*vector)));
        self.take(worker, out, random)
    }

    /// Takes one of the operators that were collected.
    fn take(
        &self,
        worker: &mut Worker,
        out: &mut Expansion,
        random: &mut Random,
    ) -> Result<Option<u32>, Box<ModelError>> {
        if worker.operators.is_empty() {
            return Ok(None);
        }
        let (vector, first) = worker.operators[one_of(worker.operators.len(), random)];
        let first = first as usize;
        let compiled = &self.vectors[vector as usize];
        for (p, participant) in compiled.participants.iter().enumerate() {
            let edge = worker.operator_edges[first + p];
            worker.taken[p] = match &self.edges[participant.instance][edge as usize].support {
                Support::Constant(branches) => draw(branches, random),
                Support::Dynamic(slots) => match self.distribution(vector, first, p, slots, worker) {
                    Some(branches) => {
                        let taken = draw(&branches, random);
                        worker.supports[p] = branches;
                        taken
                    }
                    None => return Err(self.no_distribution(vector, first, p, worker)),
                },
            };
        }
        out.successors.clear();
        if self.apply_outcome(compiled, first, worker, out).is_none() {
            out.successors.clear();
            self.follow_exactly(vector, first, worker, out)?;
        }
        let stride = self.layout.words();
        let successor = one_of(out.successors.len() / stride, random);
        self.load(worker, &out.successors[successor * stride..(successor + 1) * stride]);
        Ok(Some(vector))
    }

    fn operator(&self, vector: u32, first: usize, worker: &Worker) -> Operator {
        let count = self.vectors[vector as usize].participants.len();
        Operator { vector, edges: worker.operator_edges[first..first + count].to_vec() }
    }

    /// Why the probabilities of an edge are none.
    #[cold]
    fn no_distribution(&self, vector: u32, first: usize, p: usize, worker: &Worker) -> Box<ModelError> {
        let (state, operator) = (State::from_ints(&worker.values), self.operator(vector, first, worker));
        let instance = self.vectors[vector as usize].participants[p].instance;
        let result = self.interpreter().probabilities(&state, instance, operator.edges[p], &operator);
        Box::new(result.expect_err("probabilities that could not be compiled are in error"))
    }

    /// The reference interpreter's answer to the destinations taken.
    #[cold]
    fn follow_exactly(
        &self,
        vector: u32,
        first: usize,
        worker: &Worker,
        out: &mut Expansion,
    ) -> Result<(), Box<ModelError>> {
        let participants = self.vectors[vector as usize].participants.iter().enumerate();
        let destinations: Vec<u32> =
            participants.map(|(p, participant)| self.taken(participant, p, first, worker).destination).collect();
        let (state, operator) = (State::from_ints(&worker.values), self.operator(vector, first, worker));
        let successors = self.interpreter().successors(&state, &operator, &destinations).map_err(Box::new)?;
        for successor in successors {
            let values = successor.to_ints().expect("a discrete model has integer states");
            let start = out.successors.len();
            out.successors.resize(start + self.layout.words(), 0);
            self.layout.pack(&values, &mut out.successors[start..]);
        }
        Ok(())
    }
}
