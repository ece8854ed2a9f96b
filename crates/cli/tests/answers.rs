//! What is asked beyond a verdict: goals, start states one by one, the likeliest run, means, expected steps, explanations.

mod common;

use common::{Folder, compare, counter_folder, property};
use serde_json::{Value, json};
use surefoot_num::Rational;

/// A walk on 0..6: up with probability 2/3, down with 1/3, until one of the ends.
fn walk(properties: &[Value]) -> Folder {
    let to = |value: Value, by: f64| {
        let third = json!({"exp": {"op": "/", "left": by, "right": 3}});
        json!({"location": "l", "probability": third, "assignments": [{"ref": "x", "value": value}]})
    };
    let inside = compare("∧", compare("<", 0, "x"), compare("<", "x", 6));
    let model = json!({
        "jani-version": 1, "name": "walk", "type": "mdp", "actions": [{"name": "go"}],
        "variables": [{"name": "x", "initial-value": 3,
            "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 6}}],
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
            {"location": "l", "action": "go", "guard": {"exp": inside},
             "destinations": [to(compare("+", "x", 1), 2.0), to(compare("-", "x", 1), 1.0)]}]}],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": properties,
    });
    let folder = Folder::new();
    folder.write_json("m.jani", &model);
    folder
}

fn safety(start: &Value, reach: &Value, goal: Option<&Value>) -> Value {
    let mut safety = json!({"op": "PA", "start": start, "reach": reach});
    if let Some(goal) = goal {
        safety["objective"] = json!({"op": "objective", "goal": goal});
    }
    property("p", &safety)
}

#[test]
fn a_proof_says_from_where_the_goal_is_reached() {
    let start = compare("≥", "x", 1);
    let folder = walk(&[safety(&start, &compare(">", "x", 6), Some(&compare("=", "x", 6)))]);
    let (code, object) = folder.run_json(&["verify", "m.jani"]);
    assert_eq!(code, 0, "{object}");
    assert_eq!(object["goal"], json!({"start_states": 6, "can": 6, "almost_surely": 1, "must": 1}));
    let ran = folder.run(&["verify", "m.jani"]);
    let line = "  goal      can be reached from 6 of 6 start states, is almost surely from 1, and must be from 1\n";
    assert!(ran.out.contains(line), "{}", ran.out);
    // The ends together are reached with probability one, and yet some run stays between them for ever.
    let ends = compare("∨", compare("=", "x", 0), compare("=", "x", 6));
    let folder = walk(&[safety(&start, &compare(">", "x", 6), Some(&ends))]);
    let (_, object) = folder.run_json(&["verify", "m.jani", "--engine", "explicit"]);
    assert_eq!(object["goal"], json!({"start_states": 6, "can": 6, "almost_surely": 6, "must": 1}));
    let folder = walk(&[safety(&start, &compare(">", "x", 6), None)]);
    assert_eq!(folder.run_json(&["verify", "m.jani"]).1.get("goal"), None);
}

