//! The only place that writes: results to standard output or a file, everything else to standard error.
//!
//! Names come from files of others: what a terminal would obey is escaped here, and line breaks of names where they enter a text.
//!
//! A reader who closes the pipe early is no error, and changes no exit code. Any other failure to write a result is
//! one: a verdict that nobody can read must not look like success.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use surefoot_files::{Inputs, Outputs, can_replace, escape, escape_json, escape_lines, head, replace};
use surefoot_limits::Stop;
pub(crate) use surefoot_text::counted;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::render;
use surefoot_text::source::SourceMap;
use surefoot_verify::task::Class;
use surefoot_verify::{Failure, ResultObject};

use crate::args::CommonArgs;
use crate::guard::bug;
use crate::process;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The property holds, or the command did its job.
    Done,
    /// The property is violated.
    Violated,
    /// The input or its use is in error.
    Error,
    /// A limit was reached.
    Unknown,
}

impl Exit {
    /// The number for it.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Violated => 1,
            Self::Error => 2,
            Self::Unknown => 3,
        }
    }
}

impl From<Class> for Exit {
    fn from(class: Class) -> Self {
        match class {
            Class::Done => Self::Done,
            Class::Violated => Self::Violated,
            Class::Unreadable => Self::Error,
            Class::Unknown => Self::Unknown,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Writes a line to standard error; where that fails there is nobody left to tell.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escape_lines(text));
}

/// Where a command's output goes.
#[derive(Debug)]
pub(crate) struct Output {
    quiet: bool,
    json: Option<PathBuf>,
    /// What this run writes, and what a user named to be read.
    outputs: Outputs,
    /// What it has read so far.
    inputs: Inputs,
}

impl Output {
    /// As the options say; checks that a result file can be there before any work is done.
    pub(crate) fn new(common: &CommonArgs) -> Result<Self, Exit> {
        let mut output = Self::to(common.json.as_deref(), common.quiet)?;
        common.events.as_deref().map_or(Ok(()), |path| output.claim("--events", path))?;
        Ok(output)
    }

    /// The result object in a file, if one is given; see [`Output::new`].
    pub(crate) fn to(json: Option<&Path>, quiet: bool) -> Result<Self, Exit> {
        let (outputs, inputs) = (Outputs::default(), Inputs::default());
        let mut output = Self { quiet, json: json.map(Path::to_owned), outputs, inputs };
        json.filter(|path| !is_stdout(path)).map_or(Ok(()), |path| output.claim("--json", path))?;
        Ok(output)
    }

    /// That an option's file can be written, and is no other option's; says so where not.
    pub(crate) fn claim(&mut self, option: &str, path: &Path) -> Result<(), Exit> {
        writable(option, path)?;
        self.outputs.claim(option, path).map_err(|clash| refuse(&clash))
    }

    /// The same for a file that is read and written again.
    pub(crate) fn claim_rewritten(&mut self, option: &str, path: &Path) -> Result<(), Exit> {
        writable(option, path)?;
        self.outputs.claim_rewritten(option, path).map_err(|clash| refuse(&clash))
    }

    /// That a file which is there, and stays as it is, is no other option's.
    pub(crate) fn claim_unchanged(&mut self, option: &str, path: &Path) -> Result<(), Exit> {
        self.outputs.claim_unchanged(option, path).map_err(|clash| refuse(&clash))
    }

    /// The same for a folder of files: none of them is another option's.
    pub(crate) fn claim_folder(&mut self, option: &str, folder: &Path) -> Result<(), Exit> {
        self.outputs.claim_folder(option, folder).map_err(|clash| refuse(&clash))
    }

    /// That nothing is written to files that will be read.
    pub(crate) fn protect_files<'p>(&mut self, files: impl IntoIterator<Item = &'p PathBuf>) -> Result<(), Exit> {
        files.into_iter().for_each(|file| self.outputs.protect(file));
        self.guard(&Inputs::default())
    }

    /// That nothing is written to what has been read, files that files name included.
    pub(crate) fn guard(&mut self, inputs: &Inputs) -> Result<(), Exit> {
        self.inputs.extend(inputs);
        self.outputs.check(&self.inputs).map_err(|clash| refuse(&clash))
    }

    /// Shows what is worth knowing, but no part of the result.
    pub(crate) fn details(&self, text: &str) {
        if !self.quiet {
            complain(text.trim_end());
        }
    }

    /// Shows warnings and notices.
    pub(crate) fn notes(&self, notes: &[Diagnostic], sources: &SourceMap) {
        if self.quiet {
            return;
        }
        for note in notes {
            complain(&render(note, sources));
        }
    }

