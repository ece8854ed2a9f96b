//! Random runs: start states and choices of the environment uniformly, outcomes by their probabilities, the policy as it decides.
//!
//! Every run has a stream of random numbers of its own, made from the seed and the number of the run. So a run is the same whoever makes it and
//! whatever other runs there are: results do not depend on the number of threads, and a single run can be made again.
//!
//! * `starts`: where runs begin; `walk`: one run, and its trace; `compiled`: by compiled steps; [`mod@reference`]: by the reference interpreter,
//!   the slow sibling, which makes the same runs; [`confidence`]: what shares and means of runs say.

mod compiled;
pub mod confidence;
pub mod reference;
mod starts;
mod walk;

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use surefoot_limits::Stop;
use surefoot_model::{ModelError, State};
use surefoot_num::Random;
use surefoot_verdict::{Event, Figure, Reporter};

use crate::start::StartError;
use crate::task::Task;
use compiled::{Compiled, Program};
use reference::Interpreted;
use walk::{Cut, Walker, walk};

pub use starts::Starts;
pub use walk::{Run, RunEnd, Trace};

/// How many and how long runs to make.
#[derive(Debug, Clone, Copy)]
pub struct SimulateOptions {
    /// Number of runs.
    pub runs: u64,
    /// Steps per run, at most.
    pub steps: u64,
    /// Seed of the random choices.
    pub seed: u64,
}

/// What many runs come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Runs made.
    pub runs: u64,
    /// Runs by how they ended, in the order of [`RunEnd`].
    ends: [u64; 4],
    /// Runs that came through a goal state.
    pub through_goal: u64,
    /// Steps of all runs together.
    pub steps: u64,
    /// The sum of the squares of their lengths.
    pub squares: u128,
    /// Steps of the shortest run.
    pub shortest: u64,
    /// Steps of the longest run.
    pub longest: u64,
}

impl Totals {
    /// How many runs ended so.
    #[must_use]
    pub fn ended(&self, end: RunEnd) -> u64 {
        self.ends[end as usize]
    }

    fn count(&mut self, run: &Run) {
        let mut ends = [0; 4];
        ends[run.end as usize] = 1;
        self.add(&Self {
            runs: 1,
            ends,
            through_goal: u64::from(run.saw_goal),
            steps: run.length,
            squares: u128::from(run.length).pow(2),
            shortest: run.length,
            longest: run.length,
        });
    }

    fn add(&mut self, other: &Self) {
        if other.runs == 0 {
            return;
        }
        self.shortest = if self.runs == 0 { other.shortest } else { self.shortest.min(other.shortest) };
        self.longest = self.longest.max(other.longest);
        self.runs += other.runs;
        for (mine, theirs) in self.ends.iter_mut().zip(other.ends) {
            *mine += theirs;
        }
        self.through_goal += other.through_goal;
        self.steps += other.steps;
        self.squares += other.squares;
    }
}

/// All runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulation {
    /// What they come to.
    pub totals: Totals,
    /// The states of the first run that ended in `reach`.
    pub first_reach: Option<Vec<State>>,
    /// Whether runs begin in any start state; else in the first ones that were found, because there are too many pieces of the start
    /// set to keep.
    pub all_starts: bool,
    /// The limit that cut the simulation short.
    pub stopped: Option<Stop>,
}

/// Why a simulation ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SimulateError {
    /// There is nowhere to start.
    Start(StartError),
    /// The model is in error.
    Model(Box<ModelError>),
}

/// How far a simulation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Simulated {
    /// Runs made.
    pub runs: u64,
    /// Runs to be made.
    pub of: u64,
    /// Steps taken in all of them.
    pub steps: u64,
    /// Runs that ended in `reach`.
    pub reached: u64,
}

impl Event for Simulated {
    fn figures(&self) -> Vec<Figure> {
        let Self { runs, of, steps, reached } = *self;
        vec![
            Figure::new("runs", runs),
            Figure::new("of", of),
            Figure::new("steps", steps),
            Figure::new("reached", reached),
        ]
    }

    fn line(&self) -> String {
        format!("{} of {} runs, {} steps", self.runs, self.of, self.steps)
    }
}

/// Whoever wants every run with its states, in the order of their numbers, until they break.
pub type Listener<'l> = &'l mut dyn FnMut(u64, &Run, &Trace) -> ControlFlow<()>;

