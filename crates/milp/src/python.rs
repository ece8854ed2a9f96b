//! HiGHS by its Python package: one process that answers many programs, so that starting Python is paid once.
//!
//! The process reads a line per program (where its file is, how long it may take, options) and writes a line per answer. It is ended
//! when it does not answer in time, and started anew for the next program.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use serde_json::{Value, json};
use surefoot_files::{Kind, Scratch};
use surefoot_limits::Limits;

use crate::executable::{scratch, unwritable};
use crate::highs::Options;
use crate::process::{POLL, lines};
use crate::program::Program;
use crate::solver::{Answer, SolverError, by_name};

/// What the process runs.
const DRIVER: &str = include_str!("driver.py");
/// Importing the package may take long on a busy machine.
const TO_START: Duration = Duration::from_secs(60);

/// HiGHS by its Python package.
#[derive(Debug)]
pub struct Python {
    path: PathBuf,
    scratch: Scratch,
    name: String,
    process: Option<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has nothing to save: whether it ends by itself makes no difference.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Python {
    /// Starts the process, within a time if one is given.
    ///
    /// # Errors
    /// If Python does not run, or does not have the package.
    pub fn start(path: &Path, parent: &Path, time: Option<Duration>) -> Result<Self, SolverError> {
        let (path, scratch) = (path.to_owned(), scratch(parent)?);
        let mut solver = Self { path, scratch, name: "HiGHS (highspy)".to_owned(), process: None };
        let process = solver.spawn()?;
        let first = solver.first_line(&process, time)?;
        let version = serde_json::from_str::<Value>(&first).ok().and_then(|v| Some(v["version"].as_str()?.to_owned()));
        solver.name = format!("HiGHS {}", version.ok_or_else(|| solver.unusable(&first))?);
        solver.process = Some(process);
        Ok(solver)
    }

    fn failed(&self, reason: &dyn std::fmt::Display) -> SolverError {
        SolverError::Failed { solver: format!("{} ({})", self.name, self.path.display()), reason: reason.to_string() }
    }

    fn unusable(&self, said: &str) -> SolverError {
        SolverError::Unusable { solver: self.name.clone(), said: said.chars().take(200).collect() }
    }

    fn first_line(&self, process: &Process, time: Option<Duration>) -> Result<String, SolverError> {
        let time = time.map_or(TO_START, |time| time.min(TO_START));
        process.lines.recv_timeout(time).map_err(|error| match error {
            RecvTimeoutError::Timeout => SolverError::TimeOut(format!("{} ({})", self.name, self.path.display())),
            RecvTimeoutError::Disconnected => self.failed(&"highspy cannot be imported"),
        })
    }

    fn spawn(&self) -> Result<Process, SolverError> {
        let mut command = Command::new(&self.path);
        // Isolated, and in its own folder: neither files where the user is nor variables add to what it runs.
        command
            .args(["-I", "-u", "-c", DRIVER])
            .current_dir(self.scratch.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| self.failed(&error))?;
        let input = child.stdin.take().ok_or_else(|| self.failed(&"no standard input"))?;
        let output = child.stdout.take().ok_or_else(|| self.failed(&"no standard output"))?;
        Ok(Process { child, input, lines: lines(output, Kind::Answer.most()) })
    }

    fn ask(&mut self, request: &Value, limits: &Limits) -> Result<String, SolverError> {
        if self.process.is_none() {
            let process = self.spawn()?;
            self.first_line(&process, limits.remaining())?;
            self.process = Some(process);
        }
        let Some(process) = &mut self.process else { return Err(self.failed(&"it did not start")) };
        let sent = writeln!(process.input, "{request}").and_then(|()| process.input.flush());
        let answer = match sent {
            Err(error) => Err(error.to_string()),
            Ok(()) => loop {
                match process.lines.recv_timeout(POLL) {
                    Ok(line) => break Ok(line),
                    Err(RecvTimeoutError::Timeout) if limits.stop().is_none() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        self.process = None;
                        return Err(SolverError::TimeOut(self.name.clone()));
                    }
                    Err(RecvTimeoutError::Disconnected) => break Err("the process ended".to_owned()),
                }
            },
        };
        answer.map_err(|reason| {
            self.process = None;
            self.failed(&reason)
        })
    }
}

impl Python {
    /// Name and version.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn solve(
        &mut self,
        program: &Program,
        limits: &Limits,
        options: &Options,
    ) -> Result<Answer, SolverError> {
        let file = self.scratch.write("program.lp", &program.with_big_m().to_lp());
        let file = file.map_err(|error| unwritable(self.scratch.path(), &error))?;
        let options: serde_json::Map<String, Value> =
            options.iter().map(|(name, value)| ((*name).to_owned(), option(value))).collect();
        let request = json!({"path": file, "seconds": limits.remaining().map(|t| t.as_secs_f64()), "options": options});
        let line = self.ask(&request, limits)?;
        let answer: Value = serde_json::from_str(&line).map_err(|_| self.unusable(&line))?;
        match answer["status"].as_str() {
            Some("Infeasible") => Ok(Answer::Infeasible),
            Some("Time limit reached") => Err(SolverError::TimeOut(self.name.clone())),
            Some("Optimal") => {
                let values = answer["values"].as_object().ok_or_else(|| self.unusable(&line))?;
                let named = values.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_f64()?)));
                by_name(program.variables().len(), named).map(Answer::Solution).ok_or_else(|| self.unusable(&line))
            }
            _ => Err(self.unusable(&line)),
        }
    }
}

/// An option's value as the package wants it: a number where it is one.
fn option(value: &str) -> Value {
    let integer = value.parse::<i64>().ok().map(Value::from);
    integer.or_else(|| value.parse::<f64>().ok().map(Value::from)).unwrap_or_else(|| Value::from(value))
}
