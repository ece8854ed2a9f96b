//! Jobs, solved one after another or by several workers at once (Algorithm 2 of the paper).
//!
//! A generator makes jobs while workers solve them. Which job wins does not depend on timing: when one is confirmed, jobs with smaller
//! numbers are still finished, those with larger ones are dropped, and the smallest confirmed number is told.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};

use surefoot_milp::SolverError;

use super::compositional::Job;
use super::witness::Found;
use crate::check::Failure;

/// What became of a job.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The solver says that there is no solution.
    Infeasible,
    /// A solution, confirmed exactly.
    Confirmed(Box<Found>),
    /// A solution that could not be confirmed, or whose strict atoms hold by nothing.
    Open,
    /// The solver says nothing.
    Silent(SolverError),
    /// An error of the model, or a limit.
    Failed(Failure),
}

/// What became of all jobs.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// The confirmed job with the smallest number.
    pub(super) confirmed: Option<(u64, Found)>,
    /// Jobs that the solver says have no solution.
    pub(super) infeasible: u64,
    /// Jobs left open.
    pub(super) open: u64,
    /// Why jobs were not solved, the smallest number first.
    pub(super) silent: Option<(u64, SolverError)>,
    /// The failure with the smallest number.
    pub(super) failed: Option<(u64, Failure)>,
    /// The largest program: variables and rows.
    pub(super) largest: (usize, usize),
}

impl Summary {
    fn add(&mut self, job: &Job, outcome: Outcome) {
        let (number, program) = (job.number, &job.program);
        let rows = program.rows().len() + program.indicators().len();
        self.largest = self.largest.max((program.variables().len(), rows));
        match outcome {
            Outcome::Infeasible => self.infeasible += 1,
            Outcome::Open => self.open += 1,
            Outcome::Confirmed(found) if self.confirmed.as_ref().is_none_or(|(known, _)| number < *known) => {
                self.confirmed = Some((number, *found));
            }
            Outcome::Confirmed(_) => {}
            Outcome::Silent(error) if self.silent.as_ref().is_none_or(|(known, _)| number < *known) => {
                self.silent = Some((number, error));
            }
            Outcome::Silent(_) => {}
            Outcome::Failed(failure) if self.failed.as_ref().is_none_or(|(known, _)| number < *known) => {
                self.failed = Some((number, failure));
            }
            Outcome::Failed(_) => {}
        }
    }
}

/// Whether an outcome ends the run: later jobs are not needed then.
fn ends(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Confirmed(_) | Outcome::Silent(_) | Outcome::Failed(_))
}

/// Generates jobs and has them solved by so many workers; every worker makes its own `work`.
pub(super) fn run<R, W: FnMut(&Job) -> Outcome>(
    workers: usize,
    worker: impl Fn() -> W + Sync,
    generate: impl FnOnce(&mut dyn FnMut(Job) -> ControlFlow<()>) -> R,
) -> (R, Summary) {
    let mut summary = Summary::default();
    if workers <= 1 {
        let mut work = worker();
        let result = generate(&mut |job| {
            let outcome = work(&job);
            let ended = ends(&outcome);
            summary.add(&job, outcome);
            if ended { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        return (result, summary);
    }
    // Jobs with larger numbers than this are not needed.
    let last = AtomicU64::new(u64::MAX);
    let (sender, receiver) = sync_channel::<Job>(2 * workers);
    let (receiver, shared) = (Mutex::new(receiver), Mutex::new(summary));
    let result = std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut work = worker();
                while let Some(job) = next(&receiver) {
                    if job.number > last.load(Ordering::SeqCst) {
                        continue;
                    }
                    let outcome = work(&job);
                    if ends(&outcome) {
                        last.fetch_min(job.number, Ordering::SeqCst);
                    }
                    shared.lock().unwrap_or_else(PoisonError::into_inner).add(&job, outcome);
                }
            });
        }
        let result = generate(&mut |job| {
            let needed = job.number < last.load(Ordering::SeqCst);
            if needed && sender.send(job).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        drop(sender);
        result
    });
    (result, shared.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn next(jobs: &Mutex<Receiver<Job>>) -> Option<Job> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}
