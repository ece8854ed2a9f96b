//! Exact replay: is this sequence of states a run of the model under the policy, and does it show what is claimed?
//!
//! Everything goes through the reference interpreter and none of it through an engine. A run counts when its first
//! state is a start state, every step is an outcome of an operator that the policy permits, and no step leaves a terminal
//! goal state. It shows that a target is reached when its last state satisfies it, and that a formula of CTL fails when the formula's
//! negation follows from it ([`formula`]).
//!
//! * `run`: start, steps and end; `claims`: what a witness says of its steps; `write`: replayed runs as witnesses;
//! * [`formula`]: formulas on runs; [`bound`]: bounds on probabilities; [`result`]: what a result object claims besides its witness.

pub mod bound;
mod claims;
pub mod formula;
pub mod result;
mod run;
mod write;

use surefoot_certificate::{ReadWitness, Witness};
use surefoot_model::model::Operator;
use surefoot_model::{LabelId, State};
use surefoot_num::Rational;

use crate::float32::FloatDecision;
use crate::problem::Problem;
use crate::states::NoState;

use run::Replay;

/// One step of a run that was replayed.
#[derive(Debug, Clone)]
pub struct ReplayedStep {
    /// The operator.
    pub operator: Operator,
    /// Its label.
    pub label: Option<LabelId>,
    /// The destination taken per participant.
    pub outcome: Vec<u32>,
    /// The probability of the outcome.
    pub probability: Rational,
    /// What the policy said, where it had a say.
    pub decision: Option<StepDecision>,
}

/// What the policy said in a step.
#[derive(Debug, Clone)]
pub struct StepDecision {
    /// The network that was asked.
    pub network: usize,
    /// The exact outputs.
    pub outputs: Vec<Rational>,
    /// The labels chosen.
    pub chosen: Vec<LabelId>,
    /// Whether each output was in the running: all, or the applicable ones.
    pub candidates: Vec<bool>,
    /// The same in single precision.
    pub float: Option<FloatDecision>,
}

impl StepDecision {
    /// The best of the other outputs that were in the running; of equals the first.
    #[must_use]
    pub fn runner_up(&self, taken: usize) -> Option<usize> {
        let others = (0..self.outputs.len()).filter(|i| self.candidates[*i] && *i != taken);
        others.max_by(|a, b| self.outputs[*a].cmp(&self.outputs[*b]).then(b.cmp(a)))
    }
}

/// A run that is real.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// Its states, the start state first.
    pub states: Vec<State>,
    /// Its steps, one less.
    pub steps: Vec<ReplayedStep>,
    /// The same, to be written down.
    pub witness: Witness,
}

/// Why a run is not real.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotReal {
    /// The start state is none.
    Start(String),
    /// A step cannot be taken, counted from 1.
    Step(usize, String),
    /// The last state is not in the target, or the run does not show what it should.
    End(String),
    /// The run is one, but the result says something else than it shows.
    Claim(String),
}

impl std::fmt::Display for NotReal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Start(reason) => write!(f, "the start state: {reason}"),
            Self::Step(step, reason) => write!(f, "step {step}: {reason}"),
            Self::End(reason) => write!(f, "the last state: {reason}"),
            Self::Claim(reason) => f.write_str(reason),
        }
    }
}

/// Why a witness was not found to be real.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WitnessError {
    /// It is not.
    NotReal(NotReal),
    /// It is about another model: what does not fit, and in which state (0 = the start).
    OtherModel(usize, String),
}

/// Replays a sequence of states.
///
/// # Errors
/// [`NotReal`], with the first thing that is wrong.
pub fn replay(problem: &Problem, states: &[State]) -> Result<Replayed, NotReal> {
    let replay = Replay::new(problem);
    let run = replay.run(states, None)?;
    ends(&replay, &run)?;
    Ok(run)
}

/// Replays a run that may end anywhere.
///
/// # Errors
/// [`NotReal`], when it is no run.
pub(crate) fn replay_anywhere(problem: &Problem, states: &[State]) -> Result<Replayed, NotReal> {
    Replay::new(problem).run(states, None)
}

/// That a run ends as the property asks.
fn ends(replay: &Replay<'_>, run: &Replayed) -> Result<(), NotReal> {
    let last = run.states.last().ok_or_else(|| NotReal::Start("there is none".to_owned()))?;
    replay.check_end(last).map_err(NotReal::End)
}

/// Replays a witness: its states, everything it says about each step except the words for people, and that its last state is in the target.
///
/// # Errors
/// [`WitnessError`], with the first thing that is wrong.
pub fn replay_witness(problem: &Problem, read: &ReadWitness) -> Result<Replayed, WitnessError> {
    let run = replay_steps(problem, read, false)?;
    ends(&Replay::new(problem), &run).map_err(WitnessError::NotReal)?;
    Ok(run)
}

/// The same of a run that may end anywhere. Where it may stay in a state without successors, such steps at its end are none: it ends there.
fn replay_steps(problem: &Problem, read: &ReadWitness, stays: bool) -> Result<Replayed, WitnessError> {
    let replay = Replay::new(problem);
    let records = std::iter::once(&read.witness.start).chain(read.witness.steps.iter().map(|s| &s.state));
    let mut states = Vec::with_capacity(read.witness.steps.len() + 1);
    for (i, record) in records.enumerate() {
        states.push(replay.names.state(problem.model(), record).map_err(|error| match error {
            NoState::OtherModel(reason) => WitnessError::OtherModel(i, reason),
            NoState::NoSuchValue(reason) if i == 0 => WitnessError::NotReal(NotReal::Start(reason)),
            NoState::NoSuchValue(reason) => WitnessError::NotReal(NotReal::Step(i, reason)),
        })?);
    }
    if stays {
        states.truncate(replay.moving(&states, &read.witness.steps));
    }
    replay.run(&states, Some(&read.witness.steps)).map_err(WitnessError::NotReal)
}

/// Whether a state is a start state of a problem.
pub(crate) fn start(problem: &Problem, state: &State) -> Result<(), String> {
    Replay::new(problem).check_start(state)
}

/// Replays one step.
pub(crate) fn step(problem: &Problem, from: &State, to: &State) -> Result<ReplayedStep, String> {
    Replay::new(problem).step(from, to, None)
}

/// All states that can follow one, in order; none after a terminal goal state.
pub(crate) fn successors(problem: &Problem, state: &State) -> Result<Vec<State>, String> {
    Replay::new(problem).successors(state)
}

/// Replayed steps as a run to be written down.
pub(crate) fn written(problem: &Problem, states: &[State], steps: &[ReplayedStep]) -> Witness {
    Replay::new(problem).witness(states, steps)
}
