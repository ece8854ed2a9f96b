//! How far a search is: a line on the terminal, and JSON lines in a file.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use surefoot_abstraction::Reached;
use surefoot_bmc::BmcFigures;
use surefoot_cegar::Figures;
use surefoot_explicit::{Progress, Statistics};
use surefoot_files::{escape_json, open_log};
use surefoot_verify::{Details, IterationReport, Outcome, Watch};

use crate::args::CommonArgs;
use crate::output::{Exit, complain};

/// Events are not written, and the line is not drawn, more often than this; short searches draw nothing.
const INTERVAL: Duration = Duration::from_millis(200);

/// Tells whoever listens.
pub(crate) struct Reporter {
    started: Instant,
    bar: Option<ProgressBar>,
    drawn: Mutex<Instant>,
    events: Option<Mutex<Events>>,
}

struct Events {
    file: File,
    last: Option<Instant>,
    failed: bool,
}

impl Events {
    fn write(&mut self, event: &Value) {
        // A full disk must not stop a proof; it is told once at the end.
        self.failed |= writeln!(self.file, "{}", escape_json(&event.to_string())).is_err();
    }
}

impl Reporter {
    /// As the options say.
    pub(crate) fn new(common: &CommonArgs, started: Instant) -> Result<Self, Exit> {
        let events = match &common.events {
            None => None,
            Some(path) => match open_log(path) {
                Ok(file) => Some(Mutex::new(Events { file, last: None, failed: false })),
                Err(error) => {
                    complain(&format!("error: cannot write {}: {error}", path.display()));
                    return Err(Exit::Error);
                }
            },
        };
        let bar = (!common.quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                bar.set_style(style);
            }
            bar
        });
        let reporter = Self { started, bar, drawn: Mutex::new(started), events };
        reporter.event("start", &explored(0, 0, 0));
        Ok(reporter)
    }

    /// Writes an event with figures.
    fn event(&self, event: &str, figures: &Value) {
        let Some(events) = &self.events else { return };
        let mut events = events.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if event == "progress" && events.last.is_some_and(|last| now.duration_since(last) < INTERVAL) {
            return;
        }
        events.last = Some(now);
        let seconds = now.duration_since(self.started).as_secs_f64();
        let mut line = json!({"event": event, "seconds": seconds});
        for (key, value) in figures.as_object().into_iter().flatten() {
            line[key] = value.clone();
        }
        events.write(&line);
    }

    /// Draws the line.
    fn draw(&self, text: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
            if drawn.elapsed() >= INTERVAL {
                *drawn = Instant::now();
                bar.set_message(text());
            }
        }
    }

    /// An exploration is over.
    pub(crate) fn end(&self, statistics: &Statistics, verdict: Option<&str>) {
        self.finish(explored(statistics.states, statistics.expanded, statistics.depth), verdict);
    }

    /// An abstraction is complete, as far as it goes.
    pub(crate) fn end_abstraction(&self, reached: &Reached, verdict: Option<&str>) {
        self.finish(abstracted(reached), verdict);
    }

    /// A verification is over.
    pub(crate) fn end_verification(&self, outcome: &Outcome) {
        let figures = match &outcome.details {
            Details::Explicit(figures) => explored(figures.states, figures.expanded, figures.depth),
            Details::Cegar(details) => refined(&details.figures, details.words.predicates().len()),
            Details::Bmc(details) => followed(details.refuted, 0, &details.figures),
            Details::Runs(figures) => json!({"runs": figures.runs, "steps": figures.steps}),
        };
        self.finish(figures, Some(outcome.verdict.word()));
    }

    fn finish(&self, mut figures: Value, verdict: Option<&str>) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        figures["verdict"] = json!(verdict);
        self.event("end", &figures);
        if let Some(events) = &self.events
            && events.lock().unwrap_or_else(PoisonError::into_inner).failed
        {
            complain("warning: not all events could be written");
        }
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Reporter {
    fn report(&self, states: u64, expanded: u64, depth: u64) {
        self.draw(|| format!("{states} states, {expanded} expanded, depth {depth}"));
        self.event("progress", &explored(states, expanded, depth));
    }
}

impl Watch for Reporter {
    fn iteration(&self, iteration: &IterationReport) {
        let IterationReport { number, predicates, figures, .. } = iteration;
        let (states, questions) = (figures.reachable_states, figures.questions);
        self.draw(|| {
            format!("iteration {number}: {predicates} predicates, {states} abstract states, {questions} questions")
        });
        let mut event = refined(figures, *predicates);
        event["path"] = json!(iteration.path);
        event["cause"] = json!(iteration.cause.map(|(cause, _)| cause));
        event["step"] = json!(iteration.cause.map(|(_, step)| step));
        event["added"] = json!(iteration.added);
        event["iteration_seconds"] = json!(iteration.time.as_secs_f64());
        self.event("iteration", &event);
    }

    fn refuted(&self, depth: u32, open: usize, figures: &BmcFigures) {
        self.draw(|| {
            format!("nothing unsafe within {depth} steps; {open} paths go on, {} questions", figures.questions)
        });
        self.event("progress", &followed(Some(depth), open, figures));
    }
}

impl surefoot_abstraction::Progress for Reporter {
    fn report(&self, reached: &Reached) {
        let Reached { states, expanded, queue, questions, .. } = reached;
        self.draw(|| {
            format!("{states} abstract states, {expanded} expanded, {queue} in the queue, {questions} questions")
        });
        self.event("progress", &abstracted(reached));
    }
}

/// The figures of an exploration.
fn explored(states: u64, expanded: u64, depth: u64) -> Value {
    json!({"states": states, "expanded": expanded, "depth": depth})
}

/// The figures of an abstraction: those of an exploration, and some of its own.
fn abstracted(reached: &Reached) -> Value {
    json!({
        "states": reached.states,
        "expanded": reached.expanded,
        "depth": reached.depth,
        "queue": reached.queue,
        "questions": reached.questions,
    })
}

/// The figures of refinement: those of the last abstraction, and how many predicates and iterations led to it.
fn refined(figures: &Figures, predicates: usize) -> Value {
    json!({
        "iteration": figures.iterations,
        "predicates": predicates,
        "states": figures.reachable_states,
        "expanded": figures.expanded_states,
        "questions": figures.questions,
        "nodes": figures.nodes,
    })
}

/// The figures of bounded model checking.
fn followed(refuted: Option<u32>, open: usize, figures: &BmcFigures) -> Value {
    json!({
        "refuted_depth": refuted,
        "open_paths": open,
        "paths": figures.paths,
        "questions": figures.questions,
        "nodes": figures.nodes,
    })
}
