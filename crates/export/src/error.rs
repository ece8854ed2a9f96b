//! Why a model was not written.

use std::io;
use std::path::PathBuf;

/// Why a model was not written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Writing failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Writing a file failed.
    #[error("cannot write {}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The time was up before everything was written.
    #[error("the time was up before the file was complete")]
    Deadline,
    /// Too large for a drawing.
    #[error("the model has {states} states: a drawing of more than {limit} is of little use")]
    TooLarge {
        /// How many states there are.
        states: usize,
        /// How many are drawn without being forced.
        limit: usize,
    },
    /// A positive probability that floats do not tell from zero.
    #[error("the probability {0} is positive, but the nearest float is zero")]
    Vanishes(String),
    /// Labels that cannot be told apart, or one called `init`, which is the initial states' own.
    #[error("the label '{0}' is given twice, or is reserved")]
    Label(String),
    /// A description that contradicts itself.
    #[error("the model's description is inconsistent: {0}")]
    Inconsistent(String),
}
