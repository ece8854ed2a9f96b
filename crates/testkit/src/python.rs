//! The project's Python, which tests find other solvers in.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A Python that has a package, seen from a crate's folder (`env!("CARGO_MANIFEST_DIR")`): the project's own, or the system's.
/// `None` where there is none.
///
/// # Panics
/// If there is none on the continuous-integration machine, where tests must not pass by doing nothing.
#[must_use]
pub fn python_with(manifest: &str, package: &str) -> Option<PathBuf> {
    let own = Path::new(manifest).join("../../.venv/bin/python");
    let has = |python: &PathBuf| {
        let mut command = Command::new(python);
        command.args(["-I", "-c", &format!("import {package}")]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let found = [own, PathBuf::from("python3")].into_iter().find(has);
    let required = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(found.is_some() || !required, "no Python has the package {package}; `make test` installs it");
    found
}
