//! The process as a whole: when it began, what stops it, and who says how it ends.
//!
//! Signals, the clock and memory concern the process, so this is the one place with global state. A first SIGINT or SIGTERM
//! sets the switch that every search looks at: it ends with what it has found so far. A second one ends the
//! process at once. Limits are kept by the searches themselves; the watchdog ends the process where one does not.
//!
//! Exactly one of them writes the result: the command, or the watchdog in its place ([`claim`]).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use surefoot_limits::watchdog::Watchdog;
use surefoot_limits::{Cancel, Stop};
use surefoot_verify::{Budget, Report};

use crate::output::{Exit, complain, write_result};

/// How a process ends that was interrupted twice: as shells report SIGINT.
const INTERRUPTED_TWICE: i32 = 130;

static PROCESS: OnceLock<Process> = OnceLock::new();

/// What there is one of.
struct Process {
    started: Instant,
    cancel: Cancel,
    /// Whether someone is writing the result.
    claimed: AtomicBool,
    state: Mutex<State>,
}

/// What the watchdog needs to write a result in the command's place.
#[derive(Default)]
struct State {
    watchdog: Option<Watchdog>,
    budget: Option<Budget>,
    report: Option<Report>,
    json: Option<PathBuf>,
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
        claimed: AtomicBool::new(false),
        state: Mutex::default(),
    })
}

/// Notes the time and listens to signals; to be called first.
pub(crate) fn begin() {
    let process = process();
    let handler = move || {
        if process.cancel.stopped() == Some(Stop::Interrupted) {
            exit(INTERRUPTED_TWICE);
        }
        complain("interrupted: telling what is known so far (once more to end at once)");
        process.cancel.stop(Stop::Interrupted);
    };
    // Without it signals end the process as they always do.
    let _ = ctrlc::set_handler(handler);
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
    let mut state = process().state();
    state.budget = Some(budget.clone());
    state.watchdog = Some(Watchdog::start(&budget.limits(), budget.started, overrun));
}

/// What to write, and where, if the command cannot.
pub(crate) fn expect(json: Option<&Path>, report: Report) {
    let mut state = process().state();
    state.json = json.map(Path::to_owned);
    state.report = Some(report);
}

/// Waits for the right to write the result. Whoever comes second waits for the end of the process.
pub(crate) fn claim() {
    if process().claimed.swap(true, Ordering::SeqCst) {
        loop {
            std::thread::park();
        }
    }
}

/// A limit in words.
pub(crate) fn describe(stop: Stop) -> String {
    process().state().budget.as_ref().map_or_else(|| stop.to_string(), |budget| budget.describe(stop))
}

/// Ends the process in the place of a command that does not.
fn overrun(stop: Stop) {
    if process().claimed.swap(true, Ordering::SeqCst) {
        // The command is about to end by itself.
        return;
    }
    let reason = format!("{}; there was no time for figures", describe(stop));
    let (report, json) = {
        let mut state = process().state();
        (state.report.take(), state.json.take())
    };
    let mut report = report.unwrap_or_else(|| Report::new("", 0));
    report.set("verdict", "unknown");
    report.set("reason", reason.clone());
    let object = report.finish(process().started.elapsed().as_secs_f64());
    let text = format!("unknown: {reason}\n");
    let code = write_result(json.as_deref(), &text, &object).map_or(Exit::Error, |()| Exit::Unknown);
    exit(code.code().into());
}

/// Ends the process now, without unfinished files.
#[expect(clippy::exit, reason = "the command's own thread does not come to its end")]
fn exit(code: i32) -> ! {
    surefoot_files::remove_drafts();
    std::process::exit(code)
}
