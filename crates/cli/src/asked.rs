//! What a command line asks for, without a process around it: for front ends that have the same options and another way of telling.
//!
//! Nothing is read, written or limited here. [`Asked::task`] gives the task; what it comes to is told by [`Asked::told`] in the words of the command line. [`Asked::guard`] is for
//! before the task and again once everything is read: what the task or the page writes is no input of it.

mod written;

use std::ffi::OsString;
use std::time::Instant;

use surefoot_files::{Clash, Inputs};
use surefoot_limits::Cancel;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verify::task::{Opened, Outcome, Task};

use crate::args::zoo::ZooCommand;
use crate::args::{self, Command, CommonArgs};
use crate::commands::page::{PageWish, find_drawing};
use crate::commands::session::Wish;
use crate::commands::{
    abstraction, bounds, certify, check, ctl, decide, diff, encode, explain, explore, induce, query, replay, report,
    simulate, verify, zoo,
};

/// What a command line asks for.
#[derive(Debug)]
pub struct Asked {
    command: Command,
    words: Vec<String>,
}

/// A page that is wanted besides the result.
#[derive(Debug)]
pub struct Wanted(PageWish);

/// Why a command line asks for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unclear {
    /// An option that there is not, a value that is none.
    Wrong(String),
    /// Help was asked for, or a command that is no task.
    NoTask,
}

impl Asked {
    /// Of a command line, the program's name included.
    ///
    /// # Errors
    /// Where it asks for nothing.
    pub fn of(words: impl IntoIterator<Item = OsString>) -> Result<Self, Unclear> {
        let words: Vec<OsString> = words.into_iter().collect();
        let text = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        match args::parse(words) {
            Ok(cli) => Ok(Self { command: cli.command, words: text }),
            Err(error) if error.use_stderr() => Err(Unclear::Wrong(error.render().to_string())),
            Err(_) => Err(Unclear::NoTask),
        }
    }

    /// The task, whose time begins now; and whether the options fit each other, to be told after what is wrong with the files.
    ///
    /// # Errors
    /// Commands that are no tasks.
    pub fn task(&self, cancel: &Cancel) -> Result<(Task, Result<(), Diagnostic>), Unclear> {
        let started = Instant::now();
        let wish = match &self.command {
            Command::Check(args) => check::job(args),
            Command::Explore(args) => explore::job(args),
            Command::Simulate(args) => simulate::job(args),
            Command::Verify(args) => verify::job(args),
            Command::Abstract(args) => abstraction::job(args),
            Command::Bounds(args) => bounds::job(args),
            Command::Ctl(args) => ctl::job(args),
            Command::Decide(args) => {
                let Wish { job, fits } = decide::job(args, cancel);
                let budget = decide::budget(&args.answering, started, cancel.clone());
                return Ok((Task { job, budget, seed: args.answering.seed }, fits));
            }
            Command::VerifyQuery(args) => {
                let Wish { job, fits } = query::job(args, cancel);
                let budget = decide::budget(&args.answering, started, cancel.clone());
                return Ok((Task { job, budget, seed: args.answering.seed }, fits));
            }
            Command::Induce(args) => induce::job(args),
            Command::Encode(args) => encode::job(args),
            Command::Replay(args) => replay::job(args),
            Command::Certify(args) => certify::job(args),
            Command::Explain(args) => explain::job(args),
            Command::Diff(args) => diff::job(args),
            Command::Report(args) => report::job(args),
            // One goes on until it is interrupted, the other asks for no task at all.
            Command::View(_) | Command::Supports(_) | Command::CheckQuery(_) => return Err(Unclear::NoTask),
            Command::Zoo(args) => match &args.command {
                ZooCommand::Train(args) => zoo::train::job(args),
                _ => return Err(Unclear::NoTask),
            },
        };
        let common = self.command.common().ok_or(Unclear::NoTask)?;
        let budget = common.spend(started, cancel.clone());
        Ok((Task { job: wish.job, budget, seed: common.seed }, wish.fits))
    }

