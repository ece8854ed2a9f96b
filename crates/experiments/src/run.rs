//! One run: a command line of the program as a process, under limits.
//!
//! The program keeps the limits itself (`--time-limit`, `--memory-limit`) and says what it knows when it meets one. Where it does not end, it is ended some grace
//! later. Whatever it does, a run ends with a [`Measured`]: one that crashed, was ended, refused its input or wrote no result is a row with the reason, and claims nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use surefoot_files::Scratch;
use surefoot_limits::Limits;

use crate::driver;
use crate::error::Error;
use crate::events::{self, Watch};
use crate::process::Process;

/// A process that met its limit is ended so much later; it may have to write down what it knows.
pub const GRACE: Duration = Duration::from_secs(20);
/// What is run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What it is about: runs of one question must agree. None: nothing is claimed.
    pub question: Option<String>,
    /// The arguments, without limits and outputs. Paths are relative to the folder of the experiment.
    pub arguments: Vec<String>,
    /// Files that it reads, relative to the same folder.
    pub inputs: Vec<PathBuf>,
    /// Seconds.
    pub time_limit: f64,
    /// Megabytes.
    pub memory_limit: Option<u64>,
    /// What of its events is kept.
    pub watch: Watch,
    /// How long after its limit it is ended.
    pub grace: Duration,
    /// Why it cannot be made at all.
    pub broken: Option<String>,
    /// Who makes it.
    pub by: By,
}

/// Who makes a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// The program itself, which is given limits and asked for a result object.
    Itself,
    /// The driver of Storm's engines, by this Python: see [`crate::driver`].
    Driver(PathBuf),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "how", content = "why")]
pub enum Ended {
    /// With a result object.
    Answered,
    /// With an error about its input.
    Refused(String),
    /// By a signal, or with a code that is none of its own.
    Crashed(String),
    /// It did not end, and was ended.
    Killed(String),
    /// What it wrote is no result object.
    Garbage(String),
    /// It was not made.
    Skipped(String),
}

/// What a run said, and what it took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// How it ended.
    pub ended: Ended,
    /// Wall seconds of the process.
    pub wall: f64,
    /// Its CPU seconds, where they are known.
    pub cpu: Option<f64>,
    /// Its peak of memory in bytes, where it is known.
    pub peak: Option<u64>,
    /// How busy the machine was at the beginning.
    pub load: Option<f64>,
    /// The result object without what is long; null where there is none.
    pub result: Value,
    /// What of its events is kept.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub told: Value,
}

impl Run {
    /// All arguments, but for those that name scratch files.
    #[must_use]
    pub fn command_line(&self) -> Vec<String> {
        let mut line = self.arguments.clone();
        let limits = [
            ("--time-limit", Some(self.time_limit.to_string())),
            ("--memory-limit", self.memory_limit.map(|megabytes| megabytes.to_string())),
        ];
        for (name, limit) in limits {
            let Some(limit) = limit else { continue };
            // The driver takes its limits by place.
            line.extend((self.by == By::Itself).then(|| name.to_owned()).into_iter().chain([limit]));
        }
        line
    }

    /// Makes the run in a folder.
    ///
    /// # Errors
    /// [`Error::Interrupted`], and files that cannot be written; never because of what the program does.
    pub fn make(&self, program: &Path, folder: &Path, limits: &Limits) -> Result<Measured, Error> {
        if let Some(why) = &self.broken {
            return Ok(Measured::broken(Ended::Refused(why.clone())));
        }
        let scratch = Scratch::new(folder).map_err(|error| Error::file(folder, error))?;
        let place = |name: &str| scratch.path().join(name);
        let mut line = self.command_line();
        let relative = |name: &str| {
            let path = place(name);
            path.strip_prefix(folder).unwrap_or(&path).display().to_string()
        };
        let program = match &self.by {
            By::Itself => {
                line.extend(["--json".to_owned(), "-".to_owned(), "--quiet".to_owned()]);
                program
            }
            By::Driver(python) => python,
        };
        if self.watch != Watch::Nothing {
            line.extend(["--events".to_owned(), relative("events")]);
        }
        let deadline =
            Duration::try_from_secs_f64(self.time_limit).ok().and_then(|limit| limit.checked_add(self.grace));
        let process = Process { program, folder, line: &line, out: place("out"), err: place("err") };
        // Half as much again: limits are kept by looking now and then.
        let memory = self.memory_limit.map(|megabytes| megabytes.saturating_mul(3 << 19).saturating_add(256 << 20));
        let done = process.carry_out(deadline, memory, limits)?;
        let judged = if self.by == By::Itself { done.judged() } else { driver::judged(&done) };
        let mut measured = Measured { wall: done.wall, cpu: done.cpu, peak: done.peak, load: done.load, ..judged };
        if measured.result["reason"].as_str().is_some_and(|reason| reason.contains("it was interrupted")) {
            return Err(Error::Interrupted);
        }
        if self.watch != Watch::Nothing {
            measured.told = events::read(&place("events"), self.watch);
        }
        Ok(measured)
    }
}

