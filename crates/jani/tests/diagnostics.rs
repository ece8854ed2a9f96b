//! What people see when a file is wrong: exact texts for typical mistakes.
//!
//! Each case of `diagnostics.txt` is one mistake in `models/car.jani`: a line `=== OLD ==> NEW` (the first occurrence of
//! OLD is replaced by NEW) and the messages expected. Set `UPDATE_EXPECTED=1` to write what is shown now, and read the
//! difference.

mod common;

use std::path::Path;

use common::{host, models};
use surefoot_jani::{read_model, read_model_text, read_properties, read_properties_text};
use surefoot_text::render;
use surefoot_text::source::SourceMap;

fn shown(text: &str) -> String {
    let mut sources = SourceMap::default();
    let messages = match read_model_text(&mut sources, "car.jani".as_ref(), text) {
        Ok((_, warnings)) => warnings,
        Err(errors) => errors,
    };
    messages.iter().map(|message| render(message, &sources)).collect::<Vec<_>>().join("\n")
}

#[test]
fn typical_mistakes() {
    let original = std::fs::read_to_string(models().join("car.jani")).expect("the model of the tests");
    assert_eq!(shown(&original), "");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics.txt");
    let expected = std::fs::read_to_string(&path).expect("the expected messages");
    let mut found = String::new();
    for case in expected.lines().filter(|line| line.starts_with("=== ")) {
        let (old, new) = case["=== ".len()..].split_once(" ==> ").unwrap_or_else(|| panic!("{case}"));
        assert!(original.contains(old), "{case}");
        found.push_str(&format!("{case}\n{}\n\n", shown(&original.replacen(old, new, 1))));
    }
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&path, &found).expect("the expected messages can be written");
        return;
    }
    assert!(found == expected, "the messages changed; now they are:\n{found}");
}

#[test]
fn lines_without_end_are_cut_around_the_place() {
    let original = std::fs::read_to_string(models().join("car.jani")).expect("the model of the tests");
    let one_line: String = original.replace(['\n', '\t'], "").replace("\"ref\"", "\"reff\"");
    assert_eq!(
        shown(&one_line),
        r#"error: an assignment has no member "reff"
 --> car.jani:1:617
  |
1 | ... ation": "l0", "probability": {"exp": 0.5}, "assignments": [{"reff": "x", "value": {"op": "+", "left": "x", "right": 1}}] ...
  |                                                                 ^^^^^^
  = at automata[0].edges[1].destinations[0].assignments[0].reff
  = in automaton "car", edge 1 (location "l0", action "go")
help: did you mean "ref"?"#
    );
}

#[test]
fn each_entry_is_reported() {
    let original = std::fs::read_to_string(models().join("car.jani")).expect("the model of the tests");
    let broken = original.replace("\"bool\"", "\"boolean\"").replace("≤", "<=").replace("\"Pmax\"", "\"Pmaxx\"");
    let mut sources = SourceMap::default();
    let errors = read_model_text(&mut sources, "car.jani".as_ref(), &broken).expect_err("three mistakes");
    let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    assert_eq!(
        messages,
        ["there is no type \"boolean\"", "there is no operator \"<=\"", "there is no operator \"Pmaxx\""]
    );
}

#[test]
fn a_property_given_twice_names_both_places() {
    let mut sources = SourceMap::default();
    let (mut model, _) = read_model(&mut sources, &models().join("car.jani")).expect("the model of the tests");
    let before = (model.pool.len(), model.properties.len());
    let text = r#"{"properties": [{"name": "end", "expression": {"op": "PA", "reach": "ok"}}]}"#;
    let errors =
        read_properties_text(&mut sources, &mut model, "more.jani".as_ref(), text).expect_err("a second \"end\"");
    assert_eq!(errors[0].message, "there are two properties named \"end\"");
    assert!(errors[0].help.as_ref().is_some_and(|help| help.contains("car.jani:34:12")), "{errors:?}");
    assert_eq!((model.pool.len(), model.properties.len()), before);
}

#[test]
fn files_that_include_themselves_or_nothing() {
    for (file, message) in [("cycle_a.jani", "includes itself"), ("missing.jani", "cannot read")] {
        let mut sources = SourceMap::default();
        let mut model = host(&mut sources);
        let text = format!(
            r#"{{"properties": [{{"name": "p", "expression": {{"op": "PA", "reach": {{"file": "parts/{file}"}}}}}}]}}"#
        );
        let path = models().join("more.jani");
        let errors = read_properties_text(&mut sources, &mut model, &path, &text).expect_err("a bad include");
        assert!(errors[0].message.contains(message), "{errors:?}");
        let shown = render(&errors[0], &sources);
        assert!(shown.contains(".jani:1:"), "{shown}");
        if file == "missing.jani" {
            assert!(shown.contains("parts/missing.jani: ") && shown.contains("more.jani"), "{shown}");
        }
    }
}

#[test]
fn wrong_files_are_named() {
    let mut sources = SourceMap::default();
    let mut model = host(&mut sources);
    let errors = read_properties(&mut sources, &mut model, &models().join("car.jani")).expect_err("a model");
    assert_eq!(errors[0].message, "this is a model, not a file of additional properties");
    let errors = read_model(&mut sources, &models().join("safety.jani")).expect_err("properties");
    assert_eq!(errors[0].message, "this is a file of additional properties, not a model");
    let errors = read_model(&mut sources, &models().join("absent.jani")).expect_err("nothing");
    assert!(render(&errors[0], &sources).starts_with("error: cannot read "));
    assert!(read_model(&mut sources, &models()).is_err());
}

#[test]
fn bytes_that_are_no_text_have_a_place() {
    let path = std::env::temp_dir().join(format!("surefoot-jani-{}.jani", std::process::id()));
    std::fs::write(&path, b"\xEF\xBB\xBF{\n  \"name\": \"caf\xE9\"}").expect("a temporary file");
    let mut sources = SourceMap::default();
    let errors = read_model(&mut sources, &path).expect_err("not UTF-8");
    let shown = render(&errors[0], &sources);
    std::fs::remove_file(&path).expect("the temporary file");
    assert!(shown.starts_with("error: the file is not UTF-8: byte 0xe9 at offset 16"), "{shown}");
    assert!(shown.contains(".jani:2:15\n"), "{shown}");
}
