//! Small models on which the engine was wrong once, each named after what broke.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::ops::ControlFlow;
use std::sync::Arc;

use common::{compare_states, interpreted, task};
use serde_json::{Value, json};
use surefoot_explicit::start::{StartError, for_each_start};
use surefoot_explicit::{Ending, Task, explore};
use surefoot_linear::Linear;
use surefoot_model::lower::Lowered;
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork, Ties};
use surefoot_model::{LabelId, SlotId, State};
use surefoot_network::{Activation, Layer, Network};
use surefoot_testkit::{load_text, safety};
use surefoot_verdict::Silent;

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

/// The states of a condition over x and y, both from 0 to 3.
fn start_states(condition: &Value) -> Result<Vec<Vec<i64>>, StartError> {
    let automaton = json!({"name": "m", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": []});
    let property = json!({"name": "p", "expression": {"op": "PA", "start": condition}});
    let model = json!({
        "jani-version": 1, "name": "small", "type": "mdp", "variables": [int("x", 0, 3), int("y", 0, 3)],
        "automata": [automaton], "system": {"elements": [{"automaton": "m"}]}, "properties": [property]
    });
    let mut lowered = load_text(&model.to_string());
    let start = safety(&mut lowered, 0).start;
    let mut found = Vec::new();
    for_each_start(&lowered.model, &start, |state| {
        found.push(state.to_ints().unwrap()[1..].to_vec());
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

#[test]
fn a_start_condition_without_value_is_no_start_state() {
    let fails = binary("=", binary("%", 1, "x"), 0);
    let (x_is_1, y_is_2) = (binary("=", "x", 1), binary("=", "y", 2));
    // Evaluated from left to right: where x is 0, the first disjunct has no value, whatever the second says.
    let result = start_states(&binary("∧", binary("∨", fails.clone(), true), y_is_2.clone()));
    assert!(matches!(result, Err(StartError::Condition(_))), "{result:?}");
    let choice = json!({"op": "ite", "if": fails, "then": true, "else": true});
    assert!(matches!(start_states(&choice), Err(StartError::Condition(_))));
    // What is not looked at does not fail.
    let guarded = binary("∧", x_is_1, binary("∧", binary("∨", fails, true), y_is_2));
    assert_eq!(start_states(&guarded), Ok(vec![vec![1, 2]]));
}

#[test]
fn figures_do_not_depend_on_threads_when_a_search_stops() {
    // Two equal outputs in every state: all decisions need exact arithmetic.
    let edge = |action: &str| json!({"location": "l", "action": action, "destinations": [{"location": "l"}]});
    let automaton =
        json!({"name": "m", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [edge("a"), edge("b")]});
    let property = json!({"name": "p", "expression": {"op": "PA", "start": true, "reach": binary("=", "x", 500)}});
    let model = json!({
        "jani-version": 1, "name": "small", "type": "mdp", "actions": [{"name": "a"}, {"name": "b"}],
        "variables": [int("x", 0, 999)], "automata": [automaton], "system": {"elements": [{"automaton": "m"}]},
        "properties": [property]
    });
    let mut lowered = load_text(&model.to_string());
    let safety = safety(&mut lowered, 0);
    let form = Linear::symbol(SlotId(1).into());
    let layer = Layer::new(1, vec![1.0, 1.0], vec![0.0, 0.0], Activation::Identity).unwrap();
    let network = Arc::new(Network::new(vec![layer]).unwrap());
    let policy = Policy {
        networks: vec![PolicyNetwork { when: None, inputs: vec![form], network, file: String::new() }],
        outputs: Outputs::Labels(vec![LabelId(0), LabelId(1)]),
        filter: false,
        ties: Ties::First,
    };
    let task = task(&lowered.model, Some(&policy), &safety.start, safety.reach);
    let one = explore(&task, &Silent);
    assert!(matches!(one.ending, Ending::Reached(_)) && one.statistics.exact_decisions > 0, "{one:?}");
    for threads in [2, 4] {
        assert_eq!(explore(&Task { threads, ..task.clone() }, &Silent), one);
    }
}

#[test]
fn two_cells_of_one_edge_may_be_the_same() {
    let array = json!({
        "name": "a", "type": {"kind": "array", "base": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}},
        "initial-value": {"op": "av", "elements": [0, 0]}
    });
    let cell = |index: &str, value: Value, order: i64| json!({"ref": {"op": "aa", "exp": "a", "index": index}, "value": value, "index": order});
    let variables = [int("x", 0, 1), int("y", 0, 1), array];
    let at_once = together(&variables, &[json!([cell("x", json!(1), 0), cell("y", json!(2), 0)])]);
    let equal = together(&variables, &[json!([cell("x", json!(1), 0), cell("y", json!(1), 0)])]);
    let in_sequence = together(&variables, &[json!([cell("x", json!(1), 0), cell("y", json!(2), 1)])]);
    let (same, apart) = (State::from_ints(&[0, 0, 0, 0, 0]), State::from_ints(&[0, 0, 1, 0, 0]));
    assert!(interpreted(&at_once.model, None, &same).is_err());
    assert!(interpreted(&equal.model, None, &same).is_ok());
    for lowered in [at_once, equal, in_sequence] {
        compare_states(&lowered.model, None, [&same, &apart]);
    }
}

#[test]
fn both_ends_of_an_interval_are_numbers() {
    let read = |upper: Value| {
        let edge = json!([{"ref": "x", "lower-bound": 0, "upper-bound": upper}]);
        std::panic::catch_unwind(|| together(&[int("x", 0, 3)], &[edge]))
    };
    assert!(read(json!(2)).is_ok());
    assert!(read(json!(true)).is_err(), "a truth value is no end of an interval of integers");
    assert!(read(json!(1.5)).is_err(), "as for the lower end");
}

/// `count` automata that all toss a coin at once.
fn coins(count: usize) -> Lowered {
    let variables: Vec<Value> = (0..count).map(|i| int(&format!("x{i}"), 0, 1)).collect();
    let automata: Vec<Value> = (0..count)
        .map(|i| {
            let side = |value: i64| {
                let set = json!([{"ref": format!("x{i}"), "value": value}]);
                json!({"location": "l", "probability": {"exp": 0.5}, "assignments": set})
            };
            let edge = json!({"location": "l", "action": "a", "destinations": [side(0), side(1)]});
            json!({"name": format!("m{i}"), "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [edge]})
        })
        .collect();
    let elements: Vec<Value> = (0..count).map(|i| json!({"automaton": format!("m{i}")})).collect();
    let sync = json!({"synchronise": vec!["a"; count], "result": "a"});
    model(&variables, &automata, &json!({"elements": elements, "syncs": [sync]}))
}

#[test]
fn products_of_many_automata_are_refused_before_they_fill_the_memory() {
    let mut lowered = coins(40);
    let start = surefoot_model::property::StartSet { conditions: vec![lowered.initial_condition()], states: vec![] };
    for exploration in [
        explore(&task(&lowered.model, None, &start, None), &Silent),
        surefoot_explicit::reference::explore(&task(&lowered.model, None, &start, None), &Silent),
    ] {
        let Ending::ModelError(error) = exploration.ending else { panic!("refused") };
        assert_eq!(error.kind, surefoot_model::interpret::ModelErrorKind::TooManyOutcomes);
    }
    // Random runs draw each coin on its own.
    let options = surefoot_explicit::simulate::SimulateOptions { runs: 2, steps: 3, seed: 1 };
    let task = task(&lowered.model, None, &start, None);
    for simulate in [surefoot_explicit::simulate::simulate, surefoot_explicit::simulate::interpreted] {
        let made = simulate(&task, &options, &Silent, None).unwrap();
        assert_eq!((made.totals.shortest, made.totals.longest), (3, 3));
    }
}

#[test]
fn a_transient_variable_stays_in_its_domain() {
    let bounded = json!({"name": "t", "transient": true, "initial-value": 0,
        "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}});
    let lowered = together(&[int("x", 0, 9), bounded], &[json!([{"ref": "t", "value": binary("+", "x", 1)}])]);
    let states: Vec<State> = (0..=9).map(|x| State::from_ints(&[0, x])).collect();
    assert!(interpreted(&lowered.model, None, &states[2]).is_ok());
    assert!(interpreted(&lowered.model, None, &states[3]).is_err());
    compare_states(&lowered.model, None, &states);
}
