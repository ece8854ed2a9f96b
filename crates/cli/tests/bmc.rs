//! `verify --engine bmc`: shortest runs, refuted depths, proofs where all paths end.

mod common;

use common::{Folder, compare, counter_folder};
use serde_json::{Value, json};

const BMC: [&str; 6] = ["verify", "m.jani", "--engine", "bmc", "--policy", "counter.policy.json"];

/// A shipped example by the engine.
fn example(name: &str, more: &[&str]) -> (i32, Value) {
    let place = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let (model, properties) = (format!("{place}/model.jani"), format!("{place}/properties.jani"));
    let args = ["verify", &model, "--properties", &properties, "--engine", "bmc"];
    Folder::new().run_json(&[&args[..], more].concat())
}

#[test]
fn a_shortest_run_is_found() {
    let (code, object) = example("reservoir", &[]);
    assert_eq!((code, &object["verdict"], &object["engine"]), (1, &json!("violated"), &json!("bmc")));
    assert_eq!(object["witness"]["steps"].as_array().map(Vec::len), Some(5), "as by exploration");
    assert_eq!(object["statistics"]["refuted_depth"], 4);
}

#[test]
fn a_bound_leaves_it_open_and_says_how_far_it_got() {
    let (code, object) = example("reservoir", &["--max-depth", "3"]);
    assert_eq!((code, &object["verdict"]), (3, &json!("unknown")));
    assert_eq!(object["statistics"]["refuted_depth"], 3);
    let reason = "there are runs of more than 3 steps; no unsafe state is reached within 3 steps";
    assert_eq!(object["reason"], reason);
    let (code, object) = example("reservoir", &["--max-depth", "5"]);
    assert_eq!((code, &object["verdict"]), (1, &json!("violated")));
}

#[test]
fn where_all_paths_end_that_is_a_proof() {
    let folder = counter_folder(9, &compare("=", "x", 9));
    let ran = folder.run(&BMC);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("holds: no run from any start state reaches an unsafe state\n"), "{}", ran.out);
    assert!(ran.out.contains("bmc; all paths were followed to their ends, after at most "), "{}", ran.out);
}

#[test]
fn a_time_limit_is_told_with_the_depth() {
    let (code, object) = example("reservoir", &["--time-limit", "0"]);
    assert_eq!((code, &object["verdict"]), (3, &json!("unknown")));
    let reason = object["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("the time limit of 0 s was reached"), "{reason}");
}
