//! `ctl` on models so small that the truth is seen at once, each with something that is easily overlooked.

mod common;

use std::time::{Duration, Instant};

use common::{Folder, compare};
use serde_json::{Value, json};

/// One automaton with one location over given variables; edges are pairs of a guard and the value that `x` is given.
fn model(variables: &[Value], start: Option<&Value>, edges: &[(Value, Value)]) -> Value {
    let edge = |(guard, value): &(Value, Value)| {
        json!({"location": "l", "action": "a", "guard": {"exp": guard},
               "destinations": [{"location": "l", "assignments": [{"ref": "x", "value": value}]}]})
    };
    let mut model = json!({
        "jani-version": 1, "name": "small", "type": "mdp", "actions": [{"name": "a"}], "variables": variables,
        "automata": [{"name": "p", "locations": [{"name": "l"}], "initial-locations": ["l"],
                      "edges": edges.iter().map(edge).collect::<Vec<_>>()}],
        "system": {"elements": [{"automaton": "p"}]},
    });
    if let Some(start) = start {
        model["restrict-initial"] = json!({"exp": start});
    }
    model
}

fn between(low: Value, high: Value) -> Value {
    compare("∧", compare("≤", low, "x"), compare("≤", "x", high))
}

/// `x` from 0 to 1; the policy computes `u = |x - 0.5|`, where `when` holds. `step` is the next `x`.
fn regression(when: &Value, step: Value) -> Folder {
    let variables = [
        json!({"name": "x", "type": "real"}),
        json!({"name": "u", "type": "real", "transient": true, "initial-value": 0}),
    ];
    let folder = Folder::new();
    folder.write_json("m.jani", &model(&variables, Some(&between(json!(0), json!(1))), &[(json!(true), step)]));
    folder.write("net.nnet", "2,1,1,2,\n1,2,1,\n0,\n0,\n1,\n0,0,\n1,1,\n1,\n-1,\n-0.5,\n0.5,\n1,1,\n0,\n");
    let networks = json!([{"file": "net.nnet", "when": when}]);
    folder.write_json("p.json", &json!({"networks": networks, "inputs": ["x"], "outputs": {"variables": ["u"]}}));
    folder
}

fn decide(folder: &Folder, formula: &str) -> (String, Value) {
    let (_, object) = folder.run_json(&["ctl", "m.jani", "--policy", "p.json", "--formula", formula]);
    (object["verdict"].as_str().expect("a verdict").to_owned(), object)
}

#[test]
fn networks_are_not_looked_at_where_nothing_reads_them() {
    let folder = regression(&json!(true), compare("*", "x", 0.5));
    for formula in ["true", "x < 2", "AX^3 x <= 0.125"] {
        let (verdict, object) = decide(&folder, formula);
        assert_eq!((verdict.as_str(), object["cover"]["count"].as_u64()), ("holds", Some(1)), "{formula}: {object}");
    }
    // Where a step reads what it computes, its kink matters.
    let folder = regression(&json!(true), json!("u"));
    let (verdict, object) = decide(&folder, "AX x <= 0.5");
    assert_eq!((verdict.as_str(), object["cover"]["count"].as_u64()), ("holds", Some(2)), "{object}");
}

#[test]
fn evidence_without_outputs_needs_none() {
    let folder = regression(&compare("<", "x", 0.75), json!("x"));
    for formula in ["x < 0.8", "AX x < 0.8", "x < 0.75 | EX x < 0.75"] {
        assert_eq!(decide(&folder, formula).0, "violated", "{formula}");
    }
}

/// `x` from 0 up to a number, one by one, and down again where asked.
fn chain(top: i64, back: bool) -> Folder {
    let domain = json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": top});
    let variables = [json!({"name": "x", "type": domain, "initial-value": 0})];
    let mut edges = vec![(compare("<", "x", top), compare("+", "x", 1))];
    if back {
        edges.push((compare(">", "x", 0), compare("-", "x", 1)));
    }
    let folder = Folder::new();
    folder.write_json("m.jani", &model(&variables, None, &edges));
    folder
}

fn limited(folder: &Folder, formula: &str, limits: &[&str]) -> (String, Value, Duration) {
    let start = Instant::now();
    let (_, object) = folder.run_json(&[&["ctl", "m.jani", "--formula", formula], limits].concat());
    (object["verdict"].as_str().expect("a verdict").to_owned(), object, start.elapsed())
}

#[test]
fn evidence_of_long_runs_takes_as_long_as_they_are() {
    let (verdict, object, took) = limited(&chain(8_000, false), "AG x < 8000", &[]);
    assert_eq!((verdict.as_str(), object["witness"]["steps"].as_array().map(Vec::len)), ("violated", Some(8_000)));
    assert!(took < Duration::from_secs(40), "{took:?}");
    let (verdict, _, took) = limited(&chain(8_000, true), "EF AG x > 5", &[]);
    assert_eq!(verdict, "violated");
    assert!(took < Duration::from_secs(40), "{took:?}");
}

