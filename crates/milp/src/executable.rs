//! HiGHS by its executable: a process per program, which reads files and writes one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::highs::Options;
use crate::program::Program;
use crate::solver::{Answer, SolverError, by_name};

/// Beyond the time limit: reading the file, and ending.
const GRACE: Duration = Duration::from_secs(10);
/// How often it is looked whether the process has ended.
const POLL: Duration = Duration::from_millis(5);

/// A folder of our own in another, removed in the end.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(parent: &Path) -> Result<Self, SolverError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("surefoot-milp-{}-{number}", std::process::id()));
        let made = std::fs::create_dir_all(&folder);
        made.map(|()| Self(folder.clone())).map_err(|error| unwritable(&folder, &error))
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf, SolverError> {
        let file = self.0.join(name);
        std::fs::write(&file, text).map_err(|error| unwritable(&file, &error))?;
        Ok(file)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind is in a temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> SolverError {
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
    /// Looks whether it runs.
    ///
    /// # Errors
    /// If it does not.
    pub fn start(path: &Path, scratch: &Path) -> Result<Self, SolverError> {
        let scratch = Scratch::new(scratch)?;
        let solver = Self { path: path.to_owned(), scratch, name: "HiGHS".to_owned() };
        let mut command = Command::new(path);
        let output = command.arg("--version").stdin(Stdio::null()).output().map_err(|error| solver.failed(&error))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        // "HiGHS version 1.15.1 Githash: ..."
        let version = said.split_whitespace().skip_while(|word| *word != "version").nth(1).map(str::to_owned);
        let name = format!("HiGHS {}", version.ok_or_else(|| solver.unusable(&said))?);
        Ok(Self { name, ..solver })
    }

    fn failed(&self, reason: &dyn std::fmt::Display) -> SolverError {
        SolverError::Failed { solver: format!("{} ({})", self.name, self.path.display()), reason: reason.to_string() }
    }

    fn unusable(&self, said: &str) -> SolverError {
        SolverError::Unusable { solver: self.name.clone(), said: said.chars().take(200).collect() }
    }

    /// Runs it to its end, or to the end of its time.
    fn run(&self, mut command: Command, time: Option<Duration>) -> Result<(), SolverError> {
        let mut child = command.spawn().map_err(|error| self.failed(&error))?;
        let begun = Instant::now();
        loop {
            match child.try_wait().map_err(|error| self.failed(&error))? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(self.failed(&status)),
                None if time.is_some_and(|time| begun.elapsed() > time + GRACE) => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(SolverError::TimeOut(self.name.clone()));
                }
                None => std::thread::sleep(POLL),
            }
        }
    }
}

impl Executable {
    /// Name and version.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn solve(
        &self,
        program: &Program,
        time: Option<Duration>,
        chosen: &Options,
    ) -> Result<Answer, SolverError> {
        let file = self.scratch.write("program.lp", &program.with_big_m().to_lp())?;
        let solution = self.scratch.write("solution.txt", "")?;
        let mut options = String::from("log_to_console = false\n");
        for (name, value) in chosen {
            let _ = writeln!(options, "{name} = {value}");
        }
        let options = self.scratch.write("options.txt", &options)?;
        let mut command = Command::new(&self.path);
        command.arg("--model_file").arg(file).arg("--solution_file").arg(&solution).arg("--options_file").arg(options);
        if let Some(time) = time {
            command.arg("--time_limit").arg(format!("{}", time.as_secs_f64()));
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.run(command, time)?;
        let text = std::fs::read_to_string(&solution).map_err(|error| self.failed(&error))?;
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