/// Makes random runs, with compiled steps where the model is discrete.
///
/// # Errors
/// Where there is no start state, or the model is in error: the error of the run with the smallest number.
pub fn simulate(
    task: &Task<'_>,
    options: &SimulateOptions,
    reporter: &dyn Reporter,
    listener: Option<Listener<'_>>,
) -> Result<Simulation, SimulateError> {
    if !task.model.is_discrete() {
        return interpreted(task, options, reporter, listener);
    }
    let task = Task { dropped: None, ..task.clone() };
    let starts = match Starts::new(&task) {
        Err(StartError::Stopped(stop)) => return Ok(stopped(stop)),
        other => other.map_err(SimulateError::Start)?,
    };
    simulate_from(&task, &starts, options, reporter, listener)
}

/// The same from start states that were found before: those of a task with the same model and start set. The model is discrete.
///
/// # Errors
/// Where the model is in error.
pub fn simulate_from(
    task: &Task<'_>,
    starts: &Starts<'_>,
    options: &SimulateOptions,
    reporter: &dyn Reporter,
    listener: Option<Listener<'_>>,
) -> Result<Simulation, SimulateError> {
    let task = Task { dropped: None, ..task.clone() };
    let program = Program::new(&task, &starts.fixed(&task));
    Driver::new(&task, options, starts, || Box::new(Compiled::new(&program))).run(reporter, listener)
}

/// The same with the reference interpreter.
///
/// # Errors
/// As [`simulate`].
pub fn interpreted(
    task: &Task<'_>,
    options: &SimulateOptions,
    reporter: &dyn Reporter,
    listener: Option<Listener<'_>>,
) -> Result<Simulation, SimulateError> {
    let starts = match Starts::new(task) {
        Err(StartError::Stopped(stop)) => return Ok(stopped(stop)),
        other => other.map_err(SimulateError::Start)?,
    };
    Driver::new(task, options, &starts, || Box::new(Interpreted::new(task))).run(reporter, listener)
}

/// A simulation that a limit ended before the first run.
fn stopped(stop: Stop) -> Simulation {
    Simulation { totals: Totals::default(), first_reach: None, all_starts: true, stopped: Some(stop) }
}

/// One of so many, at least one; nothing is drawn where there is one.
#[inline]
pub(crate) fn one_of(count: usize, random: &mut Random) -> usize {
    if count <= 1 { 0 } else { random.below(count) }
}

/// Batches that a round has for each thread: enough that threads do not wait for each other.
const BATCHES: usize = 8;
/// Steps of a batch, as far as earlier runs tell: some milliseconds of work.
const BATCH_STEPS: u64 = 1 << 14;
/// Runs of a batch, at most.
const BATCH_RUNS: u64 = 1 << 12;

/// Makes runs in rounds: threads take batches of runs in their order, then the batches are added up in that order. What is added up does not
/// depend on how runs are batched, so neither the threads nor the sizes of batches show anywhere.
struct Driver<'d, 'm> {
    task: &'d Task<'m>,
    options: &'d SimulateOptions,
    starts: &'d Starts<'m>,
    pool: Option<rayon::ThreadPool>,
    walkers: Vec<Box<dyn Walker + Send + 'd>>,
}

/// Some runs that follow each other.
#[derive(Default)]
struct Batch {
    totals: Totals,
    first_reach: Option<u64>,
    /// Why it was not finished.
    cut: Option<Cut>,
    traces: Vec<(Run, Trace)>,
}

