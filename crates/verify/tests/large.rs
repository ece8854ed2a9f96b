//! Models of large numbers, near and beyond 2^31, 2^53 and 2^63: symbolic engines and all of them together against exploration.

mod common;

use common::{budget, problem};
use serde_json::{Value, json};
use surefoot_fixtures::Random;
use surefoot_testkit::load_text;
use surefoot_verdict::Silent;
use surefoot_verify::engine::Outcome;
use surefoot_verify::{AbstractOptions, Budget, EngineChoice, Failure, Verdict, VerifyOptions, abstraction, verify};

const CASES: u64 = 300;
const BASES: [i64; 6] = [1 << 31, (1 << 53) - 8, 1 << 53, (1 << 53) + 8, i64::MAX - 20, i64::MIN + 20];

fn term(random: &mut Random, base: i64) -> Value {
    let op = |op: &str, left: Value, right: Value| json!({"op": op, "left": left, "right": right});
    let small = random.between(0, 4);
    match random.below(6) {
        0 => op("+", json!("x"), json!(small)),
        1 => op("-", json!("x"), json!(small)),
        2 => json!(base + random.between(-8, 8)),
        3 => op("+", op("-", json!("x"), json!(base)), json!(base + small - 2)),
        4 => op("-", op("*", json!(2), json!("x")), json!(base)),
        _ => op("+", json!("x"), json!("y")),
    }
}

/// Two variables: one in a window about the base, or in everything from 0 to there; a small one.
fn model(random: &mut Random) -> String {
    let base = *random.pick(&BASES);
    let window = (base - random.between(4, 12), base + random.between(4, 12));
    let domain = match (random.percent(70), base > 0) {
        (true, _) => window,
        (false, true) => (0, window.1),
        (false, false) => (window.0, 0),
    };
    let first = random.between(window.0, window.1);
    let edges: Vec<Value> = (0..1 + random.below(3))
        .map(|_| {
            let relation = *random.pick(&["<", "≤", ">", "=", "≠"]);
            let guard = json!({"op": relation, "left": "x", "right": random.between(window.0, window.1)});
            let target = if random.percent(75) { "x" } else { "y" };
            let value = if target == "x" { term(random, base) } else { json!({"op": "-", "left": 3, "right": "y"}) };
            json!({"location": "l", "guard": {"exp": guard},
                   "destinations": [{"location": "l", "assignments": [{"ref": target, "value": value}]}]})
        })
        .collect();
    let bounded = |name: &str, (lower, upper): (i64, i64), first: i64| json!({"name": name, "type": {"kind": "bounded", "base": "int", "lower-bound": lower, "upper-bound": upper}, "initial-value": first});
    let reach = json!({"op": *random.pick(&["=", "≥", "<"]), "left": "x", "right": random.between(window.0, window.1)});
    json!({
        "jani-version": 1, "name": "large", "type": "lts",
        "variables": [bounded("x", domain, first), bounded("y", (0, 3), random.between(0, 3))],
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": [{"name": "p", "expression": {"op": "PA", "reach": reach}}],
    })
    .to_string()
}

fn is_refusal(failure: &Failure) -> bool {
    failure.is_refusal()
}

/// The word for what came out: an error of the model is one of ours to be compared too.
fn word(result: &Result<Outcome, Failure>) -> &'static str {
    match result {
        Ok(outcome) => outcome.verdict.word(),
        Err(failure) if is_refusal(failure) => "refused",
        Err(Failure::Input(_)) => "error",
        Err(failure) => panic!("{failure:?}"),
    }
}

#[test]
fn no_engine_differs_from_exploration() {
    let mut counts = std::collections::BTreeMap::<(&str, &str), u32>::new();
    for seed in 0..CASES {
        let random = &mut Random::new(99_000_000 + seed);
        let text = model(random);
        let context = |engine: &str| format!("seed {seed}, {engine}: {text}");
        let problem = problem(load_text(&text), None, 0);
        // Where a large domain is walked through step by step there is nothing to compare with.
        let few = Budget { memory: Some(1), ..budget(1) };
        let explored = word(&verify(&problem, &EngineChoice::EXPLICIT.into(), &few, &Silent));
        if explored == "unknown" {
            continue;
        }
        for engine in [EngineChoice::AUTO, EngineChoice::CEGAR, EngineChoice::BMC] {
            let name = format!("{engine:?}");
            let mut options = VerifyOptions::from(engine);
            options.depth = Some(40);
            let found = verify(&problem, &options, &budget(1), &Silent);
            if let Ok(Outcome { verdict: Verdict::Holds(_), assumptions, open, .. }) = &found {
                assert!(assumptions.is_empty() && open.is_none(), "{}", context(&name));
            }
            let found = word(&found);
            match (engine, explored, found) {
                (_, a, b) if a == b => {}
                (engine, _, "refused") if engine != EngineChoice::AUTO => {}
                (engine, _, "unknown") if engine == EngineChoice::BMC => {}
                // Which of an unsafe state and an error is met first depends on the engine.
                (_, "error", "violated") | (_, "violated", "error") => {}
                _ => panic!("{found}, and exploration says {explored}: {}", context(&name)),
            }
            *counts.entry((if engine == EngineChoice::AUTO { "auto" } else { "symbolic" }, found)).or_default() += 1;
            // Stopped before errors are excluded: never a proof of a model that is in error.
            if engine == EngineChoice::CEGAR {
                options.cegar.iterations = Some(1);
                let stopped = word(&verify(&problem, &options, &budget(1), &Silent));
                assert!(stopped != "holds" || explored == "holds", "{}", context("stopped"));
                assert!(stopped != "violated" || explored != "holds", "{}", context("stopped"));
            }
        }
        let reach: Vec<_> = problem.query.target.into_iter().collect();
        match abstraction(&problem, &reach, &AbstractOptions::default(), &budget(1), &Silent) {
            Ok(result) if matches!(result.conclusion, Some(Verdict::Holds(_))) => {
                assert_eq!(explored, "holds", "{}", context("abstract"));
            }
            Ok(_) => {}
            Err(failure) => {
                assert!(is_refusal(&failure) || explored == "error", "{failure:?}: {}", context("abstract"));
            }
        }
    }
    let count = |engine, word| counts.get(&(engine, word)).copied().unwrap_or_default();
    for word in ["holds", "violated", "error"] {
        assert!(count("auto", word) > 20 && count("symbolic", word) > 10, "{word}: {counts:?}");
    }
    assert!(count("symbolic", "refused") > 50 && count("auto", "refused") == 0, "{counts:?}");
}
