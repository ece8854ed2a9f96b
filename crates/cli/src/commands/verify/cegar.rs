//! What `verify --engine cegar` shows besides what every engine does.

use surefoot_verify::cegar::CegarDetails;
use surefoot_verify::engine::{Evidence, Outcome, Verdict};

/// More predicates are only counted.
const MOST_SHOWN: usize = 40;

/// The predicates that the invariant is made of.
pub(super) fn invariant(outcome: &Outcome, details: &CegarDetails) -> String {
    let Verdict::Holds(Evidence::Invariant { .. }) = outcome.verdict else { return String::new() };
    let all = details.words.predicates().len();
    let mut text = "\nThe invariant is made of these predicates:\n".to_owned();
    for predicate in details.words.predicates().take(MOST_SHOWN) {
        text.push_str(&format!("  {predicate}\n"));
    }
    match all.saturating_sub(MOST_SHOWN) {
        _ if all == 0 => String::new(),
        0 => text,
        more => format!("{text}  ... and {more} more; --json has them all\n"),
    }
}
