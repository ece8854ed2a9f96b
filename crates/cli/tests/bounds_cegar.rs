//! `bounds --engine cegar`: options, exit codes, values, files, and what is refused.

mod common;

use std::time::{Duration, Instant};

use common::{Folder, compare, filter, property, quantified, timeless};
use serde_json::{Value, json};

/// A walker on a line from 0 to `top`: `rush` goes two on with 1/2 and one back with 1/2, `crawl` one on. A stone may lie in the way (a move
/// of the environment, once): then the walker falls with 1/4. Walkers start anywhere below `from`.
fn walker(top: i64, from: i64, properties: &[(&str, Value)]) -> Folder {
    let int = |upper: i64| json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": upper});
    let on = |p: &str, by: i64| {
        let next = compare("+", "x", by);
        let inside = json!({"op": "ite", "if": compare("<", next.clone(), 0), "then": 0,
                            "else": {"op": "ite", "if": compare(">", next.clone(), top), "then": top, "else": next}});
        json!({"location": "l", "probability": {"exp": decimal(p)}, "assignments": [{"ref": "x", "value": inside}]})
    };
    let fall = |p: &str| json!({"location": "l", "probability": {"exp": decimal(p)}, "assignments": [{"ref": "down", "value": true}]});
    let up = json!({"op": "¬", "exp": "down"});
    let moving =
        |stone: i64| compare("∧", compare("∧", up.clone(), compare("<", "x", top)), compare("=", "stone", stone));
    let edge = |action: &str, stone: i64, outcomes: Vec<Value>| json!({"location": "l", "action": action, "guard": {"exp": moving(stone)}, "destinations": outcomes});
    let throw = json!({"location": "l", "action": "throw", "guard": {"exp": moving(0)},
                       "destinations": [{"location": "l", "assignments": [{"ref": "stone", "value": 1}]}]});
    let edges = [
        edge("rush", 0, vec![on("0.5", 2), on("0.5", -1)]),
        edge("rush", 1, vec![on("0.75", 1), fall("0.25")]),
        edge("crawl", 0, vec![on("1", 1)]),
        edge("crawl", 1, vec![on("0.75", 1), fall("0.25")]),
        throw,
    ];
    let started = compare("∧", compare("<", "x", from), compare("∧", up, compare("=", "stone", 0)));
    let made = properties.iter().map(|(name, expression)| {
        let mut expression = expression.clone();
        if expression["op"] == "PA" {
            expression["start"] = started.clone();
        }
        property(name, &expression)
    });
    let folder = Folder::new();
    folder.write_json(
        "m.jani",
        &json!({
            "jani-version": 1, "name": "walker", "type": "mdp", "features": ["derived-operators"],
            "actions": [{"name": "rush"}, {"name": "crawl"}, {"name": "throw"}],
            "variables": [
                {"name": "x", "type": int(top), "initial-value": 0},
                {"name": "stone", "type": int(1), "initial-value": 0},
                {"name": "down", "type": "bool", "initial-value": false}
            ],
            "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}],
            "system": {"elements": [{"automaton": "a"}]},
            "properties": made.collect::<Vec<_>>(),
        }),
    );
    // Rush where `x` is small: rush scores `2.5 - x`, crawl 0.
    folder.write("net.nnet", "1,1,2,2,\n1,2,\n0,\n0,\n99,\n0,0,\n1,1,\n-1,\n0,\n2.5,\n0,\n");
    folder.write_json(
        "p.policy.json",
        &json!({"network": "net.nnet", "inputs": ["x"], "outputs": {"labels": ["rush", "crawl"]}}),
    );
    folder
}

fn decimal(text: &str) -> Value {
    serde_json::from_str(text).expect("a number")
}

fn falls() -> Value {
    json!({"op": "PA", "reach": "down"})
}

fn interval(object: &Value) -> (f64, f64) {
    let end = |key: &str| match &object["value"][key] {
        Value::String(text) => {
            let (over, under) = text.split_once('/').unwrap_or((text, "1"));
            over.parse::<f64>().expect("digits") / under.parse::<f64>().expect("digits")
        }
        other => other.as_f64().unwrap_or_else(|| panic!("{key} is a number: {object}")),
    };
    (end("lo"), end("hi"))
}

