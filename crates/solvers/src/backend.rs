//! One solver, whichever it is: what it is asked, and what it may say.

use std::fmt::{Debug, Display};
use std::time::{Duration, Instant};

use surefoot_limits::{Limits, Stop, Trouble};
use surefoot_milp::Worker;
use surefoot_milp::process;
use surefoot_num::Rational;
use surefoot_oracle::Question;

/// A program that says its version takes no longer than this, however busy the machine: importing packages may take long.
const TO_START: Duration = Duration::from_secs(60);
/// What a solver said is quoted up to here.
const QUOTED: usize = 200;

/// What a solver says of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// A value per variable: to be confirmed.
    Point(Vec<Rational>),
    /// There is none: the solver's word.
    Nothing,
    /// There is none, as exact ranges say: it was not asked.
    Excluded,
}

/// Why a solver says nothing.
#[derive(Debug)]
pub(crate) struct Failure {
    /// In one word.
    pub(crate) stop: Stop,
    /// In others.
    pub(crate) why: String,
}

/// A solver. Answers do not depend on the questions before.
pub(crate) trait Backend: Debug + Send {
    /// Its name.
    fn short(&self) -> &'static str;

    /// Its name and version.
    fn name(&self) -> &str;

    /// Whether it computes in exact numbers: then a point that fails exact evaluation is none of its answers.
    fn is_exact(&self) -> bool;

    /// Solves a question whose variables all have values; without `integral`, integer variables have any value between their bounds.
    fn solve(&mut self, question: &Question, integral: bool, limits: &Limits) -> Result<Found, Failure>;

    /// Another one, which starts when it is asked.
    fn replicate(&self) -> Box<dyn Backend>;
}

impl Failure {
    pub(crate) fn new(who: &'static str, trouble: Trouble, why: impl Display) -> Self {
        Self { stop: Stop::Solver(who, trouble), why: why.to_string() }
    }

    /// What was said is no answer.
    pub(crate) fn garbage(who: &'static str, said: &str) -> Self {
        let said: String = said.chars().take(QUOTED).collect();
        Self::new(who, Trouble::Garbage, format!("it said {said:?}"))
    }

    /// A process gave no line: a limit was met, or it ended.
    pub(crate) fn of_process(who: &'static str, trouble: process::Trouble, limits: &Limits) -> Self {
        match (trouble, limits.stop()) {
            (process::Trouble::Time, Some(stop)) => Self { stop, why: "a limit was met".to_owned() },
            (trouble, _) => Self::new(who, Trouble::Crashed, trouble),
        }
    }
}

/// Starts a process if it does not run; the first line that it says after some text.
pub(crate) fn started(
    worker: &mut Worker,
    who: &'static str,
    hello: &str,
    limits: &Limits,
) -> Result<Option<String>, Failure> {
    if worker.is_running() {
        return Ok(None);
    }
    let patience = limits.until(Instant::now().checked_add(TO_START));
    let said = worker.start().and_then(|()| worker.send(hello.to_owned())).and_then(|()| worker.line(&patience));
    said.map(Some).map_err(|trouble| Failure::of_process(who, trouble, limits))
}

/// The version in what a driver says first.
pub(crate) fn version(said: &str) -> Option<String> {
    let said: serde_json::Value = serde_json::from_str(said).ok()?;
    Some(said["version"].as_str()?.to_owned())
}
