//! Certificates of runs: one that is accepted, and a table of what is wrong with others.
//!
//! A tank has room for 5 litres. The policy fills or drains it by a litre; filling fails with a chance of one third.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use surefoot_certificate::CertificateLines;
use surefoot_certificate::index::Claim;
use surefoot_checker::{Judgement, Refused, judge, subject};
use surefoot_network::{Activation, Layer, Network};
use surefoot_problem::{Choosing, PolicySource, Problem, Request, Selection, Source};
use surefoot_text::source::SourceMap;

fn model(lowest_start: i64) -> Value {
    let moved = |by: i64, p: Value| {
        let value = json!({"op": "+", "left": "level", "right": by});
        json!({"location": "on", "probability": {"exp": p}, "assignments": [{"ref": "level", "value": value}]})
    };
    let third = |n: i64| json!({"op": "/", "left": n, "right": 3});
    let within = json!({"op": "<", "left": "level", "right": 5});
    json!({
        "jani-version": 1, "name": "tank", "type": "mdp",
        "actions": [{"name": "fill"}, {"name": "drain"}],
        "variables": [{
            "name": "level",
            "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 5},
        }, {"name": "open", "type": "bool", "initial-value": false}],
        "automata": [{
            "name": "tank", "locations": [{"name": "on"}], "initial-locations": ["on"],
            "edges": [
                {"location": "on", "action": "fill", "guard": {"exp": within}, "destinations": [moved(0, third(1)), moved(1, third(2))]},
                {"location": "on", "action": "drain", "destinations": [moved(-1, json!(1))]},
                {"location": "on", "destinations": [{"location": "on", "assignments": [{"ref": "open", "value": true}]}]},
            ],
        }],
        "restrict-initial": {"exp": {"op": "∧",
            "left": {"op": "≤", "left": lowest_start, "right": "level"}, "right": {"op": "≤", "left": "level", "right": 2}}},
        "system": {
            "elements": [{"automaton": "tank"}],
            "syncs": [{"synchronise": ["fill"], "result": "fill"}, {"synchronise": ["drain"], "result": "drain"}],
        },
        "properties": [property("∀", "never"), property("values", "single")],
    })
}

fn property(fun: &str, name: &str) -> Value {
    let below = json!({"op": "<", "left": "level", "right": 4});
    json!({"name": name, "expression": {"op": "filter", "fun": fun, "states": {"op": "initial"},
        "values": {"op": "∀", "exp": {"op": "G", "exp": below}}}})
}

/// `fill` scores 3 - max(0, level - 1), `drain` nothing.
fn request(property: &str, lowest_start: i64) -> Request {
    let hidden = Layer::new(1, vec![1.0], vec![-1.0], Activation::Relu).expect("it can be done");
    let output = Layer::new(1, vec![-1.0, 0.0], vec![3.0, 0.0], Activation::Identity).expect("it can be done");
    let network = Network::new(vec![hidden, output]).expect("it can be done");
    Request {
        model: Source::text("<model>", model(lowest_start).to_string()),
        property: Some(property.to_owned()),
        policy: Some(PolicySource::network(network, &["level"], &["fill", "drain"], Choosing::default())),
        ..Request::default()
    }
}

fn load(request: &Request) -> Problem {
    Problem::load(&mut SourceMap::default(), request, Selection::Decide).expect("the problem can be read")
}

fn filled(level: i64, outcome: i64) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let score = |number: i64| json!({"exact": number.to_string(), "float": number as f64});
    json!({
        "operator": "fill (tank: edge 0)", "label": "fill", "edges": {"tank": 0}, "outcome": [outcome],
        "probability": if outcome == 0 { "1/3" } else { "2/3" },
        "policy": {"network": "<network>", "chosen": ["fill"],
            "scores": {"fill": score(4 - level), "drain": score(0)}, "runner_up": "drain", "margin": score(4 - level)},
        "state": state(level + outcome),
    })
}

fn state(level: i64) -> Value {
    json!({"locations": {"tank": "on"}, "level": level, "open": false})
}

fn run(property: &str) -> Value {
    json!({"kind": "run", "property": property, "start": state(2), "steps": [filled(2, 0), filled(2, 1), filled(3, 1)]})
}

fn judged(problem: &Problem, index: &Value, run: &Value) -> Judgement {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    writeln!(encoder, "{index}\n{run}\nend").expect("it can be done");
    let mut lines = CertificateLines::new(Cursor::new(encoder.finish().expect("it can be done")));
    let index = lines.index()?;
    judge(problem, &index, lines, false)
}

