//! The engine that suits the problem, found by trying.
//!
//! Rounds of growing, counted work: exploration as far as some memory for states goes, directed runs (in the first round), and several
//! strategies of refinement. The first of these in this order that decides in the earliest round is the answer. Strategies run at the same
//! time where there are threads for it; one that comes later in the order is interrupted when an earlier one has decided, never the
//! other way round. So without a time limit the answer depends neither on threads nor on the clock.
//!
//! Exploration alone decides what symbolic engines refuse: real variables, what cannot be lowered, and properties about
//! something else than what is never reached.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use surefoot_abstraction::System;
use surefoot_limits::{Cancel, Stop};
use surefoot_verdict::{Limit, Reason, Reporter, Silent, Unsupported};

use crate::abstraction::system;
use crate::bounds::{self, BoundsOptions, BoundsOutcome};
use crate::cegar::{self, CegarOptions, Preset};
use crate::engine::{Asked, Budget, Details, Engine, Outcome, Purpose, Role, Verdict, VerifyOptions};
use crate::explicit::{self, Explicit};
use crate::falsify::Runs;
use crate::open::OpenErrors;
use crate::problem::{Failure, Problem};

/// Megabytes for states in the first round: some tens of thousands of them.
const FIRST_MEMORY: usize = 1;
/// Megabytes for states in any round, where no limit is given.
const MOST_MEMORY: usize = 2048;
/// Nodes of every strategy in the first round.
const FIRST_WORK: u64 = 2_000;
/// Every round may spend so many times what the one before might.
const GROWTH: u32 = 8;
/// The strategies, in order.
const STRATEGIES: [&str; 4] = ["explain", "bsverix-w", "plaja", "vea-w"];

/// The engine that suits the problem.
#[derive(Debug)]
pub(crate) struct Auto;

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn role(&self) -> Role {
        Role::Composed
    }

    fn supports(&self, asked: &Asked<'_>, purpose: Purpose) -> Result<(), Unsupported> {
        Explicit.supports(asked, purpose)
    }

    fn decide(
        &self,
        problem: &Problem,
        options: &VerifyOptions,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        match system(&Asked::of(problem), &[]) {
            Ok(system) => decide(problem, &system, options, budget, reporter),
            // What is in the way of symbolic engines is none of exploration's business.
            Err(_) => Explicit.decide(problem, options, budget, reporter),
        }
    }

    fn bound(
        &self,
        problem: &Problem,
        options: &BoundsOptions,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<BoundsOutcome, Failure> {
        bounds::auto::bound(problem, options, budget, reporter)
    }
}

