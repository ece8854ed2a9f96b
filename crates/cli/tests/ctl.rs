//! `ctl` on the shipped example and small models: verdicts, witnesses, what is refused, what is said.

mod common;

use std::path::Path;

use common::{Folder, Ran};
use serde_json::{Value, json};

/// The thermostat with a formula.
fn thermostat(more: &[&str]) -> (i32, Value) {
    let args = arguments(more);
    Folder::new().run_json(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

fn arguments(more: &[&str]) -> Vec<String> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/thermostat");
    let text = |file: &str| example.join(file).to_str().expect("UTF-8").to_owned();
    let base = ["ctl".to_owned(), text("model.jani"), "--policy".to_owned(), text("thermostat.policy.json")];
    base.into_iter().chain(more.iter().map(|word| (*word).to_owned())).collect()
}

fn verdict(formula: &str) -> (i32, String) {
    let (code, object) = thermostat(&["--formula", formula]);
    (code, object["verdict"].as_str().expect("a verdict").to_owned())
}

#[test]
fn the_thermostat_is_decided_up_to_the_border() {
    let holds = [
        "AG[<=8] (temperature >= 18 & temperature <= 22.5)",
        "temperature = 20 => AX temperature > 20",
        "(temperature > 20 & temperature < 20.01) => AX temperature < 20",
        "AG[<=0] false",
        "A[true U<=0 temperature >= 18]",
        "EX EX temperature < 22 & AX^0 temperature >= 18",
    ];
    let violated = [
        "AG[<=4] temperature > 18.5",
        "AX temperature != 21",
        "temperature >= 20 => AX temperature < 20",
        "EF[<=0] true",
        "AX^2 (temperature < 20 | EX temperature > 21)",
    ];
    for formula in holds {
        assert_eq!(verdict(formula), (0, "holds".to_owned()), "{formula}");
    }
    for formula in violated {
        assert_eq!(verdict(formula), (1, "violated".to_owned()), "{formula}");
    }
}

#[test]
fn witnesses_are_runs_or_trees() {
    let (code, object) = thermostat(&["--formula", "temperature >= 20 => AX temperature < 20"]);
    assert_eq!(code, 1);
    let witness = &object["witness"];
    assert_eq!(witness["steps"].as_array().map(Vec::len), Some(1), "{witness}");
    assert!(object["cover"]["pieces"][0]["holds"].is_boolean(), "{object}");
    // That something is possible is refuted by everything that can happen.
    let (code, object) = thermostat(&["--formula", "EX (temperature > 30) & EX temperature > 0"]);
    assert_eq!(code, 1);
    let nodes = object["witness"]["nodes"].as_array().expect("a tree");
    assert_eq!(nodes[0]["all_successors"], true);
    assert_eq!(nodes[0]["steps"].as_array().map(Vec::len), Some(2));
    let args = arguments(&["--formula", "AG[<=4] temperature > 18.5"]);
    let Ran { code, out, .. } = Folder::new().run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(code, 1);
    assert!(out.starts_with("violated: the formula fails in a start state"), "{out}");
    assert!(out.contains("replayed in exact arithmetic") && out.contains("ahead of"), "{out}");
}

#[test]
fn runs_can_be_replayed() {
    let args = arguments(&["--formula", "AG[<=4] temperature > 18.5", "--json", "result.json"]);
    let folder = Folder::new();
    assert_eq!(folder.run(&args.iter().map(String::as_str).collect::<Vec<_>>()).code, 1);
    let mut replay = arguments(&[]);
    replay.splice(0..1, ["replay".to_owned(), "result.json".to_owned()]);
    let replay: Vec<&str> = replay.iter().map(String::as_str).collect();
    let ran = folder.run(&replay);
    assert!(ran.code == 0 && ran.out.starts_with("real: "), "{}{}", ran.out, ran.err);
    let mut forged = folder.read_json("result.json");
    forged["witness"]["steps"][0]["state"]["trend"] = json!("1/3");
    folder.write_json("result.json", &forged);
    let ran = folder.run(&replay);
    assert!(ran.code == 1 && ran.out.starts_with("not real"), "{}{}", ran.out, ran.err);
}

#[test]
fn properties_with_step_bounds_keep_their_meaning() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/thermostat/properties.jani");
    let properties = example.to_str().expect("UTF-8");
    let (code, object) = thermostat(&["--properties", properties]);
    assert_eq!((code, &object["formula"]), (0, &json!("A[false R<=6 temperature >= 18]")));
    // From step 0 on: the start state counts.
    let model = json!({"op": "filter", "fun": "∀", "states": {"op": "initial"}, "values":
        {"op": "∀", "exp": {"op": "G", "exp": {"op": ">", "left": "temperature", "right": 18}, "step-bounds": {"upper": 0}}}});
    let folder = Folder::new();
    folder.write_json("p.jani", &json!({"properties": [{"name": "warm", "expression": model}]}));
    let path = folder.path().join("p.jani");
    let (code, object) = thermostat(&["--properties", path.to_str().expect("UTF-8")]);
    assert_eq!((code, &object["witness"]["start"]["temperature"]), (1, &json!(18)), "{object}");
}

