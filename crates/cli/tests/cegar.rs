//! `verify --engine cegar`: verdicts, evidence, presets.

mod common;

use common::{
    Folder, Ran, compare, counter, counter_folder, filter, never, property, quantified, timeless, write_policy,
};
use serde_json::{Value, json};

const CEGAR: [&str; 5] = ["verify", "m.jani", "--engine", "cegar", "--quiet"];
const POLICY: [&str; 2] = ["--policy", "counter.policy.json"];

fn cegar<'a>(more: &[&'a str]) -> Vec<&'a str> {
    CEGAR.iter().chain(more).copied().collect()
}

/// A shipped example by the engine.
fn example(name: &str, more: &[&str]) -> Ran {
    let folder = Folder::new();
    let place = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let (model, properties) = (format!("{place}/model.jani"), format!("{place}/properties.jani"));
    let args = ["verify", &model, "--properties", &properties, "--engine", "cegar", "--quiet"];
    folder.run(&[&args[..], more].concat())
}

#[test]
fn shipped_examples_are_decided_as_by_exploration() {
    let ran = example("parking", &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("holds: no run from any start state reaches an unsafe state\n"), "{}", ran.out);
    assert!(ran.out.contains("cegar (explain); an inductive invariant of "), "{}", ran.out);
    assert!(ran.out.contains("The invariant is made of these predicates:\n  crashed\n"), "{}", ran.out);

    let ran = example("reservoir", &[]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.starts_with("violated: an unsafe state can be reached in "), "{}", ran.out);
    assert!(ran.out.contains("the run below was replayed in exact arithmetic"), "{}", ran.out);
    assert!(ran.out.contains("[shut 0.5, next drain 0, margin 0.5]"), "the run has scores: {}", ran.out);

    assert_eq!(example("lift", &[]).code, 0);
}

#[test]
fn the_policy_is_refined_where_it_matters() {
    let ran = example("lift", &["--preset", "vea-w", "--json", "-"]);
    let object: Value = serde_json::from_str(&ran.out).expect("an object");
    assert_eq!((ran.code, &object["verdict"]), (0, &json!("holds")));
    let figures = &object["statistics"];
    for key in ["policy_refinements", "policy_predicates", "iterations", "oracle_queries", "oracle_nodes"] {
        assert!(figures[key].as_u64() > Some(0), "{key}: {figures}");
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    for (name, seed) in [("lift", "0"), ("lift", "5"), ("reservoir", "0")] {
        let objects = ["1", "2"].map(|threads| {
            let ran = example(name, &["--json", "-", "--seed", seed, "--threads", threads]);
            timeless(serde_json::from_str(&ran.out).expect("an object")).to_string()
        });
        assert_eq!(objects[0], objects[1], "{name}, seed {seed}");
    }
}

#[test]
fn the_object_has_figures_and_the_invariant() {
    let folder = counter_folder(9, &compare("=", "x", 9));
    let (code, object) = folder.run_json(&[&CEGAR[..4], &POLICY].concat());
    assert_eq!((code, &object["verdict"], &object["engine"]), (0, &json!("holds"), &json!("cegar")));
    assert_eq!(object["preset"], "explain");
    let figures = object["statistics"].as_object().expect("an object");
    let keys: Vec<&str> = figures.keys().take(10).map(String::as_str).collect();
    let expected = [
        "start_states",
        "reachable_states",
        "expanded_states",
        "transitions",
        "predicates",
        "iterations",
        "policy_refinements",
        "policy_predicates",
        "oracle_queries",
        "oracle_nodes",
    ];
    assert_eq!(keys, expected);
    let predicates = object["invariant"]["predicates"].as_array().expect("a list");
    assert_eq!(json!(predicates.len()), figures["predicates"]);
    assert_eq!(object["invariant"]["states"], figures["reachable_states"]);
    assert!(predicates.contains(&json!("x >= 9")), "the atom of the unsafety condition: {predicates:?}");
    assert_eq!(object["predicates"], object["invariant"]["predicates"]);
    assert_eq!(object["witness"], Value::Null);
}

#[test]
fn a_run_is_shown_and_can_be_replayed() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let ran = folder.run(&cegar(&[&POLICY[..], &["--json", "r.json"]].concat()));
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.out.contains("    4  jump    x: 3 -> 6  [p = 3/4]\n"), "{}", ran.out);
    let object = folder.read_json("r.json");
    assert_eq!(object["invariant"], Value::Null);
    let decision = &object["witness"]["steps"][0]["policy"];
    assert_eq!((&decision["runner_up"], &decision["margin"]["exact"]), (&json!("down"), &json!("5/2")));
    let replayed = folder.run(&[&["replay", "r.json", "m.jani"], &POLICY[..]].concat());
    assert_eq!(replayed.code, 0, "{}", replayed.err);
}

