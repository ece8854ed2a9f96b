//! `zoo`: benchmark domains.

mod distil;
mod experiment;
mod plot;
mod predicates;
pub(crate) mod train;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verify::ResultObject;
use surefoot_verify::result::zoo::{DomainSummary, Domains, Generated, ParameterSummary, ParameterType};
use surefoot_verify::result::{Body, Command};
use surefoot_zoo::{Domain, Kind, Parameter};

use crate::args::zoo::{ZooArgs, ZooCommand, ZooGenerateArgs, ZooListArgs, ZooOutputArgs};
use crate::output::{Exit, Output};
use crate::process;

pub(crate) fn run(args: &ZooArgs) -> Exit {
    let done = match &args.command {
        ZooCommand::List(args) => list(args),
        ZooCommand::Generate(args) => generate(args),
        ZooCommand::Predicates(args) => predicates::run(args),
        ZooCommand::Train(args) => train::run(args),
        ZooCommand::Experiment(args) => experiment::run(args),
        ZooCommand::Distil(args) => distil::run(args),
        ZooCommand::Plot(args) => plot::run(args),
    };
    done.unwrap_or_else(|exit| exit)
}

/// A command under way.
struct Session {
    command: Command,
    output: Output,
    started: Instant,
}

impl Session {
    fn new(command: Command, args: &ZooOutputArgs) -> Result<Self, Exit> {
        Ok(Self { command, output: Output::to(args.json.as_deref(), args.quiet)?, started: process::started() })
    }

    fn report(&self) -> ResultObject {
        ResultObject::new(self.command, 0)
    }

    fn fail(&self, message: impl Into<String>) -> Exit {
        self.refuse(Diagnostic::error_anywhere(message.into()))
    }

    fn refuse(&self, error: Diagnostic) -> Exit {
        self.output.failure(self.report(), &error.into(), &SourceMap::default())
    }

    fn done(&self, text: &str, body: Body) -> Exit {
        let report = ResultObject { body: Some(body), ..self.report() };
        self.output.result(text, &report.after(self.started.elapsed().as_secs_f64()), Exit::Done)
    }
}

fn list(args: &ZooListArgs) -> Result<Exit, Exit> {
    let session = Session::new(Command::ZooList, &args.output)?;
    let domains: Vec<&dyn Domain> = match &args.domain {
        Some(name) => vec![surefoot_zoo::find(name).map_err(|error| session.fail(error.to_string()))?],
        None => surefoot_zoo::all(),
    };
    let text: Vec<String> = domains.iter().map(|domain| describe(*domain)).collect();
    let domains = domains.iter().map(|domain| object(*domain)).collect();
    Ok(session.done(&text.join("\n"), Body::Domains(Domains { domains })))
}

fn generate(args: &ZooGenerateArgs) -> Result<Exit, Exit> {
    let mut session = Session::new(Command::ZooGenerate, &args.output)?;
    let instance = surefoot_zoo::generate(&args.domain, &args.settings);
    let instance = instance.map_err(|error| session.fail(error.to_string()))?;
    let folder = args.out.display();
    // What already is what it should be is written to no harm, given networks above all.
    let changes = instance.changes(&args.out);
    for name in instance.files() {
        let path = args.out.join(&name);
        if !path.parent().is_some_and(Path::is_dir) {
            continue;
        }
        if changes.contains(&name) {
            session.output.claim("--out", &path)?;
        } else {
            session.output.claim_unchanged("--out", &path)?;
        }
    }
    session.output.protect_files(&given(&args.settings))?;
    let foreign = instance.foreign(&args.out);
    if !foreign.is_empty() {
        let (names, are) = (foreign.join(", "), if foreign.len() == 1 { "is" } else { "are" });
        let message = format!("in {folder}, {names} {are} there already, and not from an earlier zoo generate");
        return Err(session.refuse(
            Diagnostic::error_anywhere(message).with_help("give another folder by --out, or move what is there away"),
        ));
    }
    let mut replaced = instance.files();
    replaced.retain(|name| args.out.join(name).exists());
    if !replaced.is_empty() {
        session.output.details(&format!("notice: in {folder}, {} will be replaced", replaced.join(", ")));
    }
    let removed = instance.stale(&args.out);
    let written = instance.write(&args.out);
    let written = written.map_err(|error| session.fail(format!("cannot write into {folder}: {error}")))?;
    let mut text = format!("done: wrote {} in {folder}\n", written.join(", "));
    if !removed.is_empty() {
        text.push_str(&format!("  removed {}, left by an earlier instance\n", removed.join(", ")));
    }
    let (domain, settings, folder) = (args.domain.clone(), args.settings.clone(), folder.to_string());
    let generated = Generated { domain, settings, folder, files: written, replaced, removed };
    Ok(session.done(&text, Body::Generated(generated)))
}

/// The files that settings name, and the networks of folders that they name.
fn given(settings: &[String]) -> Vec<PathBuf> {
    let network = |path: &PathBuf| {
        let extension = path.extension().and_then(OsStr::to_str);
        extension.is_some_and(|e| ["jani2nnet", "nnet", "onnx", "safetensors"].contains(&e))
    };
    let values = settings.iter().filter_map(|setting| setting.split_once('='));
    let files = values.flat_map(|(_, value)| match std::fs::read_dir(value) {
        Ok(entries) => entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(network).collect(),
        Err(_) => vec![PathBuf::from(value)],
    });
    files.filter(|path| path.is_file()).collect()
}

fn describe(domain: &dyn Domain) -> String {
    let mut text = format!("{}: {}\n", domain.name(), domain.summary());
    let rows: Vec<(String, Parameter)> =
        domain.parameters().into_iter().map(|p| (format!("{}={}", p.name, p.default), p)).collect();
    let width = rows.iter().map(|(setting, _)| setting.chars().count()).max().unwrap_or(0);
    for (setting, parameter) in rows {
        text.push_str(&format!("  {setting:<width$}  {} ({})\n", parameter.about, parameter.possible()));
    }
    text
}

fn object(domain: &dyn Domain) -> DomainSummary {
    let parameter = |p: &Parameter| ParameterSummary {
        name: p.name.to_owned(),
        r#type: match &p.kind {
            Kind::Integer { least, most } => ParameterType::Integer { least: *least, most: *most },
            Kind::Choice(words) => ParameterType::Choice { words: words.iter().map(ToString::to_string).collect() },
            Kind::Path => ParameterType::Path,
            Kind::Text { form } => ParameterType::Text { form: (*form).to_owned() },
        },
        default: p.default.to_owned(),
        about: p.about.to_owned(),
    };
    DomainSummary {
        name: domain.name().to_owned(),
        summary: domain.summary().to_owned(),
        parameters: domain.parameters().iter().map(parameter).collect(),
    }
}
