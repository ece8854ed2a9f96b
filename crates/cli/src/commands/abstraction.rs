//! `abstract`: policy predicate abstraction for given predicates.

mod deadlock;

use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::Verdict;
use surefoot_verify::abstraction::graph::GraphFormat;
use surefoot_verify::abstraction::path::AbstractPath;
use surefoot_verify::task::abstraction::{Abstracting, described, unsafe_path};
use surefoot_verify::task::{Job, Outcome, Told};
use surefoot_verify::{AbstractOptions, Abstracted, Problem, Source};

use super::certify::certified;
use super::places::oracle;
use super::session::{Session, Wish, begin};
use super::{assumed, assuming, subject};
use crate::args::abstraction::{AbstractArgs, MethodArg};
use crate::output::{Exit, counted};

pub(crate) fn run(args: &AbstractArgs) -> Exit {
    carry_out(args).unwrap_or_else(|exit| exit)
}

/// What is to be done, and whether the options fit.
pub(crate) fn job(args: &AbstractArgs) -> Wish {
    // An exact test after the relaxed one is the SMT solver's.
    let oracle = oracle(&args.oracle, args.method == MethodArg::RelaxedThenExact);
    let options = AbstractOptions {
        method: args.method.method(),
        count: args.count.count(),
        expand_unsafe: args.expand_unsafe,
        first_unsafe: args.first_unsafe,
        states: args.max_states,
        deadlocks: args.deadlocks,
        distributions: args.distributions,
        assume_no_errors: args.assume.no_errors(),
        oracle: oracle.as_ref().ok().cloned().flatten(),
        ..AbstractOptions::default()
    };
    let predicates = args.predicates.as_ref().map(Source::from);
    let abstracting =
        Abstracting { predicates, graph: args.graph.clone(), certifying: args.certificate.certifying(), options };
    let fits = oracle.and_then(|asked| match asked {
        // Those are built by another search, which asks the built-in oracle.
        Some(_) if args.distributions => {
            let error = Diagnostic::error_anywhere("--distributions is for the built-in oracle");
            Err(error.with_help("leave --distributions or --oracle out"))
        }
        _ => Ok(()),
    });
    Wish { job: Job::Abstract(args.common.request(&args.model), abstracting), fits }
}

fn carry_out(args: &AbstractArgs) -> Result<Exit, Exit> {
    let Wish { job, fits } = job(args);
    let (task, output) = begin(&args.common, job)?;
    let mut session = Session::open(&task, output, args.common.events.as_deref())?;
    fits.map_err(|error| session.fail(&error.into()))?;
    if let Some(path) = args.graph.as_ref().filter(|path| GraphFormat::of(path).is_some()) {
        session.output.claim("--graph", path)?;
    }
    session.claim_certificate(&args.certificate)?;
    let page = session.claim_page(&args.report)?;
    session.guard()?;
    session.prepare()?;
    Ok(session.run()?.show_with(page.as_ref(), &task.budget, |outcome| told(args, outcome)))
}

/// What people are told.
pub(crate) fn told(args: &AbstractArgs, outcome: &Outcome) -> String {
    let (Told::Abstracted(found), Some(problem)) = (&outcome.told, &outcome.problem) else { return String::new() };
    let method = described(args.method.method(), found);
    let text = text(problem, found, unsafe_path(found).as_ref(), &method, outcome.result.seconds);
    certified(&text, &outcome.result)
}

fn text(problem: &Problem, result: &Abstracted, path: Option<&AbstractPath<'_>>, method: &str, seconds: f64) -> String {
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
    if let Some(with) = &result.distributions {
        let states = counted(with.reachable_states as u64, "abstract state");
        let transitions = counted(with.transitions as u64, "transition");
        text.push_str(&format!(
            "  by chance {states}, {transitions} to distributions; built in {:.3} s, without probabilities in {:.3} s\n",
            with.seconds, with.plain_seconds
        ));
    }
    let questions = format!("{} questions, {} nodes", figures.oracle_queries, figures.oracle_nodes);
    text.push_str(&format!("  engine    abstraction ({method}); {questions}\n"));
    let shown = assumed(problem);
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