#[test]
fn all_presets_decide() {
    let folder = counter_folder(9, &compare("=", "x", 9));
    let presets =
        "explain explain-only entailed-whole vea-w Vea^mid BsVerix^w bsverix^MID BsVerix^eps sens^mid Rand plaja verix";
    for preset in presets.split(' ') {
        let ran = folder.run(&cegar(&[&POLICY[..], &["--preset", preset]].concat()));
        assert_eq!(ran.code, 0, "{preset}: {}", ran.err);
    }
    let varied = ["--preset", "VeriX", "--epsilon", "0.5", "--order", "breadth", "--relaxed-check"];
    let ran = folder.run(&cegar(&[&POLICY[..], &varied].concat()));
    assert!(ran.out.contains("cegar (verix, epsilon 0.5, relaxed check, order breadth)"), "{}", ran.out);
}

#[test]
fn limits_end_with_three_and_figures() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let ran = folder.run(&cegar(&[&POLICY[..], &["--max-iterations", "1", "--json", "r.json"]].concat()));
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.out.starts_with("unknown: the limit of 1 iteration was reached\n"), "{}", ran.out);
    let object = folder.read_json("r.json");
    assert_eq!((&object["verdict"], &object["statistics"]["iterations"]), (&json!("unknown"), &json!(1)));
    let ran = folder.run(&cegar(&[&POLICY[..], &["--time-limit", "0"]].concat()));
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.out.starts_with("unknown: the time limit of 0 s was reached\n"), "{}", ran.out);
}

#[test]
fn only_avoidance_is_decided() {
    let folder = Folder::new();
    let never_nine = quantified("∀", "G", &compare("<", "x", 9));
    let properties = [
        property("always", &filter("∀", &never_nine)),
        property("some", &filter("∃", &quantified("∃", "F", &compare("=", "x", 3)))),
        property("single", &filter("values", &never_nine)),
    ];
    folder.write_json("m.jani", &counter(9, &properties));
    write_policy(&folder);
    let run = |property: &str, policy: &[&str]| folder.run(&cegar(&[&["--property", property], policy].concat()));
    assert_eq!((run("always", &POLICY).code, run("always", &[]).code), (0, 1));
    assert_eq!((run("single", &POLICY).code, run("single", &[]).code), (0, 1), "there is one initial state");
    let ran = run("some", &POLICY);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("does not ask whether unsafe states are reached"), "{}", ran.err);
}

#[test]
fn errors_of_the_model_are_those_of_exploration() {
    // Without a guard against it, `up` leaves the domain in the last state.
    let folder = Folder::new();
    let mut model = counter(5, &[property("safe", &never(&compare(">", "x", 7)))]);
    model["automata"][0]["edges"][0]["guard"] = json!({"exp": true});
    folder.write_json("m.jani", &model);
    let messages = ["explicit", "cegar"].map(|engine| {
        let ran = folder.run(&["verify", "m.jani", "--engine", engine, "--quiet"]);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{engine}: {}", ran.err);
        ran.err
    });
    assert!(messages[0].contains("variable 'x' would get the value 6"), "{}", messages[0]);
    assert_eq!(messages[0], messages[1]);
}

#[test]
fn variables_that_do_not_matter_change_nothing() {
    let folder = Folder::new();
    let mut model = counter(9, &[property("safe", &never(&compare("=", "x", 6)))]);
    let domain = json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3});
    let idle = json!({"name": "idle", "type": domain, "initial-value": 0});
    model["variables"].as_array_mut().expect("a list").push(idle);
    model["automata"][0]["edges"][0]["destinations"][0]["assignments"]
        .as_array_mut()
        .expect("a list")
        .push(json!({"ref": "idle", "value": 2}));
    folder.write_json("m.jani", &model);
    write_policy(&folder);
    for slice in ["on", "off"] {
        let ran = folder.run(&cegar(&[&POLICY[..], &["--slice", slice]].concat()));
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(ran.out.contains("idle: 0 -> 2"), "the run is one of the whole model: {}", ran.out);
    }
}
