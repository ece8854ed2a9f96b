//! When to stop: one deadline, one bound on memory and one switch for everything that can take long.
//!
//! A [`Limits`] value is handed down from the beginning of a run to every loop that may be long. The loop asks
//! [`Limits::stop`] and, where that says [`Stop`], ends with what it has: a limit is never an answer.
//!
//! * [`Stop`]: why, in words that suit everyone;
//! * [`Cancel`]: the switch that others set (a signal, a sibling that was faster, the [watchdog](watchdog::Watchdog));
//! * [`watchdog`]: looks at the memory of the process, and at those who do not stop when told to.
//!
//! **Memory** is bounded twice. Engines count what they hold and compare it with [`Limits::memory`]: that is exact, and
//! the same on every machine. What they do not count shows in the memory of the process, which the watchdog looks at.
//!
//! **Cost.** [`Limits::stop`] reads one atomic number per switch and, where there is a deadline, the clock (some 30 ns). Loops whose rounds are
//! shorter ask by way of a [`Ticker`].

mod cancel;
mod stop;
mod ticker;
pub mod watchdog;

use std::time::{Duration, Instant};

pub use cancel::Cancel;
pub use stop::{Stop, Trouble, Unit};
pub use ticker::Ticker;

/// When to stop.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Not after this.
    pub deadline: Option<Instant>,
    /// Not with more bytes than this, as far as they are counted.
    pub memory: Option<usize>,
    /// As soon as this says so.
    pub cancel: Cancel,
}

impl Limits {
    /// Why to stop now, if there is a reason.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        self.cancel.stopped().or_else(|| self.is_late().then_some(Stop::Time))
    }

    /// The same, for use with `?`.
    ///
    /// # Errors
    /// Why to stop now, if there is a reason.
    pub fn check(&self) -> Result<(), Stop> {
        self.stop().map_or(Ok(()), Err)
    }

    /// Why to stop when so many bytes are held.
    #[must_use]
    pub fn exceeded(&self, bytes: usize) -> Option<Stop> {
        if self.memory.is_some_and(|most| bytes > most) { Some(Stop::Memory) } else { self.stop() }
    }

    /// Whether the deadline has passed.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// What is left until the deadline.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The same with an earlier deadline, if it is earlier.
    #[must_use]
    pub fn until(&self, deadline: Option<Instant>) -> Self {
        let deadline = self.deadline.into_iter().chain(deadline).min();
        Self { deadline, ..self.clone() }
    }

    /// The same with less memory, if it is less.
    #[must_use]
    pub fn within(&self, memory: Option<usize>) -> Self {
        let memory = self.memory.into_iter().chain(memory).min();
        Self { memory, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_never_stops() {
        assert_eq!(Limits::default().stop(), None);
        assert_eq!(Limits::default().exceeded(usize::MAX), None);
    }

    #[test]
    fn each_limit_has_its_reason() {
        let late = Limits { deadline: Some(Instant::now()), ..Limits::default() };
        assert_eq!(late.check(), Err(Stop::Time));
        let small = Limits { memory: Some(10), ..Limits::default() };
        assert_eq!((small.exceeded(10), small.exceeded(11)), (None, Some(Stop::Memory)));
        let limits = Limits::default();
        limits.cancel.stop(Stop::Interrupted);
        assert_eq!(limits.clone().stop(), Some(Stop::Interrupted));
    }

    #[test]
    fn limits_only_ever_get_tighter() {
        let now = Instant::now();
        let limits = Limits { deadline: Some(now), memory: Some(5), ..Limits::default() };
        let later = limits.until(now.checked_add(Duration::from_secs(9))).within(Some(9));
        assert_eq!((later.deadline, later.memory), (Some(now), Some(5)));
        assert_eq!(Limits::default().until(Some(now)).deadline, Some(now));
    }
}
