//! One state after the other, while it is explored: is the other policy asked, and does it permit the same?

use surefoot_model::policy::{Outputs, Policy};
use surefoot_model::{LabelId, ModelError, State};

use super::{Example, Pair, Tally};
use crate::compile::{Generator, Worker};
use crate::explore::{Search, fixed_slots};
use crate::reached::Reached;
use crate::store::StateRef;

/// The other policy, ready to be asked.
#[derive(Debug)]
pub(crate) struct Compared<'m> {
    generator: Generator<'m>,
    /// The labels of the first policy's outputs.
    labels: Vec<LabelId>,
    /// For each of them the output of the other.
    outputs: Vec<usize>,
    known: Option<&'m Reached>,
}

/// What was found in some states of one level.
#[derive(Debug, Default)]
pub(crate) struct Found {
    tally: Tally,
    fresh: Tally,
    /// The least state in which they differ.
    least: Option<(Vec<i64>, StateRef, Pair)>,
}

/// What was found so far.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    found: Found,
    /// The level of the example.
    depth: u64,
}

impl<'m> Compared<'m> {
    /// Another policy beside a search; `None` where nobody chooses labels.
    pub(crate) fn new(search: &Search<'m>, other: &'m Policy, known: Option<&'m Reached>) -> Option<Self> {
        let Outputs::Labels(labels) = &search.task.policy?.outputs else { return None };
        let outputs: Vec<usize> = labels.iter().filter_map(|label| other.output_of_label(*label)).collect();
        assert_eq!(outputs.len(), labels.len(), "both policies have the same labels");
        let fixed = fixed_slots(&search.task, &search.starts);
        let generator = Generator::new(search.task.model, Some(other), &fixed, search.task.dropped);
        Some(Self { generator, labels: labels.clone(), outputs, known })
    }

    pub(crate) fn worker(&self) -> Worker {
        self.generator.worker()
    }

    /// What two policies permit, where it is not the same.
    fn pair(&self, one: &[bool], other: &[bool]) -> Option<Pair> {
        if one.iter().zip(&self.outputs).all(|(one, output)| *one == other[*output]) {
            return None;
        }
        let chosen = |chosen: &dyn Fn(usize) -> bool| -> Box<[LabelId]> {
            let mut labels: Vec<LabelId> =
                (0..self.labels.len()).filter(|i| chosen(*i)).map(|i| self.labels[i]).collect();
            labels.sort_unstable();
            labels.into()
        };
        Some(Pair { one: chosen(&|i| one[i]), other: chosen(&|i| other[self.outputs[i]]) })
    }
}

impl Search<'_> {
    /// Compares the policies in a state that was just expanded by a worker.
    ///
    /// # Errors
    /// Where the other policy cannot choose.
    pub(crate) fn look(
        &self,
        worker: &Worker,
        other: Option<&mut Worker>,
        state: StateRef,
        found: &mut Found,
    ) -> Result<(), Box<ModelError>> {
        let (Some(compared), Some(other)) = (&self.compared, other) else { return Ok(()) };
        let terminal = match (&self.goal, self.task.goal_terminal) {
            (Some(goal), true) => self.generator.holds(goal, worker)?,
            _ => false,
        };
        other.values.copy_from_slice(&worker.values);
        // Soundness: an expansion has evaluated the first policy wherever it is asked, and both are asked in the same states.
        let asked = !terminal && compared.generator.ask(other)?;
        let pair = if asked { compared.pair(worker.chosen(), other.chosen()) } else { None };
        found.tally.count(asked, pair.as_ref());
        if compared.known.is_none_or(|known| !known.contains(&worker.values)) {
            found.fresh.count(asked, pair.as_ref());
        }
        if let Some(pair) = pair
            && found.least.as_ref().is_none_or(|(least, ..)| worker.values < *least)
        {
            found.least = Some((worker.values.clone(), state, pair));
        }
        Ok(())
    }
}

impl Differences {
    /// Adds what was found in states of a level; levels come in order.
    pub(crate) fn add(&mut self, depth: u64, found: &Found) {
        self.found.tally.add(&found.tally);
        self.found.fresh.add(&found.fresh);
        let Some((values, ..)) = &found.least else { return };
        let better = self.found.least.as_ref().is_none_or(|(least, ..)| self.depth == depth && values < least);
        if better {
            self.found.least.clone_from(&found.least);
            self.depth = depth;
        }
    }

    /// The level of the first state in which the policies differ.
    pub(crate) fn depth(&self) -> u64 {
        self.depth
    }

    /// That state with a run to it.
    pub(crate) fn example(&self, search: &Search<'_>, least: bool) -> Option<Example> {
        let (_, state, pair) = self.found.least.as_ref()?;
        let path: Vec<State> = search.path(*state);
        Some(Example { path, pair: pair.clone(), least })
    }

    /// How often they differ: in all states, and in fresh ones.
    pub(crate) fn tallies(&self) -> (Tally, Tally) {
        (self.found.tally.clone(), self.found.fresh.clone())
    }
}
