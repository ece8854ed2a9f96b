//! From a problem to a policy: what was learned, how far learning is, and the judgement at the end.

use std::sync::Arc;

use surefoot_explicit::simulate::{SimulateOptions, Starts};
use surefoot_limits::Stop;
use surefoot_model::ModelError;
use surefoot_network::Network;
use surefoot_num::Random;
use surefoot_verdict::{Amount, Event, Figure, Reporter};

use crate::course::Course;
use crate::curve::Point;
use crate::evaluation::{Evaluation, evaluate};
use crate::interface::Interface;
use crate::options::{OptionError, Options};
use crate::problem::Problem;

/// Streams of random numbers of evaluations: those on the way, and the one at the end. Learning has another one.
const EVALUATING: u64 = 1;
const JUDGING: u64 = 2;

/// What was learned.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The network that is kept: the best of those that were evaluated, the last of several.
    pub network: Arc<Network>,
    /// After how many choices it was so.
    pub kept: u64,
    /// The network as it was at the end.
    pub last: Arc<Network>,
    /// Choices made.
    pub steps: u64,
    /// Runs begun.
    pub episodes: u64,
    /// Updates made.
    pub updates: u64,
    /// How learning went.
    pub curve: Vec<Point>,
    /// The limit that cut it short.
    pub stopped: Option<Stop>,
}

/// Why nothing was learned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrainError {
    /// The model is in error.
    #[error("the model is in error")]
    Model(Box<ModelError>),
    /// An option makes no sense.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Nothing to choose.
    #[error("no run comes to a choice of the policy: each ends at once, or only the environment moves")]
    NoChoice,
    /// Numbers beyond what floats have.
    #[error("learning diverged after {0} steps: the network's parameters are no numbers any more")]
    Diverged(u64),
}

impl From<Box<ModelError>> for TrainError {
    fn from(error: Box<ModelError>) -> Self {
        Self::Model(error)
    }
}

/// How far training is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Choices made.
    pub step: u64,
    /// Choices to be made.
    pub of: u64,
    /// Runs begun.
    pub episodes: u64,
    /// Updates made.
    pub updates: u64,
    /// Shares of runs at the last evaluation: goal, unsafe.
    pub shares: (f64, f64),
}

impl Event for Progress {
    fn figures(&self) -> Vec<Figure> {
        let Self { step, of, episodes, updates, shares: (goal, avoid) } = *self;
        vec![
            Figure::new("steps", step),
            Figure::new("of", of),
            Figure::new("episodes", episodes),
            Figure::new("updates", updates),
            Figure::new("goal", Amount::Probability(goal)),
            Figure::new("unsafe", Amount::Probability(avoid)),
        ]
    }

    #[expect(clippy::cast_possible_truncation, reason = "at most 20")]
    fn line(&self) -> String {
        let done = (20 * self.step.min(self.of) / self.of.max(1)) as usize;
        let bar = format!("{}{}", "#".repeat(done), "-".repeat(20 - done));
        let (goal, avoid) = (100.0 * self.shares.0, 100.0 * self.shares.1);
        let Self { step, of, episodes, .. } = self;
        format!("[{bar}] {step} of {of} steps, {episodes} runs; goal {goal:.0} %, unsafe {avoid:.0} %")
    }
}

/// Learns a policy. Limits cut that short: then the best so far is what was learned.
///
/// # Errors
/// Where the model is in error, an option makes no sense, or there is nothing to choose.
pub fn train(
    problem: &Problem<'_>,
    starts: &Starts<'_>,
    interface: &Interface,
    options: &Options,
    reporter: &dyn Reporter,
) -> Result<Trained, TrainError> {
    options.check(interface.slots().len(), interface.labels().len())?;
    let mut course = Course::new(problem, starts, interface, options);
    let stopped = course.run(reporter)?;
    course.converges()?;
    Ok(course.end(stopped))
}

/// Where a limit cut learning short, lets the network as it was then compete with the best before, within the limits of the problem as it is given here.
///
/// # Errors
/// Where the model is in error.
pub fn compete(
    problem: &Problem<'_>,
    starts: &Starts<'_>,
    interface: &Interface,
    options: &Options,
    mut trained: Trained,
) -> Result<Trained, TrainError> {
    if trained.curve.last().is_some_and(|point| point.step == trained.steps) {
        return Ok(trained);
    }
    let evaluation = evaluate(problem, starts, interface, Arc::clone(&trained.last), &on_the_way(options))?;
    if evaluation.simulation.totals.runs == 0 {
        return Ok(trained);
    }
    let score = evaluation.score(&options.rewards);
    let best = trained.curve.iter().all(|point| score >= point.score);
    if best {
        (trained.network, trained.kept) = (Arc::clone(&trained.last), trained.steps);
    }
    let Trained { steps: step, episodes, updates, .. } = trained;
    let epsilon = options.epsilon_at(step);
    let (loss, earned) = (None, None);
    trained.curve.push(Point { step, episodes, updates, epsilon, loss, earned, evaluation, score, best });
    Ok(trained)
}

/// The runs of evaluations on the way: always the same ones, so that policies are compared and not their luck.
pub(crate) fn on_the_way(options: &Options) -> SimulateOptions {
    let seed = Random::stream(options.seed, EVALUATING).next_u64();
    SimulateOptions { runs: options.evaluation_runs, steps: options.run_steps, seed }
}

/// Judges a network by runs that played no part in choosing it.
///
/// # Errors
/// Where the model is in error.
pub fn judge(
    problem: &Problem<'_>,
    starts: &Starts<'_>,
    interface: &Interface,
    network: &Arc<Network>,
    options: &Options,
) -> Result<Evaluation, TrainError> {
    let seed = Random::stream(options.seed, JUDGING).next_u64();
    let runs = SimulateOptions { runs: options.final_runs, steps: options.run_steps, seed };
    Ok(evaluate(problem, starts, interface, Arc::clone(network), &runs)?)
}
