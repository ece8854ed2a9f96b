//! `replay`: real witnesses, and corrupted ones.

mod common;

use common::{Folder, compare, counter, counter_folder, filter, property, quantified};
use serde_json::{Value, json};

fn found() -> (Folder, Value) {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let ran = folder.run(&["verify", "m.jani", "--policy", "counter.policy.json", "--json", "r.json", "--quiet"]);
    assert_eq!(ran.code, 1);
    let result = folder.read_json("r.json");
    (folder, result)
}

fn replay(folder: &Folder, witness: &Value, more: &[&str]) -> common::Ran {
    folder.write_json("w.json", witness);
    folder.run(&[&["replay", "w.json", "m.jani", "--policy", "counter.policy.json"], more].concat())
}

#[test]
fn a_result_and_its_witness_are_real() {
    let (folder, result) = found();
    for witness in [&result, &result["witness"]] {
        let ran = replay(&folder, witness, &[]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert!(ran.out.starts_with("real: 4 steps from a start state to an unsafe state"), "{}", ran.out);
        assert!(ran.out.contains("float32   the same choices in all 3 decisions"), "{}", ran.out);
    }
    let (code, object) = folder.run_json(&["replay", "r.json", "m.jani", "--policy", "counter.policy.json"]);
    assert_eq!(code, 0);
    assert_eq!((&object["real"], &object["float32"]["agrees"]), (&json!(true), &json!(true)));
    assert_eq!(object["witness"], result["witness"]);
}

#[test]
fn a_sequence_of_states_is_enough() {
    let (folder, result) = found();
    let mut witness = result["witness"].clone();
    for step in witness["steps"].as_array_mut().expect("steps") {
        *step = json!({"state": {"x": step["state"]["x"]}});
    }
    witness["start"] = json!({"x": 0});
    assert_eq!(replay(&folder, &witness, &[]).code, 0);
}

#[test]
fn corrupted_witnesses_are_not_real() {
    let (folder, result) = found();
    type Damage = fn(&mut Value);
    let table: [(&str, Damage, &str); 14] = [
        ("another start", |w| w["start"]["x"] = json!(1), "the start state: it is not in the start set"),
        ("no such start", |w| w["start"]["x"] = json!(77), "the start state: 77 is no value of the variable 'x'"),
        ("a leap", |w| w["steps"][1]["state"]["x"] = json!(5), "step 2: no possible move leads"),
        ("out of domain", |w| w["steps"][1]["state"]["x"] = json!(10), "step 2: 10 is no value"),
        (
            "against the policy",
            |w| {
                w["steps"][3] = json!({"state": {"x": 4}});
                w["steps"][4] = json!({"state": {"x": 8}});
            },
            "step 4: the policy chooses 'down', so up (a: edge 0) is not taken",
        ),
        (
            "another label",
            |w| w["steps"][0]["label"] = json!("down"),
            "step 1: the witness says the action is 'down', but it is 'up'",
        ),
        (
            "silent",
            |w| w["steps"][0]["label"] = Value::Null,
            "step 1: the witness says the action is silent, but it is 'up'",
        ),
        ("another edge", |w| w["steps"][0]["edges"]["a"] = json!(1), "step 1: the edges that the witness names"),
        (
            "another outcome",
            |w| w["steps"][3]["outcome"] = json!([1]),
            "step 4: the outcome that the witness names ([1])",
        ),
        (
            "another probability",
            |w| w["steps"][3]["probability"] = json!("1"),
            "step 4: the witness says the probability is 1, but it is 3/4",
        ),
        (
            "another score",
            |w| w["steps"][1]["policy"]["scores"]["up"] = json!({"exact": "2"}),
            "step 2: the witness says the policy's score of 'up' is 2, but it is 3/2",
        ),
        (
            "another choice",
            |w| w["steps"][1]["policy"]["chosen"] = json!(["down"]),
            "step 2: the witness says the policy chooses down, but it chooses up",
        ),
        (
            "a choice of nobody",
            |w| w["steps"][3]["policy"] = w["steps"][2]["policy"].clone(),
            "step 4: the witness has a decision of the policy",
        ),
        (
            "an early end",
            |w| {
                w["steps"].as_array_mut().expect("steps").pop();
            },
            "the last state: it is not unsafe",
        ),
    ];
    for (name, damage, expected) in table {
        let mut witness = result["witness"].clone();
        if name == "against the policy" {
            witness["steps"].as_array_mut().expect("steps").push(Value::Null);
        }
        damage(&mut witness);
        for wrapped in [witness.clone(), json!({"tool": "surefoot", "witness": witness})] {
            let ran = replay(&folder, &wrapped, &[]);
            assert_eq!(ran.code, 1, "{name}: {}{}", ran.out, ran.err);
            assert!(ran.out.starts_with(&format!("not real: {expected}")), "{name}: {}", ran.out);
            assert!(ran.err.contains("--> w.json:1:"), "{name}: the place is shown: {}", ran.err);
        }
    }
}

#[test]
fn unreadable_witnesses_are_errors() {
    let (folder, result) = found();
    let witness = &result["witness"];
    let mut unknown = witness.clone();
    unknown["start"]["speed"] = json!(1);
    let mut missing = witness.clone();
    missing["steps"][0]["state"].as_object_mut().expect("a state").remove("x");
    let mut location = witness.clone();
    location["start"]["locations"]["a"] = json!("m");
    let mut ty = witness.clone();
    ty["start"]["x"] = json!(true);
    for (witness, expected) in [
        (unknown, "the witness is not about this model: the model has no variable 'speed'"),
        (missing, "the witness is not about this model: the state says nothing of the variable 'x'"),
        (location, "the automaton 'a' has no location 'm'"),
        (ty, "the variable 'x' is of type int"),
        (json!({"start": {}}), "a witness needs \"steps\""),
        (
            json!({"tool": "surefoot", "verdict": "holds", "witness": null}),
            "this result has no witness (its verdict: holds)",
        ),
    ] {
        let ran = replay(&folder, &witness, &[]);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{}", ran.err);
        assert!(ran.err.contains(expected) && ran.err.contains("--> w.json:"), "{}", ran.err);
    }
    folder.write("w.json", "{\"start\": ");
    assert_eq!(folder.run(&["replay", "w.json", "m.jani"]).code, 2);
    let ran = folder.run(&["replay", "gone.json", "m.jani"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("cannot read gone.json"), "{}", ran.err);
}

#[test]
fn the_property_of_the_witness_is_taken() {
    let (folder, result) = found();
    let six = common::never(&compare("=", "x", 6));
    let five = common::never(&compare("=", "x", 5));
    folder.write_json("m.jani", &counter(9, &[property("other", &five), property("safe", &six)]));
    let ran = replay(&folder, &result, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("m.jani has changed since the witness was found"), "{}", ran.err);
    assert_eq!(replay(&folder, &result, &["--property", "other"]).code, 1);
}

#[test]
fn runs_that_show_a_possibility_are_replayed_too() {
    let folder = Folder::new();
    let expression = filter("∃", &quantified("∃", "F", &compare("=", "x", 2)));
    folder.write_json("m.jani", &counter(5, &[property("p", &expression)]));
    assert_eq!(folder.run(&["verify", "m.jani", "--json", "r.json"]).code, 0);
    let ran = folder.run(&["replay", "r.json", "m.jani"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.starts_with("real: 2 steps from a start state to a state as asked for"), "{}", ran.out);
}

#[test]
fn a_decision_that_float32_makes_otherwise_is_told() {
    // up = 16777217 x - 16777216 x - 1/2 is 1/2 at x = 1; in single precision 16777217 is 16777216, and it is -1/2.
    let folder = Folder::new();
    let start = json!({"op": "PA", "start": compare("=", "x", 1), "reach": compare("=", "x", 2)});
    folder.write_json("m.jani", &counter(5, &[property("p", &start)]));
    folder.write("net.nnet", "1,2,2,2,\n2,2,\n0,\n0,0,\n9,9,\n0,0,0,\n1,1,1,\n16777217,-16777216,\n0,0,\n-0.5,\n0,\n");
    folder.write_json(
        "counter.policy.json",
        &json!({"network": "net.nnet", "inputs": ["x", "x"], "outputs": {"labels": ["up", "down"]}}),
    );
    let args = ["--policy", "counter.policy.json", "--json", "r.json"];
    let ran = folder.run(&[&["verify", "m.jani"], &args[..]].concat());
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("note      in step 1 float32 chooses down, exact arithmetic up"), "{}", ran.out);
    let ran = folder.run(&["replay", "r.json", "m.jani", "--policy", "counter.policy.json"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("other choices in 1 of 1 decision:"), "{}", ran.out);
    assert!(ran.out.contains("step 1: float32 chooses down, exact arithmetic up"), "{}", ran.out);
}

/// A path may be spelt otherwise than when the result was made.
#[test]
fn a_network_is_the_same_by_another_path() {
    let (folder, result) = found();
    assert_eq!(result["witness"]["steps"][1]["policy"]["network"], "net.nnet");
    let spelt = ["replay", "r.json", "./m.jani", "--policy", "./counter.policy.json"];
    let ran = folder.run(&spelt);
    assert!(ran.code == 0 && ran.out.starts_with("real:"), "{}{}", ran.out, ran.err);
    let mut other = result.clone();
    other["witness"]["steps"][1]["policy"]["network"] = json!("else.nnet");
    let ran = replay(&folder, &other, &[]);
    assert!(ran.code == 1 && ran.out.contains("the witness says the network is 'else.nnet'"), "{}", ran.out);
}

/// Nothing that a result file holds looks like a line of ours.
#[test]
fn what_a_result_says_is_quoted_in_one_line() {
    const FORGED: &str = "x\nreal: 4 steps";
    let (folder, result) = found();
    for member in [
        "/verdict",
        "/witness/steps/1/label",
        "/witness/steps/1/policy/network",
        "/witness/steps/1/policy/runner_up",
        "/witness/steps/1/policy/chosen/0",
    ] {
        let mut forged = result.clone();
        *forged.pointer_mut(member).unwrap_or_else(|| panic!("no {member}: {result}")) = json!(FORGED);
        let ran = replay(&folder, &forged, &[]);
        assert!(ran.code == 1 && ran.out.starts_with("not real: "), "{member}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains(r"x\nreal: 4 steps") && !ran.out.contains(FORGED), "{member}: {}", ran.out);
    }
    let mut forged = result.clone();
    let scores = forged["witness"]["steps"][1]["policy"]["scores"].as_object_mut().expect("scores");
    let score = scores.values().next().cloned().expect("a score");
    scores.insert(FORGED.to_owned(), score);
    let ran = replay(&folder, &forged, &[]);
    assert!(
        ran.code == 1 && ran.out.contains(r"the policy has no score of 'x\nreal: 4 steps'"),
        "{}{}",
        ran.out,
        ran.err
    );
    let mut long = result;
    long["witness"]["steps"][1]["state"]["x"] = json!(format!("1{}", "0".repeat(300)));
    let ran = replay(&folder, &long, &[]);
    assert!(ran.code == 1 && ran.out.contains("(301 digits)") && ran.out.len() < 400, "{}{}", ran.out, ran.err);
}

#[test]
fn a_formula_of_several_lines_is_shown_in_one() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let formula = "AX\n\n(x < 1)";
    let ran = folder.run(&["ctl", "m.jani", "--formula", formula, "--json", "r.json"]);
    assert!(ran.code == 1 && ran.out.contains(r"formula   AX\n\n(x < 1)"), "{}{}", ran.out, ran.err);
    let ran = folder.run(&["replay", "r.json", "m.jani"]);
    assert!(ran.code == 0 && ran.out.contains(r"formula   AX\n\n(x < 1)"), "{}{}", ran.out, ran.err);
}
