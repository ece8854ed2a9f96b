//! `encode` on small models and on the examples.

mod common;

use std::path::{Path, PathBuf};

use common::{Folder, compare, counter, counter_folder, filter, property, quantified, timeless};
use serde_json::{Value, json};

/// The counter of the other tests, which its policy takes up to 3 and back; the environment may jump.
fn folder() -> Folder {
    counter_folder(7, &compare("=", "x", 6))
}

const COUNTER: [&str; 4] = ["encode", "m.jani", "--policy", "counter.policy.json"];

fn encode<'a>(more: &[&'a str]) -> Vec<&'a str> {
    COUNTER.iter().chain(more).copied().collect()
}

#[test]
fn what_is_written_is_read_back_and_says_the_same() {
    let folder = folder();
    let (_, original) = folder.run_json(&["bounds", "m.jani", "--policy", "counter.policy.json", "--exact"]);
    for more in [&["--starts", "initial"][..], &["--starts", "edges"]] {
        let args = encode(&[&["--target", "storm", "--out", "e.jani"], more].concat());
        let (code, object) = folder.run_json(&args);
        assert_eq!((code, &object["exact"], &object["score_error"]), (0, &json!(true), &json!("0")), "{object}");
        assert_eq!((&object["file"], &object["target"]), (&json!("e.jani"), &json!("storm")));
        let (code, read) = folder.run_json(&["bounds", "e.jani", "--exact"]);
        assert_eq!((code, &read["value"]), (0, &original["value"]));
        assert_eq!(timeless(folder.run_json(&args).1), timeless(object), "the same object again");
    }
    let (code, object) = folder.run_json(&encode(&["--target", "nuxmv", "--out", "e.smv"]));
    assert_eq!((code, &object["phases"], &object["neuron_variables"]), (0, &json!(0), &json!(0)));
    assert!(folder.read("e.smv").contains("INVARSPEC !((x = 6));"), "{}", folder.read("e.smv"));
    let (code, object) = folder.run_json(&encode(&["--target", "jani-real", "--out", "r.jani"]));
    assert_eq!((code, object.get("neuron_bits")), (0, None));
    assert_eq!(folder.run(&["check", "r.jani"]).code, 0);
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The value of an explored model, as text.
fn value(folder: &Folder, args: &[&str]) -> Value {
    let (code, object) = folder.run_json(&[&["bounds"], args, &["--engine", "explicit"]].concat());
    assert_eq!(code, 0, "{object}");
    object["value"].clone()
}

#[test]
fn examples_have_the_same_probability() {
    let folder = Folder::new();
    let cases = [
        ("parking", ""),
        ("reservoir", ""),
        ("lift", ""),
        ("courier", "charge >= 4000 and charge <= 4060 and position = 0 and bumps = 0"),
    ];
    for (name, start) in cases {
        let path = |file: &str| examples().join(name).join(file).display().to_string();
        let (model, properties) = (path("model.jani"), path("properties.jani"));
        let mut args = vec![model.as_str(), "--properties", &properties];
        if !start.is_empty() {
            args.extend(["--start", start]);
        }
        let expected = value(&folder, &args);
        let ran = folder.run(&[&["encode"], &*args, &["--target", "storm", "--out", "e.jani"]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.err.contains("faithful to the policy"), "{}", ran.err);
        assert_eq!(value(&folder, &["e.jani"]), expected, "{name}");
    }
}

#[test]
fn rounding_is_told() {
    let folder = Folder::new();
    let path = |file: &str| examples().join("courier").join(file).display().to_string();
    let (model, properties) = (path("model.jani"), path("properties.jani"));
    let args =
        ["encode", &model, "--properties", &properties, "--target", "storm", "--precision", "1", "--out", "e.jani"];
    let (code, object) = folder.run_json(&args);
    let assumed = |object: &Value| object["assumptions"].to_string().contains("another policy");
    if object["exact"] == json!(true) {
        assert!(!assumed(&object), "{object}");
    } else {
        assert!(assumed(&object) && object["score_error"] != json!("0"), "{object}");
    }
    assert_eq!(code, 0);
    folder.write_json("m.jani", &counter(7, &[property("safe", &common::never(&compare("=", "x", 6)))]));
    let third = json!({"network": "n.nnet", "inputs": ["x"], "outputs": {"labels": ["up", "down"]}});
    folder.write_json("p.policy.json", &third);
    folder.write(
        "n.nnet",
        "// thirds\n1,1,2,2,\n1,2,\n0,\n0,\n7,\n0,0,\n1,1,\n0.3333333333333333,\n-0.3333333333333333,\n0.1,\n0.2,\n",
    );
    let args =
        ["encode", "m.jani", "--policy", "p.policy.json", "--target", "storm", "--precision", "8", "--out", "e.jani"];
    let (code, object) = folder.run_json(&args);
    assert_eq!((code, &object["exact"], &object["precision"]), (0, &json!(false), &json!(8)), "{object}");
    assert!(assumed(&object), "{object}");
}

#[test]
fn what_cannot_be_encoded_is_refused_by_name() {
    let folder = folder();
    let corridor = |file: &str| examples().join("corridor").join(file).display().to_string();
    let (model, robot) = (corridor("model.jani"), corridor("robot.policy.json"));
    let smooth = [
        "encode", &model, "--policy", &robot, "--never", "x = 0", "--start", "x >= 3", "--target", "storm", "--out",
        "o",
    ];
    let asks = |quantifier: &str| {
        counter(7, &[property("asked", &filter("max", &quantified(quantifier, "F", &compare("=", "x", 6))))])
    };
    folder.write_json("min.jani", &asks("Pmin"));
    let mut real = counter(7, &[property("safe", &common::never(&compare("=", "x", 6)))]);
    real["variables"][0]["type"] = json!("real");
    folder.write_json("real.jani", &real);
    let before = folder.read("m.jani");
    let cases: [(&[&str], &str); 12] = [
        (&smooth, "a network with tanh cannot be encoded"),
        (&["encode", "min.jani", "--target", "storm", "--out", "o"], "a smallest probability cannot be encoded"),
        (&["encode", "real.jani", "--target", "storm", "--out", "o"], "'x' is a real variable"),
        (&["encode", "real.jani", "--target", "nuxmv", "--out", "o"], "'x' is a real variable"),
        (&encode(&["--target", "prism4", "--out", "o"]), "expected one of storm, jani-real, nuxmv"),
        (&encode(&["--target", "storm"]), "--out"),
        (&encode(&["--out", "o"]), "--target"),
        (&encode(&["--target", "storm", "--out", "nowhere/o"]), "there is no such place"),
        (&encode(&["--target", "storm", "--out", "m.jani"]), "would overwrite the input m.jani"),
        (&encode(&["--target", "storm", "--precision", "41", "--out", "o"]), "41"),
        (&encode(&["--target", "nuxmv", "--precision", "8", "--out", "o"]), "nuxmv is exact"),
        (&encode(&["--target", "nuxmv", "--starts", "edges", "--out", "o"]), "has a condition for initial states"),
    ];
    for (args, expected) in cases {
        let ran = folder.run(args);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
    }
    assert!(!folder.path().join("o").exists() && folder.read("m.jani") == before);
    let text =
        json!({"network": "net.nnet", "semantics": "float32", "inputs": ["x"], "outputs": {"labels": ["up", "down"]}});
    folder.write_json("single.policy.json", &text);
    let ran = folder.run(&["encode", "m.jani", "--policy", "single.policy.json", "--target", "storm", "--out", "o"]);
    assert!(ran.code == 2 && ran.err.contains("in single precision cannot be encoded"), "{}", ran.err);
}
