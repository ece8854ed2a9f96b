//! Small models written by hand on which bounds are easily wrong, with their values worked out on paper.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use common::{at_most, budget, exactly, interval, precise, problem, rational, run, slice, time_limit};
use serde_json::{Value, json};
use surefoot_num::Rational;
use surefoot_testkit::load_text;
use surefoot_verdict::Verdict;
use surefoot_verify::{BoundsOptions, BoundsOutcome, Budget, EngineChoice, Failure, Number, Problem};

/// A probability and the state it leads to.
type Branch = (&'static str, i64);
/// An action of a state: where, and to which states.
type Move = (i64, &'static [Branch]);

fn number(text: &str) -> Value {
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let part = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    json!({"op": "/", "left": part(numerator), "right": part(denominator)})
}

fn is(state: i64) -> Value {
    json!({"op": "=", "left": "s", "right": state})
}

fn variable(name: &str, upper: i64, initial: Value) -> Value {
    let ty = json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": upper});
    let mut variable = json!({"name": name, "type": ty});
    if !initial.is_null() {
        variable["initial-value"] = initial;
    }
    variable
}

/// A process over states `0..=top`, with one property. It starts in 0, or anywhere (`initial` null).
fn process(top: i64, initial: Value, moves: &[Move], property: &Value) -> Problem {
    let edges: Vec<Value> = moves
        .iter()
        .map(|(from, branches)| {
            let to = |(p, state): &Branch| {
                json!({"location": "l", "probability": {"exp": number(p)}, "assignments": [{"ref": "s", "value": state}]})
            };
            let destinations: Vec<Value> = branches.iter().map(to).collect();
            json!({"location": "l", "guard": {"exp": is(*from)}, "destinations": destinations})
        })
        .collect();
    let model = json!({
        "jani-version": 1, "name": "hard", "type": "mdp", "variables": [variable("s", top, initial)],
        "automata": [{"name": "m", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}],
        "system": {"elements": [{"automaton": "m"}]},
        "properties": [{"name": "p", "expression": property}]
    });
    problem(load_text(&model.to_string()), None, 0)
}

fn unsafety(reach: &Value) -> Value {
    json!({"op": "PA", "reach": reach})
}

fn filter(fun: &str, quantifier: &str, path: &Value) -> Value {
    json!({"op": "filter", "fun": fun, "values": {"op": quantifier, "exp": path}, "states": {"op": "initial"}})
}

fn compare(fun: &str, op: &str, quantifier: &str, path: &Value, bound: &str) -> Value {
    let values = json!({"op": op, "left": {"op": quantifier, "exp": path}, "right": number(bound)});
    json!({"op": "filter", "fun": fun, "values": values, "states": {"op": "initial"}})
}

fn finally(state: i64) -> Value {
    json!({"op": "F", "exp": is(state)})
}

fn decide(problem: &Problem, options: &BoundsOptions) -> BoundsOutcome {
    run(problem, EngineChoice::EXPLICIT, options, &budget(1)).unwrap()
}

/// Checks a value by floats and fractions, both engines, and bounds at and next to it.
fn has_value(problem: &Problem, value: &str) {
    let value = rational(value);
    for (engine, precision) in
        [(EngineChoice::EXPLICIT, 1e-6), (EngineChoice::EXPLICIT, 1e-10), (EngineChoice::PARTIAL, 1e-6)]
    {
        let outcome = run(problem, engine, &precise(precision), &budget(1)).unwrap();
        let (lower, upper) = interval(&outcome);
        assert!(lower <= value && value <= upper, "{engine:?}: {value} and [{lower}, {upper}]");
        assert_eq!(outcome.decision, None, "{engine:?}: [{lower}, {upper}]");
    }
    assert_eq!(decide(problem, &exactly()).lower, Number::Exact(value.clone()));
    let tiny = rational("1e-40");
    assert_eq!(decide(problem, &at_most(&value)).decision, Some(Verdict::Holds(())), "at most {value}");
    if value.signum() > 0 {
        assert_eq!(
            decide(problem, &at_most(&(&value - &tiny))).decision,
            Some(Verdict::Violated(())),
            "just below {value}"
        );
    }
    if value < Rational::ONE {
        assert_eq!(
            decide(problem, &at_most(&(&value + &tiny))).decision,
            Some(Verdict::Holds(())),
            "just above {value}"
        );
    }
}

/// 0 and 1 can go round for ever; leaving costs a coin toss. Iteration from above stays at one.
#[test]
fn end_components() {
    let moves: [Move; 4] = [(0, &[("1", 1)]), (1, &[("1", 0)]), (1, &[("1/3", 2), ("2/3", 3)]), (3, &[("1", 3)])];
    has_value(&process(3, json!(0), &moves, &unsafety(&is(2))), "1/3");
    has_value(&process(3, json!(0), &moves, &filter("max", "Pmin", &finally(2))), "0");
    has_value(&process(3, json!(0), &moves, &filter("max", "Pmin", &finally(3))), "0");
    has_value(
        &process(
            3,
            json!(0),
            &moves,
            &filter("max", "Pmax", &json!({"op": "G", "exp": {"op": "≤", "left": "s", "right": 1}})),
        ),
        "1",
    );
}

/// Two end components in a row, the second one reached with a loss on the way.
#[test]
fn nested_end_components() {
    let moves: [Move; 7] = [
        (0, &[("1/2", 0), ("1/2", 1)]),
        (1, &[("1", 0)]),
        (1, &[("9/10", 2), ("1/10", 5)]),
        (2, &[("1", 3)]),
        (3, &[("1", 2)]),
        (3, &[("1/7", 4), ("6/7", 5)]),
        (2, &[("1/9", 4), ("8/9", 5)]),
    ];
    has_value(&process(5, json!(0), &moves, &unsafety(&is(4))), "9/70");
}

/// A random walk that is pushed back: a sweep hardly moves the values, so stopping on little change stops far too early.
#[test]
fn slow_mixing() {
    let moves: [Move; 7] = [
        (0, &[("1/1000", 1), ("999/1000", 0)]),
        (1, &[("1/1000", 2), ("999/1000", 0)]),
        (2, &[("1/1000", 3), ("999/1000", 0)]),
        (3, &[("1/3", 4), ("1/3", 5), ("1/3", 0)]),
        (4, &[("1", 4)]),
        (5, &[("1", 5)]),
        (6, &[("1", 6)]),
    ];
    has_value(&process(6, json!(0), &moves, &unsafety(&is(4))), "1/2");
}

#[test]
fn probabilities_near_zero_and_one() {
    let tiny: [Move; 2] = [
        (0, &[("1/1000000000000000", 1), ("999999999999999/1000000000000000", 2)]),
        (1, &[("1/1000000000000000", 3), ("999999999999999/1000000000000000", 2)]),
    ];
    has_value(&process(3, json!(0), &tiny, &unsafety(&is(3))), "1e-30");
    let value = &Rational::ONE - &rational("1e-30");
    has_value(&process(3, json!(0), &tiny, &unsafety(&is(2))), &value.to_string());
}

#[test]
fn certain_and_impossible() {
    let moves: [Move; 3] = [(0, &[("1/100", 1), ("99/100", 0)]), (1, &[("1", 0)]), (1, &[("1/2", 2), ("1/2", 1)])];
    has_value(&process(4, json!(0), &moves, &unsafety(&is(2))), "1");
    has_value(&process(4, json!(0), &moves, &unsafety(&is(3))), "0");
    // The start state counts.
    has_value(&process(4, json!(0), &moves, &unsafety(&is(0))), "1");
    has_value(&process(4, json!(0), &[], &unsafety(&is(0))), "1");
    has_value(&process(4, json!(0), &[], &unsafety(&is(1))), "0");
    for (op, bound, holds) in
        [("≥", "1", true), (">", "1", false), ("=", "1", true), ("<", "1", false), ("≠", "1", false)]
    {
        let problem = process(4, json!(0), &moves, &compare("∀", op, "Pmax", &finally(2), bound));
        let decision = if holds { Some(Verdict::Holds(())) } else { Some(Verdict::Violated(())) };
        assert_eq!(decide(&problem, &precise(1e-6)).decision, decision, "{op} {bound}");
    }
}

/// A third is no float: only fractions decide these.
#[test]
fn thresholds_that_are_the_value() {
    let moves: [Move; 2] = [(0, &[("1/3", 1), ("1/3", 2), ("1/3", 0)]), (2, &[("1/3", 1), ("2/3", 3)])];
    // 1/2 + 1/2 * 1/3
    let table = [
        ("≤", "2/3", true),
        ("<", "2/3", false),
        ("≥", "2/3", true),
        (">", "2/3", false),
        ("=", "2/3", true),
        ("≠", "2/3", false),
    ];
    for (op, bound, holds) in table {
        for (fun, quantifier) in [("∀", "Pmax"), ("∃", "Pmin"), ("values", "Pmin"), ("max", "Pmax"), ("min", "Pmax")]
        {
            let problem = process(3, json!(0), &moves, &compare(fun, op, quantifier, &finally(1), bound));
            let decision = if holds { Some(Verdict::Holds(())) } else { Some(Verdict::Violated(())) };
            assert_eq!(decide(&problem, &precise(1e-2)).decision, decision, "{fun} {quantifier} {op} {bound}");
            // The part leaves it open: its arithmetic is floats.
            let part = run(&problem, EngineChoice::PARTIAL, &precise(1e-2), &budget(1)).unwrap();
            assert!(matches!(part.decision, Some(Verdict::Unknown(_))) || part.decision == decision, "{part:?}");
        }
    }
}

/// Positions 0 to k: the walk gets to 3 after exactly three steps.
#[test]
fn step_bounds() {
    let moves: [Move; 3] = [(0, &[("1/2", 1), ("1/2", 0)]), (1, &[("1", 2)]), (2, &[("1", 3)])];
    let within = |k: i64| json!({"op": "F", "exp": is(3), "step-bounds": {"upper": k}});
    let before = |k: i64| json!({"op": "F", "exp": is(3), "step-bounds": {"upper": k, "upper-exclusive": true}});
    for (k, value) in [(0, "0"), (2, "0"), (3, "1/2"), (4, "3/4"), (10, "255/256")] {
        has_value(&process(3, json!(0), &moves, &filter("max", "Pmax", &within(k))), value);
        has_value(&process(3, json!(0), &moves, &filter("min", "Pmin", &before(k + 1))), value);
    }
    let globally = json!({"op": "G", "exp": {"op": "<", "left": "s", "right": 3}, "step-bounds": {"upper": 4}});
    has_value(&process(3, json!(0), &moves, &filter("max", "Pmin", &globally)), "1/4");
    // A walk that has ended stays where it is.
    let long = json!({"op": "G", "exp": {"op": "≤", "left": "s", "right": 3}, "step-bounds": {"upper": 1000}});
    has_value(&process(3, json!(0), &moves, &filter("max", "Pmin", &long)), "1");
}

/// From 0 the target is impossible, from 1 a toss of a coin, in 2 already there.
#[test]
fn several_start_states() {
    let moves: [Move; 1] = [(1, &[("1/2", 2), ("1/2", 0)])];
    let anywhere = |property: &Value| process(2, Value::Null, &moves, property);
    has_value(&anywhere(&filter("max", "Pmax", &finally(2))), "1");
    has_value(&anywhere(&unsafety(&is(2))), "1");
    let table = [
        ("∀", "≥", "0", true),
        ("∀", "≥", "1/2", false),
        ("∃", "=", "1/2", true),
        ("∃", "≥", "1", true),
        ("∃", ">", "1", false),
        ("∀", "<", "1", false),
    ];
    for (fun, op, bound, holds) in table {
        let decision = if holds { Some(Verdict::Holds(())) } else { Some(Verdict::Violated(())) };
        assert_eq!(
            decide(&anywhere(&compare(fun, op, "Pmax", &finally(2), bound)), &precise(0.1)).decision,
            decision,
            "{fun} {op} {bound}"
        );
    }
    for (property, starts) in
        [(filter("values", "Pmax", &finally(2)), 3), (compare("max", "≥", "Pmax", &finally(2), "0"), 3)]
    {
        for engine in [EngineChoice::EXPLICIT, EngineChoice::PARTIAL] {
            let refusal = run(&anywhere(&property), engine, &precise(0.1), &budget(1));
            let Err(Failure::Input(errors)) = refusal else { panic!("{refusal:?}") };
            let text = format!("the filter is over a single value, but there are {starts} initial states");
            assert_eq!(errors[0].message, text);
        }
    }
}

/// The smallest value is at most P if that of some start state is.
#[test]
fn an_upper_bound_on_the_smallest_value() {
    let moves: [Move; 1] = [(1, &[("1/2", 2), ("1/2", 0)])];
    let problem = process(2, Value::Null, &moves, &filter("min", "Pmax", &finally(2)));
    has_value(&problem, "0");
    let outcome = decide(&problem, &at_most(&rational("1/4")));
    assert_eq!((outcome.decision, outcome.start.unwrap().0[1].clone()), (Some(Verdict::Holds(())), Rational::ZERO));
}

/// When the time is up before all start states are found, those found say nothing about the others.
#[test]
fn start_states_that_a_limit_keeps_from_being_found() {
    // State 0 is lost at once and is found first; from all the others nothing can be lost.
    let globally = json!({"op": "G", "exp": {"op": ">", "left": "s", "right": 0}});
    let largest = process(600, Value::Null, &[], &filter("max", "Pmax", &globally));
    let smallest = process(600, Value::Null, &[], &filter("min", "Pmax", &finally(0)));
    let all = process(600, Value::Null, &[], &compare("∀", "≥", "Pmax", &finally(0), "1"));
    let part =
        |problem: &Problem, limits: &Budget| run(problem, EngineChoice::PARTIAL, &precise(1e-6), limits).unwrap();
    // The clock is looked at after some hundred start states.
    let late = time_limit(0.0);
    assert_eq!(interval(&part(&largest, &late)), (Rational::ZERO, Rational::ONE));
    assert_eq!(interval(&part(&smallest, &late)), (Rational::ZERO, Rational::ONE));
    for problem in [&largest, &smallest, &all] {
        let decision = part(problem, &late).decision;
        let reason = decision.as_ref().and_then(|verdict| verdict.reason()).map(ToString::to_string);
        assert_eq!(reason.as_deref(), Some("the time limit of 0 s was reached"));
    }
    // The other engine looks at its memory after some thousand start states.
    let late = Budget { memory: Some(0), ..budget(1) };
    let many = |property: &Value| process(20_000, Value::Null, &[], property);
    let above = json!({"op": ">", "left": "s", "right": 19_000});
    let below = json!({"op": "≤", "left": "s", "right": 19_000});
    let largest = many(&filter("max", "Pmax", &json!({"op": "G", "exp": above})));
    let smallest = many(&filter("min", "Pmax", &json!({"op": "F", "exp": below})));
    for problem in [&largest, &smallest] {
        let outcome = run(problem, EngineChoice::EXPLICIT, &precise(1e-6), &late).unwrap();
        assert_eq!(interval(&outcome), (Rational::ZERO, Rational::ONE));
    }
    has_value(&largest, "1");
    has_value(&smallest, "0");
}

/// A counter that nothing reads goes; one whose update may leave its domain, or that a guard reads, stays.
#[test]
fn variables_that_do_not_matter() {
    let add = |name: &str| json!({"ref": name, "value": {"op": "+", "left": name, "right": 1}});
    let flip = json!({"ref": "flag", "value": {"op": "-", "left": 1, "right": "flag"}});
    let guard = json!({"op": "∧", "left": {"op": "<", "left": "read", "right": 3}, "right": {"op": "<", "left": "risky", "right": 9}});
    let half = |target: i64| {
        let set = json!({"ref": "s", "value": target});
        json!({"location": "l", "probability": {"exp": 0.5}, "assignments": [set, add("read"), add("risky"), flip]})
    };
    let model = |safe: bool| {
        let guard = if safe { guard.clone() } else { json!(true) };
        let variables = [
            variable("s", 2, json!(0)),
            variable("read", 9, json!(0)),
            variable("risky", 9, json!(0)),
            variable("flag", 1, json!(1)),
        ];
        let model = json!({
            "jani-version": 1, "name": "counters", "type": "mdp", "variables": variables,
            "automata": [{"name": "m", "locations": [{"name": "l"}], "initial-locations": ["l"],
                          "edges": [{"location": "l", "guard": {"exp": guard}, "destinations": [half(0), half(1)]}]}],
            "system": {"elements": [{"automaton": "m"}]},
            "properties": [{"name": "p", "expression": unsafety(&is(1))}]
        });
        problem(load_text(&model.to_string()), None, 0)
    };
    let mut safe = model(true);
    let full = decide(&safe, &exactly());
    assert!(slice(&mut safe));
    assert_eq!(
        safe.slice.as_ref().unwrap().describe(safe.model()),
        "left out, because the answer cannot depend on it: flag"
    );
    has_value(&safe, "7/8");
    let sliced = decide(&safe, &exactly());
    assert_eq!((full.lower, full.upper), (sliced.lower, sliced.upper));
    // What was left out has its value again in the start state that is shown.
    for engine in [EngineChoice::EXPLICIT, EngineChoice::PARTIAL] {
        assert_eq!(run(&safe, engine, &precise(1e-6), &budget(1)).unwrap().start, full.start);
    }
    // Without a guard the counters overflow: that is an error, and no slice hides it.
    for sliced in [false, true] {
        let mut wrong = model(false);
        if sliced {
            slice(&mut wrong);
        }
        let refusal = run(&wrong, EngineChoice::EXPLICIT, &precise(0.1), &budget(1));
        let Err(Failure::Input(errors)) = refusal else { panic!("{refusal:?}") };
        assert!(errors[0].message.contains("outside its domain"), "{errors:?}");
    }
}

/// Writing one cell twice, differently, or a cell that is not there, is an error even if nobody reads the array.
#[test]
fn slices_hide_no_error_of_arrays() {
    let set = |index: Value, value: i64| json!({"ref": {"op": "aa", "exp": "a", "index": index}, "value": value});
    let model = |assignments: Vec<Value>| {
        let bits =
            json!({"kind": "array", "base": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 1}});
        let cells = json!({"op": "av", "elements": [0, 0, 0]});
        let next = json!({"ref": "s", "value": {"op": "+", "left": "s", "right": 1}});
        let assignments = [&[next], &*assignments].concat();
        let model = json!({
            "jani-version": 1, "name": "cells", "type": "mdp", "features": ["arrays"],
            "variables": [variable("s", 9, json!(0)), variable("i", 2, json!(1)), {"name": "a", "type": bits, "initial-value": cells}],
            "automata": [{"name": "m", "locations": [{"name": "l"}], "initial-locations": ["l"],
                          "edges": [{"location": "l", "guard": {"exp": {"op": "<", "left": "s", "right": 4}},
                                     "destinations": [{"location": "l", "assignments": assignments}]}]}],
            "system": {"elements": [{"automaton": "m"}]},
            "properties": [{"name": "p", "expression": unsafety(&is(4))}]
        });
        problem(load_text(&model.to_string()), None, 0)
    };
    let remainder = json!({"op": "%", "left": "s", "right": 3});
    let mut fine = model(vec![set(json!("i"), 1)]);
    assert!(slice(&mut fine), "the array is left out");
    has_value(&fine, "1");
    for assignments in [
        vec![set(json!("s"), 1)],
        vec![set(remainder, 1), set(json!(2), 0)],
        vec![set(json!("i"), 1), set(json!(1), 0)],
    ] {
        for sliced in [false, true] {
            let mut wrong = model(assignments.clone());
            if sliced {
                slice(&mut wrong);
            }
            for engine in [EngineChoice::EXPLICIT, EngineChoice::PARTIAL] {
                let refusal = run(&wrong, engine, &precise(1e-6), &budget(1));
                assert!(matches!(refusal, Err(Failure::Input(_))), "sliced {sliced}, {assignments:?}: {refusal:?}");
            }
        }
    }
}

/// When everything has been explored, the partial engine decides what the explicit one does.
#[test]
fn a_bound_at_the_value_is_decided_by_the_partial_engine_too() {
    let moves: [Move; 1] = [(0, &[("1/3", 0), ("1/3", 1), ("1/3", 2)])];
    let problem = process(2, json!(0), &moves, &unsafety(&is(1)));
    for (bound, decision) in
        [("1/2", Some(Verdict::Holds(()))), ("0.4999999999999999999999", Some(Verdict::Violated(())))]
    {
        let outcome = run(&problem, EngineChoice::PARTIAL, &at_most(&rational(bound)), &budget(1)).unwrap();
        assert_eq!(outcome.decision, decision, "at most {bound}");
    }
}

/// A random walk that a few milliseconds explore and bound in part, but not to the end: the bounds found on the way count.
#[test]
fn a_time_limit_leaves_the_bounds_found_so_far() {
    // From 0 the walk is lost with 1/2 at once, and otherwise goes on for a very long time.
    let model = json!({
        "jani-version": 1, "name": "long", "type": "mdp",
        "variables": [variable("s", 2_000_000_000, json!(0)), variable("lost", 1, json!(0))],
        "automata": [{"name": "m", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
            {"location": "l", "guard": {"exp": {"op": "=", "left": "lost", "right": 0}}, "destinations": [
                {"location": "l", "probability": {"exp": 0.5}, "assignments": [{"ref": "lost", "value": 1}]},
                {"location": "l", "probability": {"exp": 0.5},
                 "assignments": [{"ref": "s", "value": {"op": "+", "left": "s", "right": 1}}]}]},
        ]}],
        "system": {"elements": [{"automaton": "m"}]},
        "properties": [{"name": "p", "expression":
            unsafety(&json!({"op": "∧", "left": {"op": "=", "left": "lost", "right": 1},
                             "right": {"op": "=", "left": {"op": "%", "left": "s", "right": 2}, "right": 0}}))}]
    });
    let problem = problem(load_text(&model.to_string()), None, 0);
    let value = rational("2/3");
    for engine in [EngineChoice::EXPLICIT, EngineChoice::PARTIAL] {
        let outcome = run(&problem, engine, &precise(1e-30), &time_limit(0.4)).unwrap();
        let (lower, upper) = interval(&outcome);
        assert!(lower <= value && value <= upper, "{engine:?}: [{lower}, {upper}]");
        assert!(lower > rational("0.6") && upper < rational("0.7"), "{engine:?}: [{lower}, {upper}]");
    }
}
