//! Which engine decides, and what engines have in common: budgets, verdicts, evidence.
//!
//! A new engine is a variant of [`Engine`] with its name, an arm of [`verify`], and a variant of [`Details`] for its figures.

use std::str::FromStr;
use std::time::{Duration, Instant};

use surefoot_bmc::Followed;
use surefoot_explicit::simulate::{SimulateError, SimulateOptions, Simulation};
use surefoot_explicit::start::StartError;
use surefoot_explicit::{Ending, Exploration, Statistics, Task};
use surefoot_limits::{Cancel, Limits, Stop};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::{Event, Figure, Limit, Reporter};

use crate::auto;
use crate::bmc::{self, BmcDetails};
use crate::cegar::{self, CegarDetails, CegarOptions};
use crate::explicit;
use crate::falsify::RunFigures;
use crate::open::OpenErrors;
use crate::problem::{Failure, Problem};
use crate::replay::{Replayed, replay};

/// Which engine to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// Several of them in turn, with growing budgets: the first that decides.
    #[default]
    Auto,
    /// Every reachable state, one by one.
    Explicit,
    /// Predicate abstraction under the policy, refined until it decides.
    Cegar,
    /// All paths under the policy, shortest first.
    Bmc,
    /// The likely part of the reachable states first: bounds on probabilities only.
    Partial,
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "explicit" => Ok(Self::Explicit),
            "partial" => Ok(Self::Partial),
            "cegar" => Ok(Self::Cegar),
            "bmc" => Ok(Self::Bmc),
            _ => Err(format!("there is no engine '{text}': use auto, explicit, cegar, bmc, or partial (bounds only)")),
        }
    }
}

/// The share of time and memory that goes to exploring when probabilities are to be solved afterwards.
const EXPLORATION_SHARE: f64 = 0.6;
/// How long it may take to tell what is known when a run was interrupted, or memory was short.
const CLOSING: Duration = Duration::from_secs(1);

/// How much may be spent.
#[derive(Debug, Clone)]
pub struct Budget {
    /// When it all began.
    pub started: Instant,
    /// The time allowed from then.
    pub time: Option<Duration>,
    /// Megabytes (of 2^20 bytes) for states.
    pub memory: Option<usize>,
    /// Worker threads.
    pub threads: usize,
    /// Stops everything.
    pub cancel: Cancel,
}

impl Budget {
    /// The limits of everything that is done.
    #[must_use]
    pub fn limits(&self) -> Limits {
        // A time too long for the clock is no limit.
        let deadline = self.time.and_then(|time| self.started.checked_add(time));
        let memory = self.memory.map(|megabytes| megabytes.saturating_mul(1 << 20));
        Limits { deadline, memory, cancel: self.cancel.clone() }
    }

    /// The limits of an exploration that leaves time and memory for solving what it found.
    pub(crate) fn exploration_limits(&self) -> Limits {
        let limits = self.limits();
        let memory = limits.memory.map(|bytes| (bytes as f64 * EXPLORATION_SHARE) as usize);
        let deadline = self.time.and_then(|time| self.started.checked_add(time.mul_f64(EXPLORATION_SHARE)));
        limits.until(deadline).within(memory)
    }

    /// The limits of solving what was explored: where something has stopped that, a moment to tell what it gave.
    pub(crate) fn solving_limits(&self) -> Limits {
        let limits = self.limits();
        match limits.cancel.stopped() {
            None => limits,
            Some(_) => Limits { cancel: Cancel::default(), ..limits.until(Instant::now().checked_add(CLOSING)) },
        }
    }

    /// The limits of single decisions.
    pub(crate) fn oracle_limits(&self) -> surefoot_oracle::Limits {
        self.limits().into()
    }

    /// A limit that was met, with what it allowed.
    pub(crate) fn limit(&self, stop: Stop) -> Limit {
        Limit::from(stop).of(self.time, self.memory)
    }

