//! One run, and its trace.

use surefoot_limits::{Stop, Ticker};
use surefoot_model::{ModelError, State};
use surefoot_num::Random;

use crate::task::Task;

/// Steps between looks at the limits: compiled ones take less than a microsecond.
const STEPS_A_LOOK: u64 = 32;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// In a state of `reach`.
    Reach,
    /// In a terminal goal state.
    Goal,
    /// In a state without moves.
    Stopped,
    /// After the last step allowed.
    StepLimit,
}

/// One run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// How it ended.
    pub end: RunEnd,
    /// Steps taken.
    pub length: u64,
    /// Whether it came through a goal state.
    pub saw_goal: bool,
}

/// The states of a run, and how it went from each to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trace {
    /// The values of states of discrete models, one state after the other.
    values: Vec<i64>,
    slots: usize,
    /// The states of other models.
    states: Vec<State>,
    /// The vector of the operator of each step.
    vectors: Vec<u32>,
}

impl Trace {
    /// The vectors of the operators taken, step by step.
    #[must_use]
    pub fn vectors(&self) -> &[u32] {
        &self.vectors
    }

    /// The states, one more than steps.
    #[must_use]
    pub fn states(&self) -> Vec<State> {
        if self.slots == 0 {
            self.states.clone()
        } else {
            self.values.chunks(self.slots).map(State::from_ints).collect()
        }
    }

    pub(super) fn push_values(&mut self, values: &[i64]) {
        self.slots = values.len();
        self.values.extend_from_slice(values);
    }

    pub(super) fn push_state(&mut self, state: &State) {
        self.states.push(state.clone());
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.values) + size_of_val(&*self.vectors) + 64 * self.states.len()
    }
}

/// Why a run was not made to its end.
#[derive(Debug)]
pub(super) enum Cut {
    Stopped(Stop),
    Model(Box<ModelError>),
}

impl From<Box<ModelError>> for Cut {
    fn from(error: Box<ModelError>) -> Self {
        Self::Model(error)
    }
}

/// Something that is in a state and can go on at random. Two walkers that are given the same start and the same stream go the same way.
pub(super) trait Walker {
    /// Goes to a start state.
    fn begin(&mut self, start: &State);

    /// Whether it is in a state of `reach`.
    fn is_target(&mut self) -> Result<bool, Box<ModelError>>;

    /// Whether it is in a goal state.
    fn is_goal(&mut self) -> Result<bool, Box<ModelError>>;

    /// Takes a random step; the vector of its operator, `None` where nothing can happen.
    fn step(&mut self, random: &mut Random) -> Result<Option<u32>, Box<ModelError>>;

    /// Adds the state that it is in to a trace.
    fn record(&self, trace: &mut Trace);
}

/// Makes a run from where a walker is.
pub(super) fn walk(
    walker: &mut dyn Walker,
    task: &Task<'_>,
    steps: u64,
    random: &mut Random,
    mut trace: Option<&mut Trace>,
) -> Result<Run, Cut> {
    let mut saw_goal = false;
    let mut length = 0;
    task.limits.check().map_err(Cut::Stopped)?;
    let mut ticker = Ticker::new(&task.limits, STEPS_A_LOOK);
    let end = loop {
        ticker.tick().map_err(Cut::Stopped)?;
        if let Some(trace) = &mut trace {
            walker.record(trace);
            if length % STEPS_A_LOOK == 0 {
                task.limits.exceeded(trace.bytes()).map_or(Ok(()), |stop| Err(Cut::Stopped(stop)))?;
            }
        }
        if walker.is_target()? {
            break RunEnd::Reach;
        }
        if walker.is_goal()? {
            saw_goal = true;
            if task.goal_terminal {
                break RunEnd::Goal;
            }
        }
        if length >= steps {
            break RunEnd::StepLimit;
        }
        let Some(vector) = walker.step(random)? else { break RunEnd::Stopped };
        if let Some(trace) = &mut trace {
            trace.vectors.push(vector);
        }
        length += 1;
    };
    Ok(Run { end, length, saw_goal })
}
