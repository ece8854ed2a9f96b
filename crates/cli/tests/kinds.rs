//! Models of other kinds: real variables, booleans, several instances, policies that compute values.

mod common;

use common::{Folder, compare, property};
use serde_json::{Value, json};

fn verify_and_replay(folder: &Folder, more: &[&str]) -> Value {
    let args = [&["m.jani", "--json", "r.json"], more].concat();
    let ran = folder.run(&[&["verify"], &args[..]].concat());
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let ran = folder.run(&[&["replay", "r.json", "m.jani"], more].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    folder.read_json("r.json")
}

fn model(variables: &Value, edges: &Value, reach: &Value) -> Value {
    json!({
        "jani-version": 1, "name": "m", "type": "lts",
        "actions": [{"name": "go"}],
        "variables": variables,
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": [property("p", &json!({"op": "PA", "reach": reach}))],
    })
}

#[test]
fn real_values_are_fractions() {
    let folder = Folder::new();
    let assign = json!([{"ref": "r", "value": compare("/", "r", 3)}, {"ref": "locations", "value": {"op": "¬", "exp": "locations"}}]);
    let variables = json!([
        {"name": "r", "type": "real", "initial-value": 1},
        {"name": "locations", "type": "bool", "initial-value": false},
    ]);
    let edges = json!([{"location": "l", "destinations": [{"location": "l", "assignments": assign}]}]);
    folder.write_json("m.jani", &model(&variables, &edges, &compare("<", "r", 0.2)));
    let witness = verify_and_replay(&folder, &[])["witness"].clone();
    assert_eq!(witness["start"], json!({"locations": {"a": "l"}, "r": 1, "locations'": false}));
    assert_eq!(witness["steps"][0]["state"]["r"], "1/3");
    assert_eq!(witness["steps"][1]["state"]["r"], "1/9");
    assert_eq!(witness["steps"][0]["label"], Value::Null);
}

#[test]
fn instances_of_one_automaton_are_told_apart() {
    let folder = Folder::new();
    let local = json!([{"name": "n", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 2}, "initial-value": 0}]);
    let edge = json!({"location": "l", "action": "go", "guard": {"exp": compare("<", "n", 2)},
        "destinations": [{"location": "m", "assignments": [{"ref": "n", "value": compare("+", "n", 1)}]}]});
    folder.write_json(
        "m.jani",
        &json!({
            "jani-version": 1, "name": "m", "type": "lts",
            "actions": [{"name": "go"}],
            "automata": [{"name": "a", "locations": [{"name": "l"}, {"name": "m"}], "initial-locations": ["l"],
                          "variables": local, "edges": [edge]}],
            "system": {"elements": [{"automaton": "a"}, {"automaton": "a"}],
                       "syncs": [{"synchronise": [null, "go"], "result": "go"}, {"synchronise": ["go", null], "result": "go"}]},
            "properties": [property("p", &json!({"op": "PA", "reach":
                {"op": "state-condition", "locations": [{"automaton": "a", "index": 0, "location": "m"},
                                                        {"automaton": "a", "index": 1, "location": "m"}]}}))],
        }),
    );
    let witness = verify_and_replay(&folder, &[])["witness"].clone();
    let last = &witness["steps"][1]["state"];
    assert_eq!(last["locations"].as_object().map(|o| o.len()), Some(2), "{last}");
    assert_eq!(last.as_object().map(|o| o.len()), Some(3), "{last}");
    // The steps of the two instances are not interchangeable.
    let mut damaged = witness.clone();
    damaged["steps"][0]["edges"] = witness["steps"][1]["edges"].clone();
    folder.write_json("w.json", &damaged);
    let ran = folder.run(&["replay", "w.json", "m.jani"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.starts_with("not real: step 1: the edges"), "{}", ran.out);
}

#[test]
fn policies_may_compute_values() {
    let folder = Folder::new();
    let variables = json!([
        {"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9}, "initial-value": 0},
        {"name": "speed", "type": "real", "transient": true, "initial-value": 0},
    ]);
    let step = json!({"op": "floor", "exp": "speed"});
    let edges = json!([{"location": "l", "action": "go", "guard": {"exp": compare("<", "x", 6)},
        "destinations": [{"location": "l", "assignments": [{"ref": "x", "value": compare("+", "x", step)}]}]}]);
    folder.write_json("m.jani", &model(&variables, &edges, &compare(">", "x", 6)));
    // speed = 0.5 x + 1: 0, 1, 2, 4, 7.
    folder.write("n.nnet", "1,1,1,1,\n1,1,\n0,\n0,\n9,\n0,0,\n1,1,\n0.5,\n1,\n");
    folder.write_json(
        "p.policy.json",
        &json!({"network": "n.nnet", "inputs": ["x"], "outputs": {"variables": ["speed"]}}),
    );
    let witness = verify_and_replay(&folder, &["--policy", "p.policy.json"])["witness"].clone();
    let values: Vec<i64> =
        witness["steps"].as_array().expect("steps").iter().filter_map(|s| s["state"]["x"].as_i64()).collect();
    assert_eq!(values, [1, 2, 4, 7]);
    assert_eq!(witness["steps"][1]["policy"]["scores"]["speed"]["exact"], "3/2");
    let ran = folder.run(&["verify", "m.jani", "--policy", "p.policy.json", "--filter", "on"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}
