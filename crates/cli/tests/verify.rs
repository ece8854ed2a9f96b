//! `verify`, `explore` and `simulate`: verdicts, exit codes, and what goes where.

#![expect(clippy::cast_sign_loss, reason = "the numbers of a test are small")]

mod common;

use common::{Folder, compare, counter, counter_folder, filter, never, property, quantified, timeless, write_policy};
use serde_json::{Value, json};

const POLICY: [&str; 2] = ["--policy", "counter.policy.json"];

fn with_policy<'a>(args: &[&'a str]) -> Vec<&'a str> {
    args.iter().copied().chain(POLICY).collect()
}

#[test]
fn holds_with_the_policy_and_not_without() {
    // With 9 as the top, jumps lead from 3 to 6 and from 4 to 8; the policy goes down from 3.
    let folder = counter_folder(9, &compare("=", "x", 9));
    let ran = folder.run(&with_policy(&["verify", "m.jani"]));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("holds: no run from 1 start state reaches an unsafe state\n"), "{}", ran.out);
    assert!(ran.out.lines().count() <= 12);

    let ran = folder.run(&["verify", "m.jani"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.starts_with("violated: an unsafe state can be reached in "), "{}", ran.out);
    assert!(ran.err.contains("notice: no policy: every enabled action is possible"), "{}", ran.err);
}

#[test]
fn violated_shows_the_run_with_scores() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let ran = folder.run(&with_policy(&["verify", "m.jani", "--engine", "explicit"]));
    assert_eq!(ran.code, 1);
    let expected = " step  action  state
start          x=0
    1  up      x: 0 -> 1  [up 2.5, next down 0, margin 2.5]
    2  up      x: 1 -> 2  [up 1.5, next down 0, margin 1.5]
    3  up      x: 2 -> 3  [up 0.5, next down 0, margin 0.5]
    4  jump    x: 3 -> 6  [p = 3/4]
";
    assert!(ran.out.ends_with(expected), "{}", ran.out);
}

#[test]
fn the_object_alone_is_on_standard_output() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let ran = folder.run(&with_policy(&["verify", "m.jani", "--json", "-"]));
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("violated: "), "people are told on standard error: {}", ran.err);
    let object: Value = serde_json::from_str(&ran.out).expect("an object and nothing else");
    let keys: Vec<&String> = object.as_object().expect("an object").keys().collect();
    let first = [
        "tool",
        "version",
        "format",
        "command",
        "verdict",
        "reason",
        "engine",
        "seconds",
        "seed",
        "inputs",
        "assumptions",
        "statistics",
        "witness",
    ];
    assert_eq!(keys[..first.len()], first, "the order of keys is fixed");
    assert_eq!(object["tool"], "surefoot");
    assert_eq!(object["command"], "verify");
    assert_eq!(object["verdict"], "violated");
    assert_eq!(object["reason"], Value::Null);
    assert_eq!(object["engine"], "explicit");
    let files: Vec<&String> = object["inputs"].as_object().expect("an object").keys().collect();
    assert_eq!(files, ["m.jani", "counter.policy.json", "net.nnet"]);
    assert_eq!(object["inputs"]["m.jani"].as_str().map(str::len), Some(64));
    assert_eq!(object["statistics"]["start_states"], 1);
    assert_eq!(object["statistics"]["unsafe_states"], 1);
    let steps = object["witness"]["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 4);
    assert_eq!(object["witness"]["start"], json!({"locations": {"a": "l"}, "x": 0}));
    assert_eq!(steps[0]["label"], "up");
    assert_eq!(steps[0]["edges"], json!({"a": 0}));
    assert_eq!(steps[0]["policy"]["chosen"], json!(["up"]));
    assert_eq!(steps[0]["policy"]["scores"]["up"], json!({"exact": "5/2", "float": 2.5}));
    assert_eq!(steps[3]["probability"], "3/4");
    assert_eq!(steps[3]["policy"], Value::Null, "a move of the environment");
    assert_eq!(steps[3]["state"]["x"], 6);
}