/// Decides a claim of a problem that is lowered already.
fn decide(
    problem: &Problem,
    system: &System<'_>,
    options: &VerifyOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    let mut open: Vec<Preset> = STRATEGIES.iter().filter_map(|name| name.parse().ok()).collect();
    // Half of a limit, so that what takes over from exploration has some left.
    let most_memory = budget.memory.map_or(MOST_MEMORY, |most| most / 2);
    let mut explored: Option<(usize, Outcome)> = None;
    // The first proof of safety that only leaves errors of the model open: no answer, the others go on.
    let mut proved: Option<OpenErrors> = None;
    for round in 0u32.. {
        let factor = u64::from(GROWTH).saturating_pow(round);
        let memory = FIRST_MEMORY.saturating_mul(usize::try_from(factor).unwrap_or(usize::MAX)).min(most_memory);
        if explored.as_ref().is_none_or(|(before, _)| *before < memory) {
            let outcome =
                explicit::decide(problem, options.keep, &Budget { memory: Some(memory), ..budget.clone() }, reporter)?;
            if outcome.verdict.is_decided() {
                return Ok(outcome);
            }
            explored = Some((memory, outcome));
        }
        // What comes next takes time to begin with.
        if let (Some(stop), Some((_, outcome))) = (budget.limits().stop(), explored.clone()) {
            return Ok(unknown(outcome, Some(budget.limit(stop)), None, proved));
        }
        if round == 0 {
            let outcome = Runs.decide(problem, options, budget, &Silent)?;
            if outcome.verdict.is_decided() {
                return Ok(outcome);
            }
        }
        let work = FIRST_WORK.saturating_mul(factor);
        let attempts = attempt_all(problem, system, &open, work, options, budget, reporter);
        let mut failures = Vec::new();
        // Whether more work might help, and what the first strategy says if not.
        let (mut exhausted, mut reason) = (false, None);
        for (index, attempt) in attempts.into_iter().enumerate() {
            match attempt {
                Some(Ok(outcome)) if outcome.verdict.is_decided() => return Ok(outcome),
                Some(Err(failure)) if failure.is_refusal() => {
                    return Explicit.decide(problem, options, budget, reporter);
                }
                Some(Err(failure @ Failure::Input(_))) => return Err(failure),
                // It came to nothing in time; what exploration saw is told below.
                Some(Err(Failure::Stopped(_))) => {}
                Some(Err(failure @ Failure::Internal(_))) => failures.push((index, failure)),
                Some(Ok(Outcome {
                    verdict: Verdict::Unknown(given),
                    details: Details::Cegar(details),
                    open: errors,
                    ..
                })) => {
                    exhausted |= details.figures.nodes >= work;
                    reason = reason.or(Some(given));
                    proved = proved.or(errors);
                }
                Some(Ok(_)) | None => {}
            }
        }
        // A strategy that broke down does so again: the others go on.
        for (index, failure) in failures.into_iter().rev() {
            open.remove(index);
            if open.is_empty() {
                return Err(failure);
            }
        }
        let stopped = budget.limits().stop().map(|stop| budget.limit(stop));
        let stuck = reason.filter(|_| !exhausted && memory == most_memory);
        if let (true, Some((_, outcome))) = (stopped.is_some() || stuck.is_some(), explored.clone()) {
            return Ok(unknown(outcome, stopped, stuck, proved));
        }
    }
    Err(Failure::Internal("there is always another round".to_owned()))
}

/// What exploration saw, when nothing was decided. A proof that only leaves errors of the model open is worth telling, whatever
/// ended the search.
fn unknown(outcome: Outcome, stopped: Option<Limit>, stuck: Option<Reason>, proved: Option<OpenErrors>) -> Outcome {
    let verdict = match (&proved, stopped.map(Reason::from).or(stuck)) {
        (Some(open), _) => Verdict::Unknown(open.reason(stopped)),
        (None, Some(reason)) => Verdict::Unknown(reason),
        (None, None) => outcome.verdict,
    };
    Outcome { verdict, open: proved, ..outcome }
}

type Attempt = Option<Result<Outcome, Failure>>;

/// What strategies find; nothing of those that come after one that decided.
fn attempt_all(
    problem: &Problem,
    system: &System<'_>,
    presets: &[Preset],
    work: u64,
    options: &VerifyOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Vec<Attempt> {
    let workers = budget.threads.clamp(1, presets.len().max(1));
    let own = Budget { threads: (budget.threads / workers).max(1), ..budget.clone() };
    let stops: Vec<Cancel> = presets.iter().map(|_| budget.cancel.child()).collect();
    let results: Mutex<Vec<Attempt>> = Mutex::new(presets.iter().map(|_| None).collect());
    let next = AtomicUsize::new(0);
    let worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(preset) = presets.get(index) else { break };
            if stops[index].stopped().is_some() || budget.limits().stop().is_some() {
                continue;
            }
            // The runs of one strategy are those of all, but for the distance.
            let cegar =
                CegarOptions { preset: preset.clone(), falsify: index == 0, work: Some(work), ..Default::default() };
            let options = VerifyOptions { cegar, ..options.clone() };
            let own = Budget { cancel: stops[index].clone(), ..own.clone() };
            let reporter: &dyn Reporter = if index == 0 { reporter } else { &Silent };
            let result = cegar::decide(problem, system.clone(), &options, &own, reporter);
            let decided = match &result {
                Ok(outcome) => outcome.verdict.is_decided(),
                Err(failure) => matches!(failure, Failure::Input(_)),
            };
            if decided {
                stops[index + 1..].iter().for_each(|stop| stop.stop(Stop::Interrupted));
            }
            results.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(result);
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(worker)).collect();
        worker();
        for other in others {
            if let Err(panic) = other.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}
