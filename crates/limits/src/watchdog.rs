//! Looks after limits from outside: at the memory of the process, and at those who do not stop.
//!
//! Loops look at their limits themselves and end with what they have found so far. The watchdog does what they cannot: it
//! compares the memory of the process with its bound and sets the switch; and where nobody has ended within a
//! grace period after a limit, it calls the `overrun` handler, whose job is to say so and to end the process. So a limit is
//! kept even by a loop that forgets to look.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::{Limits, Stop};

/// How often the watchdog looks.
const INTERVAL: Duration = Duration::from_millis(10);
/// What a process needs besides what the limit is meant for: code, stacks, buffers.
const ALLOWANCE: usize = 24 << 20;
/// After they were told to stop, searches get so long to tell what they have found.
const GRACE: Duration = Duration::from_secs(2);

/// How far beyond its limits a process may go before it is ended.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// The switch is set when more bytes are resident.
    soft_memory: usize,
    /// The process is to end when more bytes are.
    hard_memory: usize,
    /// The process is to end then.
    end: Option<Instant>,
}

impl Bounds {
    /// Within 1.3 times the memory and 64 MB; within 5 % of the time or half a second.
    fn of(limits: &Limits, started: Instant) -> Self {
        let end = limits.deadline.and_then(|deadline| {
            let time = deadline.saturating_duration_since(started);
            deadline.checked_add(time.mul_f64(0.04).max(Duration::from_millis(300)))
        });
        let memory = limits.memory.unwrap_or(usize::MAX);
        let times = |percent: usize, more: usize| (memory / 100).saturating_mul(percent).saturating_add(more);
        Self { soft_memory: times(110, ALLOWANCE), hard_memory: times(125, 2 * ALLOWANCE), end }
    }
}

/// Looks after limits until it is dropped.
#[derive(Debug)]
pub struct Watchdog {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Starts to look. `overrun` is called at most once, in the watchdog's thread.
    ///
    /// Where no thread can be had, limits are kept by those who look at them alone.
    #[must_use]
    pub fn start(limits: &Limits, started: Instant, overrun: impl FnOnce(Stop) + Send + 'static) -> Self {
        let (done, ended) = channel::<()>();
        let (limits, bounds) = (limits.clone(), Bounds::of(limits, started));
        let watch = move || {
            let mut told: Option<Instant> = None;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(INTERVAL) {
                let now = Instant::now();
                let resident = limits.memory.and_then(|_| resident()).unwrap_or(0);
                if resident > bounds.soft_memory {
                    limits.cancel.stop(Stop::Memory);
                }
                let stopped = limits.cancel.stopped();
                if stopped.is_some() && told.is_none() {
                    told = now.checked_add(GRACE);
                }
                let late = |end: Option<Instant>| end.is_some_and(|end| now >= end);
                let why = if resident > bounds.hard_memory {
                    Some(Stop::Memory)
                } else if late(bounds.end) {
                    Some(Stop::Time)
                } else if late(told) {
                    stopped
                } else {
                    None
                };
                if let Some(why) = why {
                    overrun(why);
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("watchdog".to_owned()).spawn(watch).ok();
        Self { done: Some(done), thread }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // A panic in there has been reported already.
            let _ = thread.join();
        }
    }
}

/// The bytes of the process that are in memory, where the system tells.
#[must_use]
pub fn resident() -> Option<usize> {
    memory_stats::memory_stats().map(|stats| stats.physical_mem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overrun_of(limits: &Limits) -> Option<Stop> {
        let (tell, told) = channel();
        let _watchdog = Watchdog::start(limits, Instant::now(), move |why| tell.send(why).unwrap());
        told.recv_timeout(Duration::from_secs(20)).ok()
    }

    #[test]
    fn who_does_not_stop_in_time_is_told_of() {
        let limits = Limits { deadline: Some(Instant::now()), ..Limits::default() };
        let begun = Instant::now();
        assert_eq!(overrun_of(&limits), Some(Stop::Time));
        assert!(begun.elapsed() >= Duration::from_millis(300));
    }

    #[test]
    fn who_does_not_stop_when_interrupted_is_told_of() {
        let limits = Limits::default();
        limits.cancel.stop(Stop::Interrupted);
        assert_eq!(overrun_of(&limits), Some(Stop::Interrupted));
    }

    #[test]
    fn memory_of_the_process_sets_the_switch() {
        if resident().is_none() {
            return;
        }
        let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
        let held = vec![1u8; 200 << 20];
        assert_eq!(overrun_of(&limits), Some(Stop::Memory));
        assert_eq!(limits.stop(), Some(Stop::Memory));
        assert_eq!(held.len(), 200 << 20);
    }

    #[test]
    fn a_deadline_at_the_end_of_time_is_none() {
        let far = (0..64).rev().find_map(|bit| Instant::now().checked_add(Duration::from_secs(1 << bit)));
        let limits = Limits { deadline: far, ..Limits::default() };
        drop(Watchdog::start(&limits, Instant::now(), |_| {}));
    }

    #[test]
    fn who_ends_is_left_alone() {
        let (tell, told) = channel();
        drop(Watchdog::start(&Limits::default(), Instant::now(), move |why| tell.send(why).unwrap()));
        assert!(told.recv().is_err());
    }
}
