//! Runs as tables: all their states, for other programs.
//!
//! * CSV: a line per state. `run` and `step` count from 0; `action` is what led to the state, empty in a start state and after silent steps; `end` says in
//!   the last line of a run how it ended. Then the locations of automata that have several, and the variables.
//! * JSON lines: a line per run, with `run`, `end` and `steps`, each with its `action` and its `state` as results have them.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use surefoot_certificate::StateRecord;
use surefoot_explicit::simulate::{Run, RunEnd, Trace};
use surefoot_files::escape_json;

use crate::csv::{StateColumns, field};
use crate::problem::Problem;
use crate::result::seeks_unsafe;
use crate::states::StateNames;

/// How traces are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceFormat {
    /// A line per state.
    Csv,
    /// A line per run.
    JsonLines,
}

impl TraceFormat {
    /// What the name of a file says.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "csv" => Some(Self::Csv),
            "jsonl" => Some(Self::JsonLines),
            _ => None,
        }
    }
}

/// Writes runs.
pub(crate) struct TraceWriter<'p, W> {
    problem: &'p Problem,
    names: StateNames,
    format: TraceFormat,
    columns: StateColumns<'p>,
    out: W,
}

/// A run as a line of JSON.
#[derive(Serialize)]
struct RunLine<'t> {
    run: u64,
    end: &'t str,
    steps: Vec<StepLine<'t>>,
}

#[derive(Serialize)]
struct StepLine<'t> {
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'t str>,
    state: StateRecord,
}

impl<'p, W: Write> TraceWriter<'p, W> {
    /// A writer that has written what stands before the first run.
    pub(crate) fn new(problem: &'p Problem, format: TraceFormat, mut out: W) -> io::Result<Self> {
        let (names, columns) = (StateNames::new(problem.model()), StateColumns::new(problem));
        if format == TraceFormat::Csv {
            write!(out, "run,step,action,end")?;
            columns.names(&mut out)?;
            writeln!(out)?;
        }
        Ok(Self { problem, names, format, columns, out })
    }

    /// Writes a run.
    pub(crate) fn write(&mut self, number: u64, run: &Run, trace: &Trace) -> io::Result<()> {
        let model = self.problem.model();
        let end = word(run.end, seeks_unsafe(self.problem) == Some(true));
        let action = |step: usize| {
            let vector = step.checked_sub(1).map(|step| &model.vectors[trace.vectors()[step] as usize]);
            vector.and_then(|vector| vector.label).map(|label| &*model.labels[label.0 as usize])
        };
        let states = trace.states();
        match self.format {
            TraceFormat::Csv => {
                let last = states.len() - 1;
                for (step, state) in states.iter().enumerate() {
                    let end = if step == last { end } else { "" };
                    write!(self.out, "{number},{step},{},{end}", field(action(step).unwrap_or_default()))?;
                    self.columns.values(state, &mut self.out)?;
                    writeln!(self.out)?;
                }
                Ok(())
            }
            TraceFormat::JsonLines => {
                let step = |(step, state)| StepLine { action: action(step), state: self.names.record(model, state) };
                let line = RunLine { run: number, end, steps: states.iter().enumerate().map(step).collect() };
                let json = serde_json::to_string(&line).map_err(io::Error::other)?;
                writeln!(self.out, "{}", escape_json(&json))
            }
        }
    }
}

/// How a run ended, in a word.
fn word(end: RunEnd, seeks_unsafe: bool) -> &'static str {
    match end {
        RunEnd::Reach if seeks_unsafe => "unsafe",
        RunEnd::Reach => "target",
        RunEnd::Goal => "goal",
        RunEnd::Stopped => "stopped",
        RunEnd::StepLimit => "step-limit",
    }
}
