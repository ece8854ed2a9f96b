//! What cannot be lowered is refused, at its place and with advice.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::sync::Arc;

use serde_json::{Value, json};
use surefoot_fixtures::{Random, random_network};
use surefoot_linear::{Linear, Symbol};
use surefoot_model::lower::Lowered;
use surefoot_model::model::Operator;
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork, Ties};
use surefoot_model::{SlotId, TransientId};
use surefoot_symbolic::Lowering;
use surefoot_testkit::{load_text, safety};
use surefoot_text::diagnostic::Diagnostic;

const GUARD: &str = r#"{"op": "=", "left": {"op": "*", "left": "x", "right": "y"}, "right": 12}"#;

/// A model with two large integers, a real and a transient variable, and one edge; the text, and the model.
fn model(guard: &str, assignments: &str, reach: &str) -> (String, Lowered) {
    let variable = |name: &str| {
        format!(
            r#"{{"name": "{name}", "initial-value": 0,
                "type": {{"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 100000}}}}"#
        )
    };
    let text = format!(
        r#"{{"jani-version": 1, "name": "large", "type": "mdp", "features": ["derived-operators"],
        "actions": [{{"name": "go"}}],
        "variables": [{}, {}, {{"name": "r", "type": "real", "initial-value": 0}},
            {{"name": "t", "type": "real", "transient": true, "initial-value": 0}}],
        "automata": [{{"name": "car", "locations": [{{"name": "l"}}], "initial-locations": ["l"], "edges": [
            {{"location": "l", "action": "go", "guard": {{"exp": {guard}}},
              "destinations": [{{"location": "l", "assignments": [{assignments}]}}]}}]}}],
        "system": {{"elements": [{{"automaton": "car"}}]}},
        "properties": [{{"name": "p", "expression": {{"op": "PA", "reach": {reach}}}}}]}}"#,
        variable("x"),
        variable("y")
    );
    let lowered = load_text(&text);
    (text, lowered)
}

fn refused(lowered: &Lowered) -> Diagnostic {
    let mut lowering = Lowering::new(&lowered.model, None).unwrap();
    lowering.operator(&Operator { vector: 0, edges: vec![0] }).unwrap_err()
}

/// The text that a message points at.
fn place<'t>(text: &'t str, error: &Diagnostic) -> &'t str {
    let span = error.span.unwrap();
    &text[span.start as usize..span.end as usize]
}

#[test]
fn a_product_in_a_guard() {
    let (text, lowered) = model(GUARD, "", "true");
    let error = refused(&lowered);
    assert!(error.refused.is_some());
    assert_eq!(
        error.message,
        "a product is linear only if one factor is an integer with at most 4096 values, in the guard of edge 0 of 'car'"
    );
    assert_eq!(
        error.help.as_deref(),
        Some("give an operand a smaller domain, or use an engine that explores states one by one")
    );
    let place = place(&text, &error);
    assert!(place.starts_with('{') && place.contains("\"location\": \"l\"") && place.contains("\"*\""), "{place}");
}

