//! Pages of models at the edges of what is drawn: wide gaps, integers that no float is, questions about start states only.

#![allow(clippy::unwrap_used, reason = "only tests")]

mod common;

use common::{Unpacked, budget, problem};
use serde_json::{Value, json};
use surefoot_report::{Material, report};
use surefoot_testkit::load_text;
use surefoot_verdict::Silent;
use surefoot_verify::result::Command;
use surefoot_verify::{EngineChoice, ResultObject, Told, VerifyOptions, verify};

/// A model with one variable between bounds, edges from a value to another, and one property.
fn page(bounds: [i64; 2], start: i64, edges: &[[i64; 2]], values: &Value, engine: EngineChoice) -> Unpacked {
    let edge = |[from, to]: &[i64; 2]| {
        json!({"location": "l", "action": "go", "guard": {"exp": {"op": "=", "left": "x", "right": from}},
            "destinations": [{"location": "l", "assignments": [{"ref": "x", "value": to}]}]})
    };
    let model = json!({
        "jani-version": 1, "name": "corner", "type": "mdp", "actions": [{"name": "go"}],
        "variables": [{"name": "x", "initial-value": start,
            "type": {"kind": "bounded", "base": "int", "lower-bound": bounds[0], "upper-bound": bounds[1]}}],
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"],
            "edges": edges.iter().map(edge).collect::<Vec<Value>>()}],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": [{"name": "p", "expression": {"op": "filter", "fun": "∀", "values": values, "states": {"op": "initial"}}}],
    });
    let problem = problem(load_text(&model.to_string()), None, 0);
    let options = VerifyOptions { engine, sketch: true, ..VerifyOptions::default() };
    let found = verify(&problem, &options, &budget(), &Silent).unwrap();
    let result = ResultObject::about(Command::Verify, 0, &problem).verified(&problem, &found);
    let (told, budget) = (Told::Verified(Box::new(found)), budget());
    let (page, columns) = report(&Material::of(&problem, &result, &told, String::new(), None, &budget));
    Unpacked::new(&page, &columns)
}

fn is_not(value: i64) -> Value {
    json!({"op": "≠", "left": "x", "right": value})
}

fn never(value: i64) -> Value {
    json!({"op": "∀", "exp": {"op": "G", "exp": is_not(value)}})
}

/// Ranges without states are not listed: there may be as many as integers.
#[test]
fn gaps_between_values_cost_nothing() {
    let far = page([0, 1_000_000_000], 0, &[[0, 1_000_000_000]], &never(1), EngineChoice::EXPLICIT);
    let all = page([i64::MIN, i64::MAX], 0, &[[0, i64::MIN], [0, i64::MAX]], &never(1), EngineChoice::EXPLICIT);
    for (page, states) in [(far, 2), (all, 3)] {
        let graph = &page.json["graph"];
        assert_eq!(graph["count"], states);
        for attribute in graph["attributes"].as_array().unwrap() {
            assert!(attribute["values"].as_array().is_none_or(|values| values.len() <= 3), "{attribute}");
        }
    }
}

#[test]
fn integers_that_no_float_is_are_told_as_text() {
    let big = 1i64 << 53;
    let steps = [[big, big + 1], [big + 1, big + 2], [big + 2, big + 3]];
    let page = page([0, 1 << 60], big, &steps, &never(big + 3), EngineChoice::EXPLICIT);
    let run = &page.json["run"];
    assert_eq!(run["marks"], json!([2, 2, 2, 3]));
    assert_eq!(run["exact"][1][0], json!((big + 1).to_string()));
    assert_eq!(run["loop"], Value::Null, "two states are one only where they are");
}

/// The condition holds where runs start; later it fails, and nothing is said of that.
#[test]
fn a_question_about_start_states_says_nothing_of_others() {
    let page = page([0, 9], 0, &[[0, 1]], &is_not(1), EngineChoice::EXPLICIT);
    assert_eq!(page.json["verdict"]["headline"], "the condition holds in every start state");
    assert_eq!(page.json["states"]["count"], 2);
    assert_eq!(page.column(&page.json["states"]["mark"]), [0.0, 0.0]);
    let marks = page.column(&page.json["graph"]["marks"]);
    assert_eq!(marks, [1.0, 4.0], "something leaves the start state");
}

/// A search does not ask again about what is reached already, nor what leaves an unsafe state.
#[test]
fn only_states_that_were_looked_through_are_ends() {
    for never_at in [7, 1] {
        let page = page([0, 9], 0, &[[0, 1], [1, 0]], &never(never_at), EngineChoice::CEGAR);
        assert_eq!(page.json["graph"]["kind"], "abstract");
        let marks = page.column(&page.json["graph"]["marks"]);
        // The bit of states that nothing leaves.
        assert!(marks.iter().all(|mark| mark % 8.0 < 4.0), "{marks:?}");
    }
}
