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
        _ if all == 0 => text.clear(),
        0 => {}
        more => text.push_str(&format!("  ... and {more} more; --json has them all\n")),
    }
    if !details.untouched.is_empty() {
        let values: String = details.untouched.iter().map(|value| format!("  {value}\n")).collect();
        let lead = if all == 0 { "The invariant is made" } else { "and" };
        text.push_str(&format!("\n{lead} of what is as it was at the start, where nothing has written it:\n{values}"));
    }
    text
}
