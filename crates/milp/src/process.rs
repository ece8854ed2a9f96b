//! Other programs as processes: they get so much time, and may say so much.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use surefoot_limits::Limits;

/// How often it is looked whether a process has ended.
pub(crate) const POLL: Duration = Duration::from_millis(5);
/// How many lines wait to be looked at; beyond that the process waits.
const LINES: usize = 4;

/// How a process ended that did not end well.
#[derive(Debug)]
pub enum Trouble {
    /// It was ended: a limit was met.
    Time,
    /// It said too much, or failed.
    Other(String),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Time => "it did not finish in time",
            Self::Other(reason) => reason,
        })
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Other(error.to_string())
    }
}

/// Runs a program to its end, or until a limit is met; `file`, which it writes, may become so long.
pub(crate) fn wait(child: &mut Child, limits: &Limits, file: Option<(&Path, u64)>) -> Result<(), Trouble> {
    let too_long = || file.is_some_and(|(path, most)| path.metadata().is_ok_and(|m| m.len() > most));
    let trouble = loop {
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(Trouble::Other(status.to_string())),
            None if limits.stop().is_some() => break Trouble::Time,
            None if too_long() => break Trouble::Other("its answer is too long".to_owned()),
            None => std::thread::sleep(POLL),
        }
    };
    let _ = child.kill();
    let _ = child.wait();
    Err(trouble)
}

/// What a program says within a time, as far as it is looked at.
pub(crate) fn output(mut command: Command, time: Duration, most: u64) -> Result<String, Trouble> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = command.spawn()?;
    let said = child.stdout.take().map(|output| {
        let (sender, receiver) = sync_channel(1);
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // Dropping the pipe then ends whoever says more.
            let _ = output.take(most).read_to_end(&mut bytes);
            let _ = sender.send(bytes);
        });
        receiver
    });
    let ended = wait(&mut child, &Limits::default().until(begun.checked_add(time)), None);
    // A child of the child may keep the pipe open.
    let left = time.saturating_sub(begun.elapsed()).max(POLL);
    let said = said.and_then(|said| said.recv_timeout(left).ok()).unwrap_or_default();
    match ended {
        Err(Trouble::Time) => Err(Trouble::Time),
        // One that is not listened to any more may fail for that.
        Err(trouble) if (said.len() as u64) < most => Err(trouble),
        _ => Ok(String::from_utf8_lossy(&said).into_owned()),
    }
}

/// The lines of a stream, each of so many bytes at most; a longer one ends them.
pub(crate) fn lines(from: impl Read + Send + 'static, most: u64) -> Receiver<String> {
    let (sender, receiver) = sync_channel(LINES);
    std::thread::spawn(move || {
        let mut from = BufReader::new(from);
        loop {
            let mut line = Vec::new();
            let read = from.by_ref().take(most).read_until(b'\n', &mut line);
            let complete = read.is_ok() && line.last() == Some(&b'\n');
            if !complete || sender.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_lines_end() {
        assert!(lines(io::repeat(b'x'), 1000).recv().is_err());
        let lines = lines(&b"one\ntwo\nthree"[..], 1000);
        assert_eq!(lines.iter().collect::<Vec<_>>(), ["one", "two"]);
    }
}
