//! `induce` on small models.

mod common;

use common::{Folder, compare, counter, counter_folder, filter, never, property, quantified, timeless};
use serde_json::{Value, json};

fn listing(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Up to 3 and back by the policy; the environment jumps from 3 to 6 or stays.
const INDUCED: &str = "\
// counter, exported by Surefoot
@type: MDP
@value_type: rational
@parameters

@reward_models

@nr_states
7
@nr_choices
8
@model
state 0 init start
//[x=0]
\taction up
\t\t1 : 1
state 1
//[x=1]
\taction up
\t\t2 : 1
state 2
//[x=2]
\taction up
\t\t3 : 1
state 3
//[x=3]
\taction down
\t\t2 : 1
\taction jump
\t\t3 : 1/4
\t\t4 : 3/4
state 4 unsafe
//[x=6]
\taction down
\t\t5 : 1
state 5
//[x=5]
\taction down
\t\t6 : 1
state 6
//[x=4]
\taction down
\t\t3 : 1
";

#[test]
fn the_policy_induced_model_to_the_letter() {
    let folder = counter_folder(6, &compare("=", "x", 6));
    let ran = folder.run(&["induce", "m.jani", "--policy", "counter.policy.json", "--out", "m.drn", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("done: wrote m.drn\n"), "{}", ran.out);
    assert_eq!(folder.read("m.drn"), INDUCED);
}

#[test]
fn every_format_and_the_object() {
    let folder = counter_folder(6, &compare("=", "x", 6));
    for (file, format, numbers) in [
        ("m.drn", "drn", "exact"),
        ("m.tra", "tra", "double"),
        ("m.umb", "umb", "exact"),
        ("m.dot", "dot", "exact"),
        ("m.graphml", "graphml", "double"),
    ] {
        let args = ["induce", "m.jani", "--policy", "counter.policy.json", "--out", file];
        let (code, object) = folder.run_json(&args);
        assert_eq!((code, &object["verdict"], &object["file"]), (0, &Value::Null, &json!(file)));
        let labels = json!({"deadlock": 0, "start": 1, "unsafe": 1});
        let exported = json!({
            "format": format, "type": "mdp", "numbers": numbers, "states": 7, "choices": 8, "transitions": 9,
            "self_loops": 0, "labels": labels,
        });
        assert_eq!(object["exported"], exported);
        let explored = folder.run_json(&["explore", "m.jani", "--policy", "counter.policy.json", "--property", "0"]).1;
        assert_eq!(timeless(object)["statistics"], timeless(explored)["statistics"]);
    }
    assert_eq!(folder.read("m.lab"), "0=\"init\" 1=\"deadlock\" 2=\"start\" 3=\"unsafe\"\n0: 0 2\n4: 3\n");
}

#[test]
fn the_same_file_on_any_number_of_threads() {
    let folder = counter_folder(40, &compare("=", "x", 6));
    for (threads, file) in [("1", "one.umb"), ("4", "four.umb")] {
        assert_eq!(folder.run(&["induce", "m.jani", "--threads", threads, "--out", file]).code, 0);
    }
    let bytes = |file| std::fs::read(folder.path().join(file)).expect("the file is there");
    assert_eq!(bytes("one.umb"), bytes("four.umb"));
}

#[test]
fn terminal_goal_states_are_no_deadlocks() {
    let folder = Folder::new();
    let mut safe = never(&compare("=", "x", 5));
    safe["objective"] = json!({"op": "objective", "goal": compare("=", "x", 2)});
    folder.write_json("m.jani", &counter(5, &[property("safe", &safe)]));
    let (code, object) = folder.run_json(&["induce", "m.jani", "--goal-terminal", "--out", "m.tra"]);
    assert_eq!(code, 0);
    assert_eq!(object["exported"]["labels"], json!({"deadlock": 0, "start": 1, "unsafe": 0, "goal": 1}));
    assert_eq!((&object["exported"]["self_loops"], &object["exported"]["choices"]), (&json!(1), &json!(4)));
    assert_eq!(folder.read("m.tra"), "3 4 4\n0 0 1 1 up\n1 0 2 1 up\n1 1 0 1 down\n2 0 2 1\n");
}

#[test]
fn other_properties_have_targets() {
    let folder = Folder::new();
    let reach = |x: i64| compare("=", "x", x);
    let until = json!({"op": "Pmax", "exp": {"op": "U", "left": compare("<", "x", 3), "right": reach(3)}});
    let properties = [
        property("until", &filter("max", &until)),
        property("always", &filter("∀", &quantified("∀", "G", &compare("<", "x", 4)))),
        property("unused", &filter("max", &json!({"op": "Emax", "exp": 1, "reach": reach(1)}))),
    ];
    folder.write_json("m.jani", &counter(6, &properties));
    let labels = |property: &str| {
        let (code, object) = folder.run_json(&["induce", "m.jani", "--property", property, "--out", "m.drn"]);
        assert_eq!(code, 0);
        object["exported"]["labels"].clone()
    };
    assert_eq!(labels("until"), json!({"deadlock": 0, "start": 1, "target": 1, "hold": 3}));
    assert_eq!(labels("always"), json!({"deadlock": 0, "start": 1, "unsafe": 3}));
    // Several properties and none selected: the model alone.
    let (_, object) = folder.run_json(&["induce", "m.jani", "--out", "m.drn"]);
    assert_eq!(object["exported"]["labels"], json!({"deadlock": 0, "start": 1}));
}

#[test]
fn a_models_own_labels_are_kept() {
    let folder = Folder::new();
    let mut model = counter(3, &[property("safe", &never(&compare("=", "x", 3)))]);
    let label = |name: &str| json!({"name": name, "type": "bool", "transient": true, "initial-value": false});
    let variables = model["variables"].as_array_mut().expect("variables");
    variables.extend([label("high"), label("unsafe"), label("init")]);
    model["automata"][0]["locations"][0]["transient-values"] = json!([
        {"ref": "high", "value": compare("≥", "x", 2)},
        {"ref": "init", "value": true},
    ]);
    folder.write_json("m.jani", &model);
    let (code, object) = folder.run_json(&["induce", "m.jani", "--out", "m.drn"]);
    assert_eq!(code, 0);
    let expected = json!({"deadlock": 0, "start": 1, "unsafe": 1, "high": 2, "unsafe_2": 0, "init_2": 4});
    assert_eq!(object["exported"]["labels"], expected);
}

#[test]
fn limits_and_errors_leave_no_file() {
    let folder = counter_folder(6, &compare("=", "x", 6));
    folder.write("old.drn", "old");
    let before = listing(&folder);
    let (code, object) = folder.run_json(&["induce", "m.jani", "--time-limit", "0", "--out", "old.drn"]);
    assert_eq!((code, &object["verdict"], &object["file"]), (3, &json!("unknown"), &Value::Null));
    let cases: [(&[&str], &str); 7] = [
        (&["--out", "m.pdf"], "the extension of m.pdf names no format"),
        (&["--out", "m"], "names no format"),
        (&["--out", "nowhere/m.drn"], "there is no such place"),
        (&["--out", ".", "--format", "drn"], "there is no such place"),
        (&["--out", "m.jani", "--format", "drn"], "would overwrite the input m.jani"),
        (&["--out", "m.drn", "--format", "pdf"], "there is no format 'pdf'"),
        (&[], "--out"),
    ];
    for (args, expected) in cases {
        let args: Vec<&str> = ["induce", "m.jani"].iter().chain(args).copied().collect();
        let ran = folder.run(&args);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
    }
    assert_eq!((listing(&folder), folder.read("old.drn")), (before, "old".to_owned()));
}

#[test]
fn large_drawings_are_refused_with_advice() {
    let folder = Folder::new();
    folder.write_json("m.jani", &counter(10_000, &[]));
    let ran = folder.run(&["induce", "m.jani", "--out", "m.dot"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("10001 states") && ran.err.contains("--large"), "{}", ran.err);
    assert_eq!(folder.run(&["induce", "m.jani", "--out", "m.dot", "--large"]).code, 0);
}
