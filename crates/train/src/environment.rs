//! A model as something to act in: compiled steps from one choice of the policy to the next.
//!
//! A run begins in a random start state. Where some label of the policy is possible there is a *choice*; then one of the operators of the label that is chosen, or
//! of those that are the environment's own, is taken at random, as [random runs](surefoot_explicit::simulate) do it. States in which only the environment can
//! move are passed by. A run ends
//!
//! * in an unsafe state, or in a goal state, looked at in this order;
//! * where nothing can happen: at a dead end, or because the label that is chosen is not applicable and the environment has no move either;
//! * after so many steps, which is no end for the learner: what comes later still counts.
//!
//! What a step earns is counted in the state that it enters. Where there is a measure of progress it earns what that grew by, so that a run earns the difference between its
//! end and its beginning. (With a discount, that is more where progress is made sooner, and a way to and fro earns little.)

use surefoot_explicit::compile::{Condition, Expansion, Generator, Worker};
use surefoot_explicit::simulate::Starts;
use surefoot_model::{Interpreter, ModelError, State, TermId};
use surefoot_num::Random;

use crate::interface::Interface;
use crate::options::Rewards;
use crate::problem::Problem;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// In a goal state.
    Goal,
    /// In an unsafe state.
    Unsafe,
    /// Where nothing can happen.
    Stuck,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// At a choice of the policy.
    Choice,
    /// At its end.
    Ended(End),
    /// It has as many steps as runs may have.
    Cut,
}

/// A model, and a run in it.
#[derive(Debug)]
pub struct Environment<'m> {
    generator: Generator<'m>,
    avoid: Option<Condition>,
    goal: Option<Condition>,
    reward: Option<TermId>,
    progress: Option<TermId>,
    rewards: Rewards,
    most: u64,
    /// Output position per label of the model.
    output_of_label: Vec<Option<usize>>,
    worker: Worker,
    room: Expansion,
    words: Vec<u64>,
    /// Per output: whether its label can be taken.
    applicable: Vec<bool>,
    /// Whether the environment can move by itself.
    others: bool,
    length: u64,
    earned: f32,
    /// What grows with progress, in the state that the run is in.
    level: f32,
}

impl<'m> Environment<'m> {
    /// The environment of a problem, for runs of so many steps at most.
    #[must_use]
    pub fn new(problem: &Problem<'m>, starts: &Starts<'_>, interface: &Interface, rewards: Rewards, most: u64) -> Self {
        let task = problem.task(None);
        let mut generator = Generator::new(problem.model, None, &starts.fixed(&task), None);
        let avoid = problem.avoid.map(|term| generator.condition(term));
        let goal = problem.goal.map(|term| generator.condition(term));
        let mut output_of_label = vec![None; problem.model.labels.len()];
        for (output, label) in interface.labels().iter().enumerate() {
            output_of_label[label.0 as usize] = Some(output);
        }
        let words = vec![0; generator.layout().words()];
        Self {
            avoid,
            goal,
            reward: problem.reward,
            progress: problem.progress,
            rewards,
            most,
            output_of_label,
            worker: generator.worker(),
            room: Expansion::default(),
            words,
            applicable: vec![false; interface.labels().len()],
            others: false,
            length: 0,
            earned: 0.0,
            level: 0.0,
            generator,
        }
    }

    /// Begins a run in a start state, and goes to its first choice.
    ///
    /// # Errors
    /// Where the model is in error.
    ///
    /// # Panics
    /// Where the state is not one of bounded integers.
    pub fn begin(&mut self, start: &State, random: &mut Random) -> Result<Standing, Box<ModelError>> {
        let values = start.to_ints().expect("a discrete model has integer states");
        self.generator.layout().pack(&values, &mut self.words);
        self.generator.load(&mut self.worker, &self.words);
        (self.length, self.earned) = (0, 0.0);
        self.level = self.progress.map_or(Ok(0.0), |term| self.value(term))?;
        self.arrive(random)
    }

