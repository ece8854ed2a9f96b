//! Non-deterministic assignments of different ranges.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use serde_json::{Value, json};
use surefoot_abstraction::{Oracles, System};
use surefoot_bmc::bmc;
use surefoot_cegar::{Options, Outcome, cegar};
use surefoot_limits::{Stop, Unit};
use surefoot_model::lower::Lowered;
use surefoot_model::property::Question;
use surefoot_testkit::load_text;
use surefoot_verdict::Silent;

fn variable(name: &str, upper: i64, initial: i64) -> Value {
    json!({"name": name, "initial-value": initial,
           "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": upper}})
}

fn edge(from: &str, to: &str, guard: &Value, assignments: &Value) -> Value {
    json!({"location": from, "guard": {"exp": guard}, "destinations": [{"location": to, "assignments": assignments}]})
}

fn model(locations: &[&str], variables: &[Value], edges: &[Value], reach: &Value) -> Lowered {
    let locations: Vec<Value> = locations.iter().map(|name| json!({"name": name})).collect();
    let first = locations[0]["name"].clone();
    let model = json!({
        "jani-version": 1, "name": "m", "type": "lts", "actions": [], "variables": variables,
        "automata": [{"name": "a", "locations": locations, "initial-locations": [first], "edges": edges}],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": [{"name": "p", "expression": {"op": "PA", "reach": reach}}],
    });
    load_text(&model.to_string())
}

/// The outcomes of bounded model checking and of refinement.
fn outcomes(lowered: &mut Lowered) -> (surefoot_bmc::Outcome, Outcome) {
    let Ok(Question::Safety(safety)) = lowered.question(0) else { panic!("a safety property") };
    let mut system = System::new(&lowered.model, None, &safety, false).unwrap();
    let oracles = Oracles::seeded(0);
    let bounded = bmc(&mut system, &surefoot_bmc::Options::default(), &oracles, &Silent).unwrap();
    (bounded.outcome, cegar(&mut system, &[], &Options::default(), &oracles, &mut ()).unwrap().outcome)
}

fn plus(a: &str, b: &str) -> Value {
    json!({"op": "+", "left": a, "right": b})
}

/// Two paths that end alike but for the range of what was chosen on them.
#[test]
fn a_narrower_choice_covers_no_wider_one() {
    let any = |name: &str, upper: i64| json!({"ref": name, "lower-bound": 0, "upper-bound": upper});
    let add = |name: &str| json!([{"ref": "z", "value": plus("z", name)}, {"ref": name, "value": 0}]);
    let at_least = |value: i64| json!({"op": "≥", "left": "z", "right": value});
    let up = json!([{"ref": "z", "value": {"op": "+", "left": "z", "right": 1}}]);
    let edges = [
        edge("0", "1", &json!(true), &json!([any("p", 1)])),
        edge("0", "2", &json!(true), &json!([any("q", 5)])),
        edge("1", "3", &json!(true), &add("p")),
        edge("2", "3", &json!(true), &add("q")),
        edge("3", "4", &at_least(3), &up),
    ];
    let variables = [variable("p", 1, 0), variable("q", 5, 0), variable("z", 10, 0)];
    let (bounded, refined) = outcomes(&mut model(&["0", "1", "2", "3", "4"], &variables, &edges, &at_least(6)));
    assert!(matches!(&bounded, surefoot_bmc::Outcome::Unsafe(states) if states.len() == 4), "{bounded:?}");
    assert!(matches!(&refined, Outcome::Unsafe(states) if states.len() == 4), "{refined:?}");
}

/// Whether an update leaves its domain depends on thousands of choices: that is not decided, and not claimed.
#[test]
fn an_error_among_too_many_choices_is_not_claimed() {
    let assignments = json!([
        {"ref": "x", "lower-bound": 0, "upper-bound": "a", "index": 0},
        {"ref": "y", "value": {"op": "+", "left": "x", "right": 1}, "index": 1},
    ]);
    let variables = [variable("x", 9000, 0), variable("y", 9000, 0), variable("a", 9000, 5)];
    let edges = [edge("0", "1", &json!(true), &assignments)];
    let reach = json!({"op": "≥", "left": "y", "right": 50});
    let (bounded, refined) = outcomes(&mut model(&["0", "1"], &variables, &edges, &reach));
    assert!(matches!(bounded, surefoot_bmc::Outcome::Open { stop: Stop::Most(Unit::Choices, _), .. }), "{bounded:?}");
    let Outcome::Safe(invariant) = refined else { panic!("{refined:?}") };
    assert!(matches!(invariant.open_fault, Some((_, Stop::Most(Unit::Choices, _)))), "{:?}", invariant.open_fault);
}
