//! How options are written is the command line's business: no message of a library does so.

use std::fs;
use std::path::{Path, PathBuf};

/// Files whose strings are about other programs than `surefoot`.
const OTHERS: [&str; 3] = ["network/src/foreign.rs", "milp/src/executable.rs", "checker/src/main.rs"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Whether a line has an option in a string: two hyphens and a letter after a quotation mark.
fn names_an_option(line: &str) -> bool {
    let code = line.trim_start();
    let string = code.split_once('"').map_or("", |(_, string)| string);
    let hyphens = string.match_indices("--").any(|(at, _)| {
        let before = string[..at].chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric() && c != '-');
        before && string[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())
    });
    hyphens && !code.starts_with("//")
}

#[test]
fn libraries_name_no_options_of_the_command_line() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in fs::read_dir(&crates).expect("the crates") {
        let folder = entry.expect("an entry").path().join("src");
        // Experiments run the program: their strings are its command lines.
        let exempt = ["cli", "experiments"].iter().any(|name| folder.starts_with(crates.join(name)));
        if folder.is_dir() && !exempt {
            sources(&folder, &mut files);
        }
    }
    assert!(files.len() > 200, "{} files", files.len());
    for file in files.iter().filter(|file| !OTHERS.iter().any(|other| file.ends_with(other))) {
        let text = fs::read_to_string(file).expect("a text");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let named = code.lines().find(|line| names_an_option(line));
        assert_eq!(named, None, "{}: name it with surefoot_text::option", file.display());
    }
}

#[test]
fn options_in_strings_are_seen() {
    assert!(names_an_option(r#"    .with_help("use --engine explicit")"#));
    assert!(names_an_option(r#"let message = "--filter is about labels";"#));
    assert!(!names_an_option("// --engine in a comment"));
    assert!(!names_an_option(r#"let line = "a -- b";"#));
}
