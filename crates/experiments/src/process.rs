//! A process of the program: it is looked at until it ends, ended where it does not, and what it wrote is judged.
//!
//! What it writes goes to files, so that a process that says much waits for nobody; how much it may write is bounded.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use surefoot_files::{Inputs, Kind, Origin, Scratch, escape};
use surefoot_limits::Limits;

use crate::error::Error;
use crate::meter::{Meter, load};
use crate::run::{Ended, Measured};

/// How often a process is looked at.
const POLL: Duration = Duration::from_millis(5);
/// A command that has no limits is ended then.
const PATIENCE: Duration = Duration::from_secs(600);
/// Members of result objects that are long and in no table.
const LONG: [&str; 9] =
    ["witness", "predicates", "invariant", "inputs", "assumptions", "abstract_path", "deadlocks", "policy", "cover"];

/// What the program says to a command without limits, or why it says nothing.
///
/// # Errors
/// As for [`Run::make`].
pub(crate) fn ask(
    program: &Path,
    folder: &Path,
    line: &[String],
    limits: &Limits,
) -> Result<Result<Value, String>, Error> {
    let scratch = Scratch::new(folder).map_err(|error| Error::file(folder, error))?;
    let line = [line, &["--json", "-", "--quiet"].map(str::to_owned)].concat();
    let process =
        Process { program, folder, line: &line, out: scratch.path().join("out"), err: scratch.path().join("err") };
    let measured = process.carry_out(Some(PATIENCE), None, limits)?.judged();
    Ok(if measured.ended == Ended::Answered { Ok(measured.result) } else { Err(measured.why().to_owned()) })
}

/// A process to be.
pub(crate) struct Process<'r> {
    pub(crate) program: &'r Path,
    pub(crate) folder: &'r Path,
    pub(crate) line: &'r [String],
    pub(crate) out: PathBuf,
    pub(crate) err: PathBuf,
}

/// A process that has ended.
pub(crate) struct Done {
    status: io::Result<ExitStatus>,
    /// Why it was ended.
    killed: Option<String>,
    pub(crate) wall: f64,
    pub(crate) cpu: Option<f64>,
    pub(crate) peak: Option<u64>,
    pub(crate) load: Option<f64>,
    out: PathBuf,
    err: PathBuf,
}

impl Process<'_> {
    /// Runs it until it ends, or has to be ended.
    pub(crate) fn carry_out(
        self,
        deadline: Option<Duration>,
        memory: Option<u64>,
        limits: &Limits,
    ) -> Result<Done, Error> {
        let load = load();
        let create = |path: &Path| File::create(path).map_err(|error| Error::file(path, error));
        let mut command = Command::new(self.program);
        command.args(self.line).current_dir(self.folder);
        command.stdin(Stdio::null()).stdout(create(&self.out)?).stderr(create(&self.err)?);
        in_a_group_of_its_own(&mut command);
        let begun = Instant::now();
        let mut child = command.spawn().map_err(|error| Error::file(self.program, error))?;
        let mut meter = Meter::new(child.id());
        let (status, killed) = loop {
            // It is not waited for before it was seen to have ended: its CPU time would be gone.
            let ended = meter.look();
            if ended == Some(true) {
                // What it left behind is ended while nobody else can have its number.
                end_group(&child);
            }
            if ended != Some(false) {
                match child.try_wait() {
                    Ok(Some(status)) => break (Ok(status), None),
                    Err(error) => break (Err(error), None),
                    Ok(None) => {}
                }
            }
            if limits.stop().is_some() {
                let _ = end(&mut child);
                return Err(Error::Interrupted);
            }
            let why = if deadline.is_some_and(|deadline| begun.elapsed() > deadline) {
                "it did not end at its limit of time"
            } else if memory.is_some_and(|most| meter.taken().peak.is_some_and(|peak| peak > most)) {
                "it did not end at its limit of memory"
            } else if [&self.out, &self.err].iter().any(|path| length(path) > Kind::Answer.most()) {
                "it wrote too much"
            } else {
                std::thread::sleep(POLL);
                continue;
            };
            break (end(&mut child), Some(why.to_owned()));
        };
        let (wall, taken) = (begun.elapsed().as_secs_f64(), meter.taken());
        Ok(Done { status, killed, wall, cpu: taken.cpu, peak: taken.peak, load, out: self.out, err: self.err })
    }
}

