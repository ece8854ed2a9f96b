//! HiGHS by its executable: a process per program, which reads files and writes one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use surefoot_files::{Inputs, Kind, Origin, Scratch};
use surefoot_limits::Limits;

use crate::highs::Options;
use crate::process::{Trouble, output, wait};
use crate::program::Program;
use crate::solver::{Answer, SolverError, by_name};

/// A program that says its version takes no longer than this, however busy the machine.
const TO_START: Duration = Duration::from_secs(20);
/// A version is not longer than this.
const VERSION: u64 = 1 << 12;

pub(crate) fn scratch(parent: &Path) -> Result<Scratch, SolverError> {
    Scratch::new(parent).map_err(|error| unwritable(parent, &error))
}

pub(crate) fn unwritable(path: &Path, error: &std::io::Error) -> SolverError {
    SolverError::Failed { solver: "HiGHS".to_owned(), reason: format!("{} cannot be written: {error}", path.display()) }
}

/// HiGHS by its executable.
#[derive(Debug)]
pub struct Executable {
    path: PathBuf,
    scratch: Scratch,
    name: String,
}

impl Executable {
    /// Looks whether it runs, within a time if one is given.
    ///
    /// # Errors
    /// If it does not.
    pub fn start(path: &Path, parent: &Path, time: Option<Duration>) -> Result<Self, SolverError> {
        let solver = Self { path: path.to_owned(), scratch: scratch(parent)?, name: "HiGHS".to_owned() };
        let mut command = solver.command();
        command.arg("--version");
        let time = time.map_or(TO_START, |time| time.min(TO_START));
        let said = output(command, time, VERSION).map_err(|trouble| solver.troubled(trouble))?;
        // "HiGHS version 1.15.1 Githash: ..."
        let version = said.split_whitespace().skip_while(|word| *word != "version").nth(1).map(str::to_owned);
        let name = format!("HiGHS {}", version.ok_or_else(|| solver.unusable(&said))?);
        Ok(Self { name, ..solver })
    }

    /// It runs in its own folder: nothing that lies where the user is becomes part of it.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(self.scratch.path());
        command
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, SolverError> {
        self.scratch.write(name, text).map_err(|error| unwritable(self.scratch.path(), &error))
    }

    fn troubled(&self, trouble: Trouble) -> SolverError {
        match trouble {
            Trouble::Time => SolverError::TimeOut(format!("{} ({})", self.name, self.path.display())),
            Trouble::Other(reason) => self.failed(&reason),
        }
    }

    fn failed(&self, reason: &dyn std::fmt::Display) -> SolverError {
        SolverError::Failed { solver: format!("{} ({})", self.name, self.path.display()), reason: reason.to_string() }
    }

    fn unusable(&self, said: &str) -> SolverError {
        SolverError::Unusable { solver: self.name.clone(), said: said.chars().take(200).collect() }
    }
}

impl Executable {
    /// Name and version.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn solve(&self, program: &Program, limits: &Limits, chosen: &Options) -> Result<Answer, SolverError> {
        let file = self.write("program.lp", &program.with_big_m().to_lp())?;
        let solution = self.write("solution.txt", "")?;
        let mut options = String::from("log_to_console = false\n");
        for (name, value) in chosen {
            let _ = writeln!(options, "{name} = {value}");
        }
        let options = self.write("options.txt", &options)?;
        let mut command = self.command();
        command.arg("--model_file").arg(file).arg("--solution_file").arg(&solution).arg("--options_file").arg(options);
        if let Some(time) = limits.remaining() {
            command.arg("--time_limit").arg(format!("{}", time.as_secs_f64()));
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| self.failed(&error))?;
        wait(&mut child, limits, Some((&solution, Kind::Answer.most()))).map_err(|trouble| self.troubled(trouble))?;
        let read = Inputs::default().read(&solution, Kind::Answer, Origin::Reached);
        let text = read.map_err(|error| self.failed(&error))?;
        let text = String::from_utf8_lossy(&text);
        match status(&text) {
            Some("Infeasible") => Ok(Answer::Infeasible),
            Some("Time limit reached") => Err(SolverError::TimeOut(self.name.clone())),
            Some("Optimal") => by_name(program.variables().len(), columns(&text))
                .map(Answer::Solution)
                .ok_or_else(|| self.unusable(&text)),
            _ => Err(self.unusable(&text)),
        }
    }
}

/// The line after `Model status`.
fn status(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| *line == "Model status")?;
    lines.next()
}

/// Names and values of the primal solution's columns.
fn columns(text: &str) -> impl Iterator<Item = (&str, f64)> {
    let primal = text.lines().map(str::trim).skip_while(|line| !line.starts_with("# Columns")).skip(1);
    primal.take_while(|line| !line.starts_with('#')).filter_map(|line| {
        let (name, value) = line.split_once(char::is_whitespace)?;
        Some((name, value.trim().parse().ok()?))
    })
}
