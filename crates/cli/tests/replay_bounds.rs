//! `replay` on results of `bounds`: the end of the interval that the start state shows is checked anew.

mod common;

use common::{Folder, compare, filter, property, quantified};
use serde_json::{Value, json};

/// A gambler with `x` of 6, who is bold (wins 2/5 of the games) or timid (wins 1/3, loses 1/3, and otherwise has to go on): the environment's choice.
fn folder() -> Folder {
    let outcome = |p: Value, by: i64| {
        let next = compare("+", "x", by);
        json!({"location": "l", "probability": {"exp": p}, "assignments": [{"ref": "x", "value": next}]})
    };
    let third = || compare("/", 1, 3);
    let edge = |action: &str, outcomes: Vec<Value>| {
        let playing = compare("∧", compare("<", 0, "x"), compare("<", "x", 6));
        json!({"location": "l", "action": action, "guard": {"exp": playing}, "destinations": outcomes})
    };
    let rich = compare("=", "x", 6);
    let around = compare("∧", compare("≥", "x", 2), compare("≤", "x", 4));
    let soon = json!({"op": "Pmax", "exp": {"op": "F", "exp": rich, "step-bounds": {"upper": 3}}});
    let folder = Folder::new();
    folder.write_json(
        "m.jani",
        &json!({
            "jani-version": 1, "name": "gambler", "type": "mdp", "actions": [{"name": "bold"}, {"name": "timid"}],
            "variables": [{"name": "x", "initial-value": 3,
                           "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 6}}],
            "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
                edge("bold", vec![outcome(json!(0.4), 1), outcome(json!(0.6), -1)]),
                edge("timid", vec![outcome(third(), 1), outcome(third(), -1), outcome(third(), 0)]),
            ]}],
            "system": {"elements": [{"automaton": "a"}]},
            "properties": [
                property("unsafe", &json!({"op": "PA", "start": around, "reach": rich})),
                property("most", &filter("max", &quantified("Pmax", "F", &rich))),
                property("least", &filter("min", &quantified("Pmin", "F", &rich))),
                property("avoids", &filter("max", &quantified("Pmax", "G", &compare("≠", "x", 6)))),
                property("likely", &filter("∀", &compare("≤", quantified("Pmax", "F", &rich), 0.4))),
                property("soon", &filter("max", &soon)),
            ],
        }),
    );
    // A policy that is bold where it has much: bold scores `x - 3.5`, timid 0.
    folder.write("net.nnet", "1,1,2,2,\n1,2,\n0,\n0,\n9,\n0,0,\n1,1,\n1,\n0,\n-3.5,\n0,\n");
    folder.write_json(
        "p.policy.json",
        &json!({"network": "net.nnet", "inputs": ["x"], "outputs": {"labels": ["bold", "timid"]}}),
    );
    folder
}

const POLICY: [&str; 2] = ["--policy", "p.policy.json"];

fn replayed(folder: &Folder, result: &Value, more: &[&str]) -> (i32, Value) {
    folder.write_json("r.json", result);
    folder.run_json(&[&["replay", "r.json", "m.jani"], more].concat())
}

#[test]
fn ends_that_start_states_show_are_confirmed() {
    let folder = folder();
    for name in ["unsafe", "most", "least", "avoids", "likely", "soon"] {
        for policy in [&POLICY[..], &[]] {
            for engine in
                [&["--engine", "explicit"][..], &["--engine", "partial"], &["--engine", "explicit", "--exact"]]
            {
                let (_, result) =
                    folder.run_json(&[&["bounds", "m.jani", "--property", name], policy, engine].concat());
                let (code, object) = replayed(&folder, &result, policy);
                assert_eq!((code, &object["real"]), (0, &json!(true)), "{name} {engine:?}: {object}");
                assert_eq!(object["engine"], "replay");
                assert!(object["value"]["lo"].is_number() || object["value"]["lo"].is_string(), "{object}");
                folder.write_json("r.json", &result);
                let ran = folder.run(&[&["replay", "r.json", "m.jani"], policy].concat());
                assert!(ran.out.starts_with("real: from its start state the probability is at "), "{}", ran.out);
            }
        }
    }
}

