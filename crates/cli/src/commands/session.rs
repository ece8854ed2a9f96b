//! What every command about a loaded problem begins with: where output goes, what may be spent, what was read.

use std::path::Path;

use surefoot_jani::diagnostic::Diagnostic;
use surefoot_jani::source::SourceMap;
use surefoot_verify::{Budget, Failure, Problem, Report, Request, Selection};

use crate::args::CommonArgs;
use crate::output::{Exit, Output};
use crate::process;
use crate::progress::Reporter;

/// A command under way.
pub(super) struct Session<'a> {
    command: &'static str,
    common: &'a CommonArgs,
    pub(super) output: Output,
    pub(super) budget: Budget,
    pub(super) sources: SourceMap,
    pub(super) problem: Problem,
}

impl<'a> Session<'a> {
    /// Reads what is asked for and shows warnings and notices; on failure says so and how to end.
    pub(super) fn open(
        command: &'static str,
        common: &'a CommonArgs,
        request: &Request,
        selection: Selection,
    ) -> Result<Self, Exit> {
        let output = Output::new(common)?;
        process::expect(common.json.as_deref(), Report::new(command, common.seed));
        let budget = common.budget();
        let mut sources = SourceMap::default();
        match Problem::load(&mut sources, request, selection) {
            Ok(problem) => {
                output.notes(&problem.notes, &sources);
                let session = Self { command, common, output, budget, sources, problem };
                process::expect(common.json.as_deref(), session.report());
                Ok(session)
            }
            Err(failure) => Err(output.failure(Report::new(command, common.seed), &failure, &sources)),
        }
    }

    /// Shows progress from now on.
    pub(super) fn reporter(&self) -> Result<Reporter, Exit> {
        Reporter::new(self.common, self.budget.started)
    }

    /// Ends with a failure.
    pub(super) fn fail(&self, failure: &Failure) -> Exit {
        self.output.failure(Report::new(self.command, self.common.seed), failure, &self.sources)
    }

    /// That a file to be written is none that was read; says so where it is.
    pub(super) fn not_an_input(&self, path: &Path) -> Result<(), Exit> {
        let canonical = |path: &Path| std::fs::canonicalize(path).ok();
        let out = canonical(path);
        let mut inputs = self.problem.inputs.iter();
        match inputs.find(|(file, _)| out.is_some() && canonical(Path::new(file)) == out) {
            Some((file, _)) => {
                let message = format!("{} would overwrite the input {file}", path.display());
                Err(self.fail(&Diagnostic::error_anywhere(message).into()))
            }
            None => Ok(()),
        }
    }

    /// A result object that says what was asked.
    pub(super) fn report(&self) -> Report {
        let mut report = Report::new(self.command, self.common.seed);
        report.describe_problem(&self.problem);
        report
    }

    /// Seconds since the beginning.
    pub(super) fn seconds(&self) -> f64 {
        self.budget.started.elapsed().as_secs_f64()
    }
}