#[test]
fn start_states_have_verdicts_of_their_own() {
    let folder = walk(&[safety(&json!(true), &compare("=", "x", 0), Some(&compare("=", "x", 6)))]);
    let (code, object) = folder.run_json(&["verify", "m.jani", "--per-start", "s.csv"]);
    assert_eq!((code, &object["per_start"]), (1, &json!("s.csv")), "{object}");
    let text = folder.read("s.csv");
    let mut rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').skip(1).collect()).collect();
    rows.sort_by_key(|row| row[3]);
    assert_eq!(text.lines().next(), Some("start,verdict,steps,goal,x"));
    let expected = [
        ["violated", "0", "never", "0"],
        ["violated", "1", "can", "1"],
        ["violated", "2", "can", "2"],
        ["violated", "3", "can", "3"],
        ["violated", "4", "can", "4"],
        ["violated", "5", "can", "5"],
        ["holds", "", "must", "6"],
    ];
    assert_eq!(rows, expected);
    let ran = folder.run(&["verify", "m.jani", "--engine", "cegar", "--per-start", "t.csv"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("--per-start looks at all reachable states, which the engine 'cegar' does not"),
        "{}",
        ran.err
    );
    let ran = folder.run(&["verify", "m.jani", "--per-start", "m.jani"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
}

#[test]
fn the_likeliest_run_need_not_be_the_shortest() {
    let to =
        |x: i64, p: f64| json!({"location": "l", "probability": {"exp": p}, "assignments": [{"ref": "x", "value": x}]});
    let edge = |from: i64, destinations: Vec<Value>| json!({"location": "l", "guard": {"exp": compare("=", "x", from)}, "destinations": destinations});
    let model = json!({
        "jani-version": 1, "name": "ways", "type": "mdp", "actions": [],
        "variables": [{"name": "x", "initial-value": 0,
            "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 4}}],
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
            edge(0, vec![to(4, 0.1), to(1, 0.9)]), edge(1, vec![to(2, 1.0)]), edge(2, vec![to(4, 0.5), to(0, 0.5)])]}],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": [safety(&compare("=", "x", 0), &compare("=", "x", 4), None)],
    });
    let folder = Folder::new();
    folder.write_json("m.jani", &model);
    for (kind, probability, steps) in [("shortest", "1/10", 1), ("likeliest", "9/20", 3)] {
        let (code, object) = folder.run_json(&["verify", "m.jani", "--witness", kind]);
        assert_eq!((code, &object["run_probability"]), (1, &json!(probability)), "{kind}: {object}");
        assert_eq!(object["witness"]["steps"].as_array().map(Vec::len), Some(steps), "{kind}");
        folder.write_json("r.json", &object);
        assert_eq!(folder.run(&["replay", "r.json", "m.jani"]).code, 0, "{kind}");
    }
    let ran = folder.run(&["verify", "m.jani", "--witness", "likeliest"]);
    assert!(ran.out.starts_with("violated: an unsafe state can be reached in 3 steps\n"), "{}", ran.out);
    assert!(ran.out.contains("  run       has probability 9/20"), "{}", ran.out);
    assert_eq!(folder.run_json(&["verify", "m.jani"]).1.get("run_probability"), None);
}

#[test]
fn the_mean_is_over_all_start_states() {
    // From x, the probability of the lower end is (2^-x - 2^-6) / (1 - 2^-6).
    let start = compare("∧", compare("≥", "x", 1), compare("≤", "x", 5));
    let folder = walk(&[safety(&start, &compare("=", "x", 0), None)]);
    let (code, object) = folder.run_json(&["bounds", "m.jani", "--mean", "--exact"]);
    assert_eq!(code, 0, "{object}");
    let point = |value: &str| json!({"lo": value, "hi": value});
    let over = &object["over_starts"];
    assert_eq!((&over["mean"], &over["start_states"]), (&point("19/105"), &json!(5)), "{object}");
    assert_eq!((&over["largest"], &over["smallest"]), (&point("31/63"), &point("1/63")));
    assert_eq!(object["value"], point("31/63"));
    let (_, object) = folder.run_json(&["bounds", "m.jani", "--mean"]);
    let mean = &object["over_starts"]["mean"];
    let (low, high) = (mean["lo"].as_f64().expect("a number"), mean["hi"].as_f64().expect("a number"));
    assert!(low <= 19.0 / 105.0 && 19.0 / 105.0 <= high && high - low <= 1e-6, "{mean}");
    let ran = folder.run(&["bounds", "m.jani", "--mean", "--engine", "cegar"]);
    assert!(ran.code == 2 && ran.err.contains("--mean is for --engine explicit"), "{}", ran.err);
}

#[test]
fn means_have_weights() {
    // The values from 1 to 5 are 31, 15, 7, 3 and 1 of 63.
    let start = compare("∧", compare("≥", "x", 1), compare("≤", "x", 5));
    let folder = walk(&[safety(&start, &compare("=", "x", 0), None)]);
    let weighted = |weights: &str| {
        let (code, object) = folder.run_json(&["bounds", "m.jani", "--exact", "--weights", weights]);
        assert_eq!(code, 0, "{object}");
        object["over_starts"].clone()
    };
    let over = weighted("ite(x = 1, 3, 1)");
    assert_eq!((&over["mean"]["lo"], &over["weights"]), (&json!("17/63"), &json!("ite(x = 1, 3, 1)")), "{over}");
    assert_eq!(weighted("ite(x = 2, 1/1000, 0)")["mean"], json!({"lo": "5/21", "hi": "5/21"}));
    assert_eq!(weighted("7")["mean"]["lo"], "19/105");
    assert_eq!(weighted("x = 2")["mean"]["lo"], "5/21", "a condition counts where it holds");
    let ran = folder.run(&["bounds", "m.jani", "--weights", "ite(x = 1, 3, 1)", "--exact"]);
    let line = "  mean      17/63 = 0.2698412698 over 5 start states, weighted by ite(x = 1, 3, 1)\n";
    assert!(ran.out.contains(line), "{}", ran.out);
    for (weights, message) in [
        ("0 * x", "all start states have the weight zero"),
        ("x - 2", "the weight of the start state x=1 is -1"),
        ("y", "'y'"),
        ("1 / (x - 3)", "division by zero"),
    ] {
        let ran = folder.run(&["bounds", "m.jani", "--weights", weights]);
        assert!(ran.code == 2 && ran.err.contains(message), "{weights}: {}", ran.err);
    }
    let ran = folder.run(&["bounds", "m.jani", "--weights", "1", "--engine", "cegar"]);
    assert!(ran.code == 2 && ran.err.contains("--weights is for --engine explicit"), "{}", ran.err);
    // Sums have means too. What does not count may be infinite.
    let folder = walk(&[safety(&compare("≥", "x", 1), &compare("=", "x", 0), Some(&compare("=", "x", 6)))]);
    let asked = ["bounds", "m.jani", "--expect", "max", "--exact", "--weights", "ite(x = 6, 1, 0)"];
    let (code, object) = folder.run_json(&asked);
    assert_eq!((code, &object["over_starts"]["mean"]), (0, &json!({"lo": "0", "hi": "0"})), "{object}");
    assert_eq!(object["over_starts"]["largest"]["lo"], "infinity");
}

#[test]
fn properties_ask_for_expected_sums() {
    let ends = compare("∨", compare("=", "x", 0), compare("=", "x", 6));
    let sum = |op: &str, exp: Value, kinds: &[&str]| json!({"op": op, "exp": exp, "accumulate": kinds, "reach": ends});
    let filter =
        |fun: &str, values: Value| json!({"op": "filter", "fun": fun, "values": values, "states": {"op": "initial"}});
    let asked = |expression: Value| {
        let folder = walk(&[property("p", &expression)]);
        let mut model = folder.read_json("m.jani");
        // What a step down costs, assigned on its edge; in the state itself it is 100.
        let cost = json!({"name": "cost", "type": "real", "transient": true, "initial-value": 0});
        model["variables"].as_array_mut().expect("variables").push(cost);
        model["automata"][0]["locations"][0]["transient-values"] = json!([{"ref": "cost", "value": 100}]);
        let down = &mut model["automata"][0]["edges"][0]["destinations"][1]["assignments"];
        down.as_array_mut().expect("assignments").push(json!({"ref": "cost", "value": 2.5}));
        folder.write_json("m.jani", &model);
        folder
    };
    // Seven steps are expected from 3, one third of them down.
    for (exp, kinds, value) in [
        (json!(1), &["steps"][..], "7"),
        (json!(1), &["exit"], "7"),
        (json!(1), &["steps", "exit"], "14"),
        (json!("cost"), &["steps"], "35/6"),
        (json!("cost"), &["exit"], "700"),
        (json!("cost"), &["exit", "steps", "time"], "4235/6"),
    ] {
        for op in ["Emin", "Emax"] {
            let folder = asked(filter("values", sum(op, exp.clone(), kinds)));
            let (code, object) = folder.run_json(&["bounds", "m.jani", "--exact"]);
            assert_eq!((code, &object["value"]["lo"]), (0, &json!(value)), "{op} {exp} {kinds:?}: {object}");
            assert_eq!(
                (&object["expected"]["of"], &object["expected"]["until"]),
                (&json!("property"), &json!("reach"))
            );
        }
    }
    // After all assignments: x as it is in the state that a step leads to, so 6 but not 3 counts.
    let of = |kinds: &[&str]| {
        let (_, object) =
            asked(filter("values", sum("Emax", json!("x"), kinds))).run_json(&["bounds", "m.jani", "--exact"]);
        object["value"]["lo"].as_str().expect("a fraction").parse::<Rational>().expect("a fraction")
    };
    let at_six = Rational::new(56, 63).expect("not zero");
    assert_eq!(&of(&["steps"]) - &of(&["exit"]), &(&Rational::from(6) * &at_six) - &Rational::from(3));
    // Comparisons are decided exactly, by `verify` as by `bounds`.
    for (op, bound, code) in [("≤", 7.0, 0), ("<", 7.0, 1), ("≥", 7.0, 0), (">", 6.999_999_999, 0), ("=", 7.0, 0)] {
        let compared = json!({"op": op, "left": sum("Emax", json!(1), &["steps"]), "right": bound});
        let folder = asked(filter("∀", compared));
        for command in ["bounds", "verify"] {
            let ran = folder.run(&[command, "m.jani"]);
            assert_eq!(ran.code, code, "{command} {op} {bound}: {} {}", ran.out, ran.err);
        }
    }
    // One end alone need not be reached.
    let lost = json!({"op": "Emax", "exp": 1, "accumulate": ["steps"], "reach": compare("=", "x", 0)});
    let folder = asked(filter("max", lost));
    let ran = folder.run(&["bounds", "m.jani"]);
    assert!(ran.code == 0 && ran.out.contains("  value     infinite: it need not be reached\n"), "{}", ran.out);
    let ran = folder.run(&["verify", "m.jani"]);
    assert!(ran.code == 2 && ran.err.contains("asks for an expected value (Emax)"), "{}", ran.err);
    for (more, message) in [
        (&["--p-max", "0.5"][..], "--p-max is about probabilities"),
        (&["--engine", "cegar"], "the engine 'cegar' bounds probabilities"),
        (&["--certify"], "there are no certificates of expected values"),
        (&["--within", "3"], "--within is about what never happens"),
    ] {
        let ran = folder.run(&[&["bounds", "m.jani"][..], more].concat());
        assert!(ran.code == 2 && ran.err.contains(message), "{more:?}: {}", ran.err);
    }
    let ran = asked(filter("max", sum("Emax", json!(true), &["steps"]))).run(&["bounds", "m.jani"]);
    assert!(ran.code == 2 && ran.err.contains("what is added up must be a number"), "{}", ran.err);
    let ran = asked(filter("max", sum("Emax", compare("-", "x", 2), &["exit"]))).run(&["bounds", "m.jani"]);
    assert!(ran.code == 2 && ran.err.contains("rewards must not be negative"), "{}", ran.err);
}

#[test]
fn expected_steps_are_guaranteed_and_may_be_infinite() {
    // The duration of the walk from x is 18 (1 - 2^-x) / (1 - 2^-6) - 3 x.
    let ends = compare("∨", compare("=", "x", 0), compare("=", "x", 6));
    let folder = walk(&[safety(&compare("=", "x", 3), &ends, None)]);
    let (code, object) = folder.run_json(&["bounds", "m.jani", "--expect", "max", "--exact"]);
    assert_eq!((code, &object["value"]), (0, &json!({"lo": "7", "hi": "7"})), "{object}");
    assert_eq!(object["expected"]["until"], "reach");
    let (_, object) = folder.run_json(&["bounds", "m.jani", "--expect", "min"]);
    let (low, high) = (object["value"]["lo"].as_f64(), object["value"]["hi"].as_f64());
    assert!(low.is_some_and(|low| low <= 7.0) && high.is_some_and(|high| (7.0..7.000_001).contains(&high)), "{object}");
    // Twice the state that is left, in every step.
    let (code, object) = folder.run_json(&["bounds", "m.jani", "--expect", "max", "--exact", "--reward", "2 * x"]);
    assert_eq!(code, 0, "{object}");
    let (two, third) = (Rational::from(2), Rational::new(1, 3).expect("not zero"));
    let mut values = vec![Rational::ZERO; 7];
    // A triangular system: value(x) = 2 x + 2/3 value(x + 1) + 1/3 value(x - 1); shooting from value(1) = a + b t.
    let (mut constant, mut slope) = (vec![Rational::ZERO; 7], vec![Rational::ZERO; 7]);
    slope[1] = Rational::ONE;
    for x in 1..6 {
        let up = |values: &[Rational], reward: Rational| {
            let rest = &(&values[x] - &reward) - &(&third * &values[x - 1]);
            &rest * &Rational::new(3, 2).expect("not zero")
        };
        let reward = &two * &Rational::from(i64::try_from(x).expect("small"));
        (constant[x + 1], slope[x + 1]) = (up(&constant, reward), up(&slope, Rational::ZERO));
    }
    let t = (-&constant[6]).checked_div(&slope[6]).expect("not zero");
    for x in 0..7 {
        values[x] = &constant[x] + &(&slope[x] * &t);
    }
    assert_eq!(object["value"]["lo"], json!(values[3].to_string()), "{object}");
    assert_eq!(object["expected"]["of"], "2 * x");
    let ran = folder.run(&["bounds", "m.jani", "--expect", "max", "--reward", "x - 4"]);
    assert!(ran.code == 2 && ran.err.contains("rewards must not be negative"), "{}", ran.err);
    let ran = folder.run(&["bounds", "m.jani", "--expect", "max", "--reward", "z + 1"]);
    assert!(ran.code == 2 && ran.err.contains("'z'"), "{}", ran.err);
    // To one end alone: it need not be reached.
    let folder = walk(&[safety(&compare("≥", "x", 1), &compare("=", "x", 0), Some(&compare("=", "x", 6)))]);
    let (code, object) = folder.run_json(&["bounds", "m.jani", "--expect", "max"]);
    assert_eq!((code, &object["value"]["lo"]), (0, &json!("infinity")), "{object}");
    assert_eq!(object["over_starts"]["smallest"], json!({"lo": 0.0, "hi": 0.0}), "the goal itself is a start state");
    let ran = folder.run(&["bounds", "m.jani", "--expect", "max"]);
    assert!(ran.out.contains("  value     infinite: it need not be reached\n"), "{}", ran.out);
    let ran = folder.run(&["bounds", "m.jani", "--expect", "max", "--p-max", "0.5"]);
    assert!(ran.code == 2 && ran.err.contains("--p-max is about probabilities"), "{}", ran.err);
}

#[test]
fn choices_are_explained() {
    // Up scores 2.5 - x, down scores 0.
    let folder = counter_folder(9, &compare("=", "x", 9));
    let explain = |rest: &[&str]| {
        let all: Vec<&str> =
            ["explain", "m.jani", "--policy", "counter.policy.json"].into_iter().chain(rest.iter().copied()).collect();
        folder.run_json(&all)
    };
    let (code, object) = explain(&["--state", "x = 1"]);
    assert_eq!(code, 0, "{object}");
    assert_eq!(object["decision"]["chosen"], json!(["up"]));
    assert_eq!((&object["margin"], &object["same_everywhere"]), (&json!("3/2"), &json!(false)));
    assert_eq!(
        (&object["decision"]["runner_up"], &object["decision"]["margin"]["exact"]),
        (&json!("down"), &json!("3/2"))
    );
    assert_eq!((&object["nearest"]["distance"], &object["nearest"]["state"]["x"]), (&json!("2"), &json!(3)));
    assert_eq!((&object["nearest"]["changed"], &object["nearest"]["chosen"]), (&json!(["x"]), &json!(["down"])));
    let above = json!({"value": "3", "chosen": ["down"]});
    assert_eq!(object["alone"], json!([{"variable": "x", "value": "1", "below": null, "above": above}]));
    let ran = folder.run(&["explain", "m.jani", "--policy", "counter.policy.json", "--state", "x=5"]);
    assert!(ran.out.starts_with("done: the policy chooses down\n"), "{}", ran.out);
    assert!(ran.out.contains("  nearest   x: 5 -> 2 gives up; no change by less than 3 does\n"), "{}", ran.out);
    // A step of a run.
    let (_, violated) = folder.run_json(&["verify", "m.jani", "--engine", "explicit"]);
    folder.write_json("r.json", &violated);
    let second = &violated["witness"]["steps"][1]["state"]["x"];
    let (code, object) = explain(&["--run", "r.json", "--step", "2"]);
    assert_eq!((code, &object["state"]["x"]), (0, second), "{object}");
    for (rest, message) in [
        (&["--state", "x=11"][..], "'11' is no value of 'x'"),
        (&["--state", "z=1"], "the model has no variable or automaton 'z'"),
        (&["--state", "x"], "'x' gives no variable a value"),
        (&["--run", "r.json", "--step", "99"], "there is no state after step 99"),
        (&["--run", "m.jani"], "the result has no run"),
        (&[], "--state"),
    ] {
        let all: Vec<&str> =
            ["explain", "m.jani", "--policy", "counter.policy.json"].into_iter().chain(rest.iter().copied()).collect();
        let ran = folder.run(&all);
        assert!(ran.code == 2 && ran.err.contains(message), "{rest:?}: {}", ran.err);
    }
    let ran = folder.run(&["explain", "m.jani", "--state", "x=1"]);
    assert!(ran.code == 2 && ran.err.contains("there is no policy whose choice could be explained"), "{}", ran.err);
}
