//! One construct at a time: small models, in all their states against the reference interpreter, and what they become.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use common::operators::Comparison;
use common::states;
use serde_json::{Value, json};
use surefoot_fixtures::Random;
use surefoot_linear::{Formula, Relation, Symbol};
use surefoot_model::State;
use surefoot_model::lower::Lowered;
use surefoot_model::model::Operator;
use surefoot_num::Rational;
use surefoot_symbolic::{Lowering, SymbolicOperator};
use surefoot_testkit::load_text;

fn int(name: &str, lower: i64, upper: i64) -> Value {
    let ty = json!({"kind": "bounded", "base": "int", "lower-bound": lower, "upper-bound": upper});
    json!({"name": name, "type": ty, "initial-value": lower})
}

fn op(op: &str, left: impl Into<Value>, right: impl Into<Value>) -> Value {
    json!({"op": op, "left": left.into(), "right": right.into()})
}

fn set(target: impl Into<Value>, value: impl Into<Value>) -> Value {
    json!({"ref": target.into(), "value": value.into()})
}

fn any_of(target: impl Into<Value>, lower: impl Into<Value>, upper: impl Into<Value>) -> Value {
    json!({"ref": target.into(), "lower-bound": lower.into(), "upper-bound": upper.into()})
}

/// Assignments with the given indices.
fn sequence(assignments: &[Value]) -> Vec<Value> {
    let index = |(i, a): (usize, &Value)| {
        let mut a = a.clone();
        a["index"] = json!(i);
        a
    };
    assignments.iter().enumerate().map(index).collect()
}

fn edge(guard: impl Into<Value>, assignments: &[Value]) -> Value {
    let destination = json!({"location": "l", "assignments": assignments});
    json!({"location": "l", "action": "a", "guard": {"exp": guard.into()}, "destinations": [destination]})
}