#[test]
fn the_object_goes_to_a_file_and_people_read_standard_output() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let ran = folder.run(&with_policy(&["verify", "m.jani", "--json", "r.json"]));
    assert_eq!(ran.code, 1);
    assert!(ran.out.starts_with("violated"));
    assert_eq!(folder.read_json("r.json")["verdict"], "violated");
    let ran = folder.run(&["verify", "m.jani", "--json", "nowhere/r.json"]);
    assert_eq!((ran.code, &*ran.out), (2, ""), "told before any work is done");
    assert!(ran.err.contains("there is no folder nowhere"), "{}", ran.err);
}

#[test]
fn results_do_not_depend_on_threads_or_chance() {
    for reach in [compare("=", "x", 977), compare(">", "x", 990)] {
        let folder = counter_folder(990, &reach);
        for command in ["verify", "explore"] {
            let run = |threads: &str| {
                let (code, object) = folder.run_json(&[command, "m.jani", "--threads", threads]);
                (code, timeless(object).to_string())
            };
            let first = run("1");
            assert_eq!(first, run("1"));
            assert_eq!(first, run("2"));
            assert_eq!(first, run("7"));
        }
    }
    let folder = counter_folder(9, &compare("=", "x", 6));
    let run = || timeless(folder.run_json(&with_policy(&["simulate", "m.jani", "--seed", "3"])).1);
    assert_eq!(run(), run());
    let other = timeless(folder.run_json(&with_policy(&["simulate", "m.jani", "--seed", "4"])).1);
    assert_ne!(run()["statistics"]["steps"], other["statistics"]["steps"]);
}

#[test]
fn limits_end_in_unknown() {
    let folder = counter_folder(100_000, &compare("<", "x", 0));
    for (args, reason) in [
        (["--time-limit", "0"], "the time limit of 0 s was reached"),
        (["--memory-limit", "0"], "the memory limit of 0 MB was reached"),
    ] {
        for command in ["verify", "explore"] {
            let (code, object) = folder.run_json(&[command, "m.jani", args[0], args[1]]);
            assert_eq!(code, 3, "{object}");
            assert_eq!(object["verdict"], "unknown");
            assert_eq!(object["reason"], reason);
            assert_eq!(object["witness"], Value::Null);
            assert_eq!(object["statistics"]["start_states"], 1);
            let ran = folder.run(&[command, "m.jani", args[0], args[1]]);
            assert_eq!(ran.code, 3);
            assert!(ran.out.starts_with(&format!("unknown: {reason}")), "{}", ran.out);
        }
    }
    let (code, object) = folder.run_json(&["simulate", "m.jani", "--time-limit", "0"]);
    assert_eq!((code, &object["verdict"]), (3, &json!("unknown")));
}

#[test]
fn errors_of_the_model_have_state_operator_and_place() {
    let folder = Folder::new();
    let mut model = counter(5, &[property("safe", &never(&compare("<", "x", 0)))]);
    model["automata"][0]["edges"][0]["guard"]["exp"] = json!(true);
    folder.write("m.jani", &serde_json::to_string_pretty(&model).expect("JSON"));
    for command in ["verify", "explore", "simulate"] {
        let ran = folder.run(&[command, "m.jani"]);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{command}: an error is no verdict");
        let expected =
            "variable 'x' would get the value 6, outside its domain int 0..5 by up (a: edge 0), in the state x=5";
        assert!(ran.err.contains(expected), "{}", ran.err);
        assert!(ran.err.contains("--> m.jani:") && ran.err.contains("in automaton \"a\""), "{}", ran.err);
    }
}

#[test]
fn an_empty_start_set_is_an_error_and_no_proof() {
    let folder = Folder::new();
    let expression =
        json!({"op": "PA", "start": compare("∧", compare("<", "x", 1), compare("<", 1, "x")), "reach": true});
    folder.write_json("m.jani", &counter(5, &[property("safe", &expression)]));
    for command in ["verify", "explore", "simulate"] {
        let ran = folder.run(&[command, "m.jani", "--property", "safe"]);
        assert_eq!((ran.code, &*ran.out), (2, ""));
        assert!(ran.err.contains("the start set is empty"), "{}", ran.err);
    }
}

/// The verdict of a filter property on the counter, whose initial states are `x = 0`, or all where `free`.
fn filter_verdict(expression: &Value, free: bool) -> (i32, Value, String) {
    let folder = Folder::new();
    let mut model = counter(5, &[property("p", expression)]);
    if free {
        model["variables"][0].as_object_mut().expect("an object").remove("initial-value");
    }
    folder.write_json("m.jani", &model);
    let ran = folder.run(&["verify", "m.jani", "--json", "-"]);
    (ran.code, serde_json::from_str(&ran.out).unwrap_or_default(), ran.err)
}

