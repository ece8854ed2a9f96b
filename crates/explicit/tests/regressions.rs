//! Small models on which the engine was wrong once, each named after what broke.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use common::{compare_states, interpreted};
use serde_json::{Value, json};
use surefoot_model::State;
use surefoot_model::lower::Lowered;
use surefoot_testkit::load_text;

fn binary(op: &str, left: impl Into<Value>, right: impl Into<Value>) -> Value {
    json!({"op": op, "left": left.into(), "right": right.into()})
}

fn int(name: &str, lower: i64, upper: i64) -> Value {
    let ty = json!({"kind": "bounded", "base": "int", "lower-bound": lower, "upper-bound": upper});
    json!({"name": name, "type": ty, "initial-value": lower.max(0)})
}

fn transient(name: &str, initial: i64) -> Value {
    json!({"name": name, "type": "int", "transient": true, "initial-value": initial})
}

/// A model whose automata have one location and one edge each, with these assignments; all edges move together.
fn together(variables: &[Value], edges: &[Value]) -> Lowered {
    let automata: Vec<Value> = edges
        .iter()
        .enumerate()
        .map(|(i, assignments)| {
            let edge = json!({
                "location": "l", "action": "a", "destinations": [{"location": "l", "assignments": assignments}]
            });
            json!({"name": format!("m{i}"), "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [edge]})
        })
        .collect();
    let elements: Vec<Value> = (0..edges.len()).map(|i| json!({"automaton": format!("m{i}")})).collect();
    let sync = json!({"synchronise": vec!["a"; edges.len()], "result": "a"});
    model(variables, &automata, &json!({"elements": elements, "syncs": [sync]}))
}

fn model(variables: &[Value], automata: &[Value], system: &Value) -> Lowered {
    let model = json!({
        "jani-version": 1, "name": "small", "type": "mdp", "features": ["arrays", "derived-operators"],
        "actions": [{"name": "a"}, {"name": "b"}], "variables": variables, "automata": automata, "system": system
    });
    load_text(&model.to_string())
}

#[test]
fn a_transient_value_assigned_by_one_automaton_is_read_by_another() {
    let lowered = together(
        &[int("x", 0, 9), transient("t", 0)],
        &[json!([{"ref": "t", "value": 7, "index": 0}]), json!([{"ref": "x", "value": "t", "index": 1}])],
    );
    let state = State::from_ints(&[0, 0, 0]);
    let expected = vec![(0, vec![State::from_ints(&[0, 0, 7])])];
    assert_eq!(interpreted(&lowered.model, None, &state), Ok(expected));
    compare_states(&lowered.model, None, [&state]);
}

#[test]
fn an_assigned_transient_value_can_make_a_later_one_fail() {
    // By its definition, t is 2 and the remainder harmless.
    let lowered = together(
        &[int("x", 0, 9), transient("t", 2), transient("u", 0)],
        &[json!([
            {"ref": "t", "value": 0, "index": 0},
            {"ref": "u", "value": binary("%", 1, "t"), "index": 1},
            {"ref": "x", "value": 3, "index": 1}
        ])],
    );
    let state = State::from_ints(&[0, 0]);
    assert!(interpreted(&lowered.model, None, &state).is_err());
    compare_states(&lowered.model, None, [&state]);
}

#[test]
fn an_interval_without_values_is_an_error_even_if_overwritten() {
    let lowered = together(
        &[int("x", 0, 3)],
        &[
            json!([{"ref": "x", "lower-bound": 5, "upper-bound": 5, "index": 0}]),
            json!([{"ref": "x", "value": 2, "index": 1}]),
        ],
    );
    let state = State::from_ints(&[0, 0, 0]);
    assert!(interpreted(&lowered.model, None, &state).is_err());
    compare_states(&lowered.model, None, [&state]);
}

#[test]
fn an_interval_wider_than_all_integers_is_an_error() {
    let x = int("x", i64::MIN, i64::MAX);
    let lowered = together(&[x], &[json!([{"ref": "x", "lower-bound": i64::MIN, "upper-bound": i64::MAX}])]);
    let state = State::from_ints(&[0, 0]);
    assert!(interpreted(&lowered.model, None, &state).is_err());
    compare_states(&lowered.model, None, [&state]);
}

#[test]
fn guards_count_only_where_all_locations_fit() {
    // The guard of m0 has no value, but m1 is not where its edge starts.
    let guard = json!({"exp": binary("=", binary("%", 1, "x"), 0)});
    let edge = |location: &str| json!({"location": location, "action": "a", "destinations": [{"location": "l"}]});
    let automaton = |name: &str, edge: Value| {
        let locations = json!([{"name": "l"}, {"name": "k"}]);
        json!({"name": name, "locations": locations, "initial-locations": ["l"], "edges": [edge]})
    };
    let mut guarded = edge("l");
    guarded["guard"] = guard;
    let lowered = model(
        &[int("x", 0, 3)],
        &[automaton("m0", guarded), automaton("m1", edge("k"))],
        &json!({"elements": [{"automaton": "m0"}, {"automaton": "m1"}], "syncs": [{"synchronise": ["a", "a"]}]}),
    );
    let (apart, fitting) = (State::from_ints(&[0, 0, 0]), State::from_ints(&[0, 1, 0]));
    assert_eq!(interpreted(&lowered.model, None, &apart), Ok(Vec::new()));
    assert!(interpreted(&lowered.model, None, &fitting).is_err());
    compare_states(&lowered.model, None, [&apart, &fitting]);
}
