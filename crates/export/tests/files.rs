//! Files are written completely or not at all.

#![allow(clippy::unwrap_used, reason = "only tests")]

mod common;

use std::path::Path;
use std::time::Instant;

use common::small;
use surefoot_export::{ExportError, Format, Options, save};

fn listing(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_format_by_extension() {
    let folder = tempfile::tempdir().unwrap();
    let owned = small();
    for (extension, format) in Format::ALL {
        let path = folder.path().join(format!("m.{extension}"));
        assert_eq!(Format::of(&path), Some(format));
        let written = save(&owned.model(), format, &Options::default(), &path).unwrap();
        assert!(written.iter().all(|path| path.metadata().unwrap().len() > 0));
    }
    assert_eq!(listing(folder.path()), ["m.dot", "m.drn", "m.graphml", "m.lab", "m.sta", "m.tra", "m.umb"]);
    assert_eq!(Format::of(Path::new("m.jani")), None);
}

#[test]
fn what_was_there_stays_when_something_goes_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.drn");
    std::fs::write(&path, "old").unwrap();
    let owned = small();
    let late = Options { deadline: Some(Instant::now()), ..Options::default() };
    assert!(matches!(save(&owned.model(), Format::Drn, &late, &path), Err(ExportError::Deadline)));
    let mut broken = small();
    broken.labels[0].name = "init".to_owned();
    assert!(save(&broken.model(), Format::Drn, &Options::default(), &path).is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(listing(folder.path()), ["m.drn"]);
    save(&owned.model(), Format::Drn, &Options::default(), &path).unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("// small"));
    assert_eq!(listing(folder.path()), ["m.drn"]);
}

#[test]
fn places_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let owned = small();
    let fails = |path: &Path, format| {
        let result = save(&owned.model(), format, &Options::default(), path);
        assert!(matches!(result, Err(ExportError::File { .. })), "{}", path.display());
    };
    fails(folder.path(), Format::Drn);
    fails(&folder.path().join("nowhere/m.drn"), Format::Drn);
    // The labels would overwrite the transitions.
    fails(&folder.path().join("m.lab"), Format::Prism);
    assert_eq!(listing(folder.path()), [""; 0]);
}

#[test]
fn large_drawings_are_refused_unless_forced() {
    let mut builder = surefoot_mdp::MdpBuilder::new();
    for _ in 0..10_001 {
        builder.begin_state().unwrap();
    }
    let mut owned = small();
    owned.mdp = builder.finish().unwrap();
    owned.initial = surefoot_mdp::StateSet::from_members(10_001, [0]);
    owned.labels.clear();
    owned.variables.clear();
    owned.state_values = vec![Vec::new(); 10_001];
    let folder = tempfile::tempdir().unwrap();
    for format in [Format::Dot, Format::GraphMl] {
        let path = folder.path().join(format.extension());
        let refused = save(&owned.model(), format, &Options::default(), &path);
        assert!(matches!(refused, Err(ExportError::TooLarge { states: 10_001, limit: 10_000 })));
        save(&owned.model(), format, &Options { any_size: true, ..Options::default() }, &path).unwrap();
    }
}
