//! Questions as text: what they mean on every command, and what is said of those that are none.

mod common;

use serde_json::Value;

use common::{Folder, timeless};

/// A counter that goes up by one or, by a silent edge, by two; cells count how.
const MODEL: &str = r#"{"jani-version": 1, "name": "count", "type": "lts",
  "actions": [{"name": "one"}, {"name": "two"}],
  "variables": [
    {"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9}, "initial-value": 0},
    {"name": "done", "type": "bool", "initial-value": false}],
  "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
    {"location": "l", "action": "one", "guard": {"exp": {"op": "<", "left": "x", "right": 8}}, "destinations":
      [{"location": "l", "assignments": [{"ref": "x", "value": {"op": "+", "left": "x", "right": 1}}]}]},
    {"location": "l", "action": "two", "guard": {"exp": {"op": "<", "left": "x", "right": 7}}, "destinations":
      [{"location": "l", "assignments": [{"ref": "x", "value": {"op": "+", "left": "x", "right": 2}}]}]}]}],
  "system": {"elements": [{"automaton": "a"}], "syncs": [
    {"synchronise": ["one"], "result": "one"}, {"synchronise": ["two"], "result": "two"}]}}"#;

const PROPERTIES: &str = r#"{"properties": [{"name": "seven", "expression": {"op": "PA",
  "start": {"op": "state-condition", "exp": {"op": "=", "left": "x", "right": 6}},
  "objective": {"op": "objective", "goal": {"op": "=", "left": "x", "right": 6}, "goal-terminal": true},
  "reach": {"op": "state-condition", "exp": {"op": "=", "left": "x", "right": 7}}}}]}"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("model.jani", MODEL);
    folder
}

#[test]
fn unsafe_states_start_and_goal_are_conditions_on_every_command() {
    let folder = folder();
    let verdict = |args: &[&str]| folder.run(args).out.lines().next().unwrap_or_default().to_owned();
    assert_eq!(
        verdict(&["verify", "model.jani", "--never", "x = 9"]),
        "holds: no run from 1 start state reaches an unsafe state"
    );
    for text in ["x == 7 and not done", "x = 7 & !done", "!(x != 7 || done)", "x - 7 = 0 && done = false"] {
        let said = verdict(&["verify", "model.jani", "--never", text, "--start", "x = 5 & !done"]);
        assert_eq!(said, "violated: an unsafe state can be reached in 1 step", "{text}");
    }
    assert_eq!(verdict(&["explore", "model.jani", "--start", "x >= 7"]), "done: 6 reachable states");
    assert_eq!(folder.run_json(&["bounds", "model.jani", "--never", "x = 5"]).1["value"]["hi"], 1.0);
    let terminal = ["verify", "model.jani", "--never", "x = 8", "--goal", "x > 3", "--goal-terminal"];
    assert!(verdict(&terminal).starts_with("holds"));
    let ends = folder.run(&["simulate", "model.jani", "--never", "x = 5", "--goal", "x = 6"]).out;
    assert!(ends.contains("  never     x = 5\n  goal      x = 6\n"), "{ends}");
    assert!(verdict(&["abstract", "model.jani", "--never", "x = 8", "--ignore-predicates"]).starts_with("unknown"));
    assert_eq!(folder.run(&["induce", "model.jani", "--start", "x = 8", "--out", "m.drn"]).code, 0);
    // Nothing asks.
    let missing = folder.run(&["verify", "model.jani", "--goal", "x = 3"]);
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("ask in text with --never"), "{}", missing.err);
}

#[test]
fn the_result_says_the_question_and_replay_and_certify_ask_the_same() {
    let folder = folder();
    let (code, result) =
        folder.run_json(&["verify", "model.jani", "--never", "x = 7", "--start", "x = 5", "--certificate", "c"]);
    assert_eq!(code, 1);
    assert_eq!(result["question"], serde_json::json!({"never": "x = 7", "start": "x = 5"}));
    assert!(result["inputs"]["<never>"].is_string() && result["inputs"]["<start>"].is_string(), "{result}");
    assert_eq!(result["property"], Value::Null);
    folder.write_json("r.json", &result);
    // The result knows its question; whoever gives another one is told.
    assert_eq!(folder.run(&["replay", "r.json", "model.jani"]).code, 0);
    assert_eq!(folder.run(&["replay", "r.json", "model.jani", "--never", "x = 7", "--start", "x = 5"]).code, 0);
    // So it does that goals are terminal, without which the state would have another successor than itself.
    let formula = "!(E[x > 3 R<=0 EX x = 4])";
    let terminal = ["--start", "x = 4", "--goal", "x > 3", "--goal-terminal", "--formula", formula];
    let (code, ended) = folder.run_json(&[&["verify", "model.jani"], &terminal[..]].concat());
    assert_eq!(code, 1);
    folder.write_json("ended.json", &ended);
    assert_eq!(folder.run(&["replay", "ended.json", "model.jani"]).code, 0);
    let other = folder.run(&["replay", "r.json", "model.jani", "--never", "x = 6"]);
    assert_eq!(other.code, 2);
    assert!(other.err.contains("another question: --never 'x = 7' --start 'x = 5'"), "{}", other.err);
    assert_eq!(folder.run(&["certify", "c", "model.jani", "--never", "x = 7", "--start", "x = 5"]).code, 0);
    for wrong in [&["--never", "x = 7"][..], &["--never", "x = 5", "--start", "x = 7"]] {
        let args: Vec<&str> = ["certify", "c", "model.jani"].iter().chain(wrong).copied().collect();
        assert_eq!(folder.run(&args).code, 1, "{wrong:?}");
    }
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let folder = folder();
    let err = |text: &str| folder.run(&["verify", "model.jani", "--never", text]).err;
    let near = err("x = 3 & dnoe");
    assert!(near.contains("there is no variable 'dnoe'\n --> --never:1:9\n"), "{near}");
    assert!(near.contains("1 | x = 3 & dnoe\n  |         ^^^^\nhelp: did you mean 'done'?"), "{near}");
    assert!(err("x + 1").contains("this is a number, not a condition"));
    assert!(err("x = ").contains("expected a number or a variable, found the end"));
    assert!(err("AF done").contains("found 'done'"));
}

