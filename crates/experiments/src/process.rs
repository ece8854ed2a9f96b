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
        let begun = Instant::now();
        let mut child = command.spawn().map_err(|error| Error::file(self.program, error))?;
        let mut meter = Meter::new(child.id());
        let (status, killed) = loop {
            // It is not waited for before it was seen to have ended: its CPU time would be gone.
            if meter.look() != Some(false) {
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
        let said = first_line(&self.err);
        let with = |what: String| if said.is_empty() { what } else { format!("{what}: {said}") };
        let status = match (&self.killed, &self.status) {
            (Some(why), _) => return Measured::broken(Ended::Killed(why.clone())),
            (None, Err(error)) => return Measured::broken(Ended::Crashed(error.to_string())),
            (None, Ok(status)) => status,
        };
        match status.code() {
            Some(0 | 1 | 3) => {}
            Some(2) => {
                return Measured::broken(Ended::Refused(if said.is_empty() { "exit code 2".to_owned() } else { said }));
            }
            _ => return Measured::broken(Ended::Crashed(with(status.to_string()))),
        }
        let bytes = Inputs::default().read(&self.out, Kind::Answer, Origin::Reached).unwrap_or_default();
        match serde_json::from_slice::<Value>(&bytes) {
            // Soundness: a word of a verdict and the code that the process ended with must say the same.
            Ok(mut result) if is_result(&result) && agrees(&result, status.code()) => {
                if let Some(members) = result.as_object_mut() {
                    members.retain(|name, _| !LONG.contains(&&**name));
                }
                Measured { result, ..Measured::broken(Ended::Answered) }
            }
            Ok(_) => Measured::broken(Ended::Garbage("what it wrote is no result of this program".to_owned())),
            Err(error) => Measured::broken(Ended::Garbage(format!("what it wrote is no result: {error}"))),
        }
    }
}

fn is_result(result: &Value) -> bool {
    result["tool"] == "surefoot" && result["statistics"].is_object()
}

fn agrees(result: &Value, code: Option<i32>) -> bool {
    match code {
        Some(0) => matches!(result["verdict"].as_str(), None | Some("holds")),
        Some(1) => result["verdict"] == "violated",
        _ => result["verdict"] == "unknown",
    }
}

/// Ends a child, and what it has left.
fn end(child: &mut Child) -> io::Result<ExitStatus> {
    let _ = child.kill();
    child.wait()
}

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
