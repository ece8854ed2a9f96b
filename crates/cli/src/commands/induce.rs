//! `induce`: writes the policy-induced (or full) model for other checkers.

use serde_json::{Map, Value, json};
use surefoot_export::{ExportError, Format, Model, Numbers, Options, ProcessType, paths, save};
use surefoot_limits::Stop;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Event;
use surefoot_verify::{Failure, Problem, Report, Selection, induce};

use super::{subject, target_name};
use crate::args::{InduceArgs, NumbersArg};
use crate::output::{Exit, Output};
use crate::process;
use crate::progress::Terminal;

pub(crate) fn run(args: &InduceArgs) -> Exit {
    let opened = Output::new(&args.common).and_then(|mut output| {
        output.protect(&args.common.request(&args.model))?;
        Ok(output)
    });
    let mut output = match opened {
        Ok(output) => output,
        Err(exit) => return exit,
    };
    process::expect(output.free_json(), Report::new("induce", args.common.seed));
    let budget = args.common.budget();
    let mut sources = SourceMap::default();
    let report = || Report::new("induce", args.common.seed);
    let loaded = format(args).and_then(|format| {
        Ok((format, Problem::load(&mut sources, &args.common.request(&args.model), Selection::Optional)?))
    });
    let (format, problem) = match loaded {
        Ok(loaded) => loaded,
        Err(failure) => return output.failure(report(), &failure, &sources),
    };
    if let Err(exit) = claim(args, format, &mut output).and_then(|()| output.guard(&sources.inputs)) {
        return exit;
    }
    output.notes(&problem.notes, &sources);
    let reporter = match Terminal::new(&args.common, budget.started) {
        Ok(reporter) => reporter,
        Err(exit) => return exit,
    };
    let induced = match induce(&problem, &budget, &reporter) {
        Ok(induced) => induced,
        Err(failure) => {
            drop(reporter);
            return output.failure(report(), &failure, &sources);
        }
    };
    reporter.end(&induced.statistics().explored().figures(), induced.limit().map(|_| "unknown"));
    let options = Options {
        numbers: args.numbers.map(|numbers| match numbers {
            NumbersArg::Exact => Numbers::Exact,
            NumbersArg::Double => Numbers::Double,
        }),
        always_mdp: args.mdp,
        any_size: args.large,
        deadline: budget.time.and_then(|time| budget.started.checked_add(time)),
    };
    let mut limit = induced.limit();
    let mut written = Vec::new();
    if let Some(model) = induced.model() {
        match save(&model, format, &options, &args.out) {
            Ok(files) => written = files,
            Err(ExportError::Deadline) => limit = Some(Stop::Time),
            Err(error) => return output.failure(report(), &refusal(&error), &sources),
        }
    }
    let seconds = budget.started.elapsed().as_secs_f64();
    let mut report = report();
    report.describe_problem(&problem);
    report.set("engine", "explicit");
    report.set_statistics(induced.statistics(), target_name(&problem));
    let mut text = String::new();
    let exit = match (limit, induced.model()) {
        (None, Some(model)) => {
            let names: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
            text.push_str(&format!("done: wrote {}\n", names.join(", ")));
            text.push_str(&subject(&problem));
            report.set("file", args.out.display().to_string());
            report.set("files", names);
            report.set("exported", describe(&model, format, &options, &mut text));
            Exit::Done
        }
        (limit, _) => {
            let reason = budget.describe(limit.unwrap_or(Stop::Time));
            text.push_str(&format!("unknown: {reason}; nothing was written\n"));
            text.push_str(&subject(&problem));
            report.set("verdict", "unknown");
            report.set("reason", reason);
            report.set("file", Value::Null);
            Exit::Unknown
        }
    };
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    output.result(&text, &report.finish(seconds), exit)
}

/// The format, and that there is a place for the file.
fn format(args: &InduceArgs) -> Result<Format, Failure> {
    let error = |message: String, help: &str| Failure::from(Diagnostic::error_anywhere(message).with_help(help));
    let path = &args.out;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if path.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
        let message = format!("cannot write {}: there is no such place for a file", path.display());
        return Err(error(message, "give a file in a folder that exists"));
    }
    args.format.or_else(|| Format::of(path)).ok_or_else(|| {
        let message = format!("the extension of {} names no format", path.display());
        error(message, "use .drn, .tra, .umb, .dot or .graphml, or say which with --format")
    })
}

/// Notes what will be written.
fn claim(args: &InduceArgs, format: Format, output: &mut Output) -> Result<(), Exit> {
    let mut paths = paths(&args.out, format);
    // Where the files of the format fall together, saving says so.
    paths.dedup();
    paths.iter().try_for_each(|path| output.claim("--out", path))
}

fn refusal(error: &ExportError) -> Failure {
    let help = match error {
        ExportError::TooLarge { .. } => "use .drn, .tra or .umb, or force it with --large",
        ExportError::Vanishes(_) => "use --numbers exact",
        ExportError::Inconsistent(_) | ExportError::Label(_) => return Failure::Internal(error.to_string()),
        _ => "nothing was written",
    };
    Diagnostic::error_anywhere(error.to_string()).with_help(help).into()
}

/// What is in the file, for people and as an object.
fn describe(model: &Model<'_>, format: Format, options: &Options, text: &mut String) -> Value {
    let process = match model.process_type(options) {
        ProcessType::Dtmc => "dtmc",
        ProcessType::Mdp => "mdp",
    };
    let numbers = match options.numbers.unwrap_or(format.numbers()) {
        Numbers::Exact => "exact",
        Numbers::Double => "double",
    };
    let mdp = model.mdp;
    let stuck = (0..mdp.num_states() as u32).filter(|state| mdp.choices(*state).is_empty()).count();
    let loops = if format.is_drawing() { 0 } else { stuck };
    let (choices, transitions) = (mdp.num_choices() + loops, mdp.num_branches() + loops);
    let labels: Vec<(&str, usize)> = model.labels.iter().map(|l| (l.name.as_str(), l.states.count())).collect();
    text.push_str(&format!("  format    {}, {process}, {numbers} probabilities\n", format.extension()));
    let added = if loops > 0 { format!(" (with {loops} self-loops in states without moves)") } else { String::new() };
    text.push_str(&format!("  states    {}\n  choices   {choices}{added}\n", mdp.num_states()));
    text.push_str(&format!("  branches  {transitions}\n"));
    let shown: Vec<String> = labels.iter().map(|(name, count)| format!("{name} {count}")).collect();
    text.push_str(&format!("  labels    {}\n", shown.join(", ")));
    let labels: Map<String, Value> = labels.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect();
    json!({
        "format": format.extension(),
        "type": process,
        "numbers": numbers,
        "states": mdp.num_states(),
        "choices": choices,
        "transitions": transitions,
        "self_loops": loops,
        "labels": labels,
    })
}
