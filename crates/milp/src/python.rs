//! HiGHS by its Python package: one process that answers many programs, so that starting Python is paid once.
//!
//! The process reads a line per program (where its file is, how long it may take, options) and writes a line per answer. It is ended
//! when it does not answer in time, and started anew for the next program.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use surefoot_files::Scratch;
use surefoot_limits::Limits;

use crate::executable::{scratch, unwritable};
use crate::highs::Options;
use crate::process::Trouble;
use crate::program::Program;
use crate::solver::{Answer, SolverError, by_name};
use crate::worker::Worker;

/// What the process runs.
const DRIVER: &str = include_str!("driver.py");
/// Importing the package may take long on a busy machine.
const TO_START: Duration = Duration::from_secs(60);

/// HiGHS by its Python package.
#[derive(Debug)]
pub struct Python {
    worker: Worker,
    scratch: Scratch,
    name: String,
}

impl Python {
    /// Starts the process, within a time if one is given.
    ///
    /// # Errors
    /// If Python does not run, or does not have the package.
    pub fn start(path: &Path, parent: &Path, time: Option<Duration>) -> Result<Self, SolverError> {
        let scratch = scratch(parent)?;
        let worker = Worker::python(path, DRIVER, scratch.path());
        let mut solver = Self { worker, scratch, name: "HiGHS (highspy)".to_owned() };
        let limits = Limits::default().until(time.and_then(|time| Instant::now().checked_add(time)));
        let first = solver.first_line(&limits)?;
        let version = serde_json::from_str::<Value>(&first).ok().and_then(|v| Some(v["version"].as_str()?.to_owned()));
        solver.name = format!("HiGHS {}", version.ok_or_else(|| solver.unusable(&first))?);
        Ok(solver)
    }

    fn failed(&self, reason: &dyn std::fmt::Display) -> SolverError {
        let solver = format!("{} ({})", self.name, self.worker.program().display());
        SolverError::Failed { solver, reason: reason.to_string() }
    }

    fn unusable(&self, said: &str) -> SolverError {
        SolverError::Unusable { solver: self.name.clone(), said: said.chars().take(200).collect() }
    }

    /// Starts the process; what it says first.
    fn first_line(&mut self, limits: &Limits) -> Result<String, SolverError> {
        let started = self.worker.start();
        started.map_err(|trouble| self.failed(&trouble))?;
        let said = self.worker.line(&limits.until(Instant::now().checked_add(TO_START)));
        said.map_err(|trouble| match trouble {
            Trouble::Time => SolverError::TimeOut(format!("{} ({})", self.name, self.worker.program().display())),
            Trouble::Other(_) => self.failed(&"highspy cannot be imported"),
        })
    }

    fn ask(&mut self, request: &Value, limits: &Limits) -> Result<String, SolverError> {
        if !self.worker.is_running() {
            self.first_line(limits)?;
        }
        let sent = self.worker.send(format!("{request}\n"));
        sent.and_then(|()| self.worker.line(limits)).map_err(|trouble| match trouble {
            Trouble::Time => SolverError::TimeOut(self.name.clone()),
            Trouble::Other(reason) => self.failed(&reason),
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
