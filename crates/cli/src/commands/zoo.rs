//! `zoo`: benchmark domains.

mod predicates;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verify::Report;
use surefoot_zoo::{Domain, Kind, Parameter};

use crate::args::zoo::{ZooArgs, ZooCommand, ZooGenerateArgs, ZooListArgs, ZooOutputArgs};
use crate::output::{Exit, Output};
use crate::process;

pub(crate) fn run(args: &ZooArgs) -> Exit {
    let done = match &args.command {
        ZooCommand::List(args) => list(args),
        ZooCommand::Generate(args) => generate(args),
        ZooCommand::Predicates(args) => predicates::run(args),
    };
    done.unwrap_or_else(|exit| exit)
}

/// A command under way.
struct Session {
    command: &'static str,
    output: Output,
    started: Instant,
}

impl Session {
    fn new(command: &'static str, args: &ZooOutputArgs) -> Result<Self, Exit> {
        Ok(Self { command, output: Output::to(args.json.as_deref(), args.quiet)?, started: process::started() })
    }

    fn report(&self) -> Report {
        Report::new(self.command, 0)
    }

    fn fail(&self, message: impl Into<String>) -> Exit {
        self.refuse(Diagnostic::error_anywhere(message.into()))
    }

    fn refuse(&self, error: Diagnostic) -> Exit {
        self.output.failure(self.report(), &error.into(), &SourceMap::default())
    }

    fn done(&self, text: &str, report: Report) -> Exit {
        self.output.result(text, &report.finish(self.started.elapsed().as_secs_f64()), Exit::Done)
    }
}

fn list(args: &ZooListArgs) -> Result<Exit, Exit> {
    let session = Session::new("zoo list", &args.output)?;
    let domains: Vec<&dyn Domain> = match &args.domain {
        Some(name) => vec![surefoot_zoo::find(name).map_err(|error| session.fail(error.to_string()))?],
        None => surefoot_zoo::all(),
    };
    let text: Vec<String> = domains.iter().map(|domain| describe(*domain)).collect();
    let mut report = session.report();
    report.set("domains", domains.iter().map(|domain| object(*domain)).collect::<Vec<Value>>());
    Ok(session.done(&text.join("\n"), report))
}

fn generate(args: &ZooGenerateArgs) -> Result<Exit, Exit> {
    let mut session = Session::new("zoo generate", &args.output)?;
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
    let mut report = session.report();
    report.set("domain", args.domain.clone());
    report.set("settings", args.settings.clone());
    report.set("folder", folder.to_string());
    report.set("files", written.clone());
    report.set("replaced", replaced);
    let mut text = format!("done: wrote {} in {folder}\n", written.join(", "));
    if !removed.is_empty() {
        text.push_str(&format!("  removed {}, left by an earlier instance\n", removed.join(", ")));
    }
    report.set("removed", removed);
    Ok(session.done(&text, report))
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

fn object(domain: &dyn Domain) -> Value {
    let parameters: Vec<Value> = domain
        .parameters()
        .iter()
        .map(|p| {
            let kind = match &p.kind {
                Kind::Integer { least, most } => json!({"kind": "integer", "least": least, "most": most}),
                Kind::Choice(words) => json!({"kind": "choice", "words": words}),
                Kind::Path => json!({"kind": "path"}),
                Kind::Text { form } => json!({"kind": "text", "form": form}),
            };
            json!({"name": p.name, "type": kind, "default": p.default, "about": p.about})
        })
        .collect();
    json!({"name": domain.name(), "summary": domain.summary(), "parameters": parameters})
}
