//! `bounds`, and `verify` on comparisons: exit codes, values, and what is refused.

#![expect(clippy::cast_sign_loss, reason = "the numbers of a test are small")]

mod common;

use common::{Folder, compare, counter, filter, property, timeless};
use serde_json::{Value, json};

/// `x` walks from 3: one up with 2/5, one down with 3/5, until it is 0 or `top`. Nothing reads `parity`.
fn walk(top: i64, properties: &[Value]) -> Value {
    let int = |upper: i64| json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": upper});
    let outcome = |p: Value, by: i64| {
        let parity = compare("-", 1, "parity");
        let assignments = json!([{"ref": "x", "value": compare("+", "x", by)}, {"ref": "parity", "value": parity}]);
        json!({"location": "l", "probability": {"exp": p}, "assignments": assignments})
    };
    json!({
        "jani-version": 1, "name": "walk", "type": "mdp",
        "actions": [{"name": "step"}],
        "variables": [
            {"name": "x", "type": int(top), "initial-value": 3},
            {"name": "parity", "type": int(1), "initial-value": 0}
        ],
        "automata": [{
            "name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"],
            "edges": [{"location": "l", "action": "step",
                       "guard": {"exp": compare("∧", compare("<", 0, "x"), compare("<", "x", top))},
                       "destinations": [outcome(json!(0.4), 1), outcome(json!(0.6), -1)]}]
        }],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": properties,
    })
}

fn path(op: &str, condition: &Value) -> Value {
    json!({"op": op, "exp": condition})
}

fn quantified(quantifier: &str, path: &Value) -> Value {
    json!({"op": quantifier, "exp": path})
}

/// The walk to 6 with one property.
fn folder(expression: &Value) -> Folder {
    let folder = Folder::new();
    folder.write_json("m.jani", &walk(6, &[property("p", expression)]));
    folder
}

fn unsafe_at_six() -> Folder {
    folder(&json!({"op": "PA", "reach": compare("=", "x", 6)}))
}

// The gambler's ruin: from 3 of 6 with 2/5 a step, (1 - (3/2)^3) / (1 - (3/2)^6) = 8/35.
const VALUE: f64 = 8.0 / 35.0;

fn interval(object: &Value) -> (f64, f64) {
    let end = |key: &str| object["value"][key].as_f64().unwrap_or_else(|| panic!("{key} is a number: {object}"));
    (end("lo"), end("hi"))
}