    /// Shows a failure; a result object is written all the same, without a verdict, so that none of an earlier run is taken
    /// for this one's.
    pub(crate) fn failure(&self, report: ResultObject, failure: &Failure, sources: &SourceMap) -> Exit {
        let text = match failure {
            Failure::Input(diagnostics) => {
                diagnostics.iter().map(|d| render(d, sources)).collect::<Vec<_>>().join("\n")
            }
            Failure::Internal(what) => bug(what),
            Failure::Stopped(stop) => return self.stopped(report, *stop, sources),
        };
        process::claim();
        complain(&text);
        let object = ResultObject { error: Some(text), ..report };
        if let Some(path) = &self.json
            && self.is_free(path, &sources.inputs)
            && let Err(error) = write_json(path, &object)
        {
            complain(&format!("error: {error}"));
        }
        Exit::Error
    }

    /// A limit was met before there was anything to tell.
    fn stopped(&self, report: ResultObject, stop: Stop, sources: &SourceMap) -> Exit {
        let reason = process::describe(stop);
        let object = report.unknown(reason.clone()).after(process::started().elapsed().as_secs_f64());
        let json = self.json.as_deref().filter(|path| self.is_free(path, &sources.inputs));
        self.write(json, &format!("unknown: {reason}\n"), &object, Exit::Unknown)
    }

    /// Where the object goes.
    pub(crate) fn json(&self) -> Option<&Path> {
        self.json.as_deref()
    }

    /// Whether only the result and errors are shown.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Where the object of a run that fails early goes.
    pub(crate) fn free_json(&self) -> Option<&Path> {
        self.json.as_deref().filter(|path| self.is_free(path, &Inputs::default()))
    }

    /// Whether a failure may write its object: there is nothing, or an earlier result. What has not been read yet, since something
    /// else failed before, may still be an input.
    fn is_free(&self, path: &Path, inputs: &Inputs) -> bool {
        let is_result = || head(path, 64).is_none_or(|text| text.starts_with("{\"tool\":\"surefoot\""));
        is_stdout(path) || self.outputs.allows(path, inputs) && self.outputs.allows(path, &self.inputs) && is_result()
    }

    /// Writes the result, for people and as an object; `exit` is how the program ends if that works.
    pub(crate) fn result(&self, text: &str, object: &ResultObject, exit: Exit) -> Exit {
        if let Err(clash) = self.outputs.check(&self.inputs) {
            return refuse(&clash);
        }
        self.write(self.json.as_deref(), text, object, exit)
    }

    fn write(&self, json: Option<&Path>, text: &str, object: &ResultObject, exit: Exit) -> Exit {
        process::claim();
        if json.is_some_and(is_stdout) && !self.quiet {
            complain(text.trim_end());
        }
        match write_result(json, text, object) {
            Ok(()) => exit,
            Err(error) => {
                complain(&format!("error: {error}"));
                Exit::Error
            }
        }
    }
}

/// Writes a result: the object, and the text where standard output is not for the object alone.
pub(crate) fn write_result(json: Option<&Path>, text: &str, object: &ResultObject) -> Result<(), String> {
    match json {
        Some(path) if is_stdout(path) => write_json(path, object),
        Some(path) => to_stdout(text).and_then(|()| write_json(path, object)),
        None => to_stdout(text),
    }
}

/// That a file can be written, as things are now; says so where not.
fn writable(option: &str, path: &Path) -> Result<(), Exit> {
    if is_stdout(path) {
        complain(&format!("error: {option} cannot be -, standard output\nhelp: give a file; one called - is ./-"));
        return Err(Exit::Error);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let reason = match folder.filter(|folder| !folder.is_dir()) {
        _ if path.is_dir() => "it is a directory".to_owned(),
        Some(folder) => format!("there is no folder {}", folder.display()),
        None => match can_replace(path) {
            Ok(()) => return Ok(()),
            Err(error) => error.to_string(),
        },
    };
    complain(&format!("error: cannot write {}: {}", escape(&path.display().to_string()), escape(&reason)));
    Err(Exit::Error)
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn write_json(path: &Path, object: &ResultObject) -> Result<(), String> {
    let cannot = |error: &dyn std::fmt::Display| format!("cannot write {}: {error}", path.display());
    let json = serde_json::to_string_pretty(object).map_err(|error| cannot(&error))?;
    let json = format!("{}\n", escape_json(&json));
    if is_stdout(path) {
        return print(&json);
    }
    replace(path, |out| out.write_all(json.as_bytes())).map_err(|error| cannot(&error))
}

fn refuse(clash: &surefoot_files::Clash) -> Exit {
    complain(&format!("error: {}\nhelp: give another file", escape(&clash.to_string())));
    Exit::Error
}

pub(crate) fn to_stdout(text: &str) -> Result<(), String> {
    print(&escape_lines(text))
}

fn print(text: &str) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {error}"))
        }
        _ => Ok(()),
    }
}
