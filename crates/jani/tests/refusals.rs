//! What is not supported is refused by its name at its place; what is harmless is read.

mod common;

use common::models;
use surefoot_jani::read_model_text;
use surefoot_jani::syntax::PropertyBody;
use surefoot_text::source::SourceMap;

/// The messages about `models/car.jani` with `old` replaced by `new`, each with the text of its place.
fn messages(old: &str, new: &str) -> Vec<(String, String)> {
    let original = std::fs::read_to_string(models().join("car.jani")).expect("the model of the tests");
    assert!(original.contains(old), "{old}");
    let text = original.replacen(old, new, 1);
    let mut sources = SourceMap::default();
    let found = match read_model_text(&mut sources, "car.jani".as_ref(), &text) {
        Ok((model, _)) => {
            let refused = model.properties.into_iter().filter_map(|property| match property.body {
                PropertyBody::Unsupported(why) => Some(*why),
                _ => None,
            });
            refused.collect()
        }
        Err(errors) => errors,
    };
    let place = |span: surefoot_text::source::Span| text[span.start as usize..span.end as usize].to_owned();
    found.into_iter().map(|error| (error.message, error.span.map(place).unwrap_or_default())).collect()
}

#[test]
fn kinds_of_models() {
    for kind in ["ctmc", "ctmdp", "ma", "ta", "pta", "sta", "ha", "pha", "sha"] {
        let found = messages("\"mdp\"", &format!("\"{kind}\""));
        assert_eq!(found.len(), 1);
        let (message, place) = &found[0];
        assert!(message.starts_with(&format!("models of type \"{kind}\" (")), "{message}");
        assert!(message.ends_with(") are not supported"), "{message}");
        assert_eq!(*place, format!("\"{kind}\""));
    }
    for kind in ["lts", "dtmc"] {
        assert_eq!(messages("\"mdp\"", &format!("\"{kind}\"")), []);
    }
}

#[test]
fn expressions_and_members() {
    const VALUE: &str = r#"{"op": "+", "left": "x", "right": 1}"#;
    const LOCATION: &str = r#""location": "l0", "probability""#;
    for (old, new, message, place) in [
        (
            VALUE,
            r#"{"op": "der", "var": "x"}"#,
            "\"der\" (derivatives of continuous variables) is not supported",
            "\"der\"",
        ),
        (VALUE, r#"{"op": "tanh", "exp": "x"}"#, "\"tanh\" (hyperbolic functions) is not supported", "\"tanh\""),
        (
            VALUE,
            r#"{"op": "nondet", "var": "x"}"#,
            "\"nondet\" (non-deterministic selection) is not supported",
            "\"nondet\"",
        ),
        (VALUE, r#"{"op": "da", "exp": "x"}"#, "\"da\" (access to fields of datatypes) is not supported", "\"da\""),
        (
            VALUE,
            r#"{"op": "states-values"}"#,
            "\"states-values\" cannot stand inside an expression",
            "\"states-values\"",
        ),
        (VALUE, r#"{"label": "l"}"#, "references to \"labels\" are not supported", "\"l\""),
        (VALUE, r#"{"file": "l"}"#, "a file cannot stand for an expression here", "\"l\""),
        (VALUE, r#"{"constant": "pi"}"#, "there is no constant \"pi\"", "\"pi\""),
        (VALUE, r#"{"op": "let", "variables": [1], "expression": 1}"#, "\"let\" with variables is not supported", "1"),
        (VALUE, "null", "expected an expression, found null", "null"),
        ("\"bool\"", "\"continuous\"", "variables of type \"continuous\" are not supported", "\"continuous\""),
        (
            "\"bool\"",
            r#"{"kind": "datatype", "ref": "d"}"#,
            "types of kind \"datatype\" are not supported",
            "\"datatype\"",
        ),
        ("\"action\": \"go\"", "\"priority\": {\"exp\": 1}", "\"priority\" is not supported", "\"priority\""),
        ("\"actions\"", "\"datatypes\": [], \"actions\"", "\"datatypes\" is not supported", "\"datatypes\""),
        (LOCATION, r#""location": "l0", "probabilty""#, "a destination has no member \"probabilty\"", "\"probabilty\""),
        ("\"action\": \"go\"", "\"action\": null", "expected the name of an action, found null", "null"),
        ("\"name\": \"x\"", "\"name\": 1", "expected the name of a variable, found a number", "1"),
    ] {
        assert_eq!(messages(old, new), [(message.to_owned(), place.to_owned())], "{new}");
    }
}

#[test]
fn properties_do_not_keep_a_model_from_loading() {
    const FORMULA: &str = r#"{"op": "Pmax", "exp": {"op": "F", "exp": {"op": "=", "left": "x", "right": 9}}}"#;
    for (formula, message) in [
        (
            r#"{"op": "Emin", "exp": 1, "accumulate": ["steps"]}"#,
            "\"Emin\" without \"reach\" (a sum without end) is not supported",
        ),
        (
            r#"{"op": "Emax", "exp": "x", "reach": true}"#,
            "\"Emax\" without \"accumulate\" (a value at one moment) is not supported",
        ),
        (
            r#"{"op": "Emax", "exp": 1, "accumulate": ["time"], "reach": true}"#,
            "\"Emax\" of what accumulates over time only is not supported",
        ),
        (
            r#"{"op": "Emax", "exp": 1, "accumulate": ["steps"], "step-instant": 4}"#,
            "\"Emax\" with \"step-instant\" is not supported",
        ),
        (
            r#"{"op": "Emin", "exp": 1, "accumulate": ["steps"], "time-instant": 4}"#,
            "\"Emin\" with \"time-instant\" is not supported",
        ),
        (
            r#"{"op": "Emin", "exp": 1, "accumulate": ["steps"], "reward-instants": []}"#,
            "\"Emin\" with \"reward-instants\" is not supported",
        ),
        (
            r#"{"op": "≤", "left": {"op": "Smax", "exp": 1}, "right": 1}"#,
            "\"Smax\" (maximal steady-state values) is not supported",
        ),
        (
            r#"{"op": "Pmin", "exp": {"op": "U", "left": true, "right": "ok", "time-bounds": {"upper": 1}}}"#,
            "\"U\" with \"time-bounds\" is not supported in properties",
        ),
        (
            r#"{"op": "∀", "exp": {"op": "G", "exp": "ok", "reward-bounds": []}}"#,
            "\"G\" with \"reward-bounds\" is not supported in properties",
        ),
    ] {
        let found = messages(FORMULA, formula);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, message);
    }
    let found = messages(r#"{"op": "filter", "fun": "max", "values": "#, r#"{"op": "quantile", "x": "#);
    assert_eq!(found[0].0, "\"quantile\" (quantile properties) is not supported");
    // Malformed is another thing.
    let found = messages(r#"{"op": "F", "exp": "#, r#"{"op": "F", "expr": "#);
    assert_eq!(found[0].0, "\"F\" has no member \"expr\"");
    let found = messages(r#"{"op": "filter", "fun": "max", "values": "#, r#"{"op": "Pmax", "exp": "#);
    assert_eq!(found[0].0, "\"Pmax\" can stand only inside a filter");
}
