//! Results of several commands and engines, damaged member by member: `replay` rejects each, or the book says that it does not look there.

mod common;

use common::{Folder, compare, counter, counter_folder, property};
use serde_json::{Value, json};

/// Members that the book lists as not checked.
const UNCHECKED: [&str; 21] = [
    "/tool",
    "/version",
    "/reason",
    "/engine",
    "/seconds",
    "/seed",
    "/inputs",
    "/assumptions",
    "/statistics",
    "/policy/file",
    "/property/index",
    "/policy/networks",
    "/preset",
    "/falsified_after",
    "/predicates",
    "/horizon",
    "/stuttering",
    "/cover",
    "/float32",
    "/diary",
    "/band",
];

fn is_unchecked(path: &str) -> bool {
    UNCHECKED.iter().any(|known| path == *known || path.starts_with(&format!("{known}/")))
        || path.ends_with("/operator")
}

/// The paths of all leaves.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(key, member)| leaves(member, &format!("{path}/{}", escaped(key)), found));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(i, item)| leaves(item, &format!("{path}/{i}"), found));
        }
        _ => found.push(path.to_owned()),
    }
}

fn damaged(leaf: &Value) -> Vec<Value> {
    match leaf {
        Value::Null => vec![json!("holds")],
        Value::Bool(value) => vec![json!(!value)],
        Value::Number(number) => match number.as_i64() {
            Some(number) => vec![json!(number + 1), json!(number - 1), json!(number + 1_000_000_000_000i64)],
            None => vec![json!(number.as_f64().expect("a number") + 0.25)],
        },
        Value::String(text) if text == "violated" => vec![json!("holds"), json!("unknown"), Value::Null],
        Value::String(text) => vec![json!(format!("{text}x")), json!(format!("{text}1")), json!("")],
        Value::Array(_) | Value::Object(_) => vec![json!([1]), json!("x")],
    }
}

/// Damages every leaf of a genuine result in turn.
fn all_damage_is_found(folder: &Folder, genuine: &Value, args: &[&str]) {
    let replay = |result: &Value| {
        folder.write_json("w.json", result);
        folder.run(&[&["replay", "w.json", "m.jani", "--quiet"], args].concat())
    };
    let ran = replay(genuine);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let mut paths = Vec::new();
    leaves(genuine, "", &mut paths);
    for path in paths.iter().filter(|path| !is_unchecked(path)) {
        let leaf = genuine.pointer(path).expect("a leaf");
        // Another formula that the run refutes too is a true claim.
        let damage = if path == "/formula" { ["true", "", "x", "AX"].map(Value::from).to_vec() } else { damaged(leaf) };
        for other in damage {
            let mut result = genuine.clone();
            *result.pointer_mut(path).expect("a leaf") = other.clone();
            let ran = replay(&result);
            assert!(ran.code == 1 || ran.code == 2, "{path} as {other}: {}{}", ran.out, ran.err);
        }
    }
    // Cut short, step by step.
    let mut short = genuine.clone();
    while let Some(steps) = short["witness"]["steps"].as_array_mut()
        && steps.pop().is_some()
    {
        let ran = replay(&short);
        assert!(ran.code == 1 || ran.code == 2, "{short}: {}", ran.out);
    }
    // Of another command.
    for command in
        ["verify", "ctl", "simulate", "bounds", "abstract", "explore", "check", "decide", "induce", "zoo", "x"]
    {
        let mut other = genuine.clone();
        if other["command"] != command {
            other["command"] = json!(command);
            let ran = replay(&other);
            assert!(ran.code == 1 || ran.code == 2, "{command}: {}", ran.out);
        }
    }
}

const POLICY: [&str; 2] = ["--policy", "counter.policy.json"];

#[test]
fn damaged_results_of_verify_and_simulate_are_rejected() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let commands: [&[&str]; 5] = [
        &["verify", "m.jani", "--engine", "explicit"],
        &["verify", "m.jani", "--engine", "cegar"],
        &["verify", "m.jani", "--engine", "bmc"],
        &["verify", "m.jani"],
        &["simulate", "m.jani", "--runs", "50"],
    ];
    for command in commands {
        let (_, result) = folder.run_json(&[command, &POLICY].concat());
        assert!(result["witness"]["steps"].is_array(), "{command:?}: {result}");
        all_damage_is_found(&folder, &result, &POLICY);
    }
}

/// The counter without a policy and with a property of each name.
fn counters() -> Folder {
    let folder = Folder::new();
    let never = |value: i64| common::never(&compare("=", "x", value));
    folder.write_json("m.jani", &counter(5, &[property("two", &never(2)), property("safe", &never(4))]));
    folder
}

#[test]
fn damaged_results_of_ctl_are_rejected() {
    let folder = counters();
    for formula in ["AG[<=3] x < 3", "AX^2 x = 1", "A[x < 2 U<=4 x = 7]", "AF x = 5", "!EF[<=3] (x = 2 & EX x = 3)"] {
        let (code, result) = folder.run_json(&["ctl", "m.jani", "--property", "safe", "--formula", formula]);
        assert_eq!((code, &result["witness"]["kind"]), (1, &json!("run")), "{formula}: {result}");
        all_damage_is_found(&folder, &result, &[]);
    }
}

