//! A limit never ends in *holds*: what a proof leaves open about errors of the model makes it unknown, unless the user says otherwise.

mod common;

use common::{Folder, compare, never, property};
use serde_json::{Value, json};

const ENGINES: [&str; 3] = ["auto", "cegar", "bmc"];

/// The counter whose `up` has no guard, so that it leaves the domain at the top, started at `first`.
fn unguarded(first: i64) -> Folder {
    let folder = Folder::new();
    let never = json!({"op": "PA", "start": compare("=", "x", first), "reach": compare("=", "x", 7)});
    let mut model = common::counter(5, &[property("safe", &never)]);
    model["variables"][0]["initial-value"] = json!(first);
    let edges = model["automata"][0]["edges"].as_array_mut().expect("edges");
    edges.truncate(1);
    edges[0].as_object_mut().expect("an edge").remove("guard");
    folder.write_json("m.jani", &model);
    folder.write_json("p.json", &json!([compare("≥", "x", 3)]));
    folder
}

/// `x` goes from 0 to 3 and stops, while `y` counts to a million million. At 10 `up` would leave the domain.
fn stops_before_the_error() -> Folder {
    let folder = Folder::new();
    let mut model = common::counter(10, &[property("safe", &never(&compare("=", "x", 12)))]);
    let top = 1_000_000_000_000i64;
    let y = json!({"name": "y", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": top}, "initial-value": 0});
    model["variables"].as_array_mut().expect("variables").push(y);
    let count = json!({"location": "l", "guard": {"exp": compare("<", "y", top)},
        "destinations": [{"location": "l", "assignments": [{"ref": "y", "value": compare("+", "y", 1)}]}]});
    let edges = model["automata"][0]["edges"].as_array_mut().expect("edges");
    edges.truncate(1);
    edges[0]["guard"] = json!({"exp": compare("≠", "x", 3)});
    edges.push(count);
    folder.write_json("m.jani", &model);
    folder.write_json("p.json", &json!([compare("≥", "x", 3)]));
    folder
}

/// Exit code, verdict, reason, assumptions.
fn said(folder: &Folder, args: &[&str]) -> (i32, Value, String, String) {
    let (code, object) = folder.run_json(args);
    (code, object["verdict"].clone(), object["reason"].to_string(), object["assumptions"].to_string())
}

#[test]
fn an_error_that_is_met_is_the_one_that_exploration_names() {
    let folder = unguarded(5);
    let named = folder.run(&["verify", "m.jani", "--engine", "explicit", "--quiet"]);
    assert_eq!(named.code, 2, "{}", named.out);
    assert!(named.err.contains("x=5"), "{}", named.err);
    let assume: [&[&str]; 2] = [&[], &["--assume", "no-errors"]];
    for more in assume {
        for engine in ENGINES {
            let ran = folder.run(&[&["verify", "m.jani", "--engine", engine, "--quiet"], more].concat());
            assert_eq!((ran.code, &ran.err), (2, &named.err), "{engine}");
        }
        let ran = folder.run(&[&["abstract", "m.jani", "--predicates", "p.json", "--quiet"], more].concat());
        assert_eq!((ran.code, &ran.err), (2, &named.err));
    }
}

#[test]
fn a_start_state_in_error_is_found_however_many_states_there_are() {
    // Exploration of so many start states ends at its limit: the error is found among them by a question.
    let folder = stops_before_the_error();
    let mut model = folder.read_json("m.jani");
    model["properties"][0]["expression"]["start"] = compare("≥", "x", 9);
    folder.write_json("m.jani", &model);
    let ran = folder.run(&["abstract", "m.jani", "--predicates", "p.json", "--quiet"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("x=10"), "{}", ran.err);
    // So it is where the start state is listed.
    let listed = json!([{"variables": [{"var": "x", "value": 10}, {"var": "y", "value": 0}]}]);
    model["properties"][0]["expression"]["start"] = json!({"op": "states-values", "values": listed});
    folder.write_json("m.jani", &model);
    let ran = folder.run(&["abstract", "m.jani", "--predicates", "p.json", "--quiet"]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("x=10"), "{}", ran.err);
}

#[test]
fn refinement_that_is_stopped_before_errors_are_excluded_does_not_hold() {
    let folder = unguarded(0);
    let stopped = ["verify", "m.jani", "--engine", "cegar", "--max-iterations", "1"];
    let (code, verdict, reason, _) = said(&folder, &stopped);
    assert_eq!((code, verdict), (3, json!("unknown")), "{reason}");
    for part in
        ["errors of the model are not excluded", "leaves a variable's domain", "the limit of 1 iteration was reached"]
    {
        assert!(reason.contains(part), "{reason}");
    }
    let object = folder.run_json(&stopped).1;
    assert!(object["invariant"]["states"].as_u64() > Some(0), "the proof of safety is told: {object}");
    assert!(object["open_errors"]["what"].to_string().contains("up"), "{object}");
    // Taken for granted, and said so.
    let assuming = [&stopped[..], &["--assume", "no-errors"]].concat();
    let (code, verdict, _, assumptions) = said(&folder, &assuming);
    assert_eq!((code, verdict), (0, json!("holds")));
    assert!(assumptions.contains("the model is never in error"), "{assumptions}");
    let text = folder.run(&assuming).out;
    assert!(text.starts_with("holds, assuming that the model is never in error: no run"), "{text}");
    // Without the limit the error is found, whatever is taken for granted.
    let found = folder.run(&["verify", "m.jani", "--engine", "cegar", "--assume", "no-errors", "--quiet"]);
    assert_eq!(found.code, 2, "{}", found.out);
}

#[test]
fn an_abstraction_that_does_not_exclude_errors_does_not_hold() {
    let folder = stops_before_the_error();
    let abstracted = ["abstract", "m.jani", "--predicates", "p.json"];
    let (code, verdict, reason, assumptions) = said(&folder, &abstracted);
    assert_eq!((code, verdict), (3, json!("unknown")), "{reason}");
    assert!(reason.contains("errors of the model are not excluded") && reason.contains("the state x=10"), "{reason}");
    assert!(!assumptions.contains("in error"), "{assumptions}");
    let assuming = [&abstracted[..], &["--assume", "no-errors"]].concat();
    let (code, verdict, _, assumptions) = said(&folder, &assuming);
    assert_eq!((code, verdict), (0, json!("holds")));
    assert!(assumptions.contains("the model is never in error"), "{assumptions}");
    let text = folder.run(&assuming).out;
    assert!(text.starts_with("holds, assuming that the model is never in error: no abstract run"), "{text}");
    // With a predicate that tells, nothing is open, and nothing is assumed.
    folder.write_json("p.json", &json!([compare("≥", "x", 3), compare("≥", "x", 4)]));
    let (code, verdict, reason, assumptions) = said(&folder, &assuming);
    assert_eq!((code, verdict), (0, json!("holds")), "{reason}");
    assert!(!assumptions.contains("in error"), "{assumptions}");
    // Refinement finds it.
    let (code, verdict, reason, assumptions) = said(&folder, &["verify", "m.jani", "--engine", "cegar"]);
    assert_eq!((code, verdict), (0, json!("holds")), "{reason}");
    assert!(!assumptions.contains("in error"), "{assumptions}");
}

#[test]
fn an_abstraction_of_few_states_excludes_errors_by_visiting_them() {
    let folder = stops_before_the_error();
    let mut model = folder.read_json("m.jani");
    model["variables"][1]["type"]["upper-bound"] = json!(50);
    model["automata"][0]["edges"][1]["guard"]["exp"]["right"] = json!(50);
    folder.write_json("m.jani", &model);
    let (code, verdict, reason, assumptions) = said(&folder, &["abstract", "m.jani", "--predicates", "p.json"]);
    assert_eq!((code, verdict), (0, json!("holds")), "{reason}");
    assert!(!assumptions.contains("in error"), "{assumptions}");
}

#[test]
fn a_choice_among_too_many_values_leaves_errors_open() {
    // Whether `y` leaves its domain depends on thousands of values that `x` may get.
    let variable = |name: &str, initial: i64| json!({"name": name, "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9000}, "initial-value": initial});
    let assignments = json!([
        {"ref": "x", "lower-bound": 0, "upper-bound": "a", "index": 0},
        {"ref": "y", "value": compare("+", "x", 1), "index": 1},
    ]);
    let edge = json!({"location": "0", "destinations": [{"location": "1", "assignments": assignments}]});
    let folder = Folder::new();
    folder.write_json("m.jani", &json!({
        "jani-version": 1, "name": "m", "type": "lts",
        "variables": [variable("x", 0), variable("y", 0), variable("a", 5)],
        "automata": [{"name": "a", "locations": [{"name": "0"}, {"name": "1"}], "initial-locations": ["0"], "edges": [edge]}],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": [property("safe", &json!({"op": "PA", "reach": compare("≥", "y", 50)}))],
    }));
    for engine in ["cegar", "bmc"] {
        let (code, verdict, reason, _) = said(&folder, &["verify", "m.jani", "--engine", engine]);
        assert_eq!((code, verdict), (3, json!("unknown")), "{engine}: {reason}");
        assert!(reason.contains("depends on choices among too many values"), "{engine}: {reason}");
        let assuming = ["verify", "m.jani", "--engine", engine, "--assume", "no-errors"];
        let (code, verdict, _, assumptions) = said(&folder, &assuming);
        assert_eq!((code, verdict), (0, json!("holds")), "{engine}");
        assert!(assumptions.contains("the model is never in error"), "{engine}: {assumptions}");
        assert!(
            folder.run(&assuming).out.starts_with("holds, assuming that the model is never in error: "),
            "{engine}"
        );
    }
    // Few states are reachable: these are all visited, so nothing is open.
    for args in [&["verify", "m.jani"][..], &["abstract", "m.jani", "--predicates", "p.json"]] {
        folder.write_json("p.json", &json!([compare("≥", "y", 50), compare("≤", "a", 5)]));
        let (code, verdict, reason, assumptions) = said(&folder, args);
        assert_eq!((code, verdict), (0, json!("holds")), "{reason}");
        assert!(!assumptions.contains("in error"), "{assumptions}");
    }
    // Where there are too many, no round of several engines makes a proof of it either.
    let mut model = folder.read_json("m.jani");
    let top = 1_000_000_000_000i64;
    let mut counter = variable("n", 0);
    counter["type"]["upper-bound"] = json!(top);
    model["variables"].as_array_mut().expect("variables").push(counter);
    let count = json!({"location": "0", "guard": {"exp": compare("<", "n", top)},
        "destinations": [{"location": "0", "assignments": [{"ref": "n", "value": compare("+", "n", 1)}]}]});
    model["automata"][0]["edges"].as_array_mut().expect("edges").push(count);
    folder.write_json("m.jani", &model);
    let (code, verdict, reason, _) = said(&folder, &["verify", "m.jani", "--memory-limit", "1"]);
    assert_eq!((code, verdict), (3, json!("unknown")), "{reason}");
    assert!(reason.contains("errors of the model are not excluded"), "{reason}");
    let assuming = ["verify", "m.jani", "--memory-limit", "1", "--assume", "no-errors"];
    assert!(folder.run(&assuming).out.starts_with("holds, assuming that the model is never in error: "));
}