impl<'d, 'm> Driver<'d, 'm> {
    fn new(
        task: &'d Task<'m>,
        options: &'d SimulateOptions,
        starts: &'d Starts<'m>,
        walker: impl Fn() -> Box<dyn Walker + Send + 'd>,
    ) -> Self {
        let pool = match task.threads {
            0 | 1 => None,
            threads => rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok(),
        };
        let threads = pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads);
        Self { task, options, starts, pool, walkers: (0..threads).map(|_| walker()).collect() }
    }

    fn run(mut self, reporter: &dyn Reporter, mut listener: Option<Listener<'_>>) -> Result<Simulation, SimulateError> {
        let mut totals = Totals::default();
        let (mut first_reach, mut stopped) = (None, None);
        'rounds: while totals.runs < self.options.runs {
            let first = totals.runs;
            let batches = self.plan(&totals);
            for batch in self.round(&batches, listener.is_some()) {
                totals.add(&batch.totals);
                first_reach = first_reach.or(batch.first_reach);
                let number = totals.runs - batch.totals.runs;
                if let Some(listener) = &mut listener {
                    for (number, (run, trace)) in (number..).zip(&batch.traces) {
                        if listener(number, run, trace).is_break() {
                            break 'rounds;
                        }
                    }
                }
                match batch.cut {
                    Some(Cut::Model(error)) => return Err(SimulateError::Model(error)),
                    Some(Cut::Stopped(stop)) => {
                        stopped = Some(stop);
                        break 'rounds;
                    }
                    None => {}
                }
            }
            let reached = totals.ended(RunEnd::Reach);
            reporter.tell(&Simulated { runs: totals.runs, of: self.options.runs, steps: totals.steps, reached });
            debug_assert!(totals.runs > first, "every round makes runs, or is cut");
        }
        let first_reach = first_reach.and_then(|number| self.again(number));
        Ok(Simulation { totals, first_reach, all_starts: self.starts.are_all(), stopped })
    }

    /// The numbers of the next runs, batch by batch.
    fn plan(&self, totals: &Totals) -> Vec<Range<u64>> {
        let mean = totals.steps.checked_div(totals.runs).map(|mean| mean.max(1));
        let size = mean.map_or(1, |mean| (BATCH_STEPS / mean).clamp(1, BATCH_RUNS));
        let mut first = totals.runs;
        let mut batches = Vec::new();
        while first < self.options.runs && batches.len() < BATCHES * self.walkers.len() {
            let end = first.saturating_add(size).min(self.options.runs);
            batches.push(first..end);
            first = end;
        }
        batches
    }

    /// Makes the runs of some batches; after one that is cut short others may be missing.
    fn round(&mut self, batches: &[Range<u64>], keep: bool) -> Vec<Batch> {
        let made: Vec<OnceLock<Batch>> = batches.iter().map(|_| OnceLock::new()).collect();
        // Batches are handed out in order, and one that was handed out is made: before the first that is cut none is missing.
        let next = AtomicUsize::new(0);
        let (task, options, starts) = (self.task, self.options, self.starts);
        let work = |walker: &mut Box<dyn Walker + Send + 'd>| {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(runs) = batches.get(i) else { break };
                let batch = make(task, options, starts, walker.as_mut(), runs.clone(), keep);
                let is_cut = batch.cut.is_some();
                // Each index is handed out once, so the cell is empty.
                let _ = made[i].set(batch);
                if is_cut {
                    next.store(batches.len(), Ordering::Relaxed);
                }
            }
        };
        match &self.pool {
            Some(pool) if batches.len() > 1 => pool.scope(|scope| {
                let work = &work;
                for walker in &mut self.walkers {
                    scope.spawn(move |_| work(walker));
                }
            }),
            _ => work(&mut self.walkers[0]),
        }
        made.into_iter().map_while(OnceLock::into_inner).collect()
    }

    /// The states of a run that was made before.
    fn again(&mut self, number: u64) -> Option<Vec<State>> {
        let (task, starts) = (self.task, self.starts);
        // It was made once within the limits; that they are met now, on the way to the result, must not lose it.
        let task = Task { limits: surefoot_limits::Limits::default(), ..task.clone() };
        let made = make(&task, self.options, starts, self.walkers[0].as_mut(), number..number + 1, true);
        made.traces.into_iter().next().map(|(_, trace)| trace.states())
    }
}

/// Makes runs one after the other.
fn make(
    task: &Task<'_>,
    options: &SimulateOptions,
    starts: &Starts<'_>,
    walker: &mut dyn Walker,
    runs: Range<u64>,
    keep: bool,
) -> Batch {
    let mut batch = Batch::default();
    for number in runs {
        let mut random = Random::stream(options.seed, number);
        let mut trace = keep.then(Trace::default);
        walker.begin(&starts.draw(&mut random));
        match walk(walker, task, options.steps, &mut random, trace.as_mut()) {
            Ok(run) => {
                batch.totals.count(&run);
                if run.end == RunEnd::Reach && batch.first_reach.is_none() {
                    batch.first_reach = Some(number);
                }
                batch.traces.extend(trace.map(|trace| (run, trace)));
            }
            Err(cut) => {
                batch.cut = Some(cut);
                break;
            }
        }
    }
    batch
}
