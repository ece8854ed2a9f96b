//! How much may be spent: time from the beginning, memory for states, threads, and the switch that stops everything.

use std::time::{Duration, Instant};

use surefoot_limits::{Cancel, Limits, Stop};
use surefoot_verdict::Limit;

/// The share of the time that goes to exploring when probabilities are to be solved afterwards.
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

    /// The limits of an exploration that leaves time for solving what it found; the memory for that it counts itself.
    pub(crate) fn exploration_limits(&self) -> Limits {
        let deadline = self.time.and_then(|time| self.started.checked_add(time.mul_f64(EXPLORATION_SHARE)));
        self.limits().until(deadline)
    }

    /// The limits of solving what was explored: where something has stopped that, a moment to tell what it gave.
    /// Of the memory it gets what is left beside `held` bytes.
    pub(crate) fn solving_limits(&self, held: usize) -> Limits {
        let mut limits = self.limits();
        limits.memory = limits.memory.map(|memory| memory.saturating_sub(held));
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
