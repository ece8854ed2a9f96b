//! Drawings that come with models: those that `zoo generate` writes and those of the examples are drawings of their models.

mod common;

use std::path::Path;

use common::Folder;
use serde_json::{Value, json};
use surefoot_report::drawing::{Named, read_drawing};

/// The variables of a model as pages have them: automata with several locations first.
fn variables(model: &Value) -> Vec<Named> {
    let text = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let automata = list(&model["automata"]).into_iter().filter(|automaton| list(&automaton["locations"]).len() > 1);
    let located = automata.map(|a| Named { name: text(&a), values: list(&a["locations"]).iter().map(text).collect() });
    let others = list(&model["variables"]).into_iter().map(|v| Named { name: text(&v), values: Vec::new() });
    located.chain(others).collect()
}

/// The drawing in a folder, read with the names of the model beside it.
fn drawing(folder: &Path) -> Value {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
    let model: Value = serde_json::from_str(&read("model.jani")).expect("JSON");
    let drawn = read_drawing(&read("drawing.json"), &variables(&model));
    drawn.unwrap_or_else(|problems| panic!("{}: {problems:#?}", folder.display()))
}

#[test]
fn every_domain_draws_its_states() {
    let folder = Folder::new();
    let cases: [&[&str]; 20] = [
        &["racetrack"],
        &["racetrack", "map=ring", "collision=full"],
        &["racetrack", "map=tiny", "velocity=2"],
        &["blocksworld"],
        &["blocksworld", "blocks=2", "bound=0"],
        &["blocksworld", "blocks=12", "growth=any", "step_cost=on"],
        &["tiles"],
        &["tiles", "bound=0"],
        &["tiles", "rows=2", "columns=12", "wrap=on", "unsafe=3@7,1@8"],
        &["tiles", "rows=5", "columns=5", "slip=10"],
        &["transport"],
        &["transport", "length=2", "packages=2"],
        &["transport", "length=100", "trucks=4", "packages=12", "drop=on"],
        &["transport", "packages=1", "drop=choice"],
        &["frozenlake"],
        &["frozenlake", "size=2", "holes=0"],
        &["frozenlake", "size=8", "encoding=coordinates", "slip=chance"],
        &["frozenlake", "size=32", "encoding=coordinates", "holes=90"],
        &["verticalcas"],
        &["verticalcas", "h_low=-8000", "h_high=8000", "tau=0"],
    ];
    for (n, case) in cases.iter().enumerate() {
        let out = format!("d{n}");
        let ran = folder.run(&[&["zoo", "generate"], *case, &["--out", &out]].concat());
        assert_eq!(ran.code, 0, "{case:?}: {}", ran.err);
        assert!(ran.out.contains("properties.jani, drawing.json"), "{}", ran.out);
        let drawn = drawing(&folder.path().join(&out));
        assert!(!drawn["words"].as_array().expect("a list").is_empty(), "{case:?} says in words what it shows");
    }
}

#[test]
fn maps_are_drawn_as_they_are() {
    let folder = Folder::new();
    folder.write("m.txt", "xxxx\nxs.g\n");
    folder.run(&["zoo", "generate", "racetrack", "map=m.txt", "--out", "r"]);
    let drawn = drawing(&folder.path().join("r"));
    assert_eq!((&drawn["size"], &drawn["shapes"][0]["rows"]), (&json!([4, 2]), &json!(["xxxx", "xs.g"])));
    folder.run(&["zoo", "generate", "frozenlake", "--out", "l"]);
    let drawn = drawing(&folder.path().join("l"));
    assert_eq!(drawn["shapes"][1]["rows"], json!(["s.o", "...", "o.g"]));
}

#[test]
fn drawings_of_examples_fit_their_models() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["corridor", "courier", "lift", "parking", "reservoir", "thermostat"] {
        let drawn = drawing(&examples.join(name));
        assert!(!drawn["words"].as_array().expect("a list").is_empty(), "{name}");
    }
}