#[test]
fn properties_beside_the_model_are_found_unless_something_else_is_asked() {
    let folder = folder();
    folder.write("properties.jani", PROPERTIES);
    let run = |args: &[&str]| folder.run(args);
    let found = run(&["verify", "model.jani"]);
    assert!(
        found.err.contains("notice: the properties are those of properties.jani, beside the model"),
        "{}",
        found.err
    );
    assert!(found.out.contains("property  seven (index 0)"), "{}", found.out);
    // The property says that goals are terminal, and all start states are goals.
    assert!(found.out.contains("assuming  goal states are terminal (the property says so)"), "{}", found.out);
    assert_eq!(found.code, 0);
    let (_, result) = folder.run_json(&["verify", "model.jani"]);
    assert!(result["inputs"]["properties.jani"].is_string(), "{result}");
    assert_eq!(timeless(result), {
        let args = ["verify", "model.jani", "--properties", "properties.jani"];
        timeless(folder.run_json(&args).1)
    });
    // A start set of its own replaces the property's.
    let started = run(&["verify", "model.jani", "--start", "x = 3 & done"]);
    assert_eq!(started.code, 1, "{}", started.out);
    // Counting states needs no property, and a question as text no other.
    for args in [&["explore", "model.jani"][..], &["verify", "model.jani", "--never", "x = 9"]] {
        let ran = run(args);
        assert!(
            !ran.err.contains("beside") && ran.out.contains("from 1 start state") | ran.out.contains("9 reachable")
        );
    }
    let own = MODEL.replacen(r#""jani-version""#, r#""properties": [], "jani-version""#, 1);
    folder.write("own.jani", &own);
    assert!(run(&["verify", "own.jani"]).err.contains("beside"));
    let properties = &PROPERTIES[1..PROPERTIES.len() - 1].replace("seven", "own");
    folder.write("own.jani", &MODEL.replacen('{', &format!("{{{properties}, "), 1));
    let ran = run(&["verify", "own.jani"]);
    assert!(!ran.err.contains("beside") && ran.out.contains("property  own"), "{}{}", ran.err, ran.out);
    let ran = run(&["verify", "own.jani", "--never", "x = 9"]);
    assert!(ran.err.contains("the model's own property is not looked at"), "{}", ran.err);
}

/// From 0 the counter comes to 7 or 8, where nothing is left to do: it stays there.
#[test]
fn what_happens_in_time_is_decided_state_by_state() {
    let folder = folder();
    let verify = |args: &[&str]| {
        let args: Vec<&str> = ["verify", "model.jani"].iter().chain(args).copied().collect();
        folder.run_json(&args)
    };
    for (args, verdict) in [
        (&["--always-reach", "--goal", "x >= 7"][..], "holds"),
        (&["--always-reach", "--goal", "x >= 7", "--within", "7"], "holds"),
        (&["--always-reach", "--goal", "x >= 7", "--within", "6"], "violated"),
        (&["--always-reach", "--goal", "x = 0"], "holds"),
        (&["--always-reach", "--goal", "x = 5"], "violated"),
        (&["--always-reach", "--goal", "x * x >= 49"], "holds"),
        (&["--always-reach", "--goal", "x = 8"], "holds"),
        (&["--never", "x = 7", "--within", "3"], "holds"),
        (&["--never", "x = 7", "--within", "4"], "violated"),
        (&["--formula", "AG (x < 7 => EF x = 7)"], "holds"),
        (&["--formula", "AF x = 0"], "violated"),
        (&["--formula", "A[x < 5 W x >= 5] & !EG x < 7"], "holds"),
        (&["--formula", "EX x = 1 & EX x = 2 & AX (x = 1 or x = 2)"], "holds"),
        (&["--formula", "AG EX x > 3"], "violated"),
        (&["--formula", "EF[<=3] x = 7 | EF[<=4] x = 7"], "holds"),
        (&["--formula", "E[true U<=0 x = 0] & !EF[<=0] x = 0"], "holds"),
    ] {
        let (_, result) = verify(args);
        assert_eq!(
            (&result["verdict"], &result["engine"]),
            (&Value::from(verdict), &Value::from("explicit")),
            "{args:?}: {result}"
        );
    }
    // No single run shows it: a tree of them does.
    let (code, result) = verify(&["--formula", "EF[<=3] x = 7"]);
    assert_eq!((code, &result["witness"]["kind"]), (1, &Value::from("tree")), "{result}");
    // A run that goes on for ever without the goal, or ends without it; replayed from what was written.
    let (code, result) = verify(&["--always-reach", "--goal", "x = 5"]);
    assert_eq!((code, &result["stuttering"]), (1, &Value::from(true)), "{result}");
    let (code, result) = verify(&["--never", "x = 7", "--within", "4"]);
    assert_eq!((code, result["witness"]["steps"].as_array().map(Vec::len)), (1, Some(4)), "{result}");
    folder.write_json("r.json", &result);
    assert_eq!(folder.run(&["replay", "r.json", "model.jani"]).code, 0);
    let said = folder.run(&["verify", "model.jani", "--always-reach", "--goal", "x = 5"]).out;
    assert!(said.contains("so it goes on for ever") && said.contains("has no successors: it stays"), "{said}");
    for (args, says) in [
        (&["--always-reach"][..], "--always-reach needs a goal"),
        (&["--always-reach", "--goal", "x = 3", "--never", "x = 5"], "two questions"),
        (&["--formula", "AF x = 3", "--within", "3"], "give its operators bounds"),
        (&["--formula", "AF x = 3", "--engine", "cegar"], "leave --engine out"),
    ] {
        let args: Vec<&str> = ["verify", "model.jani"].iter().chain(args).copied().collect();
        let ran = folder.run(&args);
        assert!(ran.code == 2 && ran.err.contains(says), "{args:?}: {}", ran.err);
    }
}

/// A goal that is left again for ever: a lasso of the model, which replay steps through.
#[test]
fn a_run_that_goes_round_is_shown_and_replayed() {
    let folder = Folder::new();
    folder.write_json("m.jani", &common::counter(4, &[]));
    let (code, result) = folder.run_json(&["verify", "m.jani", "--always-reach", "--goal", "x = 4"]);
    assert_eq!((code, &result["witness"]["kind"]), (1, &Value::from("run")), "{result}");
    folder.write_json("r.json", &result);
    assert_eq!(folder.run(&["replay", "r.json", "m.jani"]).code, 0);
    let holds = folder.run(&["verify", "m.jani", "--formula", "AG EF x = 4"]);
    assert_eq!(holds.code, 0, "{}", holds.out);
    // The same by `ctl`, and by the procedure over regions.
    for method in ["auto", "exact"] {
        let args = ["ctl", "m.jani", "--formula", "AG[<=4] EF[<=4] x = 4", "--method", method];
        assert_eq!(folder.run(&args).code, 0, "{method}");
        let args = ["ctl", "m.jani", "--formula", "AF[<=4] x = 4", "--method", method];
        assert_eq!(folder.run(&args).code, 1, "{method}");
    }
}

/// JANI's own operators, over all start states, some, and the one there is.
#[test]
fn path_formulas_of_jani_are_decided() {
    let folder = Folder::new();
    let at = |x: i64| common::compare("=", "x", x);
    let low = common::compare("≤", "x", 2);
    let until = |q: &str| serde_json::json!({"op": q, "exp": {"op": "U", "left": low, "right": at(3)}});
    let all = [
        ("F", common::filter("∀", &common::quantified("∀", "F", &at(4))), 1),
        ("G", common::filter("∃", &common::quantified("∃", "G", &low)), 0),
        ("AU", common::filter("∀", &until("∀")), 1),
        ("EU", common::filter("values", &until("∃")), 0),
    ];
    let properties: Vec<Value> = all.iter().map(|(name, filter, _)| common::property(name, filter)).collect();
    folder.write_json("m.jani", &common::counter(4, &properties));
    for (name, _, code) in all {
        let ran = folder.run(&["verify", "m.jani", "--property", name]);
        assert_eq!(ran.code, code, "{name}: {}{}", ran.out, ran.err);
        // Who asks for a probability is told who decides.
        let ran = folder.run(&["bounds", "m.jani", "--property", name]);
        assert!(ran.code == 2 && ran.err.contains("`surefoot verify`"), "{name}: {}", ran.err);
    }
}
