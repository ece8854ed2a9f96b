//! `zoo train`: policies learned on a model, the files that come of it, and what verification says of them.

mod common;

use std::process::Stdio;

use common::Folder;
use serde_json::{Value, json};

/// Enough for a small track, in about a second.
const FEW: [&str; 10] =
    ["--hidden", "16,16", "--steps", "4000", "--run-steps", "30", "--target-every", "100", "--evaluations", "10"];

const FILES: [&str; 5] = ["curve.csv", "curve.svg", "policy.nnet", "policy.onnx", "policy.policy.json"];

/// A folder with a small racetrack.
fn track() -> Folder {
    let folder = Folder::new();
    let ran = folder.run(&["zoo", "generate", "racetrack", "map=tiny", "velocity=2", "--out", "r"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    folder
}

fn train(folder: &Folder, more: &[&str]) -> (i32, Value) {
    let args = [&["zoo", "train", "r/model.jani", "--property", "no-crash"], &FEW[..], more].concat();
    folder.run_json(&args)
}

fn bytes(folder: &Folder, name: &str) -> Vec<u8> {
    std::fs::read(folder.path().join(name)).expect("it was written")
}

#[test]
fn a_policy_is_generated_for_trained_and_verified() {
    let folder = track();
    let (code, object) = train(&folder, &["--out", "a"]);
    assert_eq!((code, &object["command"], &object["folder"]), (0, &json!("zoo train"), &json!("a")));
    assert_eq!((&object["files"], &object["hidden"]), (&json!(FILES), &json!([16, 16])));
    assert_eq!((&object["steps"], &object["of_steps"]), (&json!(4000), &json!(4000)));
    assert_eq!(object["policy"]["file"], "a/policy.policy.json");
    assert_eq!(object["statistics"]["goal_share"]["mean"], 1.0, "{object}");
    assert!(object["statistics"]["goal_share"]["lo"].as_f64() > Some(0.99), "{object}");
    assert_eq!(object["statistics"]["unsafe_runs"], 0);
    // Runs are a sample; verification is the truth.
    for network in ["policy.onnx", "policy.nnet"] {
        let mut policy = folder.read_json("a/policy.policy.json");
        assert_eq!(policy["network"], "policy.onnx");
        policy["network"] = json!(network);
        folder.write_json("a/other.policy.json", &policy);
        let files = ["r/model.jani", "--property", "no-crash", "--policy", "a/other.policy.json"];
        let (code, object) = folder.run_json(&[&["verify"], &files[..]].concat());
        assert_eq!((code, &object["verdict"]), (0, &json!("holds")), "{network}: {object}");
        let (code, _) = folder.run_json(
            &[&["verify"], &files[..1], &files[3..], &["--goal", "car0_finished", "--always-reach"]].concat(),
        );
        assert_eq!(code, 0, "{network}: every run arrives");
    }
    let curve = folder.read("a/curve.csv");
    assert!(curve.starts_with("step,episodes,updates,") && curve.lines().count() == 12, "{curve}");
    let chart = folder.read("a/curve.svg");
    assert!(
        chart.starts_with("<svg ") && chart.contains(">goal</text>") && chart.contains("stroke-dasharray"),
        "{chart}"
    );
}

#[test]
fn the_same_seed_writes_the_same_bytes() {
    let folder = track();
    for (out, threads) in [("a", "1"), ("b", "2")] {
        assert_eq!(train(&folder, &["--out", out, "--threads", threads]).0, 0);
    }
    assert_eq!(train(&folder, &["--out", "c", "--seed", "1"]).0, 0);
    for file in FILES {
        assert_eq!(bytes(&folder, &format!("a/{file}")), bytes(&folder, &format!("b/{file}")), "{file}");
    }
    assert_ne!(bytes(&folder, "a/policy.onnx"), bytes(&folder, "c/policy.onnx"));
    let ran =
        folder.run(&[&["zoo", "train", "r/model.jani", "--property", "no-crash", "--out", "a"], &FEW[..]].concat());
    assert!(
        ran.err.contains(
            "notice: in a, curve.csv, curve.svg, policy.nnet, policy.onnx, policy.policy.json will be replaced"
        ),
        "{}",
        ran.err
    );
    assert!(ran.out.starts_with("done: 1000 of 1000 runs under the policy reach the goal\n"), "{}", ran.out);
    for line in [
        "  network   6 -> 16 -> 16 -> 9\n",
        "  trained   4000 steps in ",
        "  judged    by 1000 random runs of at most 30 steps\n",
    ] {
        assert!(ran.out.contains(line), "{}", ran.out);
    }
}

#[test]
fn inputs_labels_and_filter_are_those_that_are_asked_for() {
    let folder = track();
    let few = ["--steps", "20", "--hidden", "4", "--runs", "5"];
    let (code, object) = folder.run_json(
        &[
            &[
                "zoo",
                "train",
                "r/model.jani",
                "--goal",
                "car0_finished",
                "--start",
                "car0_x = 1 & car0_y = 1 & car0_dx = 0 & car0_dy = 0 & not car0_crashed & not car0_finished",
            ][..],
            &["--inputs", "car0_x,car0_dx", "--labels", "accel0_1_0,accel0_0_0", "--filter", "on", "--out", "a"],
            &few,
        ]
        .concat(),
    );
    assert_eq!((code, &object["network_inputs"]), (0, &json!(["car0_x", "car0_dx"])), "{object}");
    assert_eq!((&object["labels"], &object["policy"]["filter"]), (&json!(["accel0_1_0", "accel0_0_0"]), &json!(true)));
    assert_eq!(folder.read_json("a/policy.policy.json")["filter"], true);
    // Those of a policy that is there, if nothing is named.
    assert_eq!(
        folder.run(&["zoo", "generate", "racetrack", "map=tiny", "velocity=2", "policy=random", "--out", "r"]).code,
        0
    );
    let args = [&["zoo", "train", "r/model.jani", "--property", "no-crash", "--out", "b"], &few[..]].concat();
    let ran = folder.run(&args);
    assert!(ran.err.contains("notice: what is read and chosen is as in r/policy.policy.json"), "{}", ran.err);
    assert!(!ran.err.contains("policy.nnet") && !ran.err.contains("every enabled action"), "{}", ran.err);
    assert_eq!(folder.read_json("b/policy.policy.json")["inputs"], json!(["car0_y", "car0_x", "car0_dy", "car0_dx"]));
}

#[test]
fn limits_and_signals_keep_what_was_learned() {
    let folder = track();
    let endless =
        ["zoo", "train", "r/model.jani", "--property", "no-crash", "--steps", "1000000000000", "--hidden", "8"];
    let (code, object) = folder.run_json(&[&endless[..], &["--out", "a", "--time-limit", "1"]].concat());
    assert_eq!((code, &object["verdict"]), (3, &json!("unknown")));
    let reason = object["reason"].as_str().expect("a reason");
    assert!(reason.contains("of 1000000000000 steps; the best policy so far was written"), "{reason}");
    let args = [&endless[..], &["--out", "b", "--quiet"]].concat();
    let child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(3));
    for out in ["a", "b"] {
        for file in FILES {
            assert!(!bytes(&folder, &format!("{out}/{file}")).is_empty(), "{out}/{file}");
        }
        let policy = format!("{out}/policy.policy.json");
        assert_eq!(folder.run(&["check", "r/model.jani", "--policy", &policy]).code, 0);
    }
}

#[test]
fn wrong_use_is_told_before_the_work() {
    let folder = track();
    folder.write("file", "");
    std::fs::create_dir(folder.path().join("mine")).expect("it can be made");
    folder.write("mine/policy.policy.json", r#"{"network": "mine.nnet"}"#);
    let real = json!({
        "jani-version": 1, "name": "m", "type": "lts", "variables": [{"name": "x", "type": "real", "initial-value": 0}],
        "actions": [{"name": "go"}],
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"],
                      "edges": [{"location": "l", "action": "go", "destinations": [{"location": "l"}]}]}],
        "system": {"elements": [{"automaton": "a"}], "syncs": [{"synchronise": ["go"], "result": "go"}]},
    });
    folder.write_json("real.jani", &real);
    let property = ["--property", "no-crash"];
    let cases: [(&str, &[&str], &str); 13] = [
        ("r/model.jani", &[], "there is nothing to learn"),
        (
            "r/model.jani",
            &["--property", "no-crash", "--inputs", "car0_z"],
            "no variable 'car0_z' (did you mean 'car0_",
        ),
        ("r/model.jani", &["--property", "no-crash", "--labels", "brake"], "no action 'brake'"),
        ("r/model.jani", &["--property", "no-crash", "--inputs", "car0_x,car0_x"], "'car0_x' is named twice"),
        ("r/model.jani", &["--property", "no-crash", "--hidden", "0"], "the hidden layers cannot be 0: expected up to"),
        ("r/model.jani", &["--property", "no-crash", "--discount", "2"], "the discount cannot be 2"),
        ("r/model.jani", &["--property", "no-crash", "--learning-rate", "x"], "expected a number"),
        ("r/model.jani", &["--property", "no-crash", "--replay", "99999999999999"], "the number of transitions kept"),
        ("r/model.jani", &["--property", "no-crash", "--reward", "1 +"], "--reward"),
        ("r/model.jani", &["--property", "no-crash", "--progress", "car0_z"], "--progress"),
        ("r/model.jani", &["--goal", "car0_finished", "--start", "car0_finished"], "no run comes to a choice"),
        ("real.jani", &["--goal", "x > 3"], "the variable 'x' is real"),
        ("nowhere.jani", &property, "nowhere.jani"),
    ];
    for (model, more, expected) in cases {
        let ran = folder.run(&[&["zoo", "train", model, "--out", "d", "--steps", "50"], more].concat());
        assert_eq!((ran.code, &*ran.out), (2, ""), "{more:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{more:?}: {}", ran.err);
    }
    for (out, expected) in [
        ("file", "cannot make the folder file"),
        ("mine", "in mine, policy.policy.json is there already, and was not trained"),
    ] {
        let ran =
            folder.run(&[&["zoo", "train", "r/model.jani", "--out", out, "--steps", "50"], &property[..]].concat());
        assert!(ran.code == 2 && ran.err.contains(expected), "{}", ran.err);
    }
    assert_eq!(folder.read("mine/policy.policy.json"), r#"{"network": "mine.nnet"}"#);
    let ran = folder.run(&["zoo", "train", "r/model.jani", "--property", "no-crash"]);
    assert!(ran.code == 2 && ran.err.contains("--out"), "{}", ran.err);
}
