//! What ends an experiment. Runs that fail do not: they are rows.

use std::path::{Path, PathBuf};

/// What ends an experiment.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no experiment of that name.
    #[error("there is no experiment {0:?}: there are {1}")]
    Unknown(String, String),
    /// The benchmark set cannot be used.
    #[error("the benchmark set {file}: {what}", file = file.display())]
    Set {
        /// Its file.
        file: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A file cannot be read or written.
    #[error("{file}: {what}", file = file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Two answers, or one and what the set records, cannot both be right.
    #[error("two answers about {question} contradict each other: {first}; {second}")]
    Contradiction {
        /// What both were asked.
        question: String,
        /// A command line, and what it said.
        first: String,
        /// The other.
        second: String,
    },
    /// Names were asked for that nothing has.
    #[error("no instance of this experiment has {0:?} in its name")]
    Nothing(String),
    /// Someone wanted it to stop.
    #[error("it was interrupted")]
    Interrupted,
}

impl Error {
    /// A file that cannot be read or written.
    #[expect(clippy::needless_pass_by_value, reason = "errors are handed over where they arise")]
    pub fn file(file: &Path, what: impl ToString) -> Self {
        Self::File { file: file.to_owned(), what: what.to_string() }
    }

    /// What to do, where there is something.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Set { .. } => Some(
                "the set is benchmarks/index.json of the repository: run this at its root, or name the file with --set",
            ),
            Self::Contradiction { .. } => Some(
                "one of the two is wrong: what the set records, or an answer, which is a bug of the program; command lines work in the folder of the experiment",
            ),
            Self::Unknown(..) => Some("zoo experiment without a name lists them"),
            Self::Nothing(_) => Some("names are those of the benchmark set; leave --only out for all of them"),
            Self::File { .. } | Self::Interrupted => None,
        }
    }
}
