//! Limits for short rounds: asked every so often.

use crate::{Limits, Stop};

/// Asks the limits once per so much work, so that loops with short rounds need not think about the clock.
#[derive(Debug)]
pub struct Ticker<'l> {
    limits: &'l Limits,
    every: u64,
    since: u64,
}

impl<'l> Ticker<'l> {
    /// Asks whenever `every` units of work are done: so little is always done, whatever the limits.
    #[must_use]
    pub fn new(limits: &'l Limits, every: u64) -> Self {
        Self { limits, every, since: 0 }
    }

    /// One unit of work is to be done.
    ///
    /// # Errors
    /// Why to stop instead.
    pub fn tick(&mut self) -> Result<(), Stop> {
        self.work(1)
    }

    /// So many units of work are to be done.
    ///
    /// # Errors
    /// Why to stop instead.
    pub fn work(&mut self, units: u64) -> Result<(), Stop> {
        self.since = self.since.saturating_add(units);
        if self.since < self.every {
            return Ok(());
        }
        self.since = 0;
        self.limits.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_asks_every_so_often() {
        let limits = Limits::default();
        limits.cancel.stop(Stop::Interrupted);
        let mut ticker = Ticker::new(&limits, 3);
        let asked: Vec<bool> = (0..4).map(|_| ticker.tick().is_err()).collect();
        assert_eq!(asked, [false, false, true, false]);
        assert_eq!(ticker.work(5), Err(Stop::Interrupted));
    }
}
