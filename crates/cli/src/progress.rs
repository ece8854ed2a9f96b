//! How far a search is: a line on the terminal, and JSON lines in a file.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use surefoot_explicit::Explored;
use surefoot_files::{escape_json, open_log};
use surefoot_verdict::{Amount, Event, Figure, Kind, Reporter};

use crate::line::Line;
use crate::output::{Exit, complain};
use crate::process;

/// Events of progress are not written more often than this.
const INTERVAL: Duration = Duration::from_millis(200);

/// Tells whoever listens.
pub(crate) struct Terminal {
    started: Instant,
    line: Option<Line>,
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

impl Terminal {
    /// Tells people unless they want it quiet, and writes events to a file, if there is one.
    pub(crate) fn to(events: Option<&Path>, quiet: bool, started: Instant) -> Result<Self, Exit> {
        let events = match events {
            None => None,
            Some(path) => match open_log(path) {
                Ok(file) => Some(Mutex::new(Events { file, last: None, failed: false })),
                Err(error) => {
                    complain(&format!("error: cannot write {}: {error}", path.display()));
                    return Err(Exit::Error);
                }
            },
        };
        let line = if quiet { None } else { Line::on_terminal(started) };
        let reporter = Self { started, line, events };
        reporter.event("start", || Explored::default().figures());
        Ok(reporter)
    }

    /// Writes an event with figures.
    fn event(&self, event: &str, figures: impl FnOnce() -> Vec<Figure>) {
        let Some(events) = &self.events else { return };
        let mut events = events.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if event == Kind::Progress.word() && events.last.is_some_and(|last| now.duration_since(last) < INTERVAL) {
            return;
        }
        events.last = Some(now);
        let seconds = now.duration_since(self.started).as_secs_f64();
        events.write(&event_object(event, seconds, figures()));
    }

    fn clear(&self) {
        if let Some(line) = &self.line {
            line.clear();
        }
    }

    /// The search is over, with the figures of its last event.
    pub(crate) fn end(&self, figures: &[Figure], verdict: Option<&str>) {
        self.clear();
        let mut figures = figures.to_vec();
        figures.push(Figure::new("verdict", verdict));
        self.event("end", || figures);
        if let Some(events) = &self.events
            && events.lock().unwrap_or_else(PoisonError::into_inner).failed
        {
            complain("warning: not all events could be written");
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Reporter for Terminal {
    fn tell(&self, event: &dyn Event) {
        if let Some(line) = &self.line {
            line.draw(|| event.line());
        }
        self.event(event.kind().word(), || event.figures());
        if event.kind() == Kind::Iteration
            && let Some((lower, upper)) = shown(&event.figures())
        {
            process::known(lower, upper);
        }
    }
}

/// An event as JSON, as `--events` has it.
#[must_use]
pub fn event_object(event: &str, seconds: f64, figures: Vec<Figure>) -> Value {
    let mut line = json!({"event": event, "seconds": seconds});
    for Figure { name, amount } in figures {
        line[name] = json_of(amount);
    }
    line
}

/// The interval that figures tell, as far as it needs no more proof: the end that states of the model show.
#[must_use]
pub fn shown(figures: &[Figure]) -> Option<(f64, f64)> {
    let amount = |wanted: &str| figures.iter().find(|figure| figure.name == wanted).map(|figure| &figure.amount);
    let probability = |wanted| match amount(wanted) {
        Some(Amount::Probability(number)) => Some(*number),
        _ => None,
    };
    match amount("shown")? {
        Amount::Text(end) if end == "lower" => Some((probability("lower")?, 1.0)),
        Amount::Text(_) => Some((0.0, probability("upper")?)),
        _ => None,
    }
}

/// A figure as JSON.
fn json_of(amount: Amount) -> Value {
    match amount {
        Amount::Count(count) => json!(count),
        Amount::Seconds(number) | Amount::Probability(number) => json!(number),
        Amount::Text(text) => json!(text),
        Amount::List(list) => json!(list),
        Amount::None => Value::Null,
    }
}
