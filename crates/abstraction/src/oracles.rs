//! Oracles that are kept: what one has prepared of a network serves all questions after.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use surefoot_oracle::{BranchAndBound, Options};

/// A supply of oracles, as many as are used at the same time.
///
/// What an oracle answers does not depend on the questions before, so it does not matter which one is lent.
#[derive(Debug, Default)]
pub struct Oracles {
    options: Options,
    idle: Mutex<Vec<BranchAndBound>>,
}

/// An oracle that goes back when it is dropped.
#[derive(Debug)]
pub struct Lent<'o> {
    /// Taken out when dropped, and only then.
    oracle: Option<BranchAndBound>,
    home: &'o Oracles,
}

impl Oracles {
    /// Oracles with given options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options, idle: Mutex::default() }
    }

    /// One of them, an idle one if there is any.
    #[must_use]
    pub fn lend(&self) -> Lent<'_> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lent { oracle: Some(idle.unwrap_or_else(|| BranchAndBound::new(self.options.clone()))), home: self }
    }
}

impl Deref for Lent<'_> {
    type Target = BranchAndBound;

    fn deref(&self) -> &BranchAndBound {
        self.oracle.as_ref().expect("it is there until it is dropped")
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut BranchAndBound {
        self.oracle.as_mut().expect("it is there until it is dropped")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // After a panic its scratch space may be anything.
        if let Some(oracle) = self.oracle.take().filter(|_| !std::thread::panicking()) {
            self.home.idle.lock().unwrap_or_else(PoisonError::into_inner).push(oracle);
        }
    }
}
