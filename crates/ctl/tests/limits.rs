//! Limits in what comes after the search: evidence and its confirmation.

#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

use std::time::Instant;

use surefoot_ctl::check::confirm::{Unconfirmed, confirm_within};
use surefoot_ctl::{Constraints, Ctl, Failing, Options, Quantifier, System, Verdict, check};
use surefoot_limits::Stop;
use surefoot_linear::{Atom, Linear, Symbol};
use surefoot_model::property::StartSet;
use surefoot_num::Rational;
use surefoot_oracle::Limits;
use surefoot_testkit::load_text;
use surefoot_verdict::Reason;

/// `x` goes up to 100 and starts again.
const ROUND: &str = r#"{"jani-version": 1, "name": "round", "type": "mdp", "actions": [{"name": "a"}],
    "variables": [{"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 100}, "initial-value": 0}],
    "automata": [{"name": "p", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [{"location": "l", "action": "a",
        "destinations": [{"location": "l", "assignments": [{"ref": "x", "value":
            {"op": "ite", "if": {"op": "<", "left": "x", "right": 100}, "then": {"op": "+", "left": "x", "right": 1}, "else": 0}}]}]}]}],
    "system": {"elements": [{"automaton": "p"}]}}"#;

#[test]
fn confirmation_keeps_to_the_limits_of_the_search() {
    let lowered = load_text(ROUND);
    let model = &lowered.model;
    let start = model.slots.iter().map(|slot| slot.initial.clone().unwrap_or(Rational::ZERO)).collect();
    let start = StartSet { conditions: Vec::new(), states: vec![surefoot_model::State(start)] };
    let system = System::new(model, None, &start, None, None).expect("a system");
    let x = model.slots.len() as u32 - 1;
    let large = Ctl::atom(Atom::at_least_zero(Linear::new(vec![(Symbol(x), Rational::ONE)], Rational::from(-5))));
    // Everything that can happen shows that this fails.
    let globally = Ctl::Globally(Quantifier::All, None, Box::new(large));
    let formula = Ctl::Finally(Quantifier::Some, None, Box::new(globally));
    let checked = check(&system, &formula, &Options { most_states: 101, ..Options::default() }).expect("no failure");
    let Verdict::Violated(Failing { start, evidence }) = &checked.verdict else { panic!("{:?}", checked.verdict) };
    let within =
        |options: &Options| confirm_within(&system, &checked.formula, checked.negation, start, evidence, options);
    let limited = |limits: Limits| Options { limits, most_states: 101 };
    assert_eq!(within(&limited(Limits::default())), Ok(()));
    assert_eq!(within(&Options { most_states: 100, ..Options::default() }), Err(Unconfirmed::TooMany(100)));
    let late = surefoot_limits::Limits::default().until(Some(Instant::now())).into();
    assert_eq!(within(&limited(late)), Err(Unconfirmed::Stopped(Stop::Time)));
    let little = surefoot_limits::Limits::default().within(Some(1000)).into();
    assert_eq!(within(&limited(little)), Err(Unconfirmed::Stopped(Stop::Memory)));
}

#[test]
fn near_failures_are_found_where_states_do_not_close() {
    let lowered = load_text(&ROUND.replace("100", "100000"));
    let model = &lowered.model;
    let start = model.slots.iter().map(|slot| slot.initial.clone().unwrap_or(Rational::ZERO)).collect();
    let start = StartSet { conditions: Vec::new(), states: vec![surefoot_model::State(start)] };
    let system = System::new(model, None, &start, None, None).expect("a system");
    let x = model.slots.len() as u32 - 1;
    let below = |most: i64| {
        Ctl::atom(Atom::at_least_zero(Linear::new(vec![(Symbol(x), -&Rational::ONE)], Rational::from(most))))
    };
    let options = Options { most_states: 200, ..Options::default() };
    let globally = |f: Ctl| Ctl::Globally(Quantifier::All, None, Box::new(f));
    let verdict = |formula: &Ctl| check(&system, formula, &options).expect("no failure").verdict;
    assert!(matches!(verdict(&globally(below(10))), Verdict::Violated(_)));
    assert!(matches!(verdict(&globally(below(150))), Verdict::Unknown(Reason::NotClosed(_))));
    // What has to happen some time may still happen later.
    let finally = Ctl::Finally(Quantifier::All, None, Box::new(below(-1)));
    assert!(matches!(verdict(&finally), Verdict::Unknown(Reason::NotClosed(_))));
}