impl Measured {
    /// A run that ended so, with nothing known of it.
    #[must_use]
    pub fn broken(ended: Ended) -> Self {
        Self { ended, wall: 0.0, cpu: None, peak: None, load: None, result: Value::Null, told: Value::Null }
    }

    /// In a word: the verdict, `conditional` where only errors of the model are open, `done` where none was asked for; else how it ended.
    #[must_use]
    pub fn word(&self) -> &str {
        match &self.ended {
            Ended::Answered if self.is_conditional() => "conditional",
            Ended::Answered => self.result["verdict"].as_str().unwrap_or("done"),
            Ended::Refused(_) => "refused",
            Ended::Crashed(_) => "crashed",
            Ended::Killed(_) => "killed",
            Ended::Garbage(_) => "garbage",
            Ended::Skipped(_) => "not run",
        }
    }

    /// Why there is no answer, where there is none.
    #[must_use]
    pub fn why(&self) -> &str {
        match &self.ended {
            Ended::Answered => self.result["reason"].as_str().unwrap_or_default(),
            Ended::Refused(why)
            | Ended::Crashed(why)
            | Ended::Killed(why)
            | Ended::Garbage(why)
            | Ended::Skipped(why) => why,
        }
    }

    /// Whether safety is proved, but errors of the model are not excluded.
    fn is_conditional(&self) -> bool {
        self.result["verdict"] == "unknown" && !self.result["open_errors"].is_null()
    }

    /// Whether it answered what it was asked: not at a limit, and not broken.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.ended == Ended::Answered && self.result["verdict"] != "unknown"
    }

    /// Whether it ended at a limit of time or memory, its own or ours.
    #[must_use]
    pub fn met_limit(&self) -> bool {
        match &self.ended {
            Ended::Killed(_) => true,
            Ended::Answered => self.result["verdict"] == "unknown" && self.why().contains(" limit"),
            _ => false,
        }
    }

    /// Seconds: the program's own where it tells them, else those of the process.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.result["seconds"].as_f64().unwrap_or(self.wall)
    }

    /// A figure of the result's statistics.
    #[must_use]
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.result["statistics"][name].as_f64()
    }

    /// The interval of a probability.
    #[must_use]
    pub fn value(&self) -> Option<(f64, f64)> {
        Some((bound(&self.result["value"]["lo"])?, bound(&self.result["value"]["hi"])?))
    }
}

/// A bound: a number, or a fraction as text.
fn bound(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => {
            let (over, under) = text.split_once('/').unwrap_or((text, "1"));
            let number = over.parse::<f64>().ok()? / under.parse::<f64>().ok()?;
            number.is_finite().then_some(number)
        }
        value => value.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bounds_are_numbers_or_fractions() {
        assert_eq!(bound(&json!("1/4")), Some(0.25));
        assert_eq!(bound(&json!(0.5)), Some(0.5));
        assert_eq!(
            [bound(&json!("infinity")), bound(&json!("1/0")), bound(&json!(null)), bound(&json!("x"))],
            [None; 4]
        );
    }

    #[test]
    fn limits_are_arguments() {
        let run = Run {
            question: None,
            arguments: vec!["verify".to_owned()],
            inputs: Vec::new(),
            time_limit: 2.5,
            memory_limit: Some(7),
            watch: Watch::Nothing,
            grace: GRACE,
            broken: None,
            by: By::Itself,
        };
        assert_eq!(run.command_line().join(" "), "verify --time-limit 2.5 --memory-limit 7");
        let driver = Run { by: By::Driver(PathBuf::from("python3")), ..run };
        assert_eq!(driver.command_line().join(" "), "verify 2.5 7");
    }

    #[test]
    fn limits_are_told_from_answers_that_stay_open() {
        let said = |reason: &str| Measured {
            result: json!({"verdict": "unknown", "reason": reason}),
            ..Measured::broken(Ended::Answered)
        };
        assert!(said("the time limit was reached").met_limit());
        assert!(said("the memory limit of 5 MB was reached").met_limit());
        assert!(!said("an abstract unsafe state is reached").met_limit());
        assert!(Measured::broken(Ended::Killed("late".to_owned())).met_limit());
        assert!(!Measured::broken(Ended::Refused("no file".to_owned())).met_limit());
    }
}