    /// That nothing which is written is read: not what the task names, but for what is in memory, and not what has been read by now.
    ///
    /// # Errors
    /// The first file that would be lost, and two options that name one file.
    pub fn guard(&self, task: &Task, inputs: &Inputs) -> Result<(), Diagnostic> {
        let refused = |clash: Clash| Diagnostic::error_anywhere(clash.to_string()).with_help("give another file");
        let mut outputs = self.outputs().map_err(refused)?;
        task.job.files().into_iter().filter(|file| !inputs.holds(file)).for_each(|file| outputs.protect(file));
        outputs.check(inputs).map_err(refused)
    }

    /// The page that is wanted, with what it needs besides the result; `notes` get what is worth knowing of that.
    ///
    /// # Errors
    /// What is wrong with a drawing that was asked for.
    pub fn page(
        &self,
        task: &Task,
        opened: &Opened<'_>,
        sources: &mut SourceMap,
        notes: &mut Vec<Diagnostic>,
    ) -> Result<Option<Wanted>, Diagnostic> {
        let args = match &self.command {
            Command::Verify(args) => &args.report,
            Command::Bounds(args) => &args.report,
            Command::Abstract(args) => &args.report,
            Command::Ctl(args) => &args.report,
            _ => return Ok(None),
        };
        let (Some(path), Some(problem)) = (&args.report, opened.problem()) else { return Ok(None) };
        let drawing = find_drawing(task, problem, sources, args.drawing.drawing.as_deref(), notes)?;
        Ok(Some(Wanted(PageWish::new(path, drawing, &self.words))))
    }

    /// What people are told of what it came to.
    #[must_use]
    pub fn told(&self, outcome: &Outcome) -> String {
        match &self.command {
            Command::Check(_) => check::text(outcome),
            Command::Explore(_) => explore::text(outcome),
            Command::Simulate(_) => simulate::text(outcome),
            Command::Verify(_) => verify::told(outcome),
            Command::Abstract(args) => abstraction::told(args, outcome),
            Command::Bounds(_) => bounds::told(outcome),
            Command::Ctl(_) => ctl::shown(outcome),
            Command::Decide(_) => decide::text(outcome),
            Command::VerifyQuery(args) => query::text(args, outcome),
            Command::Induce(_) => induce::text(outcome),
            Command::Encode(_) => encode::text(outcome),
            Command::Replay(_) => replay::text(outcome),
            Command::Certify(args) => certify::text(outcome, args.network.is_some()),
            Command::Explain(_) => explain::told(outcome),
            Command::Diff(_) => diff::told(outcome),
            Command::Report(args) => report::told(args, outcome),
            Command::View(_) | Command::Supports(_) | Command::CheckQuery(_) => String::new(),
            Command::Zoo(_) => zoo::train::text(outcome),
        }
    }
}

impl Command {
    /// The options that most commands have.
    pub(crate) fn common(&self) -> Option<&CommonArgs> {
        Some(match self {
            Command::Check(args) => &args.common,
            Command::Explore(args) => &args.common,
            Command::Simulate(args) => &args.common,
            Command::Verify(args) => &args.common,
            Command::Abstract(args) => &args.common,
            Command::Bounds(args) => &args.common,
            Command::Ctl(args) => &args.common,
            Command::Induce(args) => &args.common,
            Command::Encode(args) => &args.common,
            Command::Replay(args) => &args.common,
            Command::Certify(args) => &args.common,
            Command::Explain(args) => &args.common,
            Command::Diff(args) => &args.common,
            Command::Report(args) => &args.common,
            Command::View(args) => &args.common,
            Command::Zoo(args) => match &args.command {
                ZooCommand::Train(args) => &args.common,
                _ => return None,
            },
            Command::Decide(_) | Command::VerifyQuery(_) | Command::CheckQuery(_) | Command::Supports(_) => {
                return None;
            }
        })
    }
}

impl Wanted {
    /// Writes it.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn write(&self, task: &Task, outcome: &Outcome) -> Result<(), String> {
        self.0.write(outcome, &task.budget)
    }
}
