//! Pages: what draws states, which command line repeats it, and the file.

use std::path::{Path, PathBuf};

use serde_json::Value;
use surefoot_files::{Kind, escape, replace};
use surefoot_report::drawing::{FILE, Named, read_drawing};
use surefoot_report::names::Names;
use surefoot_report::{Material, page, report};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_text::{load, load_reached};
use surefoot_verify::result::{Body, Command};
use surefoot_verify::task::{Outcome, Task};
use surefoot_verify::{Budget, EngineChoice, Problem, ResultObject, Told};

/// A page that is wanted.
#[derive(Debug)]
pub(crate) struct PageWish {
    path: PathBuf,
    drawing: Option<Value>,
    /// The command line, the program's name included.
    words: Vec<String>,
}

/// The drawing that was asked for, or the one beside the model.
///
/// # Errors
/// What is wrong with one that was asked for; one that is only there is left out with a warning.
pub(crate) fn find_drawing(
    task: &Task,
    problem: &Problem,
    sources: &mut SourceMap,
    given: Option<&Path>,
    notes: &mut Vec<Diagnostic>,
) -> Result<Option<Value>, Diagnostic> {
    let variables: Vec<Named> = Names::new(problem)
        .variables
        .into_iter()
        .map(|variable| Named { name: variable.name, values: variable.names.unwrap_or_default() })
        .collect();
    let mut read = |path: &Path, reached: bool| {
        let file =
            if reached { load_reached(sources, path, Kind::Drawing)? } else { load(sources, path, Kind::Drawing)? };
        read_drawing(&sources.file(file).text, &variables).map_err(|problems| {
            let shown = escape(&path.display().to_string()).into_owned();
            Diagnostic::error_anywhere(format!("{shown} is no drawing of this model: {}", problems.join("; ")))
                .with_help("docs/drawings.md has the language")
        })
    };
    if let Some(path) = given {
        return read(path, false).map(Some);
    }
    let model = task.job.request().and_then(|request| request.model.file()).filter(|path| path.as_os_str() != "-");
    let Some(beside) = model.map(|path| path.with_file_name(FILE)).filter(|path| path.is_file()) else {
        return Ok(None);
    };
    Ok(read(&beside, true).map(Some).unwrap_or_else(|error| {
        let message = format!("states are not drawn: {}", error.message);
        notes.push(Diagnostic {
            severity: surefoot_text::diagnostic::Severity::Warning,
            ..Diagnostic::error_anywhere(message)
        });
        None
    }))
}

impl PageWish {
    /// A page at a place.
    pub(crate) fn new(path: &Path, drawing: Option<Value>, words: &[String]) -> Self {
        Self { path: path.to_owned(), drawing, words: words.to_vec() }
    }

    /// Writes it.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub(crate) fn write(&self, outcome: &Outcome, budget: &Budget) -> Result<(), String> {
        let Some(problem) = &outcome.problem else { return Ok(()) };
        let repeat = repeat(&self.words, outcome);
        let material = Material::of(problem, &outcome.result, &outcome.told, repeat, self.drawing.clone(), budget);
        let (data, columns) = report(&material);
        let text = page::html(&data, &columns, Some(material.result.seconds))?;
        let cannot = |error| format!("cannot write {}: {error}", escape(&self.path.display().to_string()));
        replace(&self.path, |out| out.write_all(text.as_bytes())).map_err(cannot)
    }
}

/// The command line, without options that only say where output goes, or how many threads work.
pub(super) fn repeat(words: &[String], outcome: &Outcome) -> String {
    let mut kept: Vec<String> = vec!["surefoot".to_owned()];
    let mut words = words.iter().skip(1);
    let reported = if let Told::Reported(reported) = &outcome.told { Some(&reported.read) } else { None };
    if let Some(read) = reported {
        let command = serde_json::to_value(read.command).unwrap_or_default();
        kept.push(command.as_str().unwrap_or("verify").to_owned());
        words.next();
    }
    while let Some(word) = words.next() {
        if WITHOUT.contains(&word.as_str()) {
            words.next();
        } else if !WITHOUT.iter().any(|option| is_option(word, option)) {
            kept.push(quoted(word));
        }
    }
    if let Some((read, problem)) = reported.zip(outcome.problem.as_ref()) {
        for (option, value) in known(read, problem) {
            if !kept.iter().any(|word| is_option(word, &option)) {
                kept.push(option);
                kept.extend(value.map(|value| quoted(&value)));
            }
        }
    }
    kept.join(" ")
}

/// What a result says of the command line that it came from. Its other options are not known.
fn known(read: &ResultObject, problem: &Problem) -> Vec<(String, Option<String>)> {
    let valued = |name: &str, value: String| (format!("--{name}"), Some(value).filter(|value| !value.is_empty()));
    let mut known: Vec<_> = problem.asking.told().into_iter().map(|(name, value)| valued(name, value)).collect();
    known.extend(problem.property.as_ref().map(|property| valued("property", property.name.clone())));
    if let Some(Body::Formula(about)) = &read.body {
        known.extend(about.found.as_ref().map(|found| valued("formula", found.formula.clone())));
    }
    if problem.query.goal_terminal {
        known.push(("--goal-terminal".to_owned(), None));
    }
    let engine = read.engine.as_ref().filter(|_| matches!(read.command, Command::Verify | Command::Bounds));
    let engine = engine.filter(|engine| engine.parse::<EngineChoice>().is_ok());
    known.extend(engine.map(|engine| valued("engine", engine.clone())));
    known
}

/// Whether a word is an option, with its value or without.
fn is_option(word: &str, option: &str) -> bool {
    word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// Options with a value that change nothing of what a result says.
const WITHOUT: &[&str] = &["--report", "--out", "--json", "--events", "--drawing", "--threads"];

/// A word as shells read it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_shells_would_read_them_otherwise() {
        for (word, wanted) in
            [("x.jani", "x.jani"), ("x = 0", "'x = 0'"), ("it's", "'it'\\''s'"), ("", "''"), ("$HOME", "'$HOME'")]
        {
            assert_eq!(quoted(word), wanted);
        }
    }
}