    /// Chooses the label of an output, and goes to the next choice.
    ///
    /// # Errors
    /// Where the model is in error.
    pub fn act(&mut self, output: usize, random: &mut Random) -> Result<Standing, Box<ModelError>> {
        self.earned = 0.0;
        if self.step(Some(output), random)? { self.arrive(random) } else { Ok(self.ended(End::Stuck)) }
    }

    /// Goes to the next choice; what that is progress by is earned.
    fn arrive(&mut self, random: &mut Random) -> Result<Standing, Box<ModelError>> {
        let standing = self.settle(random)?;
        if let Some(term) = self.progress {
            let level = self.value(term)?;
            self.earned += level - self.level;
            self.level = level;
        }
        Ok(standing)
    }

    /// One step; whether there was one.
    fn step(&mut self, chosen: Option<usize>, random: &mut Random) -> Result<bool, Box<ModelError>> {
        let Self { generator, worker, room, output_of_label, .. } = self;
        let output = |label: surefoot_model::LabelId| output_of_label[label.0 as usize];
        let permitted = |label: Option<_>| label.and_then(output).is_none_or(|output| Some(output) == chosen);
        if generator.step_among(worker, room, random, permitted)?.is_none() {
            return Ok(false);
        }
        self.length += 1;
        self.earned += self.rewards.step;
        if let Some(term) = self.reward {
            self.earned += self.value(term)?;
        }
        Ok(true)
    }

    /// The value of a term in the state that the run is in.
    fn value(&self, term: TermId) -> Result<f32, Box<ModelError>> {
        let state = State::from_ints(&self.worker.values);
        let value = Interpreter::new(self.generator.model()).eval(term, &state);
        let value = value.map_err(|error| Box::new(ModelError::evaluation(error, state)))?;
        #[expect(clippy::cast_possible_truncation, reason = "what is learned from may be rounded")]
        let value = value.to_f64() as f32;
        Ok(value)
    }

    /// Goes on while only the environment can.
    fn settle(&mut self, random: &mut Random) -> Result<Standing, Box<ModelError>> {
        loop {
            if self.holds(self.avoid.as_ref())? {
                return Ok(self.ended(End::Unsafe));
            }
            if self.holds(self.goal.as_ref())? {
                return Ok(self.ended(End::Goal));
            }
            if self.length >= self.most {
                return Ok(Standing::Cut);
            }
            self.generator.look(&mut self.worker)?;
            self.applicable.fill(false);
            self.others = false;
            for label in self.generator.labels(&self.worker) {
                match label.and_then(|label| self.output_of_label[label.0 as usize]) {
                    Some(output) => self.applicable[output] = true,
                    None => self.others = true,
                }
            }
            if self.applicable.contains(&true) {
                return Ok(Standing::Choice);
            }
            if !self.step(None, random)? {
                return Ok(self.ended(End::Stuck));
            }
        }
    }

    fn ended(&mut self, end: End) -> Standing {
        self.earned += match end {
            End::Goal => self.rewards.goal,
            End::Unsafe => self.rewards.unsafety,
            End::Stuck => self.rewards.stuck,
        };
        Standing::Ended(end)
    }

    fn holds(&self, condition: Option<&Condition>) -> Result<bool, Box<ModelError>> {
        condition.map_or(Ok(false), |condition| self.generator.holds(condition, &self.worker))
    }

    /// The values of the state that the run is in.
    #[must_use]
    pub fn values(&self) -> &[i64] {
        &self.worker.values
    }

    /// Per output: whether its label can be taken. At a choice, some can.
    #[must_use]
    pub fn applicable(&self) -> &[bool] {
        &self.applicable
    }

    /// Whether the environment can move by itself, whatever is chosen.
    #[must_use]
    pub fn others(&self) -> bool {
        self.others
    }

    /// What was earned since the last choice.
    #[must_use]
    pub fn earned(&self) -> f32 {
        self.earned
    }

    /// Steps of the run so far.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }
}
