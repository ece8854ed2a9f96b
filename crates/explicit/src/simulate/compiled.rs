//! Runs by compiled steps on packed states.

use surefoot_model::{ModelError, State};
use surefoot_num::Random;

use super::walk::{Trace, Walker};
use crate::compile::{Condition, Expansion, Generator, Worker};
use crate::task::Task;

/// What all walkers share.
pub(super) struct Program<'m> {
    generator: Generator<'m>,
    reach: Option<Condition>,
    goal: Option<Condition>,
}

impl<'m> Program<'m> {
    /// Compiles a task; `fixed` are slots with one value throughout.
    pub(super) fn new(task: &Task<'m>, fixed: &[Option<i64>]) -> Self {
        let mut generator = Generator::new(task.model, task.policy, fixed, None);
        let reach = task.reach.map(|term| generator.condition(term));
        let goal = task.goal.map(|term| generator.condition(term));
        Self { generator, reach, goal }
    }
}

/// A walker by compiled steps.
pub(super) struct Compiled<'p> {
    program: &'p Program<'p>,
    worker: Worker,
    room: Expansion,
    words: Vec<u64>,
}

impl<'p> Compiled<'p> {
    pub(super) fn new(program: &'p Program<'p>) -> Self {
        let words = vec![0; program.generator.layout().words()];
        Self { program, worker: program.generator.worker(), room: Expansion::default(), words }
    }

    fn holds(&self, condition: Option<&Condition>) -> Result<bool, Box<ModelError>> {
        condition.map_or(Ok(false), |condition| self.program.generator.holds(condition, &self.worker))
    }
}

impl Walker for Compiled<'_> {
    fn begin(&mut self, start: &State) {
        let values = start.to_ints().expect("a discrete model has integer states");
        self.program.generator.layout().pack(&values, &mut self.words);
        self.program.generator.load(&mut self.worker, &self.words);
    }

    fn is_target(&mut self) -> Result<bool, Box<ModelError>> {
        self.holds(self.program.reach.as_ref())
    }

    fn is_goal(&mut self) -> Result<bool, Box<ModelError>> {
        self.holds(self.program.goal.as_ref())
    }

    fn step(&mut self, random: &mut Random) -> Result<Option<u32>, Box<ModelError>> {
        self.program.generator.step(&mut self.worker, &mut self.room, random)
    }

    fn record(&self, trace: &mut Trace) {
        trace.push_values(&self.worker.values);
    }
}