/// Automata with one location and one edge each, all of which step at once.
fn model(variables: &[Value], edges: &[Value]) -> Lowered {
    let names: Vec<String> = (0..edges.len()).map(|i| format!("m{i}")).collect();
    let automaton = |(name, edge): (&String, &Value)| json!({"name": name, "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [edge]});
    let synchronise: Vec<&str> = vec!["a"; edges.len()];
    let model = json!({
        "jani-version": 1, "name": "small", "type": "mdp", "features": ["arrays", "derived-operators"],
        "actions": [{"name": "a"}], "variables": variables,
        "automata": names.iter().zip(edges).map(automaton).collect::<Vec<_>>(),
        "system": {
            "elements": names.iter().map(|name| json!({"automaton": name})).collect::<Vec<_>>(),
            "syncs": [{"synchronise": synchronise, "result": "a"}]
        }
    });
    load_text(&model.to_string())
}

/// Compares a model with the interpreter in all states; the one operator, and how many states it is an error in.
fn compare(lowered: &Lowered) -> (SymbolicOperator, usize) {
    let mut comparison = Comparison::new(&lowered.model, None).unwrap();
    for state in states(&mut Random::new(0), &lowered.model, 20_000) {
        comparison.compare(&state);
    }
    assert!(comparison.refusals().is_empty(), "{:?}", comparison.refusals());
    let operator = Operator { vector: 0, edges: vec![0; lowered.model.instances.len()] };
    (Lowering::new(&lowered.model, None).unwrap().operator(&operator).unwrap(), comparison.errors)
}

#[test]
fn a_guard_decides_cases_and_domains() {
    // Where x < 5, both min(x + 1, 5) and the domain of x are decided.
    let variables = [int("x", 0, 5)];
    let next = op("min", op("+", "x", 1), 5);
    let (operator, errors) = compare(&model(&variables, &[edge(op("<", "x", 5), &[set("x", next)])]));
    assert_eq!(errors, 0);
    let [outcome] = &operator.outcomes[..] else { panic!("{operator:?}") };
    let [case] = &outcome.cases[..] else { panic!("{outcome:?}") };
    assert!(case.condition.is_truth() && case.in_domain.is_truth() && outcome.defined.is_truth());
    let Formula::Atom(atom) = &operator.guard.holds else { panic!("{:?}", operator.guard) };
    assert_eq!(atom.relation, Relation::AtLeastZero, "no strict atom over integers");
    // Without the guard, x + 1 leaves the domain in one state.
    let (operator, errors) = compare(&model(&variables, &[edge(true, &[set("x", op("+", "x", 1))])]));
    assert_eq!(errors, 1);
    assert!(!operator.outcomes[0].cases[0].in_domain.is_truth());
}

#[test]
fn cells_with_computed_index() {
    let array = json!({
        "name": "a", "type": {"kind": "array", "base": int("", 0, 3)["type"]},
        "initial-value": {"op": "av", "elements": [0, 1, 2]}
    });
    let variables = [array, int("i", -1, 3), int("x", 0, 3)];
    let cell = |index: Value| json!({"op": "aa", "exp": "a", "index": index});
    // Read and write; the index is out of range in two of five values.
    let assignments = [set(cell(json!("i")), "x"), set("x", cell(json!("i")))];
    let (operator, errors) = compare(&model(&variables, &[edge(true, &assignments)]));
    assert_eq!(operator.outcomes[0].cases.len(), 3);
    assert_eq!(errors, 2 * 4 * 4 * 4 * 4);
    // In a guard, the read is looked at only where the index is inside.
    let inside = op("∧", op("≤", 0, "i"), op("≤", "i", 2));
    let guard = op("∧", inside, op("=", cell(json!("i")), "x"));
    let (operator, _) = compare(&model(&variables, &[edge(guard, &[])]));
    assert!(operator.guard.defined.eval(&|_| (-1).into()));
    // Two writes of one array at once must not be of one cell, unless of the same value.
    let twice = [set(cell(op("min", op("max", "i", 0), 2)), "x"), set(cell(json!(0)), 2)];
    let (_, errors) = compare(&model(&variables, &[edge(true, &twice)]));
    assert!(errors > 0);
}

#[test]
fn sequences_see_what_was_assigned() {
    let variables = [int("x", 0, 3), int("y", 0, 3)];
    let transient = json!({
        "name": "t", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 4},
        "transient": true, "initial-value": 2
    });
    // Swapped at once, then through a transient variable that is out of its domain now and then.
    compare(&model(&variables, &[edge(true, &[set("x", "y"), set("y", "x")])]));
    let steps = sequence(&[
        set("t", op("+", "x", "y")),
        set("x", op("%", "t", 4)),
        set("y", op("-", "t", "x")),
        set("t", op("*", "x", "y")),
    ]);
    let (_, errors) = compare(&model(&[&variables[..], &[transient]].concat(), &[edge(op("<", "y", 3), &steps)]));
    assert!(errors > 0);
}

#[test]
fn choices_are_symbols_with_bounds() {
    let variables = [int("x", 0, 3), int("y", 0, 4), int("z", 0, 9)];
    let (operator, errors) = compare(&model(&variables, &[edge(true, &[any_of("x", "y", op("+", "y", 1))])]));
    // No value of x is at least 4.
    assert_eq!(errors, 4 * 10);
    let outcome = &operator.outcomes[0];
    assert_eq!((outcome.choices.len(), outcome.choices[0].symbol), (1, Symbol(4)));
    assert_eq!(outcome.cases[0].choices[0].lower, surefoot_linear::Linear::symbol(Symbol(2)));
    // What is chosen is read later: as a divisor, as an index of cases, and to leave a domain.
    let divided = json!({"op": "floor", "exp": op("/", 4, "x")});
    let steps = sequence(&[any_of("x", "y", 3), set("z", divided.clone())]);
    let (_, errors) = compare(&model(&variables, &[edge(true, &steps)]));
    assert_eq!(errors, (1 + 1) * 4 * 10, "zero is chosen where y = 0, and nothing where y = 4");
    let steps = sequence(&[any_of("x", "y", 3), set("z", op("-", "x", 1))]);
    let (_, errors) = compare(&model(&variables, &[edge(true, &steps)]));
    assert_eq!(errors, (1 + 1) * 4 * 10, "z leaves its domain where x = 0 is chosen");
    let steps = sequence(&[any_of("x", 0, 3), set("z", op("max", "x", "y")), any_of("y", "x", "z")]);
    compare(&model(&variables, &[edge(true, &steps)]));
}

#[test]
fn two_automata_must_write_the_same() {
    let variables = [int("x", 0, 3), int("y", -1, 4), int("z", -1, 4)];
    // Values, an interval with one value and a value, and intervals that are equal within the domain.
    let (_, errors) = compare(&model(&variables, &[edge(true, &[set("x", "y")]), edge(true, &[set("x", "z")])]));
    assert_eq!(errors, 4 * 36 - 4 * 4);
    for value in [json!("y"), json!(0), json!(3)] {
        let edges = [edge(true, &[any_of("x", "z", "y")]), edge(true, &[set("x", value.clone())])];
        compare(&model(&variables, &edges));
        let swapped: Vec<Value> = edges.into_iter().rev().collect();
        compare(&model(&variables, &swapped));
    }
    let edges = [edge(true, &[any_of("x", "z", "y")]), edge(true, &[any_of("x", op("-", "z", 1), op("+", "y", 1))])];
    let (_, errors) = compare(&model(&variables, &edges));
    // Equal only where z - 1 and z are both at most 0, and y and y + 1 at least 3.
    assert_eq!(errors, 4 * 36 - 4 * 2 * 2);
}

#[test]
fn truth_values_of_every_shape() {
    let flag = |name: &str| json!({"name": name, "type": "bool", "initial-value": false});
    let variables = [flag("p"), flag("q"), int("x", 0, 3)];
    let not = |exp: Value| json!({"op": "¬", "exp": exp});
    let ite = |c: Value, t: Value, e: Value| json!({"op": "ite", "if": c, "then": t, "else": e});
    let comparison = op("<", "x", 2);
    let guards = [
        op("=", "p", "q"),
        op("≠", "p", comparison.clone()),
        op("⇒", op("∧", "p", not(json!("q"))), comparison.clone()),
        ite(json!("p"), comparison.clone(), not(json!("q"))),
        ite(op("=", "x", 0), json!("p"), ite(op("=", "x", 1), json!("q"), op("=", "x", 3))),
        op("∨", op("=", op("/", 1, "x"), 1), "p"),
        op("∧", "p", op("=", op("%", 7, "x"), 1)),
    ];
    for guard in guards {
        let update = [set("p", op("∧", "q", comparison.clone())), set("q", not(json!("p")))];
        compare(&model(&variables, &[edge(guard, &update)]));
    }
    // A negated Boolean is one case.
    let (operator, _) = compare(&model(&variables, &[edge(true, &[set("q", not(json!("p")))])]));
    assert_eq!(operator.outcomes[0].cases.len(), 1);
}

#[test]
fn a_choice_by_many_locations_stays_flat() {
    let x = "x";
    let chain = (0..300).fold(
        json!(false),
        |rest, i| json!({"op": "ite", "if": op("=", x, i), "then": op("=", "y", i % 3), "else": rest}),
    );
    let lowered = model(&[int("x", 0, 300), int("y", 0, 3)], &[edge(chain, &[])]);
    let (operator, _) = compare(&lowered);
    assert!(operator.guard.holds.depth() <= 4, "{}", operator.guard.holds.depth());
    assert!(operator.guard.holds.size() < 1000, "{}", operator.guard.holds.size());
}

#[test]
fn real_variables_on_a_grid() {
    let real =
        |lower: i64, upper: i64| json!({"kind": "bounded", "base": "real", "lower-bound": lower, "upper-bound": upper});
    let variables = [
        json!({"name": "r", "type": real(-1, 2), "initial-value": 0}),
        json!({"name": "s", "type": "real", "initial-value": 0}),
        int("x", 0, 3),
    ];
    let abs = json!({"op": "abs", "exp": op("-", "r", "s")});
    let floor = json!({"op": "floor", "exp": op("*", 2, "r")});
    let guards = [
        op("<", abs, 1),
        op("=", floor.clone(), "x"),
        op("∨", op("<", op("+", "r", "s"), 0.5), op("≠", op("*", "x", "s"), 0.75)),
        op("≤", op("%", "r", 0.5), op("/", "x", 8)),
    ];
    let updates = [
        set("r", op("+", "r", op("*", 0.25, "x"))),
        set("s", op("min", op("*", "s", "x"), op("/", "r", op("+", "x", 1)))),
        set("x", json!({"op": "abs", "exp": floor})),
    ];
    for guard in guards {
        let lowered = model(&variables, &[edge(guard, &updates)]);
        let mut comparison = Comparison::new(&lowered.model, None).unwrap();
        for (r, s, x) in (-4..=8).flat_map(|r| (-5..=5).flat_map(move |s| (0..=3).map(move |x| (r, s, x)))) {
            let quarter = |n: i64| Rational::new(n, 4).unwrap();
            comparison.compare(&State([0.into(), quarter(r), quarter(s), x.into()].into()));
        }
        assert!(comparison.refusals().is_empty(), "{:?}", comparison.refusals());
        assert!(comparison.compared > 50 && comparison.errors > 0, "{} operators", comparison.compared);
    }
}