#[test]
fn texts_that_are_no_formulas_are_shown() {
    for (formula, message) in [
        ("AG[<=3] temprature > 3", "there is no variable 'temprature'"),
        ("AG[<=3 temperature > 3", "expected ']', found 'temperature'"),
        ("temperature * trend > 1", "a product is linear only if one factor"),
    ] {
        let args = arguments(&["--formula", formula]);
        let ran = Folder::new().run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""));
        assert!(ran.err.contains(message) && ran.err.contains("--formula:1:") && ran.err.contains('^'), "{}", ran.err);
    }
    let args = arguments(&["--formula", "AX^10000000 temperature > 3"]);
    let ran = Folder::new().run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(ran.code == 2 && ran.err.contains("use smaller bounds"), "{}", ran.err);
    // Without one the property beside the model is taken.
    let args = arguments(&[]);
    let ran = Folder::new().run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(ran.code == 0 && ran.err.contains("beside the model"), "{}{}", ran.out, ran.err);
    let folder = Folder::new();
    folder.write_json("m.jani", &common::counter(3, &[]));
    let ran = folder.run(&["ctl", "m.jani"]);
    assert!(ran.code == 2 && ran.err.contains("there is no formula"), "{}", ran.err);
}

/// A model of one real variable and one edge.
fn one_edge(assignment: &Value, guard: &Value) -> Folder {
    let folder = Folder::new();
    let real = json!({"kind": "bounded", "base": "real", "lower-bound": 0, "upper-bound": 4});
    let destination = json!({"location": "l", "assignments": [assignment]});
    folder.write_json(
        "m.jani",
        &json!({
            "jani-version": 1, "name": "one", "type": "lts", "features": ["nondet-assignment", "nondet-selection"],
            "variables": [{"name": "x", "type": real}],
            "restrict-initial": {"exp": {"op": "≤", "left": "x", "right": 1}},
            "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"],
                "edges": [{"location": "l", "guard": {"exp": guard}, "destinations": [destination]}]}],
            "system": {"elements": [{"automaton": "a"}]},
        }),
    );
    folder
}

fn plus(amount: i64) -> Value {
    json!({"ref": "x", "value": {"op": "+", "left": "x", "right": amount}})
}

#[test]
fn states_without_successors_stay_and_that_is_said() {
    let folder = one_edge(&plus(1), &json!({"op": "<", "left": "x", "right": 2}));
    let ran = folder.run(&["ctl", "m.jani", "--formula", "AX^7 (x >= 2 & x < 3)"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("holds") && ran.out.contains("without successors"), "{}", ran.out);
    let ran = folder.run(&["ctl", "m.jani", "--formula", "AF[<=7] x > 3"]);
    assert!(ran.code == 1 && ran.out.contains("(stays)") && ran.out.contains("no successors"), "{}", ran.out);
}

#[test]
fn errors_of_the_model_name_state_and_edge() {
    let folder = one_edge(&plus(1), &json!(true));
    let ran = folder.run(&["ctl", "m.jani", "--formula", "AG[<=9] x >= 0"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("outside its domain") && ran.err.contains("(a: edge 0)"), "{}", ran.err);
    // What is decided before anything goes wrong is decided.
    assert_eq!(folder.run(&["ctl", "m.jani", "--formula", "AG[<=3] x >= 1"]).code, 0);
}

#[test]
fn choices_among_reals_are_refused_by_name() {
    let any = json!({"ref": "x", "value": {"op": "nondet", "lower": 0, "upper": 1}});
    let folder = one_edge(&any, &json!(true));
    let ran = folder.run(&["ctl", "m.jani", "--formula", "AX x >= 0"]);
    if ran.err.contains("infinitely many outcomes") {
        assert_eq!(ran.code, 2);
        let check = folder.run(&["check", "m.jani"]);
        assert!(check.out.contains("not in its class: the non-deterministic assignment"), "{}", check.out);
    } else {
        // The spelling is not known to the reader: refused all the same.
        assert_eq!(ran.code, 2, "{}", ran.err);
    }
}

#[test]
fn limits_end_in_unknown_and_operators_without_bounds_need_closing() {
    let folder = one_edge(&json!({"ref": "x", "value": {"op": "/", "left": "x", "right": 2}}), &json!(true));
    let ran = folder.run(&["ctl", "m.jani", "--formula", "AG x >= 0", "--time-limit", "1"]);
    assert!(ran.code == 3 && ran.out.starts_with("unknown"), "{}{}", ran.out, ran.err);
    let (code, object) = folder.run_json(&["ctl", "m.jani", "--formula", "AG[<=5] x >= 0", "--time-limit", "0"]);
    assert_eq!((code, &object["verdict"]), (3, &json!("unknown")));
    assert!(object["horizon_decided"].is_u64(), "{object}");
}

#[test]
fn check_knows_what_can_be_done_with_infinite_start_sets() {
    let folder = one_edge(&plus(0), &json!(true));
    folder.write_json(
        "p.jani",
        &json!({"properties": [{"name": "far", "expression": {"op": "PA", "reach":
            {"op": "state-condition", "exp": {"op": ">", "left": "x", "right": 3}}}}]}),
    );
    let ran = folder.run(&["check", "m.jani", "--properties", "p.jani"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("the start set is infinite in 'x'") && !ran.out.contains("verify: explicit"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("ctl         in its class"), "{}", ran.out);
}

#[test]
fn the_result_does_not_depend_on_threads() {
    let formula = "AX^5 (temperature < 20 | EX temperature > 21)";
    let timeless = |mut object: Value| {
        object["seconds"] = Value::Null;
        object
    };
    let one = thermostat(&["--formula", formula, "--threads", "1"]);
    let four = thermostat(&["--formula", formula, "--threads", "4"]);
    assert_eq!((one.0, timeless(one.1)), (four.0, timeless(four.1)));
}
