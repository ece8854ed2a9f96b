//! Models that must not be given a meaning silently, and properties in unusual forms that have one.
#![expect(clippy::unwrap_used, reason = "a test driver")]

use std::path::Path;
use std::sync::Arc;

use surefoot_jani::syntax::{PathOp, PathQuantifier};
use surefoot_model::lower::{Lowered, lower};
use surefoot_model::property::{Question, Values};
use surefoot_text::source::SourceMap;

/// A model around some pieces of JSON.
fn model(variables: &str, functions: &str, automata: &str, elements: &str, properties: &str) -> String {
    format!(
        r#"{{"jani-version": 1, "name": "m", "type": "mdp", "features": ["functions", "derived-operators"],
        "variables": [{variables}], "functions": [{functions}], "automata": [{automata}],
        "system": {{"elements": [{elements}]}}, "properties": [{properties}]}}"#
    )
}

const X: &str = r#"{"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}, "initial-value": 0}"#;
const T: &str = r#"{"name": "t", "transient": true, "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}, "initial-value": 0}"#;

fn automaton(name: &str, locations: &str, edges: &str) -> String {
    format!(r#"{{"name": "{name}", "locations": [{locations}], "initial-locations": ["p"], "edges": [{edges}]}}"#)
}

fn read(text: &str) -> Result<Lowered, Vec<String>> {
    let mut sources = SourceMap::default();
    let (syntax, _) = surefoot_jani::read_model_text(&mut sources, Path::new("m.jani"), text).unwrap();
    lower(Arc::new(syntax), &[]).map_err(|errors| errors.into_iter().map(|e| e.message).collect())
}

fn refused(text: &str) -> String {
    read(text).map(|_| ()).unwrap_err().join("; ")
}

#[test]
fn names_declared_twice_are_refused() {
    let plain = automaton("a", r#"{"name": "p"}"#, "");
    let cases = [
        (model(X, "", &format!("{plain}, {plain}"), r#"{"automaton": "a"}"#, ""), "the automaton 'a'"),
        (
            model(X, "", &automaton("a", r#"{"name": "p"}, {"name": "p"}"#, ""), r#"{"automaton": "a"}"#, ""),
            "the location 'p'",
        ),
        (
            model(
                X,
                r#"{"name": "f", "type": "int", "parameters": [], "body": 1}, {"name": "f", "type": "int", "parameters": [], "body": 2}"#,
                &plain,
                r#"{"automaton": "a"}"#,
                "",
            ),
            "the function 'f'",
        ),
        (
            model(
                X,
                r#"{"name": "f", "type": "int", "parameters": [{"name": "y", "type": "int"}, {"name": "y", "type": "int"}], "body": "y"}"#,
                &plain,
                r#"{"automaton": "a"}"#,
                "",
            ),
            "the parameter 'y'",
        ),
    ];
    for (text, what) in cases {
        assert_eq!(refused(&text), format!("{what} is declared twice"));
    }
}

#[test]
fn locations_give_transient_variables_one_value_of_their_domain() {
    let at = |values: &str| {
        let location = format!(r#"{{"name": "p", "transient-values": [{values}]}}"#);
        model(&format!("{X}, {T}"), "", &automaton("a", &location, ""), r#"{"automaton": "a"}"#, "")
    };
    assert!(read(&at(r#"{"ref": "t", "value": 3}"#)).is_ok());
    assert_eq!(refused(&at(r#"{"ref": "t", "value": 9}"#)), "9 is outside the domain of 't' (int 0..3)");
    let twice = at(r#"{"ref": "t", "value": 1}, {"ref": "t", "value": 2}"#);
    assert_eq!(refused(&twice), "this location gives the variable two values");
    let itself = at(r#"{"ref": "t", "value": "t"}"#);
    assert_eq!(refused(&itself), "the transient variable 't' is defined in terms of itself");
}

/// Sixty functions that each double their argument's use: a short text for an expression of 2^60 nodes.
#[test]
fn functions_that_explode_are_refused() {
    let mut functions =
        vec![r#"{"name": "f0", "type": "int", "parameters": [{"name": "y", "type": "int"}], "body": "y"}"#.to_owned()];
    for i in 1..60 {
        functions.push(format!(
            r#"{{"name": "f{i}", "type": "int", "parameters": [{{"name": "y", "type": "int"}}],
            "body": {{"op": "call", "function": "f{}", "args": [{{"op": "+", "left": "y", "right": "y"}}]}}}}"#,
            i - 1
        ));
    }
    let guard = r#"{"op": "<", "left": {"op": "call", "function": "f59", "args": ["x"]}, "right": 5}"#;
    let edge = format!(r#"{{"location": "p", "guard": {{"exp": {guard}}}, "destinations": [{{"location": "p"}}]}}"#);
    let text = model(X, &functions.join(","), &automaton("a", r#"{"name": "p"}"#, &edge), r#"{"automaton": "a"}"#, "");
    assert_eq!(refused(&text), "this expression is too large once its functions are inlined");
}

/// PlaJA writes reachability of a goal without a quantifier.
#[test]
fn a_path_formula_without_quantifier_is_about_some_path() {
    let property = r#"{"name": "goal", "expression": {"op": "filter", "fun": "∃", "values":
        {"op": "F", "exp": {"op": "=", "left": "x", "right": 2}}, "states": {"op": "initial"}}}"#;
    let text = model(X, "", &automaton("a", r#"{"name": "p"}"#, ""), r#"{"automaton": "a"}"#, property);
    let mut lowered = read(&text).unwrap();
    let Question::Filter(filter) = lowered.question(0).unwrap() else { panic!("a filter") };
    let Values::Path(formula) = filter.values else { panic!("a path formula") };
    assert_eq!((formula.quantifier, formula.op), (PathQuantifier::Exists, PathOp::Finally));
}

#[test]
fn what_is_refused_by_name_is_told_from_what_is_wrong() {
    let with = |values: &str| {
        let property = format!(
            r#"{{"name": "q", "expression": {{"op": "filter", "fun": "∀", "values": {values}, "states": {{"op": "initial"}}}}}}"#
        );
        let text = model(X, "", &automaton("a", r#"{"name": "p"}"#, ""), r#"{"automaton": "a"}"#, &property);
        read(&text).unwrap().question(0).unwrap_err()
    };
    let nested = r#"{"op": "∀", "exp": {"op": "G", "exp": {"op": "∃", "exp": {"op": "F", "exp": true}}}}"#;
    assert!(with(nested).refused.is_some());
    assert!(with(r#"{"op": "∀", "exp": {"op": "G", "exp": "nobody"}}"#).refused.is_none());
}

/// Truth values are kept as 0 and 1, but are no numbers.
#[test]
fn truth_values_are_no_bounds_and_no_lengths() {
    let plain = automaton("a", r#"{"name": "p"}"#, "");
    let with = |bound: &str| {
        let property = format!(
            r#"{{"name": "q", "expression": {{"op": "filter", "fun": "∀", "values": {{"op": "≤", "left":
            {{"op": "Pmax", "exp": {{"op": "F", "exp": true}}}}, "right": {bound}}}, "states": {{"op": "initial"}}}}}}"#
        );
        read(&model(X, "", &plain, r#"{"automaton": "a"}"#, &property)).unwrap().question(0).map(|_| ())
    };
    assert!(with("1").is_ok());
    for truth in ["true", "false"] {
        assert_eq!(with(truth).unwrap_err().message, "a probability is compared with a constant");
    }
    let array = |length: &str| {
        let variable = format!(
            r#"{{"name": "y", "type": {{"kind": "array", "base": "int"}},
            "initial-value": {{"op": "ac", "var": "i", "length": {length}, "exp": 0}}}}"#
        );
        let text = model(&variable, "", &plain, r#"{"automaton": "a"}"#, "");
        read(&text.replace("\"functions\",", "\"functions\", \"arrays\",")).map(|_| ())
    };
    let words = "the length of an array must be a constant";
    assert!(array("true").unwrap_err().join("; ").contains(words));
    assert!(!array("1").is_err_and(|errors| errors.join("; ").contains(words)));
}
