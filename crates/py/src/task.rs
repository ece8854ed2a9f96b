//! One task, as a command line asks for it.
//!
//! A thread of its own does the work. The thread that asks waits without holding up the interpreter, tells the caller how far the work is, and looks for signals: the first
//! interruption sets the switch that every search looks at, so that it ends with what it has found; a second one is raised at once.
//! Where a search does not end soon after it was told to, its answer is *unknown*, with the interval that was shown so far, and the thread is left to end by itself.
//!
//! Soundness: a verdict is only ever what the facade said; this file makes no other than *unknown*.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use surefoot_cli::asked::Unclear;
use surefoot_cli::{Asked, event_object, shown};
use surefoot_limits::watchdog::Watchdog;
use surefoot_limits::{Cancel, Stop};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verdict::{Event, Kind, Reporter};
use surefoot_verify::task::{Class, Task};
use surefoot_verify::{Budget, Failure, ResultObject};

use crate::failure::{failed, internal, told, usage};

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(50);
/// Events of progress are not told more often than this.
const INTERVAL: Duration = Duration::from_millis(200);
/// After an interruption, the search gets so long to tell what it has found.
const GRACE: Duration = Duration::from_millis(800);

/// What a task came to.
#[pyclass(name = "Outcome", module = "surefoot._native", frozen, get_all)]
pub(crate) struct PyOutcome {
    /// As the command line exits: 0 holds or done, 1 violated, 2 unreadable, 3 unknown.
    exit: u8,
    /// The result object, as JSON.
    result: String,
    /// The same for people.
    text: String,
    /// Warnings and notices.
    notes: Vec<String>,
    /// Whether it was interrupted.
    interrupted: bool,
}

/// What the worker sends.
enum Message {
    Event(String),
    Interval(f64, f64),
    Overrun(Stop),
    Done(Box<Result<PyOutcome, Trouble>>),
}

/// Why there is no outcome, with the sources that messages quote.
enum Trouble {
    Failed(Failure, Box<SourceMap>),
    /// Options that do not fit each other.
    Misfit(String),
    Panicked(String),
}

/// The command line: carries it out in this process, and gives the exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| surefoot_cli::main(arguments))
}

/// Carries out what a command line asks for, without the program's name; `files` are in memory, by the names that the arguments have for them.
#[pyfunction]
#[pyo3(signature = (arguments, files, report=None))]
pub(crate) fn run(
    py: Python<'_>,
    arguments: Vec<OsString>,
    files: BTreeMap<String, PyBackedBytes>,
    report: Option<Py<PyAny>>,
) -> PyResult<PyOutcome> {
    let words = std::iter::once("surefoot".into()).chain(arguments);
    let asked = Asked::of(words).map_err(unclear)?;
    let cancel = Cancel::default();
    let (task, fits) = asked.task(&cancel).map_err(unclear)?;
    let mut sources = SourceMap::default();
    for (name, bytes) in files {
        sources.inputs.hold(name, &bytes[..]);
    }
    let (budget, nothing) = (task.budget.clone(), task.result());
    let (sender, messages) = channel();
    let overrun = sender.clone();
    // Dropped with this call: an overrun that nobody waits for is nobody's.
    let _watchdog = Watchdog::start(&budget.limits(), budget.started, move |stop| {
        let _ = overrun.send(Message::Overrun(stop));
    });
    let wants_events = report.is_some();
    std::thread::Builder::new()
        .name("surefoot".to_owned())
        .stack_size(16 << 20)
        .spawn(move || {
            let done = catch_unwind(AssertUnwindSafe(|| {
                let reporter = Telling {
                    sender: sender.clone(),
                    wants_events,
                    last: Mutex::new(None),
                    started: task.budget.started,
                };
                work(&asked, &task, &fits, sources, &reporter)
            }));
            let done = done.unwrap_or_else(|panic| Err(Trouble::Panicked(words_of(panic.as_ref()))));
            // Where nobody waits any more, nobody is told.
            let _ = sender.send(Message::Done(Box::new(done)));
        })
        .map_err(|error| internal(format!("no thread can be had: {error}")))?;
    let messages = Mutex::new(messages);
    Waiting { messages, report, cancel, budget, nothing, interval: None, interrupted: None }.wait(py)
}

fn unclear(unclear: Unclear) -> PyErr {
    match unclear {
        Unclear::Wrong(message) => usage(message.trim_end()),
        Unclear::NoTask => usage("this asks for nothing that can be done here"),
    }
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}

