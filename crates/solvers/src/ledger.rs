//! Whose word answers rest on, and what went wrong: one ledger for all copies of an oracle.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use surefoot_limits::Stop;

/// What was taken from solvers.
#[derive(Debug, Default)]
pub struct Ledger {
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    /// By name and version, how often it said that there is no solution, and whether it computes in floats.
    refuted: BTreeMap<String, (u64, bool)>,
    /// What went wrong, the first time that it did.
    trouble: BTreeMap<Stop, String>,
}

impl Ledger {
    /// A solver said that there is no solution.
    pub(crate) fn refuted(&self, who: &str, in_floats: bool) {
        self.with(|entries| match entries.refuted.get_mut(who) {
            Some((count, _)) => *count += 1,
            None => drop(entries.refuted.insert(who.to_owned(), (1, in_floats))),
        });
    }

    /// A solver gave no answer, and why.
    pub(crate) fn failed(&self, stop: Stop, why: String) {
        self.with(|entries| {
            entries.trouble.entry(stop).or_insert(why);
        });
    }

    /// What a proof takes for granted that was built on answers so far.
    #[must_use]
    pub fn assumptions(&self) -> Vec<String> {
        let words = |(who, (count, in_floats)): (&String, &(u64, bool))| {
            let (times, floats) = (if *count == 1 { "" } else { "s" }, if *in_floats { ", in floats" } else { "" });
            format!("{who} is right where it says that a constraint has no solution ({count} time{times}{floats})")
        };
        self.with(|entries| entries.refuted.iter().map(words).collect())
    }

    /// Why a solver gave no answer, in its own words or ours, where that is what stopped a run.
    #[must_use]
    pub fn why(&self, stop: Stop) -> Option<String> {
        self.with(|entries| entries.trouble.get(&stop).cloned())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Entries) -> T) -> T {
        work(&mut self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_limits::Trouble;

    #[test]
    fn words_are_counted_and_the_first_trouble_stays() {
        let ledger = Ledger::default();
        assert!(ledger.assumptions().is_empty());
        ledger.refuted("Z3 5.4.0", false);
        ledger.refuted("Marabou 2.0.0", true);
        ledger.refuted("Marabou 2.0.0", true);
        let words = [
            "Marabou 2.0.0 is right where it says that a constraint has no solution (2 times, in floats)",
            "Z3 5.4.0 is right where it says that a constraint has no solution (1 time)",
        ];
        assert_eq!(ledger.assumptions(), words);
        let stop = Stop::Solver("Z3", Trouble::Crashed);
        ledger.failed(stop, "first".to_owned());
        ledger.failed(stop, "second".to_owned());
        assert_eq!((ledger.why(stop), ledger.why(Stop::Time)), (Some("first".to_owned()), None));
    }
}
