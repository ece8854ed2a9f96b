//! The experiments, in one list. Each is a table or a figure of a paper, or holds the program against itself.
//!
//! To add one: a file here whose type implements [`Experiment`], and a line in [`all`]. It asks the [`Bench`] for runs and puts what they said into a [`Report`]; `bench.size` has what its
//! quick version does otherwise, which takes some seconds.

mod agents;
mod agreement;
mod bounds;
mod cegar;
mod checkers;
mod frozenlake;
mod overhead;
mod ppa;
mod probabilistic;
mod training;
mod verticalcas;

use crate::bench::Bench;
use crate::error::Error;
use crate::report::Report;

/// A table or a figure.
pub trait Experiment: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// What it is, on one line.
    fn about(&self) -> &'static str;
    /// Makes its runs, and a report of them.
    ///
    /// # Errors
    /// Contradictions, interruptions, files that cannot be written. Runs that fail are rows.
    fn carry_out(&self, bench: &Bench<'_>) -> Result<Report, Error>;
}

/// All of them.
#[must_use]
pub fn all() -> Vec<&'static dyn Experiment> {
    vec![
        &ppa::Predicates,
        &ppa::Starts,
        &cegar::Cegar,
        &probabilistic::Probabilistic,
        &bounds::Bounds,
        &overhead::Overhead,
        &checkers::Checkers,
        &frozenlake::FrozenLake,
        &verticalcas::VerticalCas,
        &training::Training,
        &agreement::Agreement,
    ]
}

/// The one of a name.
///
/// # Errors
/// There is none.
pub fn find(name: &str) -> Result<&'static dyn Experiment, Error> {
    let all = all();
    let names: Vec<&str> = all.iter().map(|experiment| experiment.name()).collect();
    let found = all.iter().find(|experiment| experiment.name() == name).copied();
    found.ok_or_else(|| Error::Unknown(name.to_owned(), names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_different_and_found() {
        for experiment in all() {
            assert_eq!(find(experiment.name()).unwrap().about(), experiment.about());
        }
        let message = find("nonsense").err().unwrap().to_string();
        assert!(message.contains("\"nonsense\"") && message.contains("agreement"), "{message}");
    }
}
