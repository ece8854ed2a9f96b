//! The shipped examples say what their descriptions promise.

mod common;

use std::path::{Path, PathBuf};

use common::Folder;
use serde_json::Value;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn run(name: &str, command: &str, more: &[&str]) -> (i32, Value) {
    let folder = example(name);
    let text = |file: &str| folder.join(file).to_str().expect("UTF-8").to_owned();
    let (model, properties) = (text("model.jani"), text("properties.jani"));
    let args = [&[command, &model, "--properties", &properties], more].concat();
    Folder::new().run_json(&args)
}

#[test]
fn parking_is_safe() {
    let (code, result) = run("parking", "verify", &[]);
    assert_eq!((code, &result["verdict"]), (0, &"holds".into()));
    assert_eq!(result["statistics"]["start_states"], 105);
    assert_eq!(result["statistics"]["reachable_states"], 277);
}

#[test]
fn lift_is_safe_and_stops_without_the_filter() {
    let (code, result) = run("lift", "verify", &[]);
    assert_eq!((code, &result["statistics"]["reachable_states"]), (0, &121.into()));
    let (code, result) = run("lift", "explore", &["--filter", "off"]);
    assert_eq!((code, &result["statistics"]["reachable_states"]), (0, &96.into()));
    assert_eq!(result["statistics"]["deadlocks"], 25);
}

#[test]
fn reservoir_spills_in_five_steps_unless_repaired() {
    let (code, result) = run("reservoir", "verify", &[]);
    assert_eq!((code, &result["verdict"]), (1, &"violated".into()));
    let steps = result["witness"]["steps"].as_array().expect("steps");
    let labels: Vec<&str> = steps.iter().filter_map(|step| step["label"].as_str()).collect();
    assert_eq!(labels, ["shut", "worsen", "shut", "worsen", "shut"]);
    let careful = example("reservoir").join("careful.jani2nnet");
    let (code, result) = run("reservoir", "verify", &["--policy", careful.to_str().expect("UTF-8")]);
    assert_eq!((code, &result["statistics"]["reachable_states"]), (0, &82.into()));
}

#[test]
fn courier_breaks_parcels_with_the_probability_of_its_description() {
    let (code, result) = run("courier", "bounds", &[]);
    assert_eq!((code, &result["engine"]), (0, &"cegar".into()), "{result}");
    // The value of the best start states, by exploration from one of them.
    let value = 20_797_010_835_214_017.0 / 298_023_223_876_953_125.0;
    let end = |key: &str| result["value"][key].as_f64().expect("a number");
    assert!(end("lo") <= value && value <= end("hi") && end("hi") - end("lo") <= 1e-6, "{result}");
}