fn index(problem: &Problem) -> Value {
    let index = subject::index(problem, Claim::Reachable, "explicit", false).expect("there are certificates for this");
    serde_json::to_value(index).expect("it can be done")
}

fn rejection(index: &Value, run: &Value) -> String {
    match judged(&load(&request("never", 0)), index, run) {
        Err(refused @ Refused::Rejected { .. }) => refused.to_string(),
        other => panic!("{run} should be rejected: {other:?}"),
    }
}

#[test]
fn a_run_is_accepted() {
    let problem = load(&request("never", 0));
    let index = index(&problem);
    let accepted = judged(&problem, &index, &run("never")).expect("it is a run");
    assert_eq!((accepted.verdict.word(), accepted.claim, accepted.states), ("violated", Claim::Reachable, 4));
}

/// A place in a value, what is put there, and what the checker says.
type Row = (&'static str, Value, &'static str);

#[test]
fn what_is_not_so_is_rejected_for_its_reason() {
    let index = index(&load(&request("never", 0)));
    let rows: [Row; 30] = [
        ("/property", json!("single"), "the run: its property"),
        ("/start/level", json!(3), "the run: its start state: it is not in the start set"),
        ("/start/level", json!(6), "the run: its start state: 6 is no value"),
        ("/start/level", json!(true), "the run: its start state: the variable 'level' is of type"),
        ("/start/locations/tank", json!("off"), "the run: its start state: the automaton 'tank' has no location"),
        ("/start/open", json!(true), "the run: its start state: it is not in the start set"),
        ("/start", json!({"locations": {}, "level": 2, "open": false}), "the run: its start state: it does not name"),
        (
            "/start",
            json!({"open": false, "level": 2, "locations": {"tank": "on"}}),
            "the run: its start state: it does not name",
        ),
        (
            "/start",
            json!({"locations": {"tank": "on"}, "level": 2}),
            "the run: its start state: the state says nothing",
        ),
        ("/steps", json!([filled(2, 1)]), "the run: its last state: the target does not hold"),
        ("/steps", json!([filled(3, 1)]), "the run: step 1: its outcome does not lead to the state after it"),
        ("/steps/0/label", json!("drain"), "the run: step 1: the operator that it names is not enabled"),
        ("/steps/0/label", Value::Null, "the run: step 1: the operator that it names is not enabled"),
        ("/steps/0/edges/tank", json!(1), "the run: step 1: the operator that it names is not enabled"),
        ("/steps/0/edges", json!({"tank": 0, "other": 0}), "the run: step 1: the operator that it names"),
        ("/steps/0/operator", json!("fill"), "the run: step 1: its operator in words"),
        ("/steps/0/outcome", json!([2]), "the run: step 1: its operator has no outcome [2]"),
        ("/steps/0/outcome", json!([]), "the run: step 1: its operator has no outcome []"),
        ("/steps/0/outcome", json!([1]), "the run: step 1: the probability of its outcome is 2/3"),
        ("/steps/0/probability", json!("2/3"), "the run: step 1: the probability of its outcome is 1/3"),
        ("/steps/0/state/level", json!(3), "the run: step 1: its outcome does not lead to the state"),
        (
            "/steps/1/policy/scores/fill",
            json!({"exact": "3/2", "float": 1.5}),
            "the run: step 2: the policy's output of 'fill' is 2, not 3/2",
        ),
        (
            "/steps/1/policy/scores",
            json!({"fill": {"exact": "2", "float": 2.0}}),
            "the run: step 2: it does not tell each output",
        ),
        (
            "/steps/1/policy/scores",
            json!({"drain": {"exact": "0", "float": 0.0}, "fill": {"exact": "2", "float": 2.0}}),
            "the run: step 2: the output of 'fill' was expected",
        ),
        ("/steps/1/policy/chosen", json!(["drain"]), "the run: step 2: the policy chooses"),
        ("/steps/1/policy/chosen", json!([]), "the run: step 2: the policy chooses"),
        ("/steps/1/policy/runner_up", json!("fill"), "the run: step 2: another output comes next"),
        ("/steps/1/policy/margin", json!({"exact": "1", "float": 1.0}), "the run: step 2: another output comes next"),
        ("/steps/1/policy/network", json!("other"), "the run: step 2: the network that decides"),
        ("/steps/2/state/open", json!(true), "the run: step 3: its outcome does not lead"),
    ];
    for (place, value, expected) in rows {
        let mut broken = run("never");
        *broken.pointer_mut(place).expect("the place is there") = value;
        let said = rejection(&index, &broken);
        assert!(said.starts_with(expected), "{place}: {said}");
    }
    for member in ["operator", "label", "edges", "outcome", "probability", "policy"] {
        let mut broken = run("never");
        broken["steps"][0].as_object_mut().expect("a step").shift_remove(member);
        assert!(rejection(&index, &broken).starts_with("the run: step 1: "), "{member}");
    }
    // The policy fills; draining is enabled, but not chosen.
    let mut broken = run("never");
    let drain = json!({"operator": "drain (tank: edge 1)", "label": "drain", "edges": {"tank": 1}, "outcome": [0], "probability": "1", "state": state(1)});
    broken["steps"][0] = drain;
    assert_eq!(rejection(&index, &broken), "the run: step 1: the policy does not choose the label of its operator");
}

