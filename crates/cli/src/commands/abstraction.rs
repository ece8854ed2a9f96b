//! `abstract`: policy predicate abstraction for given predicates.

mod deadlock;

use std::path::Path;

use serde_json::{Value, json};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::{Event, Verdict};
use surefoot_verify::abstraction::graph::{self, GraphFormat};
use surefoot_verify::abstraction::path::{AbstractPath, path_to_unsafe};
use surefoot_verify::abstraction::{Figures, read_predicates};
use surefoot_verify::{AbstractOptions, Abstracted, Problem, Selection, Source, abstraction};

use super::session::Session;
use super::{assuming, subject};
use crate::args::abstraction::{AbstractArgs, MethodArg};
use crate::output::{Exit, counted};

pub(crate) fn run(args: &AbstractArgs) -> Exit {
    carry_out(args).unwrap_or_else(|exit| exit)
}

fn carry_out(args: &AbstractArgs) -> Result<Exit, Exit> {
    let request = args.common.request(&args.model);
    let mut session = Session::open("abstract", &args.common, &request, Selection::Abstract)?;
    let graph = match args.graph.as_deref().map(graph_format).transpose() {
        Ok(format) => args.graph.as_deref().zip(format),
        Err(error) => return Err(session.fail(&error.into())),
    };
    let file = args.predicates.as_ref().map(Source::from);
    session.output.protect_files(&args.predicates)?;
    if let Some((path, _)) = graph {
        session.output.claim("--graph", path)?;
    }
    let read = read_predicates(&mut session.sources, &mut session.problem, file.as_ref(), request.ignore_predicates);
    let predicates = read.map_err(|failure| session.fail(&failure))?;
    session.guard()?;
    let options = AbstractOptions {
        method: args.method.method(),
        count: args.count.count(),
        expand_unsafe: args.expand_unsafe,
        first_unsafe: args.first_unsafe,
        states: args.max_states,
        deadlocks: args.deadlocks,
        plaja: request.plaja_compat,
        assume_no_errors: args.assume.no_errors(),
    };
    let reporter = session.reporter()?;
    let result = match abstraction(&session.problem, &predicates, &options, &session.budget, &reporter) {
        Ok(result) => result,
        Err(failure) => {
            drop(reporter);
            return Err(session.fail(&failure));
        }
    };
    let verdict = result.conclusion.as_ref();
    reporter.end(&result.abstraction.reached().figures(), verdict.map(Verdict::word));
    drop(reporter);
    session.output.notes(&result.notes, &session.sources);
    if let Some((path, format)) = graph {
        let model = session.problem.model();
        let saved = graph::save(format, path, model, &result.words, &result.abstraction);
        saved.map_err(|error| session.fail(&Diagnostic::error_anywhere(error.to_string()).into()))?;
    }
    let seconds = session.seconds();
    let path = path_to_unsafe(&result.abstraction).filter(|_| verdict.is_some_and(|verdict| !verdict.is_decided()));
    let mut report = session.report();
    fill(&mut report, &session.problem, &result, path.as_ref(), args);
    let exit = verdict.map_or(Exit::Done, Exit::of);
    let text = text(&session.problem, &result, path.as_ref(), args.method, seconds);
    Ok(session.output.result(&text, &report.finish(seconds), exit))
}

fn graph_format(path: &Path) -> Result<GraphFormat, Diagnostic> {
    GraphFormat::of(path).ok_or_else(|| {
        let message = format!("the extension of {} names no format for graphs", path.display());
        Diagnostic::error_anywhere(message).with_help("use .json, .dot or .graphml")
    })
}