/// A formula that is not the one the run refutes, a run that is cut short, results that call themselves what they are not.
#[test]
fn a_run_refutes_only_what_it_refutes() {
    let folder = counters();
    let (code, result) = folder.run_json(&["ctl", "m.jani", "--property", "safe", "--formula", "AG[<=3] x < 3"]);
    assert_eq!(code, 1);
    let replay = |result: &Value| {
        folder.write_json("w.json", result);
        folder.run(&["replay", "w.json", "m.jani"])
    };
    let ran = replay(&result);
    assert!(
        ran.code == 0 && ran.out.starts_with("real: 3 steps from a start state in which the formula fails"),
        "{}",
        ran.out
    );
    let with = |formula: &str| {
        let mut other = result.clone();
        other["formula"] = json!(formula);
        replay(&other)
    };
    let table = [
        ("AG[<=3] x < 4", 1, "not real: the last state: up to there, nothing on the run shows that the formula fails"),
        ("AG[<=2] x < 3", 1, "not real: the last state: up to there"),
        ("x = 0", 1, "not real: the last state: the run shows that the formula holds"),
        ("EF[<=3] x = 3", 1, "not real: the last state: the run shows that the formula holds"),
        ("AG x < 3", 0, "real: 3 steps"),
        ("AG[<=3] x < 2", 0, "real: 3 steps"),
        ("!EF[<=9] x = 3", 0, "real: 3 steps"),
    ];
    for (formula, code, expected) in table {
        let ran = with(formula);
        assert!(ran.code == code && ran.out.starts_with(expected), "{formula}: {}{}", ran.out, ran.err);
    }
    // What depends on all that can happen is refused by name.
    for formula in ["EF[<=3] x = 5", "EG[<=2] x = 1", "AX EX x = 9"] {
        let ran = with(formula);
        assert_eq!(ran.code, 2, "{formula}: {}", ran.out);
        assert!(ran.err.contains("a single run does not show it") && ran.err.contains("surefoot ctl"), "{}", ran.err);
    }
    // A result of `verify` has no formula, one of `ctl` has one.
    let (_, verified) = folder.run_json(&["verify", "m.jani", "--property", "safe"]);
    let mut other = verified.clone();
    other["command"] = json!("ctl");
    let ran = replay(&other);
    assert!(ran.code == 2 && ran.err.contains("a result of `ctl` without its formula"), "{}", ran.err);
    let mut other = result.clone();
    other["command"] = json!("verify");
    assert!(replay(&other).err.contains("a result of `verify` has no formula"));
    other.as_object_mut().expect("an object").remove("formula");
    let ran = replay(&other);
    assert!(ran.code == 1 && ran.out.starts_with("not real: the last state: it is not unsafe"), "{}", ran.out);
    // Another property, another model, another verdict.
    let mut other = verified.clone();
    other["property"] = json!({"name": "two", "index": 0});
    assert!(replay(&other).err.contains("the result is about the property 'two', and its witness about 'safe'"));
    let mut other = verified.clone();
    other["model"] = json!("another");
    assert!(replay(&other).err.contains("the result is about the model 'another', and this is 'counter'"));
    let mut other = verified.clone();
    other["verdict"] = json!("holds");
    let ran = replay(&other);
    assert!(ran.code == 1 && ran.out.starts_with("not real: the result says \"holds\""), "{}", ran.out);
    // What `replay` itself writes can be replayed.
    for genuine in [&result, &verified] {
        folder.write_json("w.json", genuine);
        let (code, again) = folder.run_json(&["replay", "w.json", "m.jani"]);
        assert_eq!((code, replay(&again).code), (0, 0), "{again}");
    }
}

#[test]
fn properties_as_formulas_are_read_back() {
    let folder = Folder::new();
    let bounded = json!({"op": "∀", "exp": {"op": "G", "exp": compare("<", "x", 3), "step-bounds": {"upper": 4}}});
    folder.write_json("m.jani", &counter(5, &[property("bounded", &common::filter("∀", &bounded))]));
    let (code, result) = folder.run_json(&["ctl", "m.jani"]);
    assert_eq!((code, &result["witness"]["kind"]), (1, &json!("run")), "{result}");
    all_damage_is_found(&folder, &result, &[]);
}

#[test]
fn the_policy_is_the_one_that_was_asked() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let (_, result) = folder.run_json(&[&["verify", "m.jani", "--filter", "on"], &POLICY[..]].concat());
    folder.write_json("w.json", &result);
    let replay = |more: &[&str]| folder.run(&[&["replay", "w.json", "m.jani"], more].concat());
    assert_eq!(replay(&[&POLICY[..], &["--filter", "on"]].concat()).code, 0);
    let ran = replay(&[&POLICY[..], &["--filter", "off"]].concat());
    assert!(ran.code == 2 && ran.err.contains("the result is about the policy with its filter on"), "{}", ran.err);
    let ran = replay(&[]);
    assert!(ran.code == 2 && ran.err.contains("give it with --policy"), "{}", ran.err);
}

#[test]
fn constants_are_those_that_were_given() {
    let folder = counters();
    let mut model = folder.read_json("m.jani");
    model["constants"] = json!([{"name": "n", "type": "int"}]);
    folder.write_json("m.jani", &model);
    let (_, result) = folder.run_json(&["verify", "m.jani", "--property", "safe", "--const", "n=3"]);
    all_damage_is_found(&folder, &result, &["--const", "n=3"]);
    folder.write_json("w.json", &result);
    let ran = folder.run(&["replay", "w.json", "m.jani", "--const", "n=4"]);
    assert!(ran.code == 2 && ran.err.contains("another value of the constant 'n'"), "{}", ran.err);
}
