//! Thread CPU time, and how long a decision takes.

#![allow(dead_code, reason = "each example uses its own part")]
#![expect(clippy::cast_precision_loss, reason = "the numbers of an example are small")]

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::time::{Duration, Instant};

/// Reads the CPU time of this thread; the wall clock where the system does not tell.
pub(crate) struct Clock {
    file: Option<File>,
    origin: Instant,
    overhead: u64,
}

impl Clock {
    /// The clock of this thread.
    pub(crate) fn new() -> Self {
        let mut clock =
            Self { file: File::open("/proc/thread-self/schedstat").ok(), origin: Instant::now(), overhead: 0 };
        let pause = |clock: &mut Self| {
            let begin = clock.nanoseconds();
            clock.nanoseconds() - begin
        };
        clock.overhead = (0..32).map(|_| pause(&mut clock)).min().unwrap_or(0);
        clock
    }

    /// What is measured.
    pub(crate) fn name(&self) -> &'static str {
        if self.file.is_some() { "thread CPU time" } else { "wall time" }
    }

    /// Nanoseconds since some moment.
    fn nanoseconds(&mut self) -> u64 {
        // The kernel brings the counter up to date when the thread gives way, not when it is read.
        std::thread::yield_now();
        let mut buffer = [0; 64];
        let read = self.file.as_mut().and_then(|file| {
            file.seek(SeekFrom::Start(0)).ok()?;
            let length = file.read(&mut buffer).ok()?;
            std::str::from_utf8(&buffer[..length]).ok()?.split(' ').next()?.parse().ok()
        });
        read.unwrap_or_else(|| u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    /// What `work` returns, and the nanoseconds it took without those of the clock itself.
    pub(crate) fn time<T>(&mut self, work: impl FnOnce() -> T) -> (T, u64) {
        let begin = self.nanoseconds();
        let result = work();
        (result, (self.nanoseconds() - begin).saturating_sub(self.overhead))
    }
}

/// How long something takes.
pub(crate) struct Timing {
    /// Microseconds of the first run, in a cold cache.
    pub(crate) first: f64,
    /// Median over batches of the mean microseconds of a run.
    pub(crate) median: f64,
    /// Wall microseconds of the fastest run.
    pub(crate) wall: f64,
    /// Runs.
    pub(crate) runs: u32,
}

/// Runs `work` once, then in batches of at least a few milliseconds; long work runs only once.
pub(crate) fn repeat<T>(clock: &mut Clock, mut work: impl FnMut() -> T) -> (T, Timing) {
    const BATCHES: usize = 5;
    const BATCH: Duration = Duration::from_millis(2);
    const LONG: Duration = Duration::from_millis(500);
    let begin = Instant::now();
    let (result, first) = clock.time(&mut work);
    let taken = begin.elapsed();
    let first = first as f64 / 1e3;
    let mut timing = Timing { first, median: first, wall: taken.as_secs_f64() * 1e6, runs: 1 };
    if taken < LONG {
        let size = u32::try_from(BATCH.as_nanos() / taken.as_nanos().max(1)).unwrap_or(u32::MAX).max(1);
        let mut means: Vec<f64> = (0..BATCHES)
            .map(|_| {
                let run = || {
                    (0..size).fold(f64::INFINITY, |fastest, _| {
                        let begin = Instant::now();
                        std::hint::black_box(work());
                        fastest.min(begin.elapsed().as_secs_f64() * 1e6)
                    })
                };
                let (fastest, nanoseconds) = clock.time(run);
                timing.wall = timing.wall.min(fastest);
                nanoseconds as f64 / 1e3 / f64::from(size)
            })
            .collect();
        means.sort_by(f64::total_cmp);
        timing.median = means[BATCHES / 2];
        timing.runs += size * u32::try_from(BATCHES).unwrap_or(0);
    }
    (result, timing)
}