#[test]
fn an_interval_is_derived() {
    let folder = unsafe_at_six();
    for engine in ["auto", "explicit", "partial"] {
        let (code, object) = folder.run_json(&["bounds", "m.jani", "--engine", engine]);
        assert_eq!((code, &object["verdict"], &object["reason"]), (0, &Value::Null, &Value::Null), "{object}");
        assert_eq!(object["command"], "bounds");
        assert_eq!(object["engine"], if engine == "partial" { "partial" } else { "explicit" });
        let (lo, hi) = interval(&object);
        assert!(lo <= VALUE && VALUE <= hi && hi - lo <= 1e-6, "[{lo}, {hi}]");
        assert_eq!(object["statistics"]["start_states"], 1);
        assert_eq!(object["witness"]["start"]["x"], 3);
    }
    let ran = folder.run(&["bounds", "m.jani"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.starts_with("done\n  value     [0.228571"), "{}", ran.out);
}

#[test]
fn exact_values_are_fractions_in_text() {
    let folder = unsafe_at_six();
    let (code, object) = folder.run_json(&["bounds", "m.jani", "--exact"]);
    assert_eq!((code, &object["value"]), (0, &json!({"lo": "8/35", "hi": "8/35"})));
    let ran = folder.run(&["bounds", "m.jani", "--exact"]);
    assert!(ran.out.starts_with("done\n  value     8/35 = 0.2285714286\n"), "{}", ran.out);
}

#[test]
fn an_upper_bound_is_decided_exactly() {
    let folder = unsafe_at_six();
    // 8/35 lies between these, which differ in the twentieth digit.
    let (below, above) = ("0.22857142857142857142", "0.22857142857142857143");
    for (p, code, verdict) in [
        ("1/4", 0, "holds"),
        ("8/35", 0, "holds"),
        (above, 0, "holds"),
        (below, 1, "violated"),
        ("0", 1, "violated"),
        ("1", 0, "holds"),
    ] {
        let (exit, object) = folder.run_json(&["bounds", "m.jani", "--p-max", p]);
        assert_eq!((exit, &object["verdict"]), (code, &json!(verdict)), "{p}: {object}");
        let ran = folder.run(&["bounds", "m.jani", "--p-max", p, "--quiet"]);
        assert!(ran.out.starts_with(verdict), "{}", ran.out);
    }
    for p in ["-0.1", "1.1", "3/2", "x", ""] {
        let ran = folder.run(&["bounds", "m.jani", &format!("--p-max={p}")]);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{p}: {}", ran.err);
    }
    for precision in ["0", "-1", "nan", "inf", "x"] {
        assert_eq!(folder.run(&["bounds", "m.jani", &format!("--precision={precision}")]).code, 2, "{precision}");
    }
}

#[test]
fn comparisons_give_verdicts_in_both_commands() {
    let likely = quantified("Pmax", &path("F", &compare("=", "x", 6)));
    let share = |n: i64| compare("/", n, 35);
    for (op, bound, code) in
        [("≤", 8, 0), ("<", 8, 1), ("≥", 8, 0), (">", 8, 1), ("=", 8, 0), ("≠", 8, 1), ("<", 9, 0), (">", 9, 1)]
    {
        for (left, right, op) in [(likely.clone(), share(bound), op), (share(bound), likely.clone(), mirrored(op))] {
            let folder = folder(&filter("∀", &compare(op, left, right)));
            for command in ["verify", "bounds"] {
                let (exit, object) = folder.run_json(&[command, "m.jani"]);
                assert_eq!(exit, code, "{command} {op} {bound}: {object}");
                assert_eq!(object["command"], command);
                assert_eq!(object["verdict"], ["holds", "violated"][code as usize]);
            }
            let ran = folder.run(&["bounds", "m.jani", "--p-max", "0.5"]);
            assert_eq!(ran.code, 2);
            assert!(ran.err.contains("--p-max cannot be combined with a property that is a comparison"), "{}", ran.err);
        }
    }
}

/// The comparison with its operands swapped.
fn mirrored(op: &str) -> &str {
    match op {
        "≤" => "≥",
        "<" => ">",
        "≥" => "≤",
        ">" => "<",
        other => other,
    }
}

#[test]
fn steps_are_counted_from_zero() {
    let within = |bounds: Value| {
        let folder = folder(&filter(
            "max",
            &quantified("Pmax", &json!({"op": "F", "exp": compare("=", "x", 6), "step-bounds": bounds})),
        ));
        folder.run_json(&["bounds", "m.jani", "--exact"]).1["value"]["lo"].clone()
    };
    assert_eq!(within(json!({"upper": 2})), "0");
    assert_eq!(within(json!({"upper": 3})), "8/125");
    assert_eq!(within(json!({"upper": 4})), "8/125");
    assert_eq!(within(json!({"upper": 3, "upper-exclusive": true})), "0");
    assert_eq!(within(json!({"upper": 4, "upper-exclusive": true})), "8/125");
    // Three more steps to lose one and win it back: 8/125 * (1 + 3 * 6/25).
    assert_eq!(within(json!({"upper": 5})), "344/3125");
}

#[test]
fn limits_end_in_unknown_with_the_value_so_far() {
    let folder = Folder::new();
    let unsafe_end = json!({"op": "PA", "reach": compare("=", "x", 100_000)});
    folder.write_json("m.jani", &walk(100_000, &[property("p", &unsafe_end)]));
    for (limit, reason) in [
        (["--time-limit", "0"], "the time limit of 0 s was reached"),
        (["--memory-limit", "0"], "the memory limit of 0 MB was reached"),
    ] {
        for engine in ["explicit", "partial"] {
            let args = ["bounds", "m.jani", "--engine", engine, limit[0], limit[1]];
            let (code, object) = folder.run_json(&args);
            assert_eq!((code, &object["verdict"]), (3, &json!("unknown")), "{object}");
            assert_eq!(object["reason"], reason);
            assert_eq!(interval(&object), (0.0, 1.0));
            let ran = folder.run(&args);
            assert_eq!(ran.code, 3);
            assert!(ran.out.starts_with(&format!("unknown: {reason}\n  value     [0, 1]\n")), "{}", ran.out);
            // What is known is enough for some questions.
            let args = [&args[..], &["--p-max", "1"]].concat();
            assert_eq!(folder.run(&args).code, 0, "a probability is at most 1");
        }
    }
}

#[test]
fn a_precision_beyond_floats_is_reached_in_fractions() {
    let folder = unsafe_at_six();
    for engine in ["explicit", "partial"] {
        let args = ["bounds", "m.jani", "--precision", "1e-300", "--engine", engine];
        let (code, object) = folder.run_json(&args);
        assert_eq!((code, &object["verdict"]), (0, &Value::Null), "{object}");
        assert_eq!(object["value"]["lo"], object["value"]["hi"]);
        assert!(object["value"]["lo"].is_string(), "a fraction: {object}");
    }
    let ran = folder.run(&["bounds", "m.jani", "--exact", "--engine", "partial"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--exact needs all states"), "{}", ran.err);
}

#[test]
fn results_do_not_depend_on_threads() {
    let folder = Folder::new();
    let likely = filter("max", &quantified("Pmax", &path("F", &compare("=", "x", 40))));
    let unsafe_top = json!({"op": "PA", "start": compare("<", "x", 20), "reach": compare("=", "x", 40)});
    folder.write_json("m.jani", &walk(40, &[property("p", &likely), property("q", &unsafe_top)]));
    folder.write_json("c.jani", &counter(200, &[property("p", &json!({"op": "PA", "reach": compare("=", "x", 200)}))]));
    for args in [["m.jani", "--property", "p"], ["m.jani", "--property", "q"], ["c.jani", "--property", "p"]] {
        for engine in ["explicit", "partial"] {
            let run = |threads: &str| {
                let (code, object) =
                    folder.run_json(&[&["bounds"], &args[..], &["--engine", engine, "--threads", threads]].concat());
                (code, timeless(object).to_string())
            };
            let first = run("1");
            assert_eq!(first.0, 0);
            for threads in ["1", "2", "5"] {
                assert_eq!(first, run(threads), "{threads} threads");
            }
        }
    }
}

#[test]
fn variables_that_do_not_matter_are_left_out_by_default() {
    let folder = unsafe_at_six();
    let states = |args: &[&str]| {
        let (code, object) = folder.run_json(&[&["bounds", "m.jani", "--exact"], args].concat());
        assert_eq!((code, &object["value"]["lo"]), (0, &json!("8/35")));
        object["statistics"]["reachable_states"].clone()
    };
    // x alone: 7 states. The parity of the steps is that of x, so it makes no more states, but it is not kept.
    assert_eq!((states(&[]), states(&["--slice", "off"])), (json!(7), json!(7)));
    let ran = folder.run(&["bounds", "m.jani"]);
    assert!(ran.err.contains("notice: left out, because the answer cannot depend on it: parity"), "{}", ran.err);
    assert!(!folder.run(&["bounds", "m.jani", "--slice", "off"]).err.contains("left out"));
    let ran = folder.run(&["verify", "m.jani", "--slice", "on"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("left out") && ran.out.contains("in 3 steps"), "{}{}", ran.err, ran.out);
    assert!(!folder.run(&["verify", "m.jani"]).err.contains("left out"), "off for verify: counts are the model's");
    let ran = folder.run(&["verify", "m.jani", "--slice", "on", "--json", "r.json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(folder.run(&["replay", "r.json", "m.jani"]).code, 0, "the run is one of the full model");
}

#[test]
fn what_is_refused_is_named() {
    let six = compare("=", "x", 6);
    let finally = path("F", &six);
    let with = |key: &str, bounds: Value| {
        let mut path = finally.clone();
        path[key] = bounds;
        filter("max", &quantified("Pmax", &path))
    };
    let table = [
        (filter("max", &json!({"op": "Emin", "exp": 1, "reach": six})), "Emin"),
        (filter("max", &json!({"op": "Emax", "exp": 1, "reach": six})), "Emax"),
        (with("reward-bounds", json!([{"exp": 1, "accumulate": ["steps"], "bounds": {"upper": 3}}])), "reward-bounds"),
        (with("time-bounds", json!({"upper": 3})), "time-bounds"),
        (with("step-bounds", json!({"lower": 1, "upper": 3})), "lower"),
        (with("step-bounds", json!({"upper": -1})), "no number of steps is within the bound -1"),
        (with("step-bounds", json!({"upper": "x"})), "a step bound must be a constant number"),
        (filter("avg", &quantified("Pmax", &finally)), "the filter \"avg\" over probabilities is not supported"),
        (filter("∀", &quantified("Pmax", &finally)), "the filter \"∀\" over probabilities is not supported"),
        (filter("∀", &six), "this property asks for no probability"),
        (filter("∀", &json!({"op": "∀", "exp": {"op": "G", "exp": six}})), "this property asks for no probability"),
        (json!({"op": "PA", "predicates": [six]}), "this property has no \"reach\""),
    ];
    for (expression, message) in table {
        let folder = folder(&expression);
        for engine in ["explicit", "partial"] {
            let ran = folder.run(&["bounds", "m.jani", "--engine", engine]);
            assert_eq!((ran.code, &*ran.out), (2, ""), "{expression}: {}", ran.err);
            assert!(ran.err.contains(message), "{message}: {}", ran.err);
        }
    }
    let mut model = walk(6, &[property("p", &filter("values", &quantified("Pmax", &finally)))]);
    model["variables"][0].as_object_mut().expect("an object").remove("initial-value");
    let folder = Folder::new();
    folder.write_json("m.jani", &model);
    let ran = folder.run(&["bounds", "m.jani"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("the filter is over a single value, but there are 7 initial states"), "{}", ran.err);
    let ran = folder.run(&["verify", "m.jani", "--engine", "partial"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    let ran = unsafe_at_six().run(&["bounds", "m.jani", "--goal-terminal"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--goal-terminal needs a property whose objective has a goal"), "{}", ran.err);
}

#[test]
fn goal_states_may_be_terminal() {
    let mut expression = json!({"op": "PA", "reach": compare("=", "x", 6)});
    expression["objective"] = json!({"op": "objective", "goal": compare("=", "x", 2)});
    let folder = folder(&expression);
    let value =
        |args: &[&str]| folder.run_json(&[&["bounds", "m.jani", "--exact"], args].concat()).1["value"]["lo"].clone();
    assert_eq!(value(&[]), "8/35");
    // From 3 to 6 before 2: (1 - 3/2) / (1 - (3/2)^4).
    assert_eq!(value(&["--goal-terminal"]), "8/65");
    let ran = folder.run(&["bounds", "m.jani", "--goal-terminal"]);
    assert!(ran.out.contains("assuming  goal states are terminal (--goal-terminal)"), "{}", ran.out);
}

#[test]
fn the_likely_part_is_enough_where_the_rest_is_unlikely() {
    let folder = Folder::new();
    let ruin = json!({"op": "PA", "reach": compare("=", "x", 0)});
    folder.write_json("m.jani", &walk(100_000, &[property("p", &ruin)]));
    let (code, object) = folder.run_json(&["bounds", "m.jani", "--engine", "partial", "--precision", "1e-3"]);
    assert_eq!(code, 0, "{object}");
    assert!(object["statistics"]["expanded_states"].as_u64() < Some(1_000), "{object}");
    assert!(interval(&object).0 > 0.999);
    let (code, _) = folder.run_json(&["bounds", "m.jani", "--engine", "partial", "--p-max", "0.9"]);
    assert_eq!(code, 1);
}

/// What the documentation shows.
#[test]
fn the_careless_keeper_spills_in_half_of_the_runs() {
    let folder = Folder::new();
    let example = |file: &str| format!("{}/../../examples/reservoir/{file}", env!("CARGO_MANIFEST_DIR"));
    let (model, properties) = (example("model.jani"), example("probabilities.jani"));
    let run = |policy: &str, property: &str, more: &[&str]| {
        let policy = example(policy);
        let args = ["bounds", &model, "--properties", &properties, "--policy", &policy, "--property", property];
        let (code, object) = folder.run_json(&[&args, more].concat());
        (code, object["value"]["lo"].clone())
    };
    let spill = "spill-within-12";
    assert_eq!(run("careless.jani2nnet", spill, &["--exact"]), (0, json!("135/256")));
    assert_eq!(run("careless.jani2nnet", spill, &["--exact", "--engine", "explicit", "--p-max", "0.527"]).0, 1);
    assert_eq!(run("careless.jani2nnet", spill, &["--p-max", "135/256"]), (0, json!("135/256")));
    assert_eq!(run("careless.jani2nnet", "mostly-dry", &[]).0, 1);
    assert_eq!(run("careful.jani2nnet", "mostly-dry", &[]).0, 0);
    assert_eq!(run("careful.jani2nnet", spill, &["--exact"]), (0, json!("0")));
}

/// One move with three outcomes, each with a hundred values of a variable of its own.
fn lottery(properties: &[Value]) -> Value {
    let domain = json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 99});
    let variable = |name: &str| json!({"name": name, "type": domain, "initial-value": 0});
    let outcome = |p: Value, name: &str| {
        let any = json!([{"ref": name, "lower-bound": 0, "upper-bound": 99}]);
        json!({"location": "drawn", "probability": {"exp": p}, "assignments": any})
    };
    let outcomes = [outcome(json!(0.5), "x"), outcome(json!(0.3), "y"), outcome(json!(0.2), "z")];
    json!({
        "jani-version": 1, "name": "lottery", "type": "mdp", "actions": [{"name": "draw"}],
        "variables": [variable("x"), variable("y"), variable("z")],
        "automata": [{
            "name": "a", "locations": [{"name": "l"}, {"name": "drawn"}], "initial-locations": ["l"],
            "edges": [{"location": "l", "action": "draw", "destinations": outcomes}]
        }],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": properties,
    })
}

/// Values are chosen knowing the outcome: each outcome is maximised on its own, whatever the number of combinations is.
#[test]
fn values_of_outcomes_are_not_multiplied_out() {
    let won = compare("∨", compare("=", "x", 99), compare("∨", compare("=", "y", 99), compare("=", "z", 100)));
    let within = |steps: i64| json!({"op": "F", "exp": won, "step-bounds": {"upper": steps}});
    let forever = path("F", &won);
    let mut properties = Vec::new();
    let mut wanted = Vec::new();
    for (path, max) in [(forever.clone(), "4/5"), (within(1), "4/5"), (within(0), "0")] {
        for (op, value) in [("Pmax", max), ("Pmin", "0")] {
            properties.push(property(&format!("p{}", properties.len()), &filter("max", &quantified(op, &path))));
            wanted.push(value);
        }
    }
    let folder = Folder::new();
    folder.write_json("model.jani", &lottery(&properties));
    for (index, value) in wanted.iter().enumerate() {
        let name = format!("p{index}");
        let (code, object) = folder.run_json(&["bounds", "model.jani", "--property", &name, "--exact"]);
        assert_eq!(code, 0, "{object}");
        let number = |end: &str| match &object["value"][end] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        assert_eq!((number("lo"), number("hi")), ((*value).to_owned(), (*value).to_owned()), "{name}: {object}");
        // What is reported is the model's: the start, one state in which nothing changed, 99 for each variable.
        let figures = ["reachable_states", "choices", "transitions"].map(|key| object["statistics"][key].clone());
        assert_eq!(figures, [json!(299), json!(1), json!(298)], "{name}: {object}");
        let (code, object) = folder.run_json(&["bounds", "model.jani", "--property", &name, "--engine", "partial"]);
        assert_eq!(code, 0, "{object}");
        let value: f64 = if *value == "4/5" { 0.8 } else { 0.0 };
        let end = |key: &str| object["value"][key].as_f64().expect("a number");
        assert!(end("lo") <= value && value <= end("hi") && end("hi") - end("lo") <= 1e-6, "{object}");
    }
    let ran = folder.run(&["induce", "model.jani", "--property", "p0", "--out", "model.drn"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    for part in ["1000000 combinations", "'draw' in the state", "--> model.jani:", "help: combinations are written out"]
    {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}
