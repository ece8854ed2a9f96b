//! The process as a whole: when it began, what stops it, and who says how it ends.
//!
//! Signals, the clock and memory concern the process, so this is the one place with global state. A first SIGINT or SIGTERM
//! sets the switch that every search looks at: it ends with what it has found so far. A second one ends the
//! process at once. Limits are kept by the searches themselves; the watchdog ends the process where one does not.
//!
//! Exactly one of them writes the result: the command, or the watchdog in its place ([`claim`]).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use surefoot_limits::watchdog::Watchdog;
use surefoot_limits::{Cancel, Limits, Stop};
use surefoot_verify::{Budget, ResultObject};

use crate::output::{Exit, complain, to_stdout, write_result};

/// How a process ends that was interrupted twice: as shells report SIGINT.
const INTERRUPTED_TWICE: i32 = 130;

/// Who writes the result.
const NOBODY: u8 = 0;
const COMMAND: u8 = 1;
const WATCHDOG: u8 = 2;

static PROCESS: OnceLock<Process> = OnceLock::new();
static WORDS: OnceLock<Vec<String>> = OnceLock::new();
static SERVING: AtomicBool = AtomicBool::new(false);

/// What there is one of.
struct Process {
    started: Instant,
    cancel: Cancel,
    /// Who writes the result.
    writer: AtomicU8,
    state: Mutex<State>,
}

/// What the watchdog needs to write a result in the command's place.
#[derive(Default)]
struct State {
    watchdog: Option<Watchdog>,
    budget: Option<Budget>,
    report: Option<ResultObject>,
    json: Option<PathBuf>,
    /// An interval that contains the value asked for, as far as it is known.
    interval: Option<(f64, f64)>,
}

impl Process {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn process() -> &'static Process {
    PROCESS.get_or_init(|| Process {
        started: Instant::now(),
        cancel: Cancel::default(),
        writer: AtomicU8::new(NOBODY),
        state: Mutex::default(),
    })
}

/// Notes the time and listens to signals; to be called first.
pub(crate) fn begin() {
    let process = process();
    // Commands without limits end soon after an interruption too.
    let limits = Limits { cancel: cancel(), ..Limits::default() };
    process.state().watchdog = Some(Watchdog::start(&limits, process.started, overrun));
    let before = AtomicBool::new(false);
    let handler = move || {
        if before.swap(true, Ordering::SeqCst) {
            exit(INTERRUPTED_TWICE);
        }
        complain(if SERVING.load(Ordering::SeqCst) {
            "interrupted: the page ends (once more to end at once)"
        } else {
            "interrupted: telling what is known so far (once more to end at once)"
        });
        process.cancel.stop(Stop::Interrupted);
    };
    // Without it signals end the process as they always do.
    let _ = ctrlc::set_handler(handler);
}

/// From now on there is nothing to tell, only something to end.
pub(crate) fn serving() {
    SERVING.store(true, Ordering::SeqCst);
}

/// Keeps the command line.
pub(crate) fn remember(words: &[std::ffi::OsString]) {
    let _ = WORDS.set(words.iter().map(|word| word.to_string_lossy().into_owned()).collect());
}

/// The command line, the program's name included.
pub(crate) fn words() -> &'static [String] {
    WORDS.get().map_or(&[], Vec::as_slice)
}

/// When it all began.
pub(crate) fn started() -> Instant {
    process().started
}

/// The switch that a signal sets.
pub(crate) fn cancel() -> Cancel {
    process().cancel.clone()
}

/// Keeps limits from now on.
pub(crate) fn watch(budget: &Budget) {
    let watchdog = Watchdog::start(&budget.limits(), budget.started, overrun);
    let before = {
        let mut state = process().state();
        state.budget = Some(budget.clone());
        state.watchdog.replace(watchdog)
    };
    // Not under the lock: the one before may be about to write a result.
    drop(before);
}

/// What to write, and where, if the command cannot.
pub(crate) fn expect(json: Option<&Path>, report: ResultObject) {
    let mut state = process().state();
    state.json = json.map(Path::to_owned);
    state.report = Some(report);
}

/// What is known of the value asked for, if the command cannot tell.
pub(crate) fn known(lower: f64, upper: f64) {
    process().state().interval = Some((lower, upper));
}

/// Takes the right to write the result for the command. Where the watchdog has it, waits for the end of the process.
pub(crate) fn claim() {
    if !take(COMMAND) {
        loop {
            std::thread::park();
        }
    }
}

/// Whether a writer has, or gets, the right to write the result.
fn take(writer: u8) -> bool {
    match process().writer.compare_exchange(NOBODY, writer, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => true,
        Err(other) => other == writer,
    }
}

/// A limit in words.
pub(crate) fn describe(stop: Stop) -> String {
    process().state().budget.as_ref().map_or_else(|| stop.to_string(), |budget| budget.describe(stop))
}

/// Ends the process in the place of a command that does not.
fn overrun(stop: Stop) {
    if !take(WATCHDOG) {
        // The command is about to end by itself.
        return;
    }
    let reason = format!("{}; there was no time for figures", describe(stop));
    let (report, json, interval) = {
        let mut state = process().state();
        (state.report.take(), state.json.take(), state.interval)
    };
    let value = interval.map_or(String::new(), |(lower, upper)| format!("  value     [{lower}, {upper}]\n"));
    let text = format!("unknown: {reason}\n{value}");
    let written = match report {
        Some(report) => {
            let report = match interval {
                Some((lower, upper)) => report.known(lower, upper),
                None => report,
            };
            let object = report.unknown(reason).after(process().started.elapsed().as_secs_f64());
            write_result(json.as_deref(), &text, &object)
        }
        None => to_stdout(&text),
    };
    let code = written.map_or(Exit::Error, |()| Exit::Unknown);
    exit(code.code().into());
}

/// Ends the process now, without unfinished files.
#[expect(clippy::exit, reason = "the command's own thread does not come to its end")]
fn exit(code: i32) -> ! {
    surefoot_files::remove_drafts();
    std::process::exit(code)
}
