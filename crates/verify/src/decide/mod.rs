//! Single decisions: is there an input of a network with a wanted property?
//!
//! [`Queries::load`] reads queries, ours in JSON or VNN-LIB, and the network they are about, into
//! [`Question`]s; [`decide_all`] answers them, each with limits of its own; the answers depend on neither order nor number
//! of threads. An answer with a state counts after the definition has accepted the state.
//!
//! * [`query`]: query objects; `property`: VNN-LIB and its networks ([`networks`]); [`load`]: sources to both; `check`: which
//!   of them can be asked;
//! * [`asked`]: what a query means; `linked`: equations solved; `polynomial`: products in their `envelope`s, box by box (`boxes`);
//! * [`counterexample`]: states as floats, for others to check; [`examine`]: what is odd about a query.

pub mod asked;
mod boxes;
mod check;
pub mod counterexample;
mod envelope;
pub mod examine;
mod linked;
pub mod load;
pub mod networks;
mod polynomial;
mod property;
pub mod query;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use surefoot_limits::{Cancel, Stop};
use surefoot_num::Rational;
use surefoot_oracle::{
    Answer, BranchAndBound, KeepStatistics, Limits, Options, Oracle, Question, Statistics, Undecided,
};
use surefoot_verdict::{Event, Figure, Reason, Reporter};

use crate::problem::Failure;
use crate::result::decide::AnswerWord;

pub use asked::Query;
pub use load::Queries;
pub use networks::{NetworkOrigin, NetworkSource, Used};

use linked::Linked;

/// What may be spent on each query.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The time.
    pub time: Option<Duration>,
    /// Megabytes (of 2^20 bytes) of open nodes.
    pub memory: Option<usize>,
    /// Worker threads: so many queries are decided at the same time; those that are left over help with each.
    pub threads: usize,
    /// Stops all of them.
    pub cancel: Cancel,
}

impl Settings {
    /// Threads for each of so many queries.
    #[must_use]
    pub fn threads_for_one(&self, queries: usize) -> usize {
        (self.threads / queries.max(1)).max(1)
    }
}

/// What an engine says.
#[derive(Debug, Clone)]
pub struct Solved {
    /// The answer.
    pub answer: Answer,
    /// What it took.
    pub statistics: Statistics,
    /// The smallest box that had to be left open, where there is no answer for that reason.
    pub left: Option<Undecided>,
}

/// An engine: a question in, an answer and what it took out. Called by several threads at once.
pub type Solver<'a> = dyn Fn(&Question, &Limits) -> Solved + Sync + 'a;

/// Branch and bound. Engines are used again, because preparing a network takes longer than most queries; their
/// answers depend on the question alone, however many threads a question has.
pub fn branch_and_bound(seed: u64, threads: usize) -> impl Fn(&Question, &Limits) -> Solved + Sync {
    let idle: Mutex<Vec<BranchAndBound>> = Mutex::new(Vec::new());
    move |question, limits| {
        let waiting = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut oracle =
            waiting.unwrap_or_else(|| BranchAndBound::new(Options { seed, threads, ..Options::default() }));
        let before = oracle.statistics();
        let answer = oracle.decide(question, limits);
        let statistics = oracle.statistics().since(&before);
        let left = oracle.undecided().filter(|left| answer == Answer::Unknown(left.stop)).cloned();
        idle.lock().unwrap_or_else(PoisonError::into_inner).push(oracle);
        Solved { answer, statistics, left }
    }
}

/// A query answered.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The answer.
    pub answer: Answer,
    /// The exact outputs of the network in the state found.
    pub outputs: Vec<Rational>,
    /// What the engine did.
    pub statistics: Statistics,
    /// The smallest box that had to be left open, where there is no answer for that reason.
    pub left: Option<Undecided>,
    /// How long it took.
    pub seconds: f64,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Deciding {
    queries: usize,
    answered: usize,
}

impl Event for Deciding {
    fn figures(&self) -> Vec<Figure> {
        vec![Figure::new("queries", self.queries), Figure::new("answered", self.answered)]
    }

    fn line(&self) -> String {
        format!("{} of {} queries answered", self.answered, self.queries)
    }
}

