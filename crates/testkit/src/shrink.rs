//! Many seeds, and the smallest model on which a check fails.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use surefoot_fixtures::Random;

use crate::generate::{Size, random_model};

/// One random model.
#[derive(Debug, Clone)]
pub struct Case {
    /// What it was made from.
    pub seed: u64,
    /// How large it was allowed to be.
    pub size: Size,
    /// The model with its properties.
    pub jani: String,
}

/// Who makes a model.
pub type Generator = fn(&mut Random, &Size) -> String;

impl Case {
    /// The model of a seed.
    #[must_use]
    pub fn new(seed: u64, size: Size) -> Self {
        Self::of(random_model, seed, size)
    }

    /// The model that a generator makes of a seed.
    #[must_use]
    pub fn of(generator: Generator, seed: u64, size: Size) -> Self {
        let jani = generator(&mut Random::new(seed), &size);
        Self { seed, size, jani }
    }

    /// A source of chance for what goes with the model.
    #[must_use]
    pub fn random(&self) -> Random {
        Random::new(self.seed ^ 0xC0FF_EE00_DEAD_BEEF)
    }
}

/// How many other seeds are tried at every smaller size.
const SEEDS_PER_SIZE: u64 = 40;

/// Runs a check, which panics to complain, on the models of some seeds.
///
/// # Panics
/// If the check fails on one of them: with the smallest failing model that smaller sizes and other seeds give.
pub fn for_seeds(seeds: Range<u64>, size: &Size, check: impl Fn(&Case)) {
    for_seeds_of(random_model, seeds, size, check);
}

/// The same on the models of a generator.
///
/// # Panics
/// As [`for_seeds`].
pub fn for_seeds_of(generator: Generator, seeds: Range<u64>, size: &Size, check: impl Fn(&Case)) {
    for seed in seeds {
        let case = Case::of(generator, seed, *size);
        let Some(complaint) = complaint(&case, &check) else { continue };
        let (case, complaint) = shrink(generator, &case, &check).unwrap_or((case, complaint));
        panic!("seed {} of size {:?}: {complaint}\n{}", case.seed, case.size, case.jani);
    }
}

/// What the check says about a case.
fn complaint(case: &Case, check: &impl Fn(&Case)) -> Option<String> {
    let payload = catch_unwind(AssertUnwindSafe(|| check(case))).err()?;
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string)).or(Some("a panic".to_owned()))
}

/// A smaller failing case; smallest sizes first.
fn shrink(generator: Generator, failing: &Case, check: &impl Fn(&Case)) -> Option<(Case, String)> {
    for size in failing.size.smaller() {
        for seed in [failing.seed].into_iter().chain((0..SEEDS_PER_SIZE).map(|i| failing.seed.wrapping_add(i << 32))) {
            let case = Case::of(generator, seed, size);
            if let Some(complaint) = complaint(&case, check) {
                return Some((case, complaint));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_size_that_fails_is_reported() {
        let check = |case: &Case| assert!(case.size.edges < 2, "too many edges");
        let payload = catch_unwind(AssertUnwindSafe(|| for_seeds(0..1, &Size::default(), check))).unwrap_err();
        let text = payload.downcast_ref::<String>().unwrap();
        assert!(text.contains("too many edges") && text.contains("\"automata\""), "{text}");
        assert!(text.contains("automata: 1,") && text.contains("edges: 2,"), "{text}");
    }
}
