//! `zoo experiment`: the papers' tables and figures.

use surefoot_experiments::{Bench, Error, Experiment, Written, all, find};
use surefoot_files::escape;
use surefoot_limits::{Limits, Stop};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verify::result::zoo::{ExperimentReport, ExperimentSummary, Experiments};
use surefoot_verify::result::{Body, Command};
use surefoot_verify::{Failure, ResultObject};

use super::Session;
use crate::args::experiment::ZooExperimentArgs;
use crate::output::{Exit, counted};
use crate::process;
use crate::progress::Terminal;

pub(super) fn run(args: &ZooExperimentArgs) -> Result<Exit, Exit> {
    let mut session = Session::new(Command::ZooExperiment, &args.output)?;
    let Some(name) = &args.name else { return Ok(list(&session)) };
    if let Some(events) = &args.events {
        session.output.claim("--events", events)?;
    }
    let experiment = find(name).map_err(|error| refused(&session, &error))?;
    process::expect(session.output.free_json(), ResultObject::new(Command::ZooExperiment, 0));
    let reporter = Terminal::to(args.events.as_deref(), args.output.quiet, session.started)?;
    let done = carry_out(args, experiment, &reporter);
    reporter.end(&[], None);
    match done {
        Ok((written, folder, (made, kept))) => Ok(session.done(
            &text(&written, &folder, made, kept),
            Body::Experiments(Experiments {
                experiments: vec![summary(experiment)],
                report: Some(ExperimentReport { folder, files: written.files, rows: written.rows, made, kept }),
            }),
        )),
        Err(Error::Interrupted) => {
            session.output.details("the runs that were finished are kept: the same command goes on with the others");
            let failure = Failure::Stopped(Stop::Interrupted);
            Err(session.output.failure(session.report(), &failure, &surefoot_text::source::SourceMap::default()))
        }
        Err(error) => Err(refused(&session, &error)),
    }
}

type Done = (Written, String, (usize, usize));

fn carry_out(
    args: &ZooExperimentArgs,
    experiment: &'static dyn Experiment,
    reporter: &Terminal,
) -> Result<Done, Error> {
    let options = args.options(experiment.name());
    let folder = options.out.display().to_string();
    let program = std::env::current_exe().map_err(|error| Error::file(std::path::Path::new("surefoot"), error))?;
    let limits = Limits { cancel: process::cancel(), ..Limits::default() };
    let bench = Bench::open(experiment.name(), options, &program, limits, reporter)?;
    let report = experiment.carry_out(&bench)?;
    bench.something()?;
    let written = report.write(&bench.options.out, experiment.name())?;
    Ok((written, folder, bench.counts()))
}

fn list(session: &Session) -> Exit {
    let all = all();
    let width = all.iter().map(|experiment| experiment.name().len()).max().unwrap_or(0);
    let lines = all.iter().map(|experiment| format!("{:<width$}  {}\n", experiment.name(), experiment.about()));
    let experiments = all.iter().map(|experiment| summary(*experiment)).collect();
    session.done(&lines.collect::<String>(), Body::Experiments(Experiments { experiments, report: None }))
}

fn summary(experiment: &dyn Experiment) -> ExperimentSummary {
    ExperimentSummary { name: experiment.name().to_owned(), about: experiment.about().to_owned() }
}

fn text(written: &Written, folder: &str, made: usize, kept: usize) -> String {
    let rows = counted(written.rows as u64, "row");
    let mut text = format!("done: {rows} of {}", counted((made + kept) as u64, "run"));
    if kept > 0 {
        text.push_str(&format!(", {kept} of them from the journal"));
    }
    text.push_str(&format!("\n  wrote     {} in {}\n", written.files.join(", "), escape(folder)));
    text
}

fn refused(session: &Session, error: &Error) -> Exit {
    let diagnostic = Diagnostic::error_anywhere(error.to_string());
    session.refuse(match error.help() {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    })
}
