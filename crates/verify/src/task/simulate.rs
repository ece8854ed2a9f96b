//! Random runs, and their traces in a file.

use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use surefoot_explicit::simulate::{Run, SimulateOptions, Simulated, Trace};
use surefoot_files::Draft;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_verdict::{Event, Reporter};

use super::{Outcome, Told};
use crate::engine::{self, Budget};
use crate::problem::{Failure, Problem};
use crate::result::ResultObject;
use crate::traces::{TraceFormat, TraceWriter};

/// Which runs to make.
#[derive(Debug, Clone)]
pub struct Simulating {
    /// How many.
    pub runs: u64,
    /// Steps of each, at most.
    pub steps: u64,
    /// Where all their states go: a file whose name ends in `.csv` or `.jsonl`.
    pub traces: Option<PathBuf>,
}

impl Simulating {
    /// The format that the name of the file of traces says.
    pub(super) fn format(&self) -> Result<Option<TraceFormat>, Failure> {
        let Some(path) = &self.traces else { return Ok(None) };
        let format = TraceFormat::of(path);
        format.map(Some).ok_or_else(|| {
            let message = format!("{} does not say in which format traces are to be", path.display());
            let help = format!("give {} a file whose name ends in .csv or .jsonl", option("traces"));
            Diagnostic::error_anywhere(message).with_help(help).into()
        })
    }

    pub(super) fn run(
        &self,
        problem: Problem,
        result: ResultObject,
        budget: &Budget,
        seed: u64,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        let options = SimulateOptions { runs: self.runs, steps: self.steps, seed };
        let (simulation, first) = match (&self.traces, self.format()?) {
            (Some(path), Some(format)) => traced(&problem, budget, &options, reporter, path, format)?,
            _ => engine::simulate(&problem, budget, &options, reporter, None)?,
        };
        let mut result = result.simulated(&problem, &simulation, first.as_ref());
        if let Some(stop) = simulation.stopped {
            let limit = budget.describe(stop);
            result = result.unknown(format!("{limit} after {} of {} runs", simulation.totals.runs, self.runs));
        }
        let totals = &simulation.totals;
        let reached = totals.ended(surefoot_explicit::simulate::RunEnd::Reach);
        let last = Simulated { runs: totals.runs, of: self.runs, steps: totals.steps, reached };
        let told = Told::Simulated(simulation, first.map(Box::new));
        Ok(Outcome { last: (last.figures(), None), ..Outcome::new(result, told, problem, Vec::new()) })
    }
}

type Made = (surefoot_explicit::simulate::Simulation, Option<crate::replay::Replayed>);

/// Makes runs and writes them to a file, which has all runs that were made when a limit ends the simulation.
fn traced(
    problem: &Problem,
    budget: &Budget,
    options: &SimulateOptions,
    reporter: &dyn Reporter,
    path: &Path,
    format: TraceFormat,
) -> Result<Made, Failure> {
    let cannot = |error: std::io::Error| -> Failure {
        Diagnostic::error_anywhere(format!("cannot write {}: {error}", path.display())).into()
    };
    let draft = Draft::new(path).map_err(cannot)?;
    let mut out = BufWriter::with_capacity(1 << 16, draft.file());
    let mut written = Ok(());
    let mut writer = TraceWriter::new(problem, format, &mut out).map_err(cannot)?;
    let mut listener = |number: u64, run: &Run, trace: &Trace| {
        written = writer.write(number, run, trace);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let made = engine::simulate(problem, budget, options, reporter, Some(&mut listener))?;
    drop(writer);
    written.and_then(|()| out.flush()).map_err(cannot)?;
    drop(out);
    draft.publish().map_err(cannot)?;
    Ok(made)
}
