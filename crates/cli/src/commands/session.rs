//! What every command about a loaded problem begins with: where output goes, what may be spent, what was read.

use surefoot_text::source::SourceMap;
use surefoot_verify::{Budget, Failure, Problem, Report, Request, Selection};

use crate::args::CommonArgs;
use crate::output::{Exit, Output};
use crate::process;
use crate::progress::Terminal;

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
        let mut output = Output::new(common)?;
        output.protect(request)?;
        process::expect(output.free_json(), Report::new(command, common.seed));
        let budget = common.budget();
        let mut sources = SourceMap::default();
        match Problem::load(&mut sources, request, selection) {
            Ok(problem) => {
                output.guard(&sources.inputs)?;
                output.notes(&problem.notes, &sources);
                let session = Self { command, common, output, budget, sources, problem };
                process::expect(common.json.as_deref(), session.report());
                Ok(session)
            }
            Err(failure) => Err(output.failure(Report::new(command, common.seed), &failure, &sources)),
        }
    }

    /// Shows progress from now on.
    pub(super) fn reporter(&self) -> Result<Terminal, Exit> {
        Terminal::new(self.common, self.budget.started)
    }

    /// Ends with a failure.
    pub(super) fn fail(&self, failure: &Failure) -> Exit {
        self.output.failure(Report::new(self.command, self.common.seed), failure, &self.sources)
    }

    /// That nothing is written to what has been read by now; says so where it is.
    pub(super) fn guard(&mut self) -> Result<(), Exit> {
        self.output.guard(&self.sources.inputs)
    }

    /// A result object that says what was asked.
    pub(super) fn report(&self) -> Report {
        let mut report = Report::new(self.command, self.common.seed);
        report.describe_problem(&self.problem);
        // Predicates and checkpoints are read after the problem.
        report.set_inputs(&self.sources.inputs.hashes());
        report
    }

    /// Seconds since the beginning.
    pub(super) fn seconds(&self) -> f64 {
        self.budget.started.elapsed().as_secs_f64()
    }
}
