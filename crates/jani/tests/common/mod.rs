//! What several test files share: the corpus of models, and comparison of syntax trees up to places.

#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod compare;

use std::path::{Path, PathBuf};

use surefoot_jani::read_model_text;
use surefoot_jani::syntax::Model;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;

/// The folder of public models, which are not part of the repository; CI must have it.
pub(crate) fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{} is missing", path.display());
    #[expect(clippy::print_stderr, reason = "whoever runs the tests should know what was not tested")]
    {
        eprintln!("skipped: {} is missing", path.display());
    }
    None
}

/// All JANI files below a folder, in a fixed order.
pub(crate) fn jani_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the corpus can be listed") {
            let path = entry.expect("the corpus can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "jani") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Fails with the first few messages.
pub(crate) fn complain(what: &str, sources: &SourceMap, errors: &[Diagnostic]) -> ! {
    let shown: Vec<String> = errors
        .iter()
        .take(5)
        .map(|error| {
            let place = error.span.map(|span| {
                let (line, column) = sources.line_column(span.file, span.start);
                format!("{}:{line}:{column}: ", sources.path(span.file).display())
            });
            format!("{}{} ({:?})", place.unwrap_or_default(), error.message, error.help)
        })
        .collect();
    panic!("{what}: {}", shown.join("\n"));
}

/// The folder of the tests' own models.
pub(crate) fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

/// A model that properties files can be added to.
pub(crate) fn host(sources: &mut SourceMap) -> Model {
    let text = r#"{"jani-version": 1, "name": "host", "type": "lts", "automata": [],
        "system": {"elements": [{"automaton": "a"}]}}"#;
    read_model_text(sources, "host.jani".as_ref(), text).expect("the host model is fine").0
}