impl Done {
    /// What is to be made of it.
    pub(crate) fn judged(&self) -> Measured {
        let code = match self.code(&[0, 1, 2, 3]) {
            Ok(2) => {
                let said = first_line(&self.err);
                return Measured::broken(Ended::Refused(if said.is_empty() { "exit code 2".to_owned() } else { said }));
            }
            Ok(code) => code,
            Err(ended) => return Measured::broken(ended),
        };
        match self.object() {
            // Soundness: a word of a verdict and the code that the process ended with must say the same.
            Ok(mut result) if is_result(&result) && agrees(&result, code) => {
                if let Some(members) = result.as_object_mut() {
                    members.retain(|name, _| !LONG.contains(&&**name));
                }
                Measured { result, ..Measured::broken(Ended::Answered) }
            }
            Ok(_) => Measured::broken(Ended::Garbage("what it wrote is no result of this program".to_owned())),
            Err(ended) => Measured::broken(ended),
        }
    }

    /// The code that it ended with if it is one of these; else how it ended.
    pub(crate) fn code(&self, known: &[i32]) -> Result<i32, Ended> {
        let status = match (&self.killed, &self.status) {
            (Some(why), _) => return Err(Ended::Killed(why.clone())),
            (None, Err(error)) => return Err(Ended::Crashed(error.to_string())),
            (None, Ok(status)) => status,
        };
        status.code().filter(|code| known.contains(code)).ok_or_else(|| {
            let said = first_line(&self.err);
            Ended::Crashed(if said.is_empty() { status.to_string() } else { format!("{status}: {said}") })
        })
    }

    /// What it wrote.
    pub(crate) fn object(&self) -> Result<Value, Ended> {
        let bytes = Inputs::default().read(&self.out, Kind::Answer, Origin::Reached).unwrap_or_default();
        serde_json::from_slice(&bytes).map_err(|error| Ended::Garbage(format!("what it wrote is no result: {error}")))
    }
}

fn is_result(result: &Value) -> bool {
    result["tool"] == "surefoot" && result["statistics"].is_object()
}

fn agrees(result: &Value, code: i32) -> bool {
    match code {
        0 => matches!(result["verdict"].as_str(), None | Some("holds")),
        1 => result["verdict"] == "violated",
        _ => result["verdict"] == "unknown",
    }
}

/// Ends a child, and what it has begun.
fn end(child: &mut Child) -> io::Result<ExitStatus> {
    end_group(child);
    let _ = child.kill();
    child.wait()
}

/// Solvers and drivers that a run begins are in its group, so that none of them outlives it.
#[cfg(unix)]
fn in_a_group_of_its_own(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Ends all of a child's group; the child was not waited for, so that its number is still its own.
#[cfg(unix)]
fn end_group(child: &Child) {
    let _ = rustix::process::kill_process_group(rustix::process::Pid::from_child(child), rustix::process::Signal::KILL);
}

#[cfg(not(unix))]
fn in_a_group_of_its_own(_: &mut Command) {}

#[cfg(not(unix))]
fn end_group(_: &Child) {}

fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}

/// The first line of an error, fit to be shown in a cell.
fn first_line(path: &Path) -> String {
    let bytes = Inputs::default().read(path, Kind::Answer, Origin::Reached).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let line =
        text.lines().find(|line| line.starts_with("error")).or_else(|| text.lines().find(|line| !line.is_empty()));
    escape(&line.unwrap_or_default().chars().take(200).collect::<String>()).to_string()
}
