//! A process that is kept: lines go in, lines come out, many questions long.
//!
//! Whoever asks waits no longer than the limits allow, whatever the process does: it may never read, never answer or say too much. Then it
//! is ended, and started anew for the next question. It runs in a folder of its own, so nothing that lies where the user is becomes
//! part of it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use surefoot_files::Kind;
use surefoot_limits::Limits;

use crate::process::{POLL, Trouble, lines};

/// How long a process that says no more may take to end.
const TO_END: Duration = Duration::from_millis(500);

/// A process that is started when it is needed.
#[derive(Debug)]
pub struct Worker {
    program: PathBuf,
    arguments: Vec<String>,
    folder: PathBuf,
    process: Option<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    /// To the thread that writes: a process that does not read keeps nobody else waiting.
    input: Sender<String>,
    lines: Receiver<String>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has nothing to save: whether it ends by itself makes no difference.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Worker {
    /// A program with arguments, to run in a folder.
    #[must_use]
    pub fn new(program: &Path, arguments: &[&str], folder: &Path) -> Self {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Self { program: program.to_owned(), arguments, folder: folder.to_owned(), process: None }
    }

    /// A Python that runs a script. Isolated: neither files where the user is nor variables add to what it runs.
    #[must_use]
    pub fn python(python: &Path, script: &str, folder: &Path) -> Self {
        Self::new(python, &["-I", "-u", "-c", script], folder)
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Another one, which is not started.
    #[must_use]
    pub fn another(&self, folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            program: self.program.clone(),
            arguments: self.arguments.clone(),
            process: None,
        }
    }

    /// Whether the process runs, as far as is known.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// Starts the process anew.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub fn start(&mut self) -> Result<(), Trouble> {
        self.process = None;
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (mut stdin, stdout) = pipes.ok_or_else(|| Trouble::Other("no standard input and output".to_owned()))?;
        let (input, texts) = channel::<String>();
        std::thread::spawn(move || {
            for text in texts {
                // Whoever waits for the answer learns that there is none.
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        self.process = Some(Process { child, input, lines: lines(stdout, Kind::Answer.most()) });
        Ok(())
    }

    /// Ends the process.
    pub fn end(&mut self) {
        self.process = None;
    }

    /// Sends it text.
    ///
    /// # Errors
    /// Where it is not running.
    pub fn send(&mut self, text: String) -> Result<(), Trouble> {
        let sent = self.process.as_ref().map(|process| process.input.send(text).is_ok());
        if sent == Some(true) { Ok(()) } else { Err(self.ended()) }
    }

    /// The next line that it says. Where there is none, the process is ended.
    ///
    /// # Errors
    /// [`Trouble::Time`] where a limit is met first, and how it ended where it did.
    pub fn line(&mut self, limits: &Limits) -> Result<String, Trouble> {
        loop {
            let Some(process) = &self.process else { return Err(self.ended()) };
            match process.lines.recv_timeout(POLL) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) if limits.stop().is_none() => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.process = None;
                    return Err(Trouble::Time);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
        }
    }

    /// How the process ended that says no more.
    fn ended(&mut self) -> Trouble {
        let Some(mut process) = self.process.take() else { return Trouble::Other("it does not run".to_owned()) };
        let patience = Limits::default().until(Instant::now().checked_add(TO_END));
        while patience.stop().is_none() {
            match process.child.try_wait() {
                Ok(Some(status)) => return Trouble::Other(format!("the process ended ({status})")),
                Ok(None) => std::thread::sleep(POLL),
                Err(_) => break,
            }
        }
        Trouble::Other("the process said no more, or too much".to_owned())
    }
}