/// Answers all queries, in their order.
///
/// # Errors
/// When the engine's answer is a state that is none: that is our error, and no answer.
pub fn decide_all(
    queries: &[Query],
    settings: &Settings,
    solver: &Solver<'_>,
    reporter: &dyn Reporter,
) -> Result<Vec<Answered>, Failure> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let answers: Mutex<Vec<Option<Result<Answered, Failure>>>> = Mutex::new(queries.iter().map(|_| None).collect());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(query) = queries.get(index) else { break };
            let answer = decide(index, query, settings, solver);
            answers.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(answer);
            let answered = done.fetch_add(1, Ordering::Relaxed) + 1;
            reporter.tell(&Deciding { queries: queries.len(), answered });
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..settings.threads.min(queries.len()) {
            scope.spawn(work);
        }
        work();
    });
    // A worker that panics takes the scope with it, so no answer is missing here.
    answers.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
}

fn decide(index: usize, query: &Query, settings: &Settings, solver: &Solver<'_>) -> Result<Answered, Failure> {
    let started = Instant::now();
    let limits = Limits::from(surefoot_limits::Limits {
        // A time too long for the clock is no limit.
        deadline: settings.time.and_then(|time| started.checked_add(time)),
        memory: settings.memory.map(|megabytes| megabytes.saturating_mul(1 << 20)),
        cancel: settings.cancel.clone(),
    });
    let Solved { answer, statistics, left } = solve(query, solver, &limits);
    let seconds = started.elapsed().as_secs_f64();
    let mut outputs = Vec::new();
    if let Answer::Sat(state) = &answer {
        if state.len() != query.question.variables.len() || query.witnesses(state) != Some(true) {
            return Err(Failure::Internal(format!("the state that answers query {index} does not satisfy it")));
        }
        outputs = query.question.symbol_values(state).split_off(state.len());
    }
    Ok(Answered { answer, outputs, statistics, left, seconds })
}

/// Asks the engine, perhaps for less than all of it and more than once.
fn solve(query: &Query, solver: &Solver<'_>, limits: &Limits) -> Solved {
    if !query.links && query.products.is_empty() {
        return solver(&query.question, limits);
    }
    let linked = Linked::new(query);
    let is_witness = |state: &[Rational]| query.witnesses(&linked.full(state)) == Some(true);
    let solved = match linked.factors.is_empty() {
        true => solver(&linked.question, limits),
        false => polynomial::decide(&linked, solver, &is_witness, limits),
    };
    let answer = match solved.answer {
        Answer::Sat(state) => Answer::Sat(linked.full(&state)),
        answer => answer,
    };
    Solved { answer, ..solved }
}

impl Answered {
    /// What the answer is.
    #[must_use]
    pub fn kind(&self) -> AnswerWord {
        match self.answer {
            Answer::Sat(_) => AnswerWord::Sat,
            Answer::Unsat => AnswerWord::Unsat,
            Answer::Unknown(Stop::Time) => AnswerWord::TimedOut,
            Answer::Unknown(_) => AnswerWord::Unknown,
        }
    }

    /// `sat`, `unsat`, `timed-out` or `unknown`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.kind().word()
    }

    /// Whether there is an answer.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        !matches!(self.answer, Answer::Unknown(_))
    }

    /// The state found.
    #[must_use]
    pub fn state(&self) -> Option<&[Rational]> {
        if let Answer::Sat(state) = &self.answer { Some(state) } else { None }
    }

    /// Why there is no answer.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        let Answer::Unknown(stop) = self.answer else { return None };
        let Some(left) = &self.left else { return Some(stop.into()) };
        let values = |(lower, upper): &(f64, f64)| match lower == upper {
            true => lower.to_string(),
            false => format!("[{lower}, {upper}]"),
        };
        let values: Vec<String> = left.bounds.iter().map(values).collect();
        Some(Reason::LeftOpen { limit: stop.into(), start: values.join(" x ") })
    }

    /// The word, and the state where there is one: `sat [1, 0, 3]`.
    #[must_use]
    pub fn line(&self) -> String {
        match self.state() {
            None => self.word().to_owned(),
            Some(state) => {
                let values: Vec<String> = state.iter().map(ToString::to_string).collect();
                format!("{} [{}]", self.word(), values.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests;