#[test]
fn an_index_about_something_else_is_rejected() {
    let right = index(&load(&request("never", 0)));
    let rows: [Row; 15] = [
        (
            "/inputs/<model>",
            json!("00"),
            "the index: inputs: the certificate is about other files: none of them is <model>",
        ),
        ("/inputs", json!({}), "the index: inputs: the certificate is about other files"),
        ("/constants", json!({"N": "1"}), "the index: constants"),
        ("/property/name", json!("single"), "the index: property"),
        ("/property/index", json!(1), "the index: property"),
        ("/property", Value::Null, "the index: property"),
        ("/semantics/ties", json!("any"), "the index: semantics, ties"),
        ("/semantics/filter", json!(true), "the index: semantics, filter"),
        ("/semantics/filter", Value::Null, "the index: semantics, filter"),
        ("/semantics/goal_terminal", json!(true), "the index: semantics, goal_terminal"),
        ("/semantics/initial_only", json!(true), "the index: semantics, initial_only"),
        ("/semantics/assume_no_errors", json!(true), "the index: semantics, assume_no_errors"),
        ("/slots", json!(["tank", "open", "level"]), "the index: slots"),
        ("/outputs", json!(["drain", "fill"]), "the index: outputs"),
        ("/verdict", json!("holds"), "the index: verdict"),
    ];
    for (place, value, expected) in rows {
        let mut broken = right.clone();
        *broken.pointer_mut(place).expect("the place is there") = value;
        let said = rejection(&broken, &run("never"));
        assert!(said.starts_with(expected), "{place}: {said}");
    }
    let mut more = right.clone();
    more["inputs"]["another"] = json!("00");
    assert_eq!(
        rejection(&more, &run("never")),
        "the index: inputs: the certificate is about a file that was not read: another"
    );
    let mut renamed = right;
    renamed["inputs"] = renamed["inputs"]
        .as_object()
        .expect("an object")
        .values()
        .enumerate()
        .map(|(i, hash)| (i.to_string(), hash.clone()))
        .collect();
    judged(&load(&request("never", 0)), &renamed, &run("never")).expect("names of files do not matter");
}

#[test]
fn a_filter_over_one_start_state_needs_one() {
    let single = load(&request("single", 2));
    let index = index(&single);
    judged(&single, &index, &run("single")).expect("there is one start state");
    let several = load(&request("single", 1));
    let why = subject::index(&several, Claim::Reachable, "explicit", false).expect_err("there are two start states");
    assert!(why.starts_with("that there is one start state only"), "{why}");
    // That nothing is reached is shown for all start states.
    assert!(subject::index(&several, Claim::Unreachable, "explicit", false).is_ok());
}

/// The run with another member.
fn with(place: &str, value: Value) -> Value {
    let mut changed = run("never");
    let (object, member) = place.rsplit_once('/').expect("a place");
    changed.pointer_mut(object).expect("the object is there")[member] = value;
    changed
}

#[test]
fn a_second_line_or_no_run_is_unreadable() {
    let index = index(&load(&request("never", 0)));
    for (run, expected) in [
        (json!([]), "line 2: the run was expected, but it is none"),
        (json!({"kind": "tree"}), "line 2: the run was expected, but it is none"),
        (json!({"kind": "run", "start": state(2)}), "line 2: the run was expected, but it is none"),
        (with("/steps/0/more", json!(1)), "line 2: the run tells something that is not known, or not as it is written"),
        (with("/steps/0/policy/scores/fill/float", json!(1.5)), "line 2: the run tells something"),
    ] {
        match judged(&load(&request("never", 0)), &index, &run) {
            Err(Refused::Unreadable(error)) => assert!(error.to_string().starts_with(expected), "{error}"),
            other => panic!("{other:?}"),
        }
    }
}
