//! The shared one-step queries, with the verdicts given for them.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use common::conformance::{fault, generous};
use common::nnsat::{Query, stored};
use surefoot_oracle::{BranchAndBound, Options, Oracle, Reference};

/// Asks an oracle some queries.
fn decide(name: &str, oracle: &mut dyn Oracle, queries: &[Query]) {
    let mut faults = Vec::new();
    for query in queries {
        let answer = oracle.decide(&query.question, &generous());
        if let Some(complaint) = fault(&query.question, &answer, query.sat) {
            faults.push(format!("{} ({}): {complaint}", query.name, query.confirmed_by));
        }
    }
    assert!(faults.is_empty(), "{name}: {} of {} queries:\n{}", faults.len(), queries.len(), faults.join("\n"));
}

/// How many points the reference may enumerate.
const ENUMERABLE: f64 = 600.0;

/// Boxes that are small enough to be enumerated: they show that queries are read as they are meant.
#[test]
fn the_reference_decides_small_boxes_as_given() {
    let mut queries = stored();
    let points = |query: &Query| {
        let sizes = query.question.variables.iter().map(|v| (&v.upper - &v.lower).to_f64() + 1.0);
        sizes.product::<f64>()
    };
    queries.retain(|query| points(query) <= ENUMERABLE);
    assert!(queries.len() > 10 || queries.is_empty(), "{}", queries.len());
    decide("reference", &mut Reference::new(), &queries);
}

#[test]
fn branch_and_bound_decides_all_as_given() {
    decide("branch and bound", &mut BranchAndBound::new(Options::default()), &stored());
}