#[test]
fn operators_in_an_assignment() {
    let value = |value: &str| format!(r#"{{"ref": "x", "value": {value}}}"#);
    let cases = [
        (r#"{"op": "*", "left": "x", "right": "y"}"#, "a product is linear only if one factor"),
        (r#"{"op": "%", "left": "x", "right": {"op": "+", "left": "y", "right": 1}}"#, "'%' can be split"),
        (r#"{"op": "floor", "exp": {"op": "*", "left": "r", "right": "x"}}"#, "a product is linear only"),
        (r#"{"op": "floor", "exp": {"op": "log", "left": "x", "right": 2}}"#, "'log' can be split"),
        (r#"{"op": "pow", "left": "x", "right": 2}"#, "'pow' can be split"),
        (r#"{"op": "floor", "exp": "r"}"#, "'floor' can be split"),
    ];
    for (written, message) in cases {
        let assignments = format!("{}, {}", value(written), r#"{"ref": "y", "value": 0}"#);
        let (text, lowered) = model("true", &assignments, "true");
        let error = refused(&lowered);
        assert!(error.message.starts_with(message), "{}", error.message);
        assert!(error.message.ends_with(", in an assignment of go (car: edge 0)"), "{}", error.message);
        // At the term, where its place is known because it can fail; else at the assignment.
        let place = place(&text, &error);
        assert!(value(written).contains(place), "{place}");
        assert!(!place.contains("\"y\", \"value\""), "{place}");
    }
}

#[test]
fn properties_are_refused_at_their_place() {
    let (text, mut lowered) = model("true", "", GUARD);
    let property = safety(&mut lowered, 0);
    let span = lowered.syntax().properties[0].span;
    let mut lowering = Lowering::new(&lowered.model, None).unwrap();
    let error = lowering.safety(&property, Some(span)).unwrap_err();
    assert!(error.message.ends_with("in the reach condition"), "{}", error.message);
    assert!(place(&text, &error).contains("\"PA\""));
    assert!(lowering.safety(&property, None).unwrap_err().span.is_none());
}

#[test]
fn nesting_and_sizes_are_bounded() {
    let nested = (0..2000).fold(r#"{"op": "<", "left": "x", "right": 3}"#.to_owned(), |inner, i| {
        let atom = format!(r#"{{"op": "<", "left": "y", "right": {}}}"#, i + 1);
        let op = if i % 2 == 0 { "∧" } else { "∨" };
        format!(r#"{{"op": "{op}", "left": {atom}, "right": {inner}}}"#)
    });
    let (_, lowered) = model(&nested, "", "true");
    assert!(refused(&lowered).message.contains("nested more than"), "{}", refused(&lowered).message);
    // Nested equivalences double in size.
    let doubled = (0..40).fold(r#"{"op": "<", "left": "x", "right": 3}"#.to_owned(), |inner, i| {
        format!(r#"{{"op": "=", "left": {{"op": "<", "left": "y", "right": {}}}, "right": {inner}}}"#, i + 1)
    });
    let (_, lowered) = model(&doubled, "", "true");
    assert!(refused(&lowered).message.contains("linear constraints"), "{}", refused(&lowered).message);
}

#[test]
fn a_vector_of_too_many_operators_is_named() {
    let edge = |i: i64| {
        let guard = json!({"exp": {"op": "≠", "left": "x", "right": i}});
        json!({"location": "l", "action": "a", "guard": guard, "destinations": [{"location": "l"}]})
    };
    let automaton = |i: usize| {
        let edges: Vec<Value> = (0..10).map(edge).collect();
        json!({"name": format!("m{i}"), "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges})
    };
    let ty = json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 20});
    let elements: Vec<Value> = (0..12).map(|i| json!({"automaton": format!("m{i}")})).collect();
    let model = json!({
        "jani-version": 1, "name": "many", "type": "mdp", "actions": [{"name": "a"}],
        "variables": [{"name": "x", "type": ty, "initial-value": 0}],
        "automata": (0..12).map(automaton).collect::<Vec<_>>(),
        "system": {"elements": elements, "syncs": [{"synchronise": vec!["a"; 12], "result": "a"}]}
    });
    let lowered = load_text(&model.to_string());
    let mut lowering = Lowering::new(&lowered.model, None).unwrap();
    let error = lowering.operators(0, None, 1000).unwrap_err();
    assert!(error.refused.is_some() && error.span.is_some());
    assert!(error.message.starts_with("the synchronisation vector of the 'a' action of m0, m1"), "{}", error.message);
    assert!(error.message.ends_with("stands for more than 1000 operators"), "{}", error.message);
    // What needs no list is still told.
    assert!(lowering.applicable(surefoot_model::LabelId(0), None).unwrap().size() > 0);
}

#[test]
fn outputs_are_those_of_the_state_before_the_step() {
    let assignments = r#"{"ref": "x", "value": 1, "index": 0}, {"ref": "r", "value": "t", "index": 1}"#;
    let (text, lowered) = model("true", assignments, "true");
    let policy = |input: u32| {
        let form = Linear::symbol(SlotId(input).into());
        let network = Arc::new(random_network(&mut Random::new(1), 1, 1));
        let networks = vec![PolicyNetwork { when: None, inputs: vec![form], network, file: "t.nnet".to_owned() }];
        Policy { networks, outputs: Outputs::Transients(vec![TransientId(0)]), filter: false, ties: Ties::First }
    };
    let operator = Operator { vector: 0, edges: vec![0] };
    // Slot 1 is x, which was assigned; slot 2 is y.
    let reads_x = policy(1);
    let error = Lowering::new(&lowered.model, Some(&reads_x)).unwrap().operator(&operator).unwrap_err();
    assert!(error.message.starts_with("the network's output 't' is read after a variable"), "{}", error.message);
    assert!(place(&text, &error).contains("\"t\""));
    let reads_y = policy(2);
    let mut lowering = Lowering::new(&lowered.model, Some(&reads_y)).unwrap();
    let symbolic = lowering.policy().unwrap().unwrap();
    assert_eq!(symbolic.first_output, Some(Symbol(4)));
    let lowered = lowering.operator(&operator).unwrap();
    let (_, written) = &lowered.outcomes[0].cases[0].update[1];
    assert_eq!(*written, Linear::symbol(Symbol(4)));
}