/// The end that is shown is the exact value: it is confirmed, and anything beyond it is not.
#[test]
fn claims_beyond_the_value_are_not_real() {
    let folder = folder();
    // Timid is fair, bold is not; of the smallest value the upper end is shown.
    for (name, end, value, beyond, says) in [
        ("most", "lo", "1/2", "500001/1000000", "the probability is at most 0.5"),
        ("unsafe", "lo", "2/3", "0.6667", "the probability is at most 0.66666666"),
        ("least", "hi", "8/35", "0.2285", "the probability is at least 0.22857142"),
        ("avoids", "lo", "27/35", "0.78", "the probability is at most 0.77142857"),
        ("soon", "lo", "8/125", "0.0641", "the probability is at most 0.064"),
    ] {
        let (_, genuine) = folder.run_json(&["bounds", "m.jani", "--property", name, "--exact"]);
        assert_eq!(genuine["value"], json!({"lo": value, "hi": value}), "{name}");
        for (claimed, code) in [(value, 0), (beyond, 1)] {
            let mut result = genuine.clone();
            let other = if end == "lo" { "1" } else { "0" };
            result["value"] = json!({"lo": other, "hi": other});
            result["value"][end] = json!(claimed);
            // The scheduler is the best one: without it the same is found.
            for listed in [true, false] {
                if !listed {
                    result["witness"]["scheduler"] = json!([]);
                }
                let (exit, object) = replayed(&folder, &result, &[]);
                assert_eq!((exit, &object["real"]), (code, &json!(code == 0)), "{name} {claimed}: {object}");
                let reason = object["reason"].as_str().unwrap_or_default();
                assert!(code == 0 || reason.contains(says), "{name} {claimed}: {reason}");
            }
        }
    }
    // A start state that is none, values that no state has, and variables that the model has not.
    let (_, genuine) = folder.run_json(&["bounds", "m.jani", "--property", "unsafe"]);
    for (key, value, expected) in [("x", json!(5), 1), ("x", json!(77), 1), ("y", json!(1), 2)] {
        let mut wrong = genuine.clone();
        wrong["witness"]["start"][key] = value;
        folder.write_json("r.json", &wrong);
        let ran = folder.run(&["replay", "r.json", "m.jani", "--quiet"]);
        assert_eq!(ran.code, expected, "{key}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn schedulers_are_held_against_the_model() {
    let folder = folder();
    // Without a policy all choices are the scheduler's.
    let (_, genuine) = folder.run_json(&["bounds", "m.jani", "--property", "most", "--engine", "explicit"]);
    let entries = genuine["witness"]["scheduler"].as_array().expect("a scheduler").len();
    assert!(entries > 0 && genuine["witness"]["scheduler_states"] == entries, "{genuine}");
    let (code, object) = replayed(&folder, &genuine, &[]);
    assert_eq!((code, &object["scheduled"]), (0, &json!(true)), "{object}");
    // No choice of any state; then the other choice in each of them, which attains less.
    let mut wrong = genuine.clone();
    for entry in wrong["witness"]["scheduler"].as_array_mut().expect("a scheduler") {
        entry["choice"] = json!(77);
    }
    let (code, object) = replayed(&folder, &wrong, &[]);
    assert_eq!((code, &object["real"]), (1, &json!(false)), "{object}");
    assert!(object["reason"].as_str().is_some_and(|reason| reason.contains("is no choice of its state")), "{object}");
    let mut backwards = genuine.clone();
    for entry in backwards["witness"]["scheduler"].as_array_mut().expect("a scheduler") {
        entry["choice"] = json!(1 - entry["choice"].as_i64().expect("a number").min(1));
    }
    let (code, _) = replayed(&folder, &backwards, &[]);
    assert_eq!(code, 1, "a bold scheduler attains 8/35 only");
}

#[test]
fn results_about_something_else_are_refused() {
    let folder = folder();
    let (_, genuine) = folder.run_json(&[&["bounds", "m.jani", "--property", "unsafe"], &POLICY[..]].concat());
    let damage: [(&str, Value, &str); 7] = [
        ("/command", json!("simulate"), "a result of `simulate` has no scheduler"),
        ("/model", json!("another"), "the result is about the model 'another'"),
        ("/property/name", json!("gone"), "there is no property 'gone'"),
        ("/policy", Value::Null, "the result is about a model without a policy"),
        ("/value", Value::Null, "the value of a probability"),
        ("/value/lo", json!(2), "2 is no probability"),
        ("/witness/start", json!([]), "a state as an object"),
    ];
    for (path, value, says) in damage {
        let mut wrong = genuine.clone();
        *wrong.pointer_mut(path).unwrap_or_else(|| panic!("{path}: {genuine}")) = value;
        folder.write_json("r.json", &wrong);
        let ran = folder.run(&[&["replay", "r.json", "m.jani"], &POLICY[..]].concat());
        assert_eq!(ran.code, 2, "{path}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(says), "{path}: {}", ran.err);
    }
    let ran = {
        folder.write_json("r.json", &genuine);
        folder.run(&[&["replay", "r.json", "m.jani", "--time-limit", "0"], &POLICY[..]].concat())
    };
    assert!(ran.code == 0 || ran.code == 3, "{}{}", ran.out, ran.err);
}
