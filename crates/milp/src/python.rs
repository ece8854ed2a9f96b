//! HiGHS by its Python package: one process that answers many programs, so that starting Python is paid once.
//!
//! The process reads a line per program (where its file is, how long it may take, options) and writes a line per answer. It is ended
//! when it does not answer in time, and started anew for the next program.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::executable::Scratch;
use crate::highs::Options;
use crate::program::Program;
use crate::solver::{Answer, SolverError, by_name};

/// What the process runs.
const DRIVER: &str = include_str!("driver.py");
/// Importing the package may take long on a busy machine.
const TO_START: Duration = Duration::from_secs(60);
/// Beyond the time limit: reading the file, and ending.
const GRACE: Duration = Duration::from_secs(10);

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
    /// Starts the process.
    ///
    /// # Errors
    /// If Python does not run, or does not have the package.
    pub fn start(path: &Path, scratch: &Path) -> Result<Self, SolverError> {
        let scratch = Scratch::new(scratch)?;
        let mut solver = Self { path: path.to_owned(), scratch, name: "HiGHS (highspy)".to_owned(), process: None };
        let process = solver.spawn()?;
        let first = process.lines.recv_timeout(TO_START).map_err(|_| solver.failed(&"highspy cannot be imported"))?;
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

    fn spawn(&self) -> Result<Process, SolverError> {
        let mut command = Command::new(&self.path);
        command.args(["-u", "-c", DRIVER]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| self.failed(&error))?;
        let input = child.stdin.take().ok_or_else(|| self.failed(&"no standard input"))?;
        let output = child.stdout.take().ok_or_else(|| self.failed(&"no standard output"))?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Process { child, input, lines })
    }

    fn ask(&mut self, request: &Value, time: Option<Duration>) -> Result<String, SolverError> {
        if self.process.is_none() {
            let process = self.spawn()?;
            process.lines.recv_timeout(TO_START).map_err(|_| self.failed(&"it did not start again"))?;
            self.process = Some(process);
        }
        let Some(process) = &mut self.process else { return Err(self.failed(&"it did not start")) };
        let sent = writeln!(process.input, "{request}").and_then(|()| process.input.flush());
        let answer = match sent {
            Err(error) => Err(error.to_string()),
            Ok(()) => match time {
                None => process.lines.recv().map_err(|_| "the process ended".to_owned()),
                Some(time) => match process.lines.recv_timeout(time + GRACE) {
                    Ok(line) => Ok(line),
                    Err(RecvTimeoutError::Timeout) => {
                        self.process = None;
                        return Err(SolverError::TimeOut(self.name.clone()));
                    }
                    Err(RecvTimeoutError::Disconnected) => Err("the process ended".to_owned()),
                },
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
        time: Option<Duration>,
        options: &Options,
    ) -> Result<Answer, SolverError> {
        let file = self.scratch.write("program.lp", &program.with_big_m().to_lp())?;
        let options: serde_json::Map<String, Value> =
            options.iter().map(|(name, value)| ((*name).to_owned(), option(value))).collect();
        let request = json!({"path": file, "seconds": time.map(|t| t.as_secs_f64()), "options": options});
        let line = self.ask(&request, time)?;
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