#[test]
fn standard_properties_are_decided_where_the_reduction_is_right() {
    let (holds, violated, refused) = (0, 1, 2);
    let small = compare("≤", "x", 5);
    let below = compare("<", "x", 5);
    let five = compare("=", "x", 5);
    let zero = compare("=", "x", 0);
    let six = compare(">", "x", 5);
    let always = |fun: &str, condition: &Value| filter(fun, &quantified("∀", "G", condition));
    let possibly = |fun: &str, condition: &Value| filter(fun, &quantified("∃", "F", condition));
    // Expected with the one initial state x = 0, and with the six initial states 0..5.
    let table = [
        (always("∀", &small), holds, holds),
        (always("∀", &below), violated, violated),
        (always("∃", &small), holds, holds),
        (always("∃", &below), violated, refused),
        (always("values", &small), holds, holds),
        (always("values", &below), violated, refused),
        (possibly("∃", &five), holds, holds),
        (possibly("∃", &six), violated, violated),
        (possibly("∀", &five), holds, refused),
        (possibly("∀", &six), violated, violated),
        (possibly("values", &five), holds, refused),
        (filter("∀", &zero), holds, violated),
        (filter("∃", &zero), holds, holds),
        (filter("∃", &six), violated, violated),
        (filter("values", &zero), holds, refused),
        (filter("values", &small), holds, holds),
        (always("count", &small), refused, refused),
        (filter("∀", &quantified("∃", "G", &small)), holds, holds),
        (filter("∀", &quantified("∀", "F", &small)), holds, holds),
        (filter("max", &quantified("Pmax", "F", &five)), refused, refused),
        (filter("∀", &compare("≤", quantified("Pmax", "F", &five), 0.5)), violated, violated),
        (filter("∃", &compare("≥", quantified("Pmax", "F", &five), 1)), holds, holds),
        (filter("values", &compare("≤", quantified("Pmin", "F", &five), 0.5)), holds, refused),
    ];
    for (expression, single, several) in table {
        for (free, expected) in [(false, single), (true, several)] {
            let (code, object, err) = filter_verdict(&expression, free);
            assert_eq!(code, expected, "{expression}, all start states: {free}: {object} {err}");
            let verdict = ["holds", "violated"].get(expected as usize).copied();
            assert_eq!(object["verdict"].as_str(), verdict);
            if code == refused {
                assert!(err.contains("help: "), "a refusal says what to do: {err}");
            }
        }
    }
}

#[test]
fn probabilities_are_referred_to_bounds() {
    let five = compare("=", "x", 5);
    let (_, _, err) = filter_verdict(&filter("max", &quantified("Pmax", "F", &five)), false);
    assert!(err.contains("this property asks for a probability (Pmax)"), "{err}");
    assert!(err.contains("use 'surefoot bounds'"), "{err}");
}

