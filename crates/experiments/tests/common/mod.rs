//! A program that plays the part of surefoot: a script whose answers are known.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use surefoot_experiments::Options;
use tempfile::TempDir;

/// Writes an instance where it is told to, and then does what the case says: `$engine` is the engine. All calls are in `calls`.
fn script(cases: &str) -> String {
    format!(
        r#"#!/bin/sh
echo "$@" >> calls
engine=none; out=none; previous=none
for word in "$@"; do
    case "$previous" in --engine) engine=$word;; --out) out=$word;; esac
    previous=$word
done
answer() {{ echo "{{\"tool\":\"surefoot\",\"verdict\":$1,\"reason\":null,\"seconds\":$2,\"statistics\":{{}}$3}}"; }}
case "$1 $2" in
"zoo generate") mkdir -p "$out"; echo model > "$out/model.jani"; answer null 0 ',"files":["model.jani"]'; exit 0;;
esac
{cases}
"#
    )
}

/// A folder with the program and a benchmark set.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

impl Place {
    pub(crate) fn new(cases: &str, instances: &str) -> Self {
        let folder = TempDir::new().expect("a folder");
        let set = format!("{{\"format\": 1, \"instances\": [{instances}]}}");
        std::fs::write(folder.path().join("index.json"), set).expect("it can be written");
        let place = Self { folder };
        place.program_is(&script(cases));
        place
    }

    /// Makes a text the program. Another process writes it: while a test starts a process, that has open what the others are writing, and a program that is being written cannot be started.
    pub(crate) fn program_is(&self, text: &str) {
        let (draft, program) = (self.folder.path().join("draft"), self.program());
        std::fs::write(&draft, text).expect("it can be written");
        let copied = Command::new("cp").arg(&draft).arg(&program).status();
        assert!(copied.is_ok_and(|status| status.success()));
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it can be a program");
        std::fs::remove_file(&draft).expect("it can be removed");
    }

    pub(crate) fn program(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    pub(crate) fn options(&self) -> Options {
        Options { out: self.out(), set: self.folder.path().join("index.json"), jobs: 1, ..Options::default() }
    }

    /// What the program was asked, but for `zoo generate`.
    pub(crate) fn calls(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.out().join("calls")).unwrap_or_default();
        text.lines().filter(|line| !line.starts_with("zoo generate")).map(str::to_owned).collect()
    }
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("it is there")
}