/// Does it, in the worker's thread.
fn work(
    asked: &Asked,
    task: &Task,
    fits: &Result<(), Diagnostic>,
    mut sources: SourceMap,
    reporter: &Telling,
) -> Result<PyOutcome, Trouble> {
    let guard = |sources: &SourceMap| asked.guard(task, &sources.inputs).map_err(Failure::from);
    // Before anything is written or replaced, and again for what files name.
    if let Err(failure) = guard(&sources) {
        return Err(Trouble::Failed(failure, Box::new(sources)));
    }
    let mut opened = match task.open(&mut sources) {
        Ok(opened) => opened,
        Err(failure) => return Err(Trouble::Failed(failure, Box::new(sources))),
    };
    let mut notes = opened.take_notes();
    // After what is wrong with the files, which may be why.
    if let Err(misfit) = fits {
        return Err(Trouble::Misfit(told([misfit], &sources)));
    }
    let page = match asked.page(task, &opened, &mut sources, &mut notes) {
        Ok(page) => page,
        Err(error) => return Err(Trouble::Failed(error.into(), Box::new(sources))),
    };
    let done = opened.prepare(&mut sources).and_then(|()| guard(&sources)).and_then(|()| {
        notes.extend(opened.take_notes());
        opened.run(&mut sources, reporter)
    });
    let outcome = match done {
        Ok(outcome) => outcome,
        Err(failure) => return Err(Trouble::Failed(failure, Box::new(sources))),
    };
    // What is read on the way is known now.
    if let Some(failure) = page.as_ref().and_then(|_| guard(&sources).err()) {
        return Err(Trouble::Failed(failure, Box::new(sources)));
    }
    if let Some(Err(error)) = page.map(|page| page.write(task, &outcome)) {
        return Err(Trouble::Failed(Diagnostic::error_anywhere(error).into(), Box::new(sources)));
    }
    notes.extend(outcome.warnings.iter().chain(&outcome.notes).cloned());
    let result = serde_json::to_string(&outcome.result).map_err(|error| Trouble::Panicked(error.to_string()))?;
    Ok(PyOutcome {
        exit: match outcome.class {
            Class::Done => 0,
            Class::Violated => 1,
            Class::Unreadable => 2,
            Class::Unknown => 3,
        },
        result,
        text: asked.told(&outcome),
        notes: notes.iter().map(|note| told([note], &sources)).collect(),
        interrupted: task.budget.cancel.stopped() == Some(Stop::Interrupted),
    })
}

/// Tells the thread that waits.
struct Telling {
    sender: Sender<Message>,
    wants_events: bool,
    last: Mutex<Option<Instant>>,
    started: Instant,
}

impl Reporter for Telling {
    fn tell(&self, event: &dyn Event) {
        if event.kind() == Kind::Iteration
            && let Some((lower, upper)) = shown(&event.figures())
        {
            let _ = self.sender.send(Message::Interval(lower, upper));
        }
        if !self.wants_events {
            return;
        }
        let now = Instant::now();
        {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if event.kind() == Kind::Progress && last.is_some_and(|last| now.duration_since(last) < INTERVAL) {
                return;
            }
            *last = Some(now);
        }
        let seconds = now.duration_since(self.started).as_secs_f64();
        let mut object = event_object(event.kind().word(), seconds, event.figures());
        object["line"] = event.line().into();
        let _ = self.sender.send(Message::Event(object.to_string()));
    }
}

/// The thread that asked.
struct Waiting {
    messages: Mutex<Receiver<Message>>,
    report: Option<Py<PyAny>>,
    cancel: Cancel,
    budget: Budget,
    /// A result that says nothing yet.
    nothing: ResultObject,
    /// What is known of a value, if the search cannot tell.
    interval: Option<(f64, f64)>,
    /// When it was interrupted.
    interrupted: Option<Instant>,
}

impl Waiting {
    fn wait(mut self, py: Python<'_>) -> PyResult<PyOutcome> {
        loop {
            let messages = &self.messages;
            match py.detach(|| messages.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK)) {
                Ok(Message::Done(done)) => return self.end(*done),
                Ok(Message::Event(event)) => {
                    if let Some(report) = &self.report
                        && let Err(error) = report.call1(py, (event,))
                    {
                        // What the caller's own function raises ends the task.
                        self.cancel.stop(Stop::Interrupted);
                        return Err(error);
                    }
                }
                Ok(Message::Interval(lower, upper)) => self.interval = Some((lower, upper)),
                Ok(Message::Overrun(stop)) => return Ok(self.given_up(stop)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(internal("the worker ended without an answer")),
            }
            match (py.check_signals(), self.interrupted) {
                (Ok(()), None) => {}
                (Ok(()), Some(since)) if since.elapsed() < GRACE => {}
                (Ok(()), Some(_)) => return Ok(self.given_up(Stop::Interrupted)),
                (Err(error), None) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
                    self.cancel.stop(Stop::Interrupted);
                    self.interrupted = Some(Instant::now());
                }
                (Err(error), _) => {
                    self.cancel.stop(Stop::Interrupted);
                    return Err(error);
                }
            }
        }
    }

    fn end(self, done: Result<PyOutcome, Trouble>) -> PyResult<PyOutcome> {
        match done {
            Ok(outcome) => Ok(outcome),
            Err(Trouble::Failed(Failure::Stopped(stop), _)) => Ok(self.unknown(self.budget.describe(stop))),
            Err(Trouble::Failed(failure, sources)) => Err(failed(&failure, &sources)),
            Err(Trouble::Misfit(message)) => Err(usage(message)),
            Err(Trouble::Panicked(what)) => Err(internal(what)),
        }
    }

    fn given_up(&self, stop: Stop) -> PyOutcome {
        self.cancel.stop(stop);
        self.unknown(format!("{}; there was no time for figures", self.budget.describe(stop)))
    }

    fn unknown(&self, reason: String) -> PyOutcome {
        let result = match self.interval {
            Some((lower, upper)) => self.nothing.clone().known(lower, upper),
            None => self.nothing.clone(),
        };
        let text = format!("unknown: {reason}\n");
        let result = result.unknown(reason).after(self.budget.started.elapsed().as_secs_f64());
        PyOutcome {
            exit: 3,
            result: serde_json::to_string(&result).unwrap_or_default(),
            text,
            notes: Vec::new(),
            interrupted: self.cancel.stopped() == Some(Stop::Interrupted),
        }
    }
}
