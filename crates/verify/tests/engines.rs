//! The list of engines: what each says it supports is what it does.

mod common;

use common::{budget, precise, problem};
use serde_json::{Value, json};
use surefoot_testkit::load_text;
use surefoot_text::diagnostic::{Diagnostic, Refusal};
use surefoot_verdict::{Event, Kind, Reporter, Silent};
use surefoot_verify::engine::Outcome;
use surefoot_verify::{
    Asked, BoundsOptions, ENGINES, Engine, EngineChoice, Failure, Problem, Purpose, Role, VerifyOptions,
};

/// A counter from 0 to 5 that may jump to 7 by a coin, and what is asked about it.
fn counter(x: &Value, expression: &Value) -> Problem {
    let below = json!({"op": "<", "left": "x", "right": 5});
    let next = json!({"op": "+", "left": "x", "right": 1});
    let to = |value: Value, p: f64| json!({"location": "l", "probability": {"exp": p}, "assignments": [{"ref": "x", "value": value}]});
    let text = json!({
        "jani-version": 1, "name": "counter", "type": "mdp",
        "variables": [{"name": "x", "type": x, "initial-value": 0}],
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
            {"location": "l", "guard": {"exp": below}, "destinations": [to(next, 0.5), to(json!(7), 0.5)]},
        ]}],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": [{"name": "p", "expression": expression}],
    });
    problem(load_text(&text.to_string()), None, 0)
}

fn problems() -> Vec<(&'static str, Problem)> {
    let integer = json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 9});
    let real = json!({"kind": "bounded", "base": "real", "lower-bound": 0, "upper-bound": 9});
    // Too many values for a product to be told case by case.
    let wide = json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 1_000_000});
    let at = |value: i64| json!({"op": "=", "left": "x", "right": value});
    let square = json!({"op": "*", "left": "x", "right": "x"});
    let product = json!({"op": "=", "left": square, "right": 6});
    let safety = |reach: Value| json!({"op": "PA", "reach": reach});
    let filter =
        |fun: &str, values: Value| json!({"op": "filter", "fun": fun, "values": values, "states": {"op": "initial"}});
    let finally = |op: &str| json!({"op": op, "exp": {"op": "F", "exp": at(7)}});
    let likely = json!({"op": "≤", "left": finally("Pmax"), "right": 0.75});
    vec![
        ("never 6", counter(&integer, &safety(at(6)))),
        ("never 7", counter(&integer, &safety(at(7)))),
        ("no product", counter(&wide, &safety(product))),
        ("real", counter(&real, &safety(at(6)))),
        ("sometimes 7", counter(&integer, &filter("∃", finally("∃")))),
        ("at the beginning", counter(&integer, &filter("∀", at(0)))),
        ("how likely", counter(&integer, &filter("max", finally("Pmax")))),
        ("how likely, over reals", counter(&real, &filter("max", finally("Pmax")))),
        ("likely", counter(&integer, &filter("∀", likely))),
    ]
}

/// What an engine says when it is run.
fn run(engine: &dyn Engine, problem: &Problem, purpose: Purpose) -> Result<(), Failure> {
    match purpose {
        Purpose::Decide => engine.decide(problem, &VerifyOptions::default(), &budget(1), &Silent).map(drop),
        Purpose::Bound { exact } => {
            let options = BoundsOptions { exact, ..precise(1e-6) };
            engine.bound(problem, &options, &budget(1), &Silent).map(drop)
        }
    }
}

#[test]
fn what_is_supported_is_not_refused_and_what_is_not_is_refused_for_that_reason() {
    let (mut answered, mut kinds) = (0, Vec::new());
    for (name, problem) in problems() {
        for engine in ENGINES {
            let purposes = [Purpose::Decide, Purpose::Bound { exact: false }, Purpose::Bound { exact: true }];
            // A claim is there to be decided, or it is not.
            let has_claim = problem.query.claim.is_some();
            for purpose in purposes.into_iter().filter(|purpose| has_claim || *purpose != Purpose::Decide) {
                let context = format!("{name}: {engine:?}, {purpose:?}");
                let said = engine.supports(&Asked::of(&problem), purpose);
                match (said, run(engine, &problem, purpose)) {
                    (Ok(()), Ok(())) => answered += 1,
                    (Ok(()), Err(failure)) => panic!("{context}: {failure:?}"),
                    (Err(unsupported), Ok(())) => panic!("{context}: {unsupported:?}, and it was answered"),
                    (Err(unsupported), Err(failure)) => {
                        assert!(failure.is_refusal(), "{context}: {failure:?}");
                        kinds.push(unsupported.kind());
                        assert_eq!(failure, Failure::Input(vec![Diagnostic::from(unsupported)]), "{context}");
                    }
                }
            }
        }
    }
    assert!(answered > 30, "{answered}");
    for kind in [Refusal::Question, Refusal::Reals, Refusal::Construct, Refusal::Fractions] {
        assert!(kinds.contains(&kind), "{kind:?} never occurs");
    }
}

#[test]
fn verdicts_are_those_of_exploration() {
    for (name, problem) in problems() {
        let decided = |engine: &dyn Engine| -> Option<Outcome> {
            engine.decide(&problem, &VerifyOptions::default(), &budget(1), &Silent).ok()
        };
        if problem.query.claim.is_none() {
            continue;
        }
        let truth = decided(&*EngineChoice::EXPLICIT).expect("exploration decides all of them").verdict.word();
        for engine in ENGINES {
            let Some(outcome) = decided(engine) else { continue };
            let word = outcome.verdict.word();
            assert!(
                word == truth || engine.role() == Role::Helper && word == "unknown",
                "{name}: {engine:?} says {word}"
            );
            assert!(!outcome.account().is_empty() && !outcome.last().is_empty());
        }
    }
}

/// Remembers what it is told.
#[derive(Default)]
struct Heard(std::sync::Mutex<Vec<(Kind, usize, String)>>);

impl Reporter for Heard {
    fn tell(&self, event: &dyn Event) {
        self.0.lock().expect("no panic").push((event.kind(), event.figures().len(), event.line()));
    }
}

#[test]
fn engines_report_to_anyone() {
    let problems = problems();
    let [(_, safe), ..] = &*problems else { panic!("there are problems") };
    for engine in [EngineChoice::EXPLICIT, EngineChoice::CEGAR, EngineChoice::BMC, EngineChoice::AUTO] {
        let heard = Heard::default();
        engine.decide(safe, &VerifyOptions::default(), &budget(1), &heard).expect("it is decided");
        let heard = heard.0.into_inner().expect("no panic");
        assert!(!heard.is_empty(), "{engine:?} says nothing");
        for (kind, figures, line) in heard {
            assert!(figures > 0 && !line.is_empty(), "{engine:?}");
            assert_eq!(kind == Kind::Iteration, line.starts_with("iteration"), "{line}");
        }
    }
}
