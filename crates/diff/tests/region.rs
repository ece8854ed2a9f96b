//! Whether policies differ in a region, against enumeration of its states.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::cell::Cell;

use common::Duel;
use surefoot_diff::{Where, in_region};
use surefoot_fixtures::seeds;
use surefoot_model::State;
use surefoot_oracle::Limits;
use surefoot_testkit::{Case, Size, for_seeds};

/// Whether they differ in some region of a case; `None` where it is not known, or there is no case.
fn check(case: &Case) -> Option<bool> {
    let mut duel = Duel::new(case)?;
    let region = if duel.random.percent(70) { duel.properties[1].reach } else { None };
    let terminal = if duel.random.percent(30) { duel.properties[0].goal } else { None };
    let interpreter = duel.interpreter();
    let holds = |term, state: &State| interpreter.holds(term, state).ok();
    let counts = |state: &&State| {
        region.is_none_or(|region| holds(region, state) == Some(true))
            && terminal.is_none_or(|goal| holds(goal, state) == Some(false))
    };
    let differ = |state: &State| duel.opinions(state).is_some_and(|[old, new]| old != new);
    let truth: Vec<&State> = duel.states.iter().filter(counts).filter(|state| differ(state)).collect();
    let found = match in_region(&duel.policies(), region, terminal, &Limits::default()) {
        Ok(found) => found,
        Err(refusal) => {
            assert!(refusal.refused.is_some(), "{refusal:?}");
            return None;
        }
    };
    match found.answer {
        Where::Nowhere => assert_eq!(truth, Vec::<&State>::new()),
        Where::Somewhere(found) => {
            assert!(truth.contains(&&found.state));
            assert_eq!(duel.opinions(&found.state).unwrap(), [found.old, found.new]);
        }
        // Scores of smooth functions that no precision tells apart.
        Where::Open(_) => return None,
        Where::Wrong(state) => panic!("{state:?} is not as asked"),
    }
    Some(!truth.is_empty())
}

#[test]
fn regions_are_answered_as_by_enumeration() {
    let counts = [Cell::new(0), Cell::new(0)];
    for_seeds(seeds(8_000, 400), &Size { states: 400, ..Size::default() }, |case| {
        if let Some(differ) = check(case) {
            let count = &counts[usize::from(differ)];
            count.set(count.get() + 1);
        }
    });
    // The test is about something.
    assert!(counts.iter().all(|count| count.get() > 25), "{counts:?}");
}

/// A limit is not an answer.
#[test]
fn limits_leave_it_open() {
    let limits = Limits::default();
    limits.run.cancel.stop(surefoot_limits::Stop::Interrupted);
    let mut open = 0;
    for seed in 8_000..8_100 {
        let Some(duel) = Duel::new(&Case::new(seed, Size::default())) else { continue };
        if let Ok(found) = in_region(&duel.policies(), None, None, &limits) {
            open += usize::from(matches!(found.answer, Where::Open(_)));
        }
    }
    assert!(open > 10, "{open}");
}