    /// A limit that was reached, in words.
    #[must_use]
    pub fn describe(&self, limit: Stop) -> String {
        self.limit(limit).to_string()
    }
}

/// Why a verdict is believed.
#[derive(Debug, Clone)]
pub enum Evidence {
    /// Every reachable state was visited.
    Exhaustive,
    /// Abstract states that contain every start state and no unsafe one, and that no move leaves.
    Invariant {
        /// How many.
        states: usize,
    },
    /// Every path was followed to its end.
    AllPaths {
        /// How many.
        paths: u64,
        /// Steps of the longest.
        depth: u32,
    },
    /// A run, replayed exactly.
    Run(Box<Replayed>),
}

impl Evidence {
    /// The run, where it is one.
    #[must_use]
    pub fn run(&self) -> Option<&Replayed> {
        if let Self::Run(run) = self { Some(run) } else { None }
    }
}

/// The answer.
pub type Verdict = surefoot_verdict::Verdict<Evidence>;

/// A verdict and how it came about.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The engine that found it.
    pub engine: &'static str,
    /// What it takes for granted besides what the problem does.
    pub assumptions: Vec<String>,
    /// What is open besides a proof of safety.
    pub open: Option<OpenErrors>,
    /// What the engine has to tell.
    pub details: Details,
}

/// What an engine has to tell besides the verdict.
#[derive(Debug, Clone)]
pub enum Details {
    /// Of an exploration: its figures.
    Explicit(Statistics),
    /// Of refinement.
    Cegar(Box<CegarDetails>),
    /// Of bounded model checking.
    Bmc(BmcDetails),
    /// Of directed runs, one of which showed a violation.
    Runs(RunFigures),
}

impl Outcome {
    /// The run that shows the verdict, where there is one.
    #[must_use]
    pub fn run(&self) -> Option<&Replayed> {
        self.verdict.evidence().and_then(Evidence::run)
    }

    /// How far the engine came: the figures of its last event.
    #[must_use]
    pub fn last(&self) -> Vec<Figure> {
        match &self.details {
            Details::Explicit(statistics) => statistics.explored().figures(),
            Details::Cegar(details) => cegar::refined(&details.figures, details.words.predicates().len()),
            Details::Bmc(BmcDetails { figures, refuted }) => {
                Followed { refuted: *refuted, open: 0, figures: *figures }.figures()
            }
            Details::Runs(figures) => vec![Figure::new("runs", figures.runs), Figure::new("steps", figures.steps)],
        }
    }

    /// The figures of an exploration, if that was the engine.
    #[must_use]
    pub fn explored(&self) -> Option<&Statistics> {
        match &self.details {
            Details::Explicit(statistics) => Some(statistics),
            Details::Cegar(_) | Details::Bmc(_) | Details::Runs(_) => None,
        }
    }
}

/// How to verify.
#[derive(Debug, Clone, Default)]
pub struct VerifyOptions {
    /// By which engine.
    pub engine: Engine,
    /// Varies what may be done one way or another.
    pub seed: u64,
    /// What refinement is to do.
    pub cegar: CegarOptions,
    /// How many steps bounded model checking looks ahead, at most.
    pub depth: Option<u32>,
    /// Whether a proof may take it for granted that the model is never in error, where it cannot tell.
    pub assume_no_errors: bool,
}

impl From<Engine> for VerifyOptions {
    fn from(engine: Engine) -> Self {
        Self { engine, ..Self::default() }
    }
}

pub(crate) fn task<'p>(problem: &'p Problem, budget: &Budget) -> Task<'p> {
    Task {
        model: problem.model(),
        policy: problem.policy(),
        start: &problem.query.start,
        reach: problem.query.target,
        goal: problem.query.goal,
        goal_terminal: problem.query.goal_terminal,
        absorb: None,
        dropped: None,
        stop_at_reach: false,
        threads: budget.threads.max(1),
        limits: budget.limits(),
    }
}

