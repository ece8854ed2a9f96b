//! The suite of capabilities: what every implementation of a trait beyond [`Oracle`](surefoot_oracle::Oracle) is held against.
//!
//! Truth is never asked of the oracle under test: over integers it comes from all points, over reals from one question to the
//! reference for every single thing that may be so.

pub(crate) mod assignments;
pub(crate) mod change;
pub(crate) mod nowhere;

use surefoot_oracle::{FullOracle, MinimalChange};

/// Holds all capabilities of an oracle against the truth.
///
/// # Panics
/// At the first thing that is wrong.
pub(crate) fn capabilities<O: FullOracle + MinimalChange>(make: impl Fn() -> O) {
    assignments::of_random_questions(&make);
    assignments::of_narrowed_questions(&make);
    nowhere::of_random_formulas(&make);
    change::of_random_decisions(&make);
    replicas_answer_alike(&make);
}

/// A replica of an oracle that was asked answers like a new one, and counts from zero.
fn replicas_answer_alike<O: FullOracle>(make: &impl Fn() -> O) {
    for seed in surefoot_fixtures::seeds(21_000_000, 100) {
        let question = super::generate::question_of_shape(
            &mut surefoot_fixtures::Random::new(seed),
            super::generate::Shape::Mixed,
        );
        let limits = surefoot_oracle::Limits::default();
        let mut asked = make();
        let answer = asked.decide(&question, &limits);
        assert_eq!(asked.statistics().questions, 1, "seed {seed}");
        let mut replica = asked.replicate();
        assert_eq!(replica.statistics(), surefoot_oracle::Statistics::default(), "seed {seed}");
        assert_eq!(replica.decide(&question, &limits), answer, "seed {seed}");
        assert_eq!(replica.statistics(), asked.statistics(), "seed {seed}");
    }
}
