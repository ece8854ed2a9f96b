//! What every task goes through: where output goes, what is read, how far it is, what came out.

use std::path::Path;

use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::render;
use surefoot_text::source::SourceMap;
use surefoot_verify::result::ResultObject;
use surefoot_verify::task::{Job, Opened, Outcome, Task};
use surefoot_verify::{Budget, Failure};

use super::page::{PageWish, find_drawing};
use crate::args::CommonArgs;
use crate::args::cegar::CegarArgs;
use crate::args::certificate::CertificateArgs;
use crate::args::report::PageArgs;
use crate::output::{Exit, Output, complain};
use crate::process;
use crate::progress::Terminal;

/// What a command line asks for.
pub(crate) struct Wish {
    /// What is to be done.
    pub(crate) job: Job,
    /// Whether the options fit each other. Told after what is wrong with the files, which may be why.
    pub(crate) fits: Result<(), Diagnostic>,
}

impl Wish {
    /// A wish whose options always fit.
    pub(super) fn of(job: Job) -> Self {
        Self { job, fits: Ok(()) }
    }
}

/// Takes a job through all its steps; `text` is what people are told.
pub(super) fn carry_out(common: &CommonArgs, job: Job, text: impl FnOnce(&Outcome) -> String) -> Exit {
    let ended = begin(common, job).and_then(|(task, output)| {
        let mut session = Session::open(&task, output, common.events.as_deref())?;
        session.prepare()?;
        session.run()
    });
    ended.map_or_else(|exit| exit, |ended| ended.show(text))
}

/// Checks where output goes before any work is done, and keeps limits from then on.
pub(super) fn begin(common: &CommonArgs, job: Job) -> Result<(Task, Output), Exit> {
    let mut output = Output::new(common)?;
    output.protect_files(job.files())?;
    process::expect(output.free_json(), ResultObject::new(job.command(), common.seed));
    Ok((Task { job, budget: common.budget(), seed: common.seed }, output))
}

/// A task under way.
pub(super) struct Session<'t> {
    task: &'t Task,
    pub(super) output: Output,
    events: Option<&'t Path>,
    sources: SourceMap,
    opened: Opened<'t>,
}

impl<'t> Session<'t> {
    /// Reads what is asked for and shows warnings and notices; on failure says so and how to end.
    pub(super) fn open(task: &'t Task, mut output: Output, events: Option<&'t Path>) -> Result<Self, Exit> {
        let mut sources = SourceMap::default();
        match task.open(&mut sources) {
            Ok(mut opened) => {
                output.guard(&sources.inputs)?;
                output.notes(&opened.take_notes(), &sources);
                process::expect(output.json(), opened.result(&sources));
                Ok(Self { task, output, events, sources, opened })
            }
            Err(failure) => Err(output.failure(task.result(), &failure, &sources)),
        }
    }

    /// That the files of refinement can be written, and are no other option's; says so where not.
    pub(super) fn claim_refinement(&mut self, args: &CegarArgs) -> Result<(), Exit> {
        if let Some(path) = &args.predicates_out {
            self.output.claim("--predicates-out", path)?;
        }
        args.checkpoint.as_ref().map_or(Ok(()), |path| self.output.claim_rewritten("--checkpoint", path))
    }

    /// The same for a certificate.
    pub(super) fn claim_certificate(&mut self, args: &CertificateArgs) -> Result<(), Exit> {
        args.certificate.as_ref().map_or(Ok(()), |path| self.output.claim("--certificate", path))
    }

    /// The same for a page; reads how states are drawn.
    pub(super) fn claim_page(&mut self, args: &PageArgs) -> Result<Option<PageWish>, Exit> {
        let Some(path) = &args.report else { return Ok(None) };
        self.output.claim("--report", path)?;
        let drawing = self.drawing(args.drawing.drawing.as_deref())?;
        Ok(Some(PageWish::new(path, drawing, process::words())))
    }

    /// How states are drawn.
    pub(super) fn drawing(&mut self, given: Option<&Path>) -> Result<Option<serde_json::Value>, Exit> {
        let mut notes = Vec::new();
        let Some(problem) = self.opened.problem() else { return Ok(None) };
        let found = find_drawing(self.task, problem, &mut self.sources, given, &mut notes);
        self.output.notes(&notes, &self.sources);
        found.map_err(|error| self.fail(&error.into()))
    }

    /// Ends with a failure.
    pub(super) fn fail(&self, failure: &Failure) -> Exit {
        self.output.failure(self.task.result(), failure, &self.sources)
    }

    /// That nothing is written to what has been read by now; says so where it is.
    pub(super) fn guard(&mut self) -> Result<(), Exit> {
        self.output.guard(&self.sources.inputs)
    }

    /// Reads what else is asked for.
    pub(super) fn prepare(&mut self) -> Result<(), Exit> {
        if let Err(failure) = self.opened.prepare(&mut self.sources) {
            return Err(self.fail(&failure));
        }
        self.guard()?;
        self.output.notes(&self.opened.take_notes(), &self.sources);
        Ok(())
    }

    /// Does it, and shows how far it is.
    pub(super) fn run(self) -> Result<Ended, Exit> {
        let Self { task, output, events, mut sources, opened } = self;
        let reporter = Terminal::to(events, output.is_quiet(), task.budget.started)?;
        let outcome = match opened.run(&mut sources, &reporter) {
            Ok(outcome) => outcome,
            Err(failure) => {
                drop(reporter);
                return Err(output.failure(task.result(), &failure, &sources));
            }
        };
        let (figures, verdict) = &outcome.last;
        reporter.end(figures, verdict.map(|verdict| verdict.word()));
        drop(reporter);
        outcome.warnings.iter().for_each(|warning| complain(&render(warning, &sources)));
        output.notes(&outcome.notes, &sources);
        Ok(Ended { output, sources, outcome })
    }
}

/// A task that was done.
pub(super) struct Ended {
    pub(super) output: Output,
    pub(super) sources: SourceMap,
    pub(super) outcome: Outcome,
}

impl Ended {
    /// Writes the result, and then the page that was wished for.
    pub(super) fn show_with(
        &self,
        page: Option<&PageWish>,
        budget: &Budget,
        text: impl FnOnce(&Outcome) -> String,
    ) -> Exit {
        let exit = self.show(text);
        let Some(page) = page.filter(|_| exit != Exit::Error) else { return exit };
        match page.write(&self.outcome, budget) {
            Ok(()) => exit,
            Err(error) => {
                complain(&format!("error: {error}"));
                Exit::Error
            }
        }
    }

    /// Writes the result.
    pub(super) fn show(&self, text: impl FnOnce(&Outcome) -> String) -> Exit {
        let outcome = &self.outcome;
        self.output.result(&text(outcome), &outcome.result, outcome.class.into())
    }
}