pub(crate) fn start_failure(problem: &Problem, error: &StartError) -> Failure {
    let mut diagnostic = match error {
        StartError::Condition(inner) => {
            let mut diagnostic = problem.model_error(inner);
            diagnostic.message = format!("{error}: {}", inner.describe(problem.model()));
            diagnostic
        }
        StartError::Stopped(stop) => return Failure::Stopped(*stop),
        StartError::Empty => Diagnostic::error_anywhere(error.to_string())
            .with_help("nothing is proved about no states: correct the start condition"),
        _ => Diagnostic::error_anywhere(error.to_string()),
    };
    if diagnostic.span.is_none() {
        diagnostic.span = problem.query.span;
    }
    diagnostic.into()
}

/// Decides the property of a problem.
///
/// # Errors
/// [`Failure::Input`] where the model is in error, has no start states, or the property turns out to be one that the
/// engine cannot decide; [`Failure::Internal`] when the engine's run is not confirmed by the replay.
pub fn verify(
    problem: &Problem,
    options: &VerifyOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    let Some(claim) = problem.query.claim.filter(|_| problem.query.target.is_some()) else {
        return Err(Failure::Internal("a problem without a claim was to be verified".to_owned()));
    };
    match options.engine {
        Engine::Auto => auto::verify(problem, claim, options, budget, reporter),
        Engine::Explicit => explicit::verify(problem, claim, budget, reporter),
        Engine::Cegar => cegar::verify(problem, options, budget, reporter),
        Engine::Bmc => bmc::verify(problem, options, budget, reporter),
        Engine::Partial => {
            let error =
                Diagnostic::error_anywhere("the engine 'partial' bounds probabilities; it cannot decide reachability");
            Err(error.with_help("use --engine explicit or cegar, or 'surefoot bounds'").into())
        }
    }
}

/// A run decides nothing where another initial state may have none.
pub(crate) fn several_starts(problem: &Problem, function: &str, starts: &str) -> Diagnostic {
    let message = format!(
        "the filter \"{function}\" cannot be decided here: there are {starts} initial states, and they may differ in the answer"
    );
    let help = "use \"∀\" with ∀ G, or \"∃\" with ∃ F, or a model with one initial state";
    let mut diagnostic = Diagnostic::error_anywhere(message).with_help(help);
    diagnostic.span = problem.query.span;
    diagnostic
}

/// Visits every reachable state.
///
/// # Errors
/// [`Failure::Input`] where the model is in error or has no start states.
pub fn explore(
    problem: &Problem,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<(Option<Stop>, Statistics), Failure> {
    let Exploration { ending, statistics } = surefoot_explicit::explore(&task(problem, budget), reporter);
    match ending {
        Ending::Complete => Ok((None, statistics)),
        Ending::Limit(limit) => Ok((Some(limit), statistics)),
        Ending::ModelError(error) => Err(problem.model_error(&error).into()),
        Ending::StartError(error) => Err(start_failure(problem, &error)),
        Ending::Reached(_) => Err(Failure::Internal("an exploration stopped that was not to stop".to_owned())),
    }
}

/// Makes random runs; the first that reaches the target comes back replayed.
///
/// # Errors
/// As [`explore`], and [`Failure::Internal`] when a run is not confirmed by the replay.
pub fn simulate(
    problem: &Problem,
    budget: &Budget,
    options: &SimulateOptions,
) -> Result<(Simulation, Option<Replayed>), Failure> {
    let simulation = match surefoot_explicit::simulate::simulate(&task(problem, budget), options) {
        Ok(simulation) => simulation,
        Err(SimulateError::Start(error)) => return Err(start_failure(problem, &error)),
        Err(SimulateError::Model(error)) => return Err(problem.model_error(&error).into()),
    };
    let run = simulation.first_reach.as_ref().map(|states| replay(problem, states)).transpose();
    let run = run
        .map_err(|reason| Failure::Internal(format!("the simulation made a run that the replay rejects ({reason})")))?;
    Ok((simulation, run))
}
