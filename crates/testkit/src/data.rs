//! Models from text, from files and from the shared data folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_jani::{read_model, read_model_text, read_properties};
use surefoot_model::lower::{GivenConstant, Lowered, lower};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::render;
use surefoot_text::source::SourceMap;

/// Reads and lowers a model file, with the properties of a second file where one is given.
///
/// # Panics
/// If something is wrong with them, with the diagnostics.
#[must_use]
pub fn load(path: &Path, properties: Option<&Path>, constants: &[GivenConstant]) -> (Lowered, SourceMap) {
    let mut sources = SourceMap::default();
    let read = read_model(&mut sources, path).and_then(|(mut model, _)| {
        if let Some(properties) = properties {
            read_properties(&mut sources, &mut model, properties)?;
        }
        lower(Arc::new(model), constants)
    });
    match read {
        Ok(lowered) => (lowered, sources),
        Err(errors) => panic!("{}:\n{}", path.display(), show(&errors, &sources)),
    }
}

/// Reads and lowers a model from text.
///
/// # Panics
/// If something is wrong with it, with the diagnostics and the text.
#[must_use]
pub fn load_text(text: &str) -> Lowered {
    let mut sources = SourceMap::default();
    let read = read_model_text(&mut sources, Path::new("generated.jani"), text);
    match read.and_then(|(model, _)| lower(Arc::new(model), &[])) {
        Ok(lowered) => lowered,
        Err(errors) => panic!("{}\n{text}", show(&errors, &sources)),
    }
}

/// Diagnostics as text.
#[must_use]
pub fn show(errors: &[Diagnostic], sources: &SourceMap) -> String {
    errors.iter().map(|error| render(error, sources)).collect::<Vec<_>>().join("\n")
}

/// Constants as `index.json` and its like write them.
///
/// # Panics
/// If one of them is no constant.
#[must_use]
pub fn constants_of(json: &serde_json::Value) -> Vec<GivenConstant> {
    let members = json.as_object().into_iter().flatten();
    members
        .map(|(name, value)| GivenConstant::parse(&format!("{name}={value}")).unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

/// Models of the shared data, with a value for every constant: file, and name and value of constants.
///
/// # Panics
/// If an index is missing or malformed.
#[must_use]
pub fn shared_models(folder: &Path) -> Vec<(PathBuf, serde_json::Value)> {
    let mut models: Vec<(PathBuf, serde_json::Value)> = Vec::new();
    for (part, index) in [("qcomp", "index.json"), ("plaja", "statespace.json")] {
        let rows = std::fs::read_to_string(folder.join(part).join(index)).expect("the index is there");
        let rows: serde_json::Value = serde_json::from_str(&rows).expect("the index is JSON");
        for row in rows.as_array().expect("the index is a list") {
            let path = folder.join(part).join(row["file"].as_str().expect("rows name files"));
            if !models.iter().any(|(known, _)| *known == path) && path.is_file() {
                models.push((path, row["constants"].clone()));
            }
        }
    }
    for file in ["for_pa2.jani", "for_nn_sat.jani", "for_solution_enumerator.jani"] {
        models.push((folder.join("plaja").join(file), serde_json::json!({})));
    }
    let legacy = folder.join("plaja/blocksworld/cost_terminal/models/legacy_enc");
    let costs = serde_json::json!({"failing_probability": 0.5, "item_cost_bound": 2});
    models.push((legacy.join("blocksworld_8_7.jani"), costs));
    models.push((folder.join("plaja/icaps22/blocksworld/models/cost05/blocksworld_6_5.jani"), serde_json::json!({})));
    models
}
