//! `surefoot-checker`: the checker's opinion of a certificate, as a program that contains no engine.
//!
//! Exit codes: 0 accepted, 1 rejected, 2 unreadable or wrong use. The opinion is the first line of standard output, everything else goes to standard error.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use surefoot_checker::judge::OpenError;
use surefoot_checker::lemma::{self, Unanswerable};
use surefoot_checker::probability::{self, Proved};
use surefoot_checker::{Accepted, Refused, judge, open};
use surefoot_model::lower::GivenConstant;
use surefoot_problem::{Failure, PolicySource, Request, Source};
use surefoot_text::source::SourceMap;

const USAGE: &str = "usage: surefoot-checker CERTIFICATE MODEL [--properties FILE]... [--property NAME|INDEX] [--policy FILE] \
[--const NAME=VALUE]... [--filter on|off] [--never TEXT] [--start TEXT] [--goal TEXT] [--goal-terminal] [--assume no-errors] [--json FILE]\n       surefoot-checker CERTIFICATE QUERIES --network FILE [--json FILE]";

/// What is asked for.
#[derive(Debug, Default)]
struct Arguments {
    certificate: PathBuf,
    request: Request,
    assume_no_errors: bool,
    /// The network that queries are about: then these stand in the place of the model.
    network: Option<PathBuf>,
    json: Option<PathBuf>,
}

fn main() -> ExitCode {
    surefoot_text::spell_options(|name| format!("--{name}"));
    let arguments = match words().and_then(|words| parse(words.into_iter())) {
        Ok(arguments) => arguments,
        Err(error) => {
            complain(&format!("error: {error}\n{USAGE}"));
            return ExitCode::from(2);
        }
    };
    let opinion = opinion(&arguments);
    let (word, why, code) = match &opinion {
        Ok(Ok(_)) => ("accepted", None, 0),
        Ok(Err(refused @ Refused::Rejected { .. })) => ("rejected", Some(refused.to_string()), 1),
        Ok(Err(refused @ Refused::Unreadable(_))) => ("unreadable", Some(refused.to_string()), 2),
        Err(error) => ("unreadable", Some(error.clone()), 2),
    };
    let shown = match (&opinion, &why) {
        (Ok(Ok(shown)), _) => format!("{word}: {}", shown.says()),
        (_, Some(why)) => format!("{word}: {why}"),
        (_, None) => word.to_owned(),
    };
    // A reader who has left does not matter.
    let _ = writeln!(io::stdout(), "{}", surefoot_files::escape_lines(&shown));
    if let Some(path) = &arguments.json {
        let object = match &opinion {
            Ok(Ok(Shown::Verdict(a))) => {
                json!({"opinion": word, "verdict": a.verdict, "claim": a.claim, "property": a.property, "assumptions": a.assumptions, "regions": a.regions, "states": a.states, "raw_bytes": a.raw_bytes})
            }
            Ok(Ok(Shown::Bounds(proved))) => {
                json!({"opinion": word, "verdict": proved.verdict, "claim": "bounded", "says": proved.says(), "states": proved.states})
            }
            Ok(Ok(Shown::Unsat(shown))) => {
                json!({"opinion": word, "verdict": "unsat", "claim": "unsat", "queries": shown.queries, "raw_bytes": shown.raw_bytes})
            }
            _ => json!({"opinion": word, "why": why}),
        };
        if let Err(error) = surefoot_files::replace(path, |out| writeln!(out, "{object:#}")) {
            complain(&format!("error: {} cannot be written: {error}", path.display()));
            return ExitCode::from(2);
        }
    }
    ExitCode::from(code)
}

/// What an accepted certificate shows.
enum Shown {
    Verdict(Accepted),
    Bounds(Proved),
    Unsat(Unanswerable),
}

impl Shown {
    fn says(&self) -> String {
        match self {
            Self::Verdict(accepted) => accepted.says(),
            Self::Bounds(proved) => proved.says(),
            Self::Unsat(shown) => shown.says(),
        }
    }
}

/// The opinion, or why there is none, in words.
fn opinion(arguments: &Arguments) -> Result<Result<Shown, Refused>, String> {
    let mut sources = SourceMap::default();
    let (request, certificate) = (&arguments.request, &arguments.certificate);
    if let Some(network) = &arguments.network {
        let opened = lemma::open(&mut sources, &request.model, network, certificate);
        let opened = opened.map_err(|error| in_words(error, &sources))?;
        return Ok(lemma::judge(&opened.lemmas, &opened.index, opened.lines).map(Shown::Unsat));
    }
    if probability::is_bounds(&mut sources, certificate).map_err(|error| error.to_string())? {
        let opened =
            probability::open(&mut sources, request, certificate).map_err(|error| in_words(error, &sources))?;
        return Ok(probability::judge(&opened).map(Shown::Bounds));
    }
    let opened = open(&mut sources, request, certificate).map_err(|error| in_words(error, &sources))?;
    let judged = judge(&opened.problem, &opened.index, opened.lines, arguments.assume_no_errors);
    Ok(judged.map(Shown::Verdict))
}

fn in_words(error: OpenError, sources: &SourceMap) -> String {
    match error {
        OpenError::Certificate(error) => error.to_string(),
        OpenError::Problem(Failure::Input(diagnostics)) => {
            let rendered: Vec<String> = diagnostics.iter().map(|d| surefoot_text::render(d, sources)).collect();
            rendered.join("\n")
        }
        OpenError::Problem(Failure::Internal(what)) => what,
        OpenError::Problem(Failure::Stopped(_)) => "stopped".to_owned(),
    }
}

fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{}", surefoot_files::escape_lines(text));
}

/// What stands on the command line.
fn words() -> Result<Vec<String>, String> {
    let word =
        |word: std::ffi::OsString| word.into_string().map_err(|word| format!("{} is no text in UTF-8", word.display()));
    std::env::args_os().skip(1).map(word).collect()
}

fn parse(words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments::default();
    let mut places = Vec::new();
    let mut words = words;
    while let Some(word) = words.next() {
        if !word.starts_with("--") {
            places.push(word);
            continue;
        }
        let (name, given) = match word.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (word, None),
        };
        let mut value = || given.clone().or_else(|| words.next()).ok_or_else(|| format!("{name} needs a value"));
        let request = &mut arguments.request;
        match name.as_str() {
            "--properties" => request.properties.push(Source::File(value()?.into())),
            "--property" => request.property = Some(value()?),
            "--policy" => request.policy = Some(PolicySource::File(value()?.into())),
            "--const" => request.constants.push(GivenConstant::parse(&value()?)?),
            "--filter" => {
                request.filter = Some(match value()?.as_str() {
                    "on" => true,
                    "off" => false,
                    other => return Err(format!("--filter is on or off, not '{other}'")),
                });
            }
            "--never" => request.asking.never = Some(value()?),
            "--start" => request.asking.start = Some(value()?),
            "--goal" => request.asking.goal = Some(value()?),
            "--goal-terminal" if given.is_none() => request.goal_terminal = true,
            "--assume" => match value()?.as_str() {
                "no-errors" => arguments.assume_no_errors = true,
                other => return Err(format!("--assume takes no-errors, not '{other}'")),
            },
            "--network" => arguments.network = Some(value()?.into()),
            "--json" => arguments.json = Some(value()?.into()),
            _ => return Err(format!("{name} is not known")),
        }
    }
    let [certificate, model] =
        <[String; 2]>::try_from(places).map_err(|_| "a certificate and a model are needed".to_owned())?;
    arguments.certificate = certificate.into();
    arguments.request.model = Source::File(model.into());
    Ok(arguments)
}
