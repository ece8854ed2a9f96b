//! Formulas that fail for a reason that takes several runs: what is shown of that, and what it rests on.

mod common;

use common::Folder;
use serde_json::{Value, json};

/// `x` goes up to 5 and down again from below 4; from 2 it can jump to 7. Nothing is possible in 5 and 7.
fn ladder() -> Folder {
    let (folder, count) = (Folder::new(), |op: &str, right: Value| json!({"op": op, "left": "x", "right": right}));
    let edge = |guard: Value, value: Value| {
        let assignment = json!({"ref": "x", "value": value});
        json!({"location": "l", "guard": {"exp": guard}, "destinations": [{"location": "l", "assignments": [assignment]}]})
    };
    let inside = json!({"op": "∧", "left": count(">", json!(0)), "right": count("<", json!(4))});
    let edges = [
        edge(count("<", json!(5)), count("+", json!(1))),
        edge(inside, count("-", json!(1))),
        edge(count("=", json!(2)), json!(7)),
    ];
    let domain = json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9});
    folder.write_json(
        "m.jani",
        &json!({
            "jani-version": 1, "name": "ladder", "type": "lts",
            "variables": [{"name": "x", "type": domain, "initial-value": 0}],
            "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}],
            "system": {"elements": [{"automaton": "a"}]},
        }),
    );
    folder
}

fn nodes(object: &Value) -> &Vec<Value> {
    object["witness"]["nodes"].as_array().unwrap_or_else(|| panic!("a tree: {object}"))
}

fn x(node: &Value) -> i64 {
    node["state"]["x"].as_i64().expect("a number")
}

#[test]
fn conjunctions_of_runs_are_shown_by_all_of_them() {
    let folder = ladder();
    // Some run goes above 3, and another one never comes to 5.
    let (code, object) = folder.run_json(&["verify", "m.jani", "--formula", "AG x <= 3 | AF x = 5"]);
    assert_eq!((code, &object["verdict"], &object["engine"]), (1, &json!("violated"), &json!("explicit")), "{object}");
    let nodes = nodes(&object);
    assert!(nodes.iter().any(|node| x(node) == 7) && !nodes.iter().any(|node| x(node) == 5), "{object}");
    assert!(nodes.iter().any(|node| node["steps"].as_array().is_some_and(|steps| steps.len() == 2)), "{object}");
    // Every step is one of the model, and some run goes round below 3.
    for (number, node) in nodes.iter().enumerate() {
        for step in node["steps"].as_array().expect("steps") {
            let target = usize::try_from(step["target"].as_u64().expect("a node")).expect("small");
            let (from, to) = (x(node), x(&nodes[target]));
            assert!(to == from + 1 || (to == from - 1 && from < 4) || (from == 2 && to == 7), "{number}: {object}");
        }
    }
    assert!(object["witness"].get("rests_on").is_none(), "{object}");
    let said = folder.run(&["verify", "m.jani", "--formula", "AG x <= 3 | AF x = 5"]).out;
    for words in ["as the tree of runs below shows", "to show E[true U x > 3]:", "again: so it goes on for ever)"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn what_never_happens_rests_on_all_that_can() {
    let folder = ladder();
    let (code, object) = folder.run_json(&["verify", "m.jani", "--formula", "EF x = 9"]);
    assert_eq!((code, nodes(&object).len()), (1, 1), "{object}");
    assert_eq!(nodes(&object)[0]["rests"], json!(["AG (x < 9)"]));
    // Eight values, but not 6, 8 and 9.
    assert_eq!(object["witness"]["rests_on"], json!({"states": 7, "checked": "replay"}), "{object}");
    assert_eq!(object["stuttering"], json!(true), "{object}");
    let said = folder.run(&["verify", "m.jani", "--formula", "EF x = 9"]).out;
    assert!(
        said.contains("whatever happens from there on") && said.contains("7 states, their labels checked"),
        "{said}"
    );
    // A run to where it rests, and another one.
    let formula = "AG (x < 3 => EF x = 4) | AG EX x = 1";
    let (code, object) = folder.run_json(&["verify", "m.jani", "--formula", formula]);
    assert_eq!(code, 0, "{object}");
    let formula = "!(EX (x = 1 & AG x < 8) & EF x = 5)";
    let (code, object) = folder.run_json(&["verify", "m.jani", "--formula", formula]);
    assert_eq!(code, 1, "{object}");
    let resting = nodes(&object).iter().find(|node| node["for_ever"] == true).expect("a node that rests");
    assert_eq!((x(resting), &resting["rests"]), (1, &json!(["AG (x <= 7)"])), "{object}");
    assert!(nodes(&object).iter().any(|node| x(node) == 5), "{object}");
}

/// Few states and all of their successors are shown as they are.
#[test]
fn all_successors_are_listed_where_they_are_few() {
    let folder = ladder();
    let (code, object) = folder.run_json(&["ctl", "m.jani", "--formula", "EX EX (x = 0 & EX x = 2)"]);
    assert_eq!(code, 1, "{object}");
    let all = nodes(&object).iter().find(|node| x(node) == 1).expect("a state");
    assert_eq!((&all["all_successors"], all["steps"].as_array().map(Vec::len)), (&json!(true), Some(2)), "{object}");
    let said = folder.run(&["ctl", "m.jani", "--formula", "EX EX (x = 0 & EX x = 2)"]).out;
    assert!(said.contains("(all 2 successors)"), "{said}");
    // Trees are not replayed, and say so.
    folder.write_json("result.json", &object);
    let ran = folder.run(&["replay", "result.json", "m.jani"]);
    assert!(ran.code == 2 && ran.err.contains("there is no single run to step through"), "{}", ran.err);
}
