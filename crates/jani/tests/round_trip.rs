//! Reading what was written gives the same tree, and writing that gives the same text.

mod common;

use common::compare::Pair;
use common::{complain, corpus, host, jani_files, models};
use surefoot_jani::syntax::{Model, PropertyBody};
use surefoot_jani::{read_model, read_model_text, read_properties, write_model};
use surefoot_text::source::SourceMap;

fn assert_round_trip(what: &str, model: &Model) {
    let text = write_model(model);
    let mut sources = SourceMap::default();
    // Without a folder of its own, so that paths of policies stay as they are.
    let again = match read_model_text(&mut sources, "written.jani".as_ref(), &text) {
        Ok((again, warnings)) => {
            assert!(warnings.is_empty(), "{what}: {warnings:?}");
            again
        }
        Err(errors) => complain(what, &sources, &errors),
    };
    Pair(model, &again).assert_equal();
    assert_eq!(write_model(&again), text, "{what}");
}

#[test]
fn everything() {
    let mut sources = SourceMap::default();
    let path = models().join("everything.jani");
    let (mut model, warnings) =
        read_model(&mut sources, &path).unwrap_or_else(|errors| complain("everything", &sources, &errors));
    assert!(warnings.is_empty());
    let path = models().join("safety.jani");
    if let Err(errors) = read_properties(&mut sources, &mut model, &path) {
        complain("safety", &sources, &errors);
    }
    let refused: Vec<_> = model
        .properties
        .iter()
        .filter_map(|p| match &p.body {
            PropertyBody::Unsupported(why) => Some((&*p.name.value, &*why.message)),
            _ => None,
        })
        .collect();
    assert_eq!(refused, [("late", "\"F\" with a lower step bound is not supported in properties")]);
    assert_eq!(model.properties.len(), 10);
    assert_round_trip("everything", &model);
}

#[test]
fn needed_features_are_declared() {
    let text = r#"{"jani-version": 1, "name": "f", "type": "lts",
        "variables": [{"name": "a", "type": {"kind": "array", "base": "int"}, "initial-value": {"op": "av", "elements": [1]}}],
        "functions": [{"name": "f", "type": "int", "parameters": [], "body": {"op": "max", "left": 1, "right": 2}}],
        "automata": [], "system": {"elements": [{"automaton": "a"}]}}"#;
    let mut sources = SourceMap::default();
    let (model, _) = read_model_text(&mut sources, "f.jani".as_ref(), text).expect("a fine model");
    let written = write_model(&model);
    assert!(written.contains(r#""features": ["derived-operators", "arrays", "functions"]"#), "{written}");
    assert_round_trip("f", &model);
}

#[test]
fn the_corpus() {
    let Some(data) = corpus() else { return };
    for path in jani_files(&data) {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let mut sources = SourceMap::default();
        let model = if text.contains("\"jani-version\"") {
            read_model(&mut sources, &path).expect("a public model").0
        } else if text.contains("\"properties\"") {
            let mut model = host(&mut sources);
            read_properties(&mut sources, &mut model, &path).expect("public properties");
            model
        } else {
            continue;
        };
        assert_round_trip(&path.display().to_string(), &model);
    }
}
