//! Public models are read completely: QComp's, and PlaJA's with their additional properties.

mod common;

use std::time::Instant;

use common::{complain, corpus, host, jani_files};
use surefoot_jani::syntax::{PropertyBody, Start};
use surefoot_jani::{read_model, read_properties};
use surefoot_text::source::SourceMap;

#[test]
fn all_models_and_properties_are_read() {
    let Some(data) = corpus() else { return };
    let (mut models, mut additional) = (0, 0);
    for path in jani_files(&data) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut sources = SourceMap::default();
        let model = if text.contains("\"jani-version\"") {
            models += 1;
            match read_model(&mut sources, &path) {
                Ok((model, warnings)) => {
                    assert!(warnings.is_empty(), "{}: {warnings:?}", path.display());
                    model
                }
                Err(errors) => complain("a public model", &sources, &errors),
            }
        } else if text.contains("\"properties\"") {
            additional += 1;
            let mut model = host(&mut sources);
            if let Err(errors) = read_properties(&mut sources, &mut model, &path) {
                complain("public properties", &sources, &errors);
            }
            model
        } else {
            continue;
        };
        for property in &model.properties {
            if let PropertyBody::Unsupported(why) = &property.body {
                panic!("{}: {}", path.display(), why.message);
            }
        }
    }
    assert_eq!((models, additional), (30, 6));
}

#[test]
fn included_files_take_the_place_of_their_references() {
    let Some(data) = corpus() else { return };
    let mut sources = SourceMap::default();
    let mut model = host(&mut sources);
    let folder = data.join(
        "plaja/icaps22/racetrack/additional_properties/safety_verification/simple/EvaluationMMB/barto-small/random_starts_999",
    );
    let path = folder.join("pa_simple_barto-small_random_starts_999_simple_barto-small_16_16.jani");
    if let Err(errors) = read_properties(&mut sources, &mut model, &path) {
        complain("public properties", &sources, &errors);
    }
    let PropertyBody::Pa(property) = &model.properties[0].body else { panic!("a PA property") };
    let Some(Start::States(states)) = &property.start else { panic!("listed states") };
    assert_eq!(states.len(), 999);
    assert_eq!(property.predicates.as_ref().map(Vec::len), Some(6));
    assert!(property.objective.as_ref().is_some_and(|objective| objective.goal.is_some()));
    assert!(property.file.as_ref().is_some_and(|file| file.value.is_file()), "{:?}", property.file);
    assert_eq!(sources.files().count(), 6);
}

#[test]
fn large_models_are_read_fast() {
    let Some(data) = corpus() else { return };
    let path = data.join("plaja/blocksworld/cost_terminal/models/legacy_enc/blocksworld_8_7.jani");
    let mut sources = SourceMap::default();
    let start = Instant::now();
    assert!(read_model(&mut sources, &path).is_ok());
    let seconds = start.elapsed().as_secs_f64();
    // Far above what an optimised build needs: this is to notice quadratic behaviour, not to measure.
    assert!(seconds < 5.0, "{seconds} s");
}