#[test]
fn limits_are_kept_in_all_that_is_done() {
    for formula in ["EF AG x > 5", "AG x < 60000"] {
        let (verdict, object, took) = limited(&chain(60_000, true), formula, &["--time-limit", "2"]);
        assert!(verdict != "holds" && took < Duration::from_secs(15), "{took:?}: {object}");
    }
    let variables = [json!({"name": "x", "type": "real", "initial-value": 0})];
    let folder = Folder::new();
    folder.write_json("m.jani", &model(&variables, None, &[(json!(true), compare("+", "x", 1))]));
    for formula in ["AG x >= 0", "AG[<=100000] x >= 0"] {
        let (verdict, object, _) = limited(&folder, formula, &["--memory-limit", "20"]);
        assert_eq!(verdict, "unknown");
        assert!(object["reason"].as_str().is_some_and(|reason| reason.contains("memory")), "{object}");
        assert!(object["statistics"]["expanded_states"].as_u64().is_some_and(|states| states < 100_000), "{object}");
    }
}

/// `x` goes to 2 and has no successors there.
fn dead_end() -> Folder {
    let domain = json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3});
    let variables = [json!({"name": "x", "type": domain, "initial-value": 0})];
    let folder = Folder::new();
    folder.write_json("m.jani", &model(&variables, None, &[(compare("<", "x", 2), compare("+", "x", 1))]));
    folder
}

#[test]
fn what_never_happens_is_shown_by_a_run_that_goes_round() {
    let (folder, args) = (dead_end(), ["ctl", "m.jani", "--formula", "AF x = 3"]);
    let (code, object) = folder.run_json(&args);
    assert_eq!((code, &object["stuttering"]), (1, &json!(true)), "{object}");
    assert!(folder.run(&args).out.contains("so it goes on for ever"));
    // Round and round, without such states; the run can be replayed.
    let folder = chain(5, true);
    let (code, object) = folder.run_json(&["ctl", "m.jani", "--formula", "AF x = 5"]);
    assert_eq!((code, &object["stuttering"]), (1, &json!(false)), "{object}");
    let steps = object["witness"]["steps"].as_array().expect("a run");
    let last = &steps[steps.len() - 1]["state"];
    let before = steps[..steps.len() - 1].iter().map(|step| &step["state"]).chain([&object["witness"]["start"]]);
    assert!(before.into_iter().any(|state| state == last), "{object}");
    folder.write_json("result.json", &object);
    assert_eq!(folder.run(&["replay", "result.json", "m.jani"]).code, 0);
    // Whatever happens: that is said, and that a state without successors is part of it.
    let (folder, args) = (dead_end(), ["ctl", "m.jani", "--formula", "EF x = 3"]);
    let (code, object) = folder.run_json(&args);
    assert_eq!((code, &object["stuttering"]), (1, &json!(true)), "{object}");
    // There is one run only, and that shows it.
    assert!(folder.run(&args).out.contains("so it goes on for ever"));
    let args = ["ctl", "m.jani", "--formula", "EF x = 3", "--method", "exact"];
    assert!(folder.run(&args).out.contains("whatever happens from here on"));
    // The key is there in any case.
    assert_eq!(folder.run_json(&["ctl", "m.jani", "--formula", "true"]).1["stuttering"], json!(false));
}

/// Options of the procedures by a solver, without one of them.
#[test]
fn options_of_other_methods_are_refused() {
    let folder = common::counter_folder(9, &compare("=", "x", 6));
    for option in ["--solver", "--write-lp"] {
        let ran = folder.run(&["ctl", "m.jani", "--formula", "AX (x < 9)", option, "x"]);
        let words = format!("{option} is for --method monolithic and compositional");
        assert!(ran.code == 2 && ran.err.contains(&words), "{}{}", ran.out, ran.err);
    }
}

/// A run that ends where nothing is possible stays there; written out or not.
#[test]
fn runs_that_stay_in_a_state_without_successors_are_replayed() {
    let folder = dead_end();
    let (_, object) = folder.run_json(&["ctl", "m.jani", "--formula", "AF x = 3"]);
    let steps = object["witness"]["steps"].as_array().expect("a run");
    assert_eq!((steps.len(), &object["stuttering"]), (2, &json!(true)), "{object}");
    let replayed = |object: &Value| {
        folder.write_json("result.json", object);
        let ran = folder.run(&["replay", "result.json", "m.jani"]);
        (ran.code, format!("{}{}", ran.out, ran.err))
    };
    assert_eq!(replayed(&object).0, 0, "{}", replayed(&object).1);
    let with = |at: usize, step: Value| {
        let mut steps = steps.clone();
        steps.insert(at, step);
        let mut object = object.clone();
        object["witness"]["steps"] = Value::from(steps);
        replayed(&object)
    };
    let last = steps[1]["state"].clone();
    let (code, said) = with(2, json!({"state": last}));
    assert_eq!(code, 0, "{said}");
    // An action is a move, and there is none; elsewhere something can happen, and staying is not it.
    let (code, said) = with(2, json!({"label": "go", "state": last}));
    assert!(code == 1 && said.contains("no move is possible in the state before it"), "{said}");
    let (code, said) = with(1, json!({"state": steps[0]["state"]}));
    assert!(code == 1 && said.contains("step 2"), "{said}");
}
