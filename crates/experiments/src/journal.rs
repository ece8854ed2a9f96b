//! The journal: every finished run as a line of JSON, so that an interrupted experiment goes on where it was.
//!
//! A run is known by its key, a hash of the program, the files that it reads, its arguments and its limits: when any of them changes, it is made anew. A line is
//! written at once when its run has ended. A last line that was torn by a crash is cut off; others that are no records are left alone and ignored.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use surefoot_files::{Kind, open_journal, sha256};

use crate::error::Error;
use crate::run::{Measured, Run};

/// What goes into the key of a run.
#[derive(Debug, Serialize)]
struct Key<'r> {
    program: &'r str,
    inputs: &'r [String],
    command: Vec<String>,
    watch: String,
    by: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Record {
    key: String,
    command: Vec<String>,
    run: Measured,
}

/// The finished runs of an experiment.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    kept: BTreeMap<String, Measured>,
}

impl Journal {
    /// The journal in a file, which is made if there is none.
    ///
    /// # Errors
    /// If it cannot be read and written, or another process is writing to it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let wrong = |error: std::io::Error| Error::file(path, error);
        let mut file = open_journal(path).map_err(wrong)?;
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(Kind::Journal.most()).read_to_end(&mut bytes).map_err(wrong)?;
        if bytes.len() as u64 == Kind::Journal.most() {
            // What was not read would be cut off below.
            return Err(Error::file(path, "it is too long to be gone on with: give another folder"));
        }
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(wrong)?;
            file.seek(std::io::SeekFrom::End(0)).map_err(wrong)?;
        }
        let lines = bytes[..whole].split(|byte| *byte == b'\n');
        let records = lines.filter_map(|line| serde_json::from_slice::<Record>(line).ok());
        let kept = records.map(|record| (record.key, record.run)).collect();
        Ok(Self { path: path.to_owned(), file: Mutex::new(file), kept })
    }

    /// The key of a run by a program, with the hashes of what it reads.
    #[must_use]
    pub fn key(program: &str, inputs: &[String], run: &Run) -> String {
        let (watch, by) = (format!("{:?}", run.watch), format!("{:?}", run.by));
        let key = Key { program, inputs, command: run.command_line(), watch, by };
        sha256(serde_json::to_string(&key).unwrap_or_default().as_bytes())
    }

    /// A run that was made before this one began.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<&Measured> {
        self.kept.get(key)
    }

    /// Keeps a run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&self, key: String, run: &Run, measured: &Measured) -> Result<(), Error> {
        let wrong = |error: &dyn std::fmt::Display| Error::file(&self.path, error);
        let record = Record { key, command: run.command_line(), run: measured.clone() };
        let line = serde_json::to_string(&record).map_err(|error| wrong(&error))? + "\n";
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes()).and_then(|()| file.sync_data()).map_err(|error| wrong(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Watch;
    use crate::run::Ended;

    fn run(time_limit: f64) -> Run {
        Run {
            question: None,
            arguments: vec!["verify".to_owned(), "m.jani".to_owned()],
            inputs: Vec::new(),
            time_limit,
            memory_limit: None,
            watch: Watch::Nothing,
            grace: crate::run::GRACE,
            broken: None,
            by: crate::run::By::Itself,
        }
    }

    #[test]
    fn keys_change_with_everything_that_matters() {
        let inputs = ["h".to_owned()];
        let key = Journal::key("p", &inputs, &run(1.0));
        assert_eq!(key, Journal::key("p", &inputs, &run(1.0)));
        assert_ne!(key, Journal::key("q", &inputs, &run(1.0)));
        assert_ne!(key, Journal::key("p", &["g".to_owned()], &run(1.0)));
        assert_ne!(key, Journal::key("p", &inputs, &run(2.0)));
        assert_ne!(key, Journal::key("p", &inputs, &Run { memory_limit: Some(1), ..run(1.0) }));
        assert_ne!(key, Journal::key("p", &inputs, &Run { arguments: vec!["bounds".to_owned()], ..run(1.0) }));
        assert_ne!(key, Journal::key("p", &inputs, &Run { watch: Watch::Proof, ..run(1.0) }));
        let by = |python: &str| Run { by: crate::run::By::Driver(python.into()), ..run(1.0) };
        assert_ne!(Journal::key("p", &inputs, &by("a")), Journal::key("p", &inputs, &by("b")));
    }

    #[test]
    fn torn_lines_are_cut_off_and_others_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let measured = Measured { wall: 1.5, ..Measured::broken(Ended::Killed("late".to_owned())) };
        {
            let journal = Journal::open(&path).unwrap();
            assert!(journal.find("a").is_none());
            journal.append("a".to_owned(), &run(1.0), &measured).unwrap();
            // Nobody else writes meanwhile.
            let other = Journal::open(&path).unwrap_err().to_string();
            assert!(other.contains("another process is writing"), "{other}");
            journal.append("b".to_owned(), &run(1.0), &measured).unwrap();
        }
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("no record\n{}", &whole[..whole.len() - 7])).unwrap();
        {
            let journal = Journal::open(&path).unwrap();
            assert_eq!((journal.find("a"), journal.find("b")), (Some(&measured), None));
            journal.append("c".to_owned(), &run(1.0), &measured).unwrap();
        }
        let journal = Journal::open(&path).unwrap();
        assert_eq!((journal.find("a"), journal.find("c")), (Some(&measured), Some(&measured)));
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("no record\n"));
    }
}
