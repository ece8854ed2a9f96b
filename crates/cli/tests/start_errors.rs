//! A start condition without value in some state is an error, whatever the engine.

mod common;

use common::{Folder, compare, counter, property, write_policy};
use serde_json::{Value, json};

fn folder(start: &Value) -> Folder {
    let folder = Folder::new();
    let safe = json!({"op": "PA", "start": start, "reach": compare("<", "x", 0)});
    folder.write_json("m.jani", &counter(5, &[property("safe", &safe)]));
    folder.write_json("p.json", &json!([compare("≥", "x", 1)]));
    write_policy(&folder);
    folder
}

const COMMANDS: [&[&str]; 6] = [
    &["verify", "m.jani", "--engine", "explicit"],
    &["verify", "m.jani"],
    &["verify", "m.jani", "--engine", "cegar"],
    &["verify", "m.jani", "--engine", "bmc"],
    &["abstract", "m.jani", "--predicates", "p.json"],
    &["ctl", "m.jani", "--property", "safe", "--formula", "AG[<=3] x >= 0"],
];

#[test]
fn a_division_by_zero_among_the_states_is_found() {
    let remainder = compare("=", compare("%", 5, "x"), 1);
    let folder = folder(&remainder);
    for command in COMMANDS {
        let args = [command, &["--policy", "counter.policy.json"]].concat();
        let ran = folder.run(&args);
        assert_eq!(ran.code, 2, "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("the start condition has no value: division by zero"), "{args:?}: {}", ran.err);
        assert!(ran.err.contains("x=0"), "{args:?}: {}", ran.err);
    }
}

#[test]
fn another_conjunct_that_fails_there_excuses_it() {
    let remainder = compare("=", compare("%", 5, "x"), 1);
    for (left, right) in [(remainder.clone(), compare("<", 0, "x")), (compare("<", 0, "x"), remainder)] {
        let folder = folder(&compare("∧", left, right));
        for command in COMMANDS {
            let args = [command, &["--policy", "counter.policy.json"]].concat();
            let ran = folder.run(&args);
            assert_eq!(ran.code, 0, "{args:?}: {}{}", ran.out, ran.err);
        }
    }
}