#[test]
fn goal_states_are_terminal_on_request() {
    let folder = Folder::new();
    let objective = json!({"op": "objective", "goal": compare("=", "x", 2)});
    let mut expression = never(&compare("=", "x", 4));
    expression["objective"] = objective;
    let properties = [property("goal", &expression), property("none", &never(&compare("=", "x", 2)))];
    folder.write_json("m.jani", &counter(5, &properties));
    let run = |args: &[&str]| folder.run_json(&[&["verify", "m.jani"], args].concat());
    assert_eq!(run(&["--property", "goal"]).0, 1);
    let (code, object) = run(&["--property", "goal", "--goal-terminal"]);
    assert_eq!(code, 0);
    assert_eq!(object["statistics"]["terminal_states"], 1);
    assert!(object["assumptions"].to_string().contains("--goal-terminal"));
    let ran = folder.run(&["verify", "m.jani", "--property", "1", "--goal-terminal"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--goal-terminal needs a property whose objective has a goal"), "{}", ran.err);
}

#[test]
fn plaja_compatibility_adds_initial_states_and_near_ties() {
    let folder = Folder::new();
    let expression = json!({"op": "PA", "start": compare("=", "x", 3), "reach": compare("=", "x", 0),
                            "file": "counter.policy.json"});
    folder.write_json("m.jani", &counter(5, &[property("p", &expression)]));
    // up = 0.00000005, down = 0: near enough to be a tie in PlaJA.
    folder.write("net.nnet", "1,1,2,2,\n1,2,\n0,\n0,\n9,\n0,0,\n1,1,\n0,\n0,\n0.00000005,\n0,\n");
    folder.write_json(
        "counter.policy.json",
        &json!({"network": "net.nnet", "inputs": ["x"], "outputs": {"labels": ["up", "down"]}}),
    );
    let (code, object) = folder.run_json(&["verify", "m.jani"]);
    assert_eq!((code, &object["statistics"]["start_states"]), (0, &json!(1)));
    let (code, object) = folder.run_json(&["verify", "m.jani", "--plaja-compat"]);
    assert_eq!((code, &object["statistics"]["start_states"]), (1, &json!(2)));
    assert_eq!(object["policy"]["ties"], "plaja");
    let assumptions = object["assumptions"].to_string();
    assert!(
        assumptions.contains("initial states are start states too") && assumptions.contains("1e-7"),
        "{assumptions}"
    );
    let (_, object) = folder.run_json(&["explore", "m.jani", "--plaja-compat"]);
    assert_eq!(object["statistics"]["reachable_states"], 6, "by ties, all");
}

#[test]
fn the_filter_of_the_policy_can_be_overridden() {
    // Up is always best; at the top it is not applicable: the run stops there, or goes down with the filter.
    let folder = Folder::new();
    folder.write_json("m.jani", &counter(2, &[property("p", &never(&compare("<", "x", 0)))]));
    folder.write("net.nnet", "1,1,2,2,\n1,2,\n0,\n0,\n9,\n0,0,\n1,1,\n0,\n0,\n1,\n0,\n");
    folder.write_json(
        "p.policy.json",
        &json!({"network": "net.nnet", "inputs": ["x"], "outputs": {"labels": ["up", "down"]}}),
    );
    let deadlocks = |args: &[&str]| {
        let (_, object) = folder.run_json(&[&["explore", "m.jani", "--policy", "p.policy.json"], args].concat());
        object["statistics"]["deadlocks"].clone()
    };
    assert_eq!(deadlocks(&[]), 1);
    assert_eq!(deadlocks(&["--filter", "on"]), 0);
    assert_eq!(deadlocks(&["--filter", "off"]), 1);
    let ran = folder.run(&["verify", "m.jani", "--filter", "on"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--filter is about a policy, but there is none"), "{}", ran.err);
}

#[test]
fn the_policy_of_the_property_is_used_unless_another_is_given() {
    let folder = Folder::new();
    write_policy(&folder);
    let mut expression = never(&compare("=", "x", 9));
    expression["file"] = json!("counter.policy.json");
    folder.write_json("m.jani", &counter(9, &[property("p", &expression)]));
    assert_eq!(folder.run(&["verify", "m.jani"]).code, 0);
    expression["file"] = json!("gone.policy.json");
    folder.write_json("m.jani", &counter(9, &[property("p", &expression)]));
    let ran = folder.run(&["verify", "m.jani"]);
    assert_eq!((ran.code, &*ran.out), (2, ""));
    assert!(ran.err.contains("the policy file gone.policy.json does not exist"), "{}", ran.err);
    assert_eq!(folder.run(&with_policy(&["verify", "m.jani"])).code, 0);
}

#[test]
fn explore_counts_with_and_without_a_property() {
    let folder = counter_folder(5, &compare("=", "x", 5));
    let (code, object) = folder.run_json(&["explore", "m.jani", "--property", "0"]);
    assert_eq!((code, &object["verdict"]), (0, &Value::Null));
    let figures = &object["statistics"];
    assert_eq!(figures["reachable_states"], 6);
    assert_eq!(figures["expanded_states"], 6);
    assert_eq!(figures["unsafe_states"], 1);
    assert_eq!(figures["choices"], 10, "five up, five down; no jump fits");
    assert_eq!(figures["transitions"], 10);
    assert_eq!(figures["deadlocks"], 0);
    // A property that is not named does not change what is counted.
    let (_, object) = folder.run_json(&["explore", "m.jani"]);
    assert_eq!((&object["property"], object["statistics"].get("unsafe_states")), (&Value::Null, None));
    // Several properties and none selected: no property at all.
    let both = [property("a", &never(&compare("=", "x", 1))), property("b", &never(&compare("=", "x", 2)))];
    folder.write_json("m.jani", &counter(5, &both));
    let (_, object) = folder.run_json(&["explore", "m.jani"]);
    assert_eq!(object["property"], Value::Null);
    assert_eq!(object["statistics"].get("unsafe_states"), None);
    let (_, object) = folder.run_json(&["explore", "m.jani", "--property", "1"]);
    assert_eq!(object["property"], json!({"name": "b", "index": 1}));
    assert_eq!(object["statistics"]["unsafe_states"], 1);
}

#[test]
fn simulate_sums_up_and_shows_the_first_unsafe_run() {
    let folder = counter_folder(9, &compare("=", "x", 6));
    let ran = folder.run(&with_policy(&["simulate", "m.jani", "--runs", "50", "--steps", "40", "--seed", "1"]));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("done: "), "{}", ran.out);
    assert!(ran.out.contains(" of 50 runs reach an unsafe state"), "{}", ran.out);
    assert!(ran.out.contains("the first unsafe run:") && ran.out.contains("x: 3 -> 6"), "{}", ran.out);
    let (_, object) = folder.run_json(&with_policy(&["simulate", "m.jani", "--runs", "50", "--steps", "1"]));
    assert_eq!(object["statistics"]["step_limit_runs"], 50);
    assert_eq!(object["statistics"]["steps"], 50);
    assert_eq!(object["witness"], Value::Null);
}

#[test]
fn events_are_json_lines() {
    let folder = counter_folder(50_000, &compare("<", "x", 0));
    let ran = folder.run(&["verify", "m.jani", "--engine", "explicit", "--events", "e.jsonl", "--quiet"]);
    assert_eq!(ran.code, 0);
    let events: Vec<Value> =
        folder.read("e.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(events[0]["event"], "start");
    let last = events.last().expect("events");
    assert_eq!((&last["event"], &last["verdict"], &last["states"]), (&json!("end"), &json!("holds"), &json!(50_001)));
    for event in &events {
        for key in ["seconds", "states", "expanded", "depth"] {
            assert!(event[key].is_number(), "{event}");
        }
    }
    let ran = folder.run(&["verify", "m.jani", "--events", "nowhere/e.jsonl"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("cannot write nowhere/e.jsonl"), "{}", ran.err);
}

#[test]
fn an_error_leaves_no_verdict_of_an_earlier_run() {
    let folder = counter_folder(9, &compare(">", "x", 9));
    assert_eq!(folder.run(&["verify", "m.jani", "--json", "r.json"]).code, 0);
    assert_eq!(folder.read_json("r.json")["verdict"], "holds");
    assert_eq!(folder.run(&["verify", "m.jani", "--property", "x", "--json", "r.json"]).code, 2);
    let object = folder.read_json("r.json");
    assert_eq!(object["verdict"], Value::Null);
    assert!(object["error"].as_str().is_some_and(|text| text.contains("there is no property 'x'")), "{object}");
}

#[test]
fn conditions_on_start_states_say_nothing_about_runs() {
    let folder = Folder::new();
    folder.write_json("m.jani", &counter(5, &[property("p", &filter("∀", &compare("=", "x", 0)))]));
    for command in ["simulate", "explore"] {
        let (code, object) = folder.run_json(&[command, "m.jani"]);
        assert_eq!((code, &object["witness"]), (0, &Value::Null));
        assert_eq!(object["statistics"].get("unsafe_states"), None);
    }
    // States that are looked for, but not unsafe.
    folder.write_json(
        "m.jani",
        &counter(5, &[property("p", &filter("max", &quantified("Pmax", "F", &compare("=", "x", 3))))]),
    );
    let (code, object) = folder.run_json(&["simulate", "m.jani"]);
    assert_eq!((code, &object["statistics"]["target_runs"]), (0, &json!(100)));
    let (code, object) = folder.run_json(&["explore", "m.jani", "--property", "p"]);
    assert_eq!((code, &object["statistics"]["target_states"]), (0, &json!(1)));
}
