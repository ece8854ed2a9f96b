//! Oracles that are kept: what one has prepared of a network serves all questions after.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use surefoot_oracle::{BranchAndBound, KeepStatistics, Options, Replicate, Statistics};

/// A supply of oracles, as many as are used at the same time.
///
/// What an oracle answers does not depend on the questions before, so it does not matter which one is lent.
#[derive(Debug)]
pub struct Oracles<O> {
    supply: Mutex<Supply<O>>,
}

#[derive(Debug)]
struct Supply<O> {
    /// What others are made after.
    pattern: O,
    idle: Vec<O>,
}

/// An oracle that goes back when it is dropped.
#[derive(Debug)]
pub struct Lent<'o, O> {
    /// Taken out when dropped, and only then.
    oracle: Option<O>,
    home: &'o Oracles<O>,
}

impl<O> Oracles<O> {
    /// Oracles like one that has not been asked anything.
    #[must_use]
    pub fn like(pattern: O) -> Self {
        Self { supply: Mutex::new(Supply { pattern, idle: Vec::new() }) }
    }
}

impl Oracles<BranchAndBound> {
    /// The built-in oracle with given options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self::like(BranchAndBound::new(options))
    }

    /// The built-in oracle with a seed, which varies the witnesses that it finds.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self::new(Options { seed, ..Options::default() })
    }
}

impl<O: Replicate> Oracles<O> {
    /// One of them, an idle one if there is any.
    #[must_use]
    pub fn lend(&self) -> Lent<'_, O> {
        let mut supply = self.supply.lock().unwrap_or_else(PoisonError::into_inner);
        let oracle = supply.idle.pop().unwrap_or_else(|| supply.pattern.replicate());
        Lent { oracle: Some(oracle), home: self }
    }
}

impl<O> Deref for Lent<'_, O> {
    type Target = O;

    fn deref(&self) -> &O {
        self.oracle.as_ref().expect("it is there until it is dropped")
    }
}

impl<O> DerefMut for Lent<'_, O> {
    fn deref_mut(&mut self) -> &mut O {
        self.oracle.as_mut().expect("it is there until it is dropped")
    }
}

impl<O> Drop for Lent<'_, O> {
    fn drop(&mut self) {
        // After a panic its scratch space may be anything.
        if let Some(oracle) = self.oracle.take().filter(|_| !std::thread::panicking()) {
            self.home.supply.lock().unwrap_or_else(PoisonError::into_inner).idle.push(oracle);
        }
    }
}

/// Does something with an oracle, and says what that took.
pub fn counted<O: KeepStatistics, T>(oracle: &mut O, work: impl FnOnce(&mut O) -> T) -> (T, Statistics) {
    let before = oracle.statistics();
    let done = work(oracle);
    (done, oracle.statistics().since(&before))
}
