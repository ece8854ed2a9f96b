//! `verify` without an engine named: which one decided, and that limits are limits.

mod common;

use common::{compare, counter_folder};
use serde_json::json;

const VERIFY: [&str; 4] = ["verify", "m.jani", "--policy", "counter.policy.json"];

#[test]
fn small_models_are_explored() {
    let folder = counter_folder(9, &compare("=", "x", 9));
    let (code, object) = folder.run_json(&VERIFY);
    assert_eq!((code, &object["verdict"], &object["engine"]), (0, &json!("holds"), &json!("explicit")));
}

#[test]
fn another_engine_decides_where_many_states_do_not_fit() {
    // Three free variables of some thousand values each, and the counter: far more states than the first round has memory for.
    let folder = counter_folder(9, &compare("=", "x", 9));
    let mut model = folder.read_json("m.jani");
    for name in ["free", "open", "wide"] {
        let variable =
            json!({"name": name, "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 4095}});
        model["variables"].as_array_mut().expect("variables").push(variable);
    }
    folder.write_json("m.jani", &model);
    let (code, object) = folder.run_json(&VERIFY);
    assert_eq!((code, &object["verdict"], &object["engine"]), (0, &json!("holds"), &json!("cegar")));
    assert_eq!(object["preset"], "explain");
}

#[test]
fn the_time_limit_is_that_of_all_engines() {
    let folder = counter_folder(9, &compare("=", "x", 9));
    let (code, object) = folder.run_json(&[&VERIFY[..], &["--time-limit", "0"]].concat());
    assert_eq!((code, &object["verdict"]), (3, &json!("unknown")));
    assert_eq!(object["reason"], "the time limit of 0 s was reached");
}