fn fill(
    report: &mut surefoot_verify::Report,
    problem: &Problem,
    result: &Abstracted,
    path: Option<&AbstractPath<'_>>,
    args: &AbstractArgs,
) {
    let model = problem.model();
    let verdict = result.conclusion.as_ref();
    report.set("verdict", verdict.map(Verdict::word).map_or(Value::Null, Value::from));
    if let Some(reason) = verdict.and_then(Verdict::reason) {
        report.set("reason", reason.to_string());
    }
    report.set("engine", format!("abstraction ({})", args.method.name()));
    let assumptions: Vec<String> = problem.assumptions.iter().cloned().chain(result.assumptions()).collect();
    report.set_open(result.open.as_ref());
    report.set("assumptions", assumptions);
    let mut statistics = figures(&result.figures);
    report.set("predicates", result.words.predicates().collect::<Vec<_>>());
    report.set("graph", args.graph.as_ref().map_or(Value::Null, |path| path.display().to_string().into()));
    let path = path.map(|path| path.object(model, &result.words, &result.abstraction));
    report.set("abstract_path", path.unwrap_or_default());
    if let Some(deadlocks) = &result.deadlocks {
        report.set("deadlocks", deadlock::list(problem, result, deadlocks));
        statistics["deadlocks"] = json!(deadlocks.found.len());
    }
    report.set("statistics", statistics);
}

fn figures(figures: &Figures) -> Value {
    json!({
        "start_states": figures.start_states,
        "reachable_states": figures.reachable_states,
        "expanded_states": figures.expanded_states,
        "unsafe_states": figures.unsafe_states,
        "terminal_states": figures.terminal_states,
        "transitions": figures.transitions,
        "predicates": figures.predicates,
        "oracle_queries": figures.oracle_queries,
        "oracle_nodes": figures.oracle_nodes,
        "memory_bytes": figures.memory_bytes,
    })
}

fn text(
    problem: &Problem,
    result: &Abstracted,
    path: Option<&AbstractPath<'_>>,
    method: MethodArg,
    seconds: f64,
) -> String {
    let figures = &result.figures;
    let starts = counted(figures.start_states as u64, "abstract start state");
    let mut text = match &result.conclusion {
        Some(Verdict::Holds(_) | Verdict::Violated(_)) => {
            format!("holds{}: no abstract run from {starts} reaches an unsafe state\n", assuming(result.open.as_ref()))
        }
        Some(Verdict::Unknown(reason)) => format!("unknown: {reason}\n"),
        None => "done: the property does not say what is unsafe\n".to_owned(),
    };
    text.push_str(&subject(problem));
    text.push_str(&format!(
        "  reached   {} from {starts}, {} expanded, {} unsafe, {} terminal\n",
        counted(figures.reachable_states as u64, "abstract state"),
        figures.expanded_states,
        figures.unsafe_states,
        figures.terminal_states
    ));
    let predicates = counted(figures.predicates as u64, "predicate");
    text.push_str(&format!("  abstract  {predicates}, {}\n", counted(figures.transitions as u64, "transition")));
    let questions = format!("{} questions, {} nodes", figures.oracle_queries, figures.oracle_nodes);
    text.push_str(&format!("  engine    abstraction ({}); {questions}\n", method.name()));
    let shown = problem.assumptions.iter().filter(|a| a.starts_with("PlaJA") || a.starts_with("goal states"));
    for assumption in shown.cloned().chain(result.assumptions()) {
        text.push_str(&format!("  assuming  {assumption}\n"));
    }
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    if let Some(deadlocks) = &result.deadlocks {
        text.push_str(&deadlock::lines(problem, result, deadlocks));
    }
    if let Some(path) = path {
        path_lines(problem, result, path, &mut text);
    }
    text
}

/// The abstract path; only the literals that a step changes are shown.
fn path_lines(problem: &Problem, result: &Abstracted, path: &AbstractPath<'_>, text: &mut String) {
    let (model, words, states) = (problem.model(), &result.words, &result.abstraction.states);
    text.push_str("\nAn abstract path, which need not be one of the model:\n");
    text.push_str(&format!("  start   {}\n", words.line(model, states.get(path.start))));
    for (source, transition, target) in &path.steps {
        let by = result.abstraction.moves.get(&states.get(*source).locations).and_then(|m| m.get(transition.by));
        let label = by.and_then(|by| by.rule.label).map_or("(silent)", |label| &*model.labels[label.0 as usize]);
        let before: Vec<&str> = words.literals(states.get(*source)).collect();
        let changed: Vec<&str> = words
            .literals(states.get(*target))
            .zip(before)
            .filter(|(now, was)| now != was)
            .map(|(now, _)| now)
            .collect();
        let changed = if changed.is_empty() { "no predicate changes".to_owned() } else { changed.join(", ") };
        text.push_str(&format!("  {label}  {changed}\n"));
    }
}