const ALGORITHMS: [&[&str]; 2] = [&["--precision", "0.01"], &["--algorithm", "paper", "--p-step", "0.01"]];
const CEGAR: [&str; 6] = ["bounds", "m.jani", "--policy", "p.policy.json", "--engine", "cegar"];

#[test]
fn intervals_contain_the_value_of_exploration() {
    let folder = walker(9, 5, &[("falls", falls())]);
    let (_, truth) =
        folder.run_json(&["bounds", "m.jani", "--policy", "p.policy.json", "--exact", "--engine", "explicit"]);
    let (value, _) = interval(&truth);
    assert!(value > 0.1 && value < 0.99, "a value worth bounding: {truth}");
    for algorithm in ALGORITHMS {
        let (code, object) = folder.run_json(&[&CEGAR, algorithm].concat());
        assert_eq!((code, &object["verdict"], &object["engine"]), (0, &Value::Null, &json!("cegar")), "{object}");
        let (lo, hi) = interval(&object);
        assert!(lo <= value + 1e-12 && value <= hi + 1e-12 && hi - lo <= 0.01 + 1e-9, "[{lo}, {hi}], {value}");
        let name = if algorithm.contains(&"paper") { "paper" } else { "boxes" };
        assert_eq!(object["algorithm"], name);
        assert_eq!(object["preset"].is_string(), name == "paper");
        let figures = &object["statistics"];
        assert!(figures["iterations"].as_u64() > Some(0) && figures["reachable_states"].as_u64() > Some(0), "{object}");
        // The start state shows the lower end, to anyone.
        folder.run(&[&CEGAR, algorithm, &["--json", "r.json"]].concat());
        let ran = folder.run(&["replay", "r.json", "m.jani", "--policy", "p.policy.json", "--quiet"]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let text = folder.run(&[&CEGAR, algorithm].concat());
        for part in ["done\n  value     [", "  abstract  ", "  refined   ", &format!("  engine    cegar ({name}")] {
            assert!(text.out.contains(part), "{part}: {}", text.out);
        }
    }
}

#[test]
fn bounds_are_decided_on_either_side_of_the_value() {
    let folder = walker(9, 5, &[("falls", falls())]);
    let (_, truth) = folder.run_json(&["bounds", "m.jani", "--policy", "p.policy.json", "--engine", "explicit"]);
    let (value, _) = interval(&truth);
    for algorithm in [&[][..], &["--algorithm", "paper"]] {
        for (p, code, verdict) in
            [(value + 0.02, 0, "holds"), (value - 0.02, 1, "violated"), (1.0, 0, "holds"), (0.0, 1, "violated")]
        {
            let p = format!("{p:.6}");
            let (exit, object) = folder.run_json(&[&CEGAR, algorithm, &["--p-max", &p]].concat());
            assert_eq!((exit, &object["verdict"]), (code, &json!(verdict)), "{p}: {object}");
        }
    }
}

#[test]
fn limits_end_in_unknown_with_the_value_so_far() {
    let folder = walker(9, 5, &[("falls", falls())]);
    for algorithm in [&["--precision", "1e-9"][..], &["--algorithm", "paper", "--p-step", "1e-9"]] {
        let args = [&CEGAR, algorithm, &["--time-limit", "0"]].concat();
        let (code, object) = folder.run_json(&args);
        assert_eq!((code, &object["verdict"]), (3, &json!("unknown")), "{object}");
        assert_eq!(object["reason"], "the time limit of 0 s was reached");
        let ran = folder.run(&args);
        assert!(ran.code == 3 && ran.out.starts_with("unknown: the time limit of 0 s was reached\n"), "{}", ran.out);
    }
    let args = [&CEGAR[..], &["--algorithm", "paper", "--p-step", "1e-9", "--max-iterations", "1"]].concat();
    let (code, object) = folder.run_json(&args);
    assert_eq!((code, &object["verdict"]), (3, &json!("unknown")), "{object}");
    let (lo, hi) = interval(&object);
    assert!(0.0 <= lo && lo < hi && hi <= 1.0, "{object}");
}

#[test]
fn a_time_limit_is_kept() {
    // Far too many states for exploration, and a precision that takes its time.
    let folder = walker(3000, 2999, &[("falls", falls())]);
    for algorithm in [&["--precision", "1e-12"][..], &["--algorithm", "paper", "--p-step", "1e-12"]] {
        let begin = Instant::now();
        let (code, object) = folder.run_json(&[&CEGAR, algorithm, &["--time-limit", "1"]].concat());
        let taken = begin.elapsed();
        assert!(code == 0 || code == 3, "{object}");
        assert!(taken < Duration::from_secs(8), "{taken:?}: {object}");
        let (lo, hi) = interval(&object);
        assert!(lo <= hi, "{object}");
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let folder = walker(40, 30, &[("falls", falls())]);
    for algorithm in [&["--precision", "0.01"][..], &["--algorithm", "paper"]] {
        let run = |threads: &str| {
            let (code, object) = folder.run_json(&[&CEGAR, algorithm, &["--threads", threads]].concat());
            let mut object = timeless(object);
            object["statistics"]["analysis_seconds"] = Value::Null;
            (code, object.to_string())
        };
        let first = run("1");
        assert_eq!(first, run("2"), "{algorithm:?}");
        assert_eq!(first, run("1"), "{algorithm:?}");
    }
}

#[test]
fn all_kinds_of_questions_are_answered_or_refused_by_name() {
    let x = |value: i64| compare("=", "x", value);
    let down = json!("down");
    let g = json!({"op": "Pmin", "exp": {"op": "G", "exp": {"op": "¬", "exp": "down"}}});
    let until = json!({"op": "Pmax", "exp": {"op": "U", "left": compare("<", "x", 4), "right": "down"}});
    let f = |op: &str| quantified(op, "F", &down);
    let steps = json!({"op": "Pmax", "exp": {"op": "F", "exp": "down", "step-bounds": {"upper": 3}}});
    let compared = |op: &str, bound: f64, fun: &str| filter(fun, &compare(op, f("Pmax"), bound));
    let questions = [
        ("max-max", filter("max", &f("Pmax"))),
        ("min-min", filter("min", &f("Pmin"))),
        ("min-max", filter("min", &f("Pmax"))),
        ("g", filter("min", &g)),
        ("until", filter("max", &until)),
        ("likely", compared("≤", 0.9999, "∀")),
        ("surely", compared("≥", 0.01, "∀")),
        ("strict", compared("<", 0.9999, "∀")),
        ("reaches", filter("max", &quantified("Pmax", "F", &x(9)))),
        ("steps", filter("max", &steps)),
    ];
    let folder = walker(9, 5, &questions);
    for name in ["max-max", "min-min", "min-max", "g", "until", "likely", "surely", "strict", "reaches"] {
        let question = ["--property", name, "--policy", "p.policy.json"];
        let (code, truth) = folder.run_json(&[&["bounds", "m.jani", "--engine", "explicit"], &question[..]].concat());
        let (exit, object) = folder
            .run_json(&[&["bounds", "m.jani", "--engine", "cegar", "--precision", "0.01"], &question[..]].concat());
        // One start state: that is asked for by any of them.
        assert_eq!((exit, &object["verdict"]), (code, &truth["verdict"]), "{name}: {object}");
        let ((lo, hi), (low, high)) = (interval(&object), interval(&truth));
        assert!(lo <= high && low <= hi, "{name}: [{lo}, {hi}] and [{low}, {high}]");
    }
    let refused = |question: &str, more: &[&str], says: &str| {
        let args = ["bounds", "m.jani", "--engine", "cegar", "--property", question];
        let ran = folder.run(&[&args, more].concat());
        assert_eq!((ran.code, &*ran.out), (2, ""), "{question}: {}", ran.err);
        assert!(ran.err.contains(says) && ran.err.contains("--engine explicit"), "{question}: {}", ran.err);
    };
    refused("steps", &[], "this property counts steps");
    refused("max-max", &["--exact"], "--exact needs all states");
    // Several start states, of which the other extreme is asked for.
    let mut model = folder.read_json("m.jani");
    model["variables"][0].as_object_mut().expect("an object").remove("initial-value");
    folder.write_json("m.jani", &model);
    refused("min-max", &[], "bounds the largest Pmax or the smallest Pmin of all start states");
    refused("surely", &[], "bounds the largest Pmax or the smallest Pmin of all start states");
    let ran = folder.run(&["bounds", "m.jani", "--engine", "auto", "--property", "min-max"]);
    assert_eq!(ran.code, 0, "exploration answers it: {}", ran.err);
}

#[test]
fn options_are_for_those_to_whom_they_mean_something() {
    let folder = walker(9, 5, &[("falls", falls())]);
    let cases: [(&[&str], &str); 17] = [
        (&["--engine", "explicit", "--algorithm", "paper"], "--algorithm is for --engine cegar or auto"),
        (&["--engine", "partial", "--algorithm", "auto"], "--algorithm is for --engine cegar or auto"),
        (&["--engine", "cegar", "--p-eps", "0.1"], "--p-eps is for --algorithm paper"),
        (&["--engine", "cegar", "--exact-policy"], "--exact-policy is for --algorithm paper"),
        (&["--engine", "explicit", "--explicit-values", "8"], "--explicit-values is for --engine cegar or auto"),
        (&["--engine", "cegar", "--algorithm", "paper", "--concrete-states", "8"], "is for --algorithm auto"),
        (&["--engine", "cegar", "--p-step", "0.1"], "--p-step is for --algorithm paper"),
        (&["--p-init", "0.1"], "--p-init is for --algorithm paper"),
        (&["--preset", "explain"], "--preset is for --engine cegar"),
        (&["--engine", "cegar", "--preset", "explain"], "--preset is for --algorithm paper"),
        (&["--engine", "cegar", "--checkpoint", "c.json"], "--checkpoint is for --algorithm paper"),
        (&["--engine", "cegar", "--algorithm", "paper", "--falsify", "on"], "--falsify is for `verify`"),
        (&["--engine", "cegar", "--algorithm", "paper", "--epsilon", "0.5"], "--epsilon is for the preset verix"),
        (
            &["--engine", "cegar", "--algorithm", "paper", "--p-step", "0.1", "--precision", "0.1"],
            "--precision and --p-step are the same",
        ),
        (&["--engine", "cegar", "--algorithm", "boxes"], "invalid value 'boxes'"),
        (&["--engine", "cegar", "--algorithm", "paper", "--p-step", "0"], "above 0 and at most 1"),
        (&["--engine", "cegar", "--algorithm", "paper", "--p-init", "1.5"], "from 0 to 1"),
    ];
    for (options, says) in cases {
        let ran = folder.run(&[&["bounds", "m.jani", "--policy", "p.policy.json"], options].concat());
        assert_eq!((ran.code, &*ran.out), (2, ""), "{options:?}: {}", ran.err);
        assert!(ran.err.contains(says), "{options:?}: {}", ran.err);
    }
}

#[test]
fn the_papers_predicates_are_kept_and_taken_up_again() {
    let folder = walker(9, 5, &[("falls", falls())]);
    let paper = [&CEGAR[..], &["--algorithm", "paper", "--p-step", "0.01"]].concat();
    let (code, whole) = folder.run_json(&[&paper[..], &["--predicates-out", "found.json"]].concat());
    assert_eq!(code, 0, "{whole}");
    let found = folder.read_json("found.json").as_array().expect("an array of predicates").len();
    assert!(found > 0 && whole["predicates"].as_array().map(Vec::len) == Some(found), "{whole}");
    let (code, again) = folder.run_json(&[&paper[..], &["--predicates", "found.json"]].concat());
    assert_eq!(code, 0, "{again}");
    let iterations = |object: &Value| object["statistics"]["iterations"].as_u64().expect("a number");
    assert!(iterations(&again) <= iterations(&whole), "{again}");
    let ran = folder.run(&[&paper[..], &["--max-iterations", "2", "--checkpoint", "c.json"]].concat());
    assert!(ran.code == 0 || ran.code == 3, "{}", ran.err);
    assert!(folder.read_json("c.json")["predicates"].is_array());
    let ran = folder.run(&[&paper[..], &["--checkpoint", "c.json"]].concat());
    assert!(ran.code == 0 && ran.err.contains("going on from c.json: "), "{}{}", ran.out, ran.err);
    let ran = folder.run(&[&paper[..], &["--checkpoint", "c.json", "--filter", "on"]].concat());
    assert!(ran.code == 2 && ran.err.contains("belongs to another problem"), "{}", ran.err);
}

#[test]
fn events_have_the_band_as_it_narrows() {
    let folder = walker(9, 5, &[("falls", falls())]);
    for algorithm in ALGORITHMS {
        let (code, object) = folder.run_json(&[&CEGAR, algorithm, &["--events", "e.jsonl"]].concat());
        assert_eq!(code, 0, "{object}");
        let lines = folder.read("e.jsonl");
        let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let band: Vec<(f64, f64)> = events
            .iter()
            .filter(|event| event["lower"].is_number())
            .map(|event| (event["lower"].as_f64().expect("a number"), event["upper"].as_f64().expect("a number")))
            .collect();
        assert!(band.len() > 1, "{lines}");
        assert!(band.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[1].1 <= pair[0].1), "{band:?}");
        let last = events.last().expect("an end");
        assert_eq!((&last["event"], band.last()), (&json!("end"), Some(&interval(&object))), "{lines}");
    }
}

#[test]
fn models_without_a_policy_are_bounded_too() {
    let questions = [
        ("most", filter("max", &quantified("Pmax", "F", &json!("down")))),
        ("least", filter("min", &quantified("Pmin", "F", &json!("down")))),
    ];
    let folder = walker(6, 3, &questions);
    for name in ["most", "least"] {
        let run = |more: &[&str]| folder.run_json(&[&["bounds", "m.jani", "--property", name], more].concat());
        let (low, high) = interval(&run(&["--engine", "explicit"]).1);
        let mut closed = 0;
        for algorithm in ALGORITHMS {
            if name == "least" && algorithm.contains(&"paper") {
                let args = [&["bounds", "m.jani", "--property", name, "--engine", "cegar"], algorithm].concat();
                let ran = folder.run(&args);
                assert_eq!(ran.code, 2, "{}", ran.out);
                assert!(ran.err.contains("the paper's algorithm bounds largest probabilities"), "{}", ran.err);
                continue;
            }
            let (code, object) = run(&[&["--engine", "cegar", "--time-limit", "20"], algorithm].concat());
            let (lo, hi) = interval(&object);
            assert!(lo <= high && low <= hi, "{name}: [{lo}, {hi}] and [{low}, {high}]");
            closed += usize::from(code == 0);
        }
        assert!(closed > 0, "{name} is closed by some algorithm");
    }
}

/// Where parts of the start set differ in a variable that nothing reads, the start state that is told is one of them in that variable, too.
#[test]
fn what_does_not_matter_is_as_the_start_set_has_it() {
    let int = |upper: i64| json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": upper});
    let variable = |name: &str, upper: i64| json!({"name": name, "type": int(upper), "initial-value": 0});
    let edge = |guard: Value, p: &str, rest: &str| {
        let won =
            json!({"location": "m", "probability": {"exp": decimal(p)}, "assignments": [{"ref": "u", "value": 1}]});
        let lost = json!({"location": "m", "probability": {"exp": decimal(rest)}});
        json!({"location": "l", "guard": {"exp": guard}, "destinations": [won, lost]})
    };
    let at = |value: i64| compare("=", compare("+", "x", "y"), value);
    let part = |unread: i64, half: Value| compare("∧", compare("=", "d", unread), half);
    let halves = compare("∨", part(0, compare("≤", "x", 50_000)), part(1, compare("≥", "x", 50_001)));
    let start = compare("∧", halves, compare("∧", compare("=", "u", 0), compare("=", "y", 0)));
    let reach = json!({"op": "PA", "reach": compare("=", "u", 1), "start": start});
    let folder = Folder::new();
    folder.write_json(
        "m.jani",
        &json!({
            "jani-version": 1, "name": "unread", "type": "mdp", "features": ["derived-operators"], "actions": [],
            "variables": [variable("x", 100_000), variable("d", 1), variable("u", 1), variable("y", 1000)],
            "automata": [{
                "name": "a", "locations": [{"name": "l"}, {"name": "m"}], "initial-locations": ["l"],
                "edges": [edge(at(50_001), "0.625", "0.375"), edge(at(49_993), "0.875", "0.125"), edge(json!(true), "0.125", "0.875")],
            }],
            "system": {"elements": [{"automaton": "a"}]},
            "properties": [property("q", &reach)],
        }),
    );
    for slice in ["on", "off"] {
        let ran = folder.run(&["bounds", "m.jani", "--engine", "cegar", "--slice", slice, "--json", "r.json"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let result: Value = folder.read_json("r.json");
        assert!(result["value"]["hi"].as_f64().is_some_and(|hi| hi < 0.876), "{result}");
        let ran = folder.run(&["replay", "r.json", "m.jani"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
}
