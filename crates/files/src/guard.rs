//! What is written is neither read nor written under another name.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::draft::is_stream;
use crate::inputs::{Inputs, STANDARD_INPUT};
use crate::place::Place;

/// Two uses of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clash {
    /// An input would be lost.
    Input {
        /// The option that names the output.
        option: String,
        /// The output.
        path: PathBuf,
        /// The input, as it was named.
        input: String,
    },
    /// Two options name one file.
    Output {
        /// The options.
        options: [String; 2],
        /// The file, as the second names it.
        path: PathBuf,
    },
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input { option, path, input } => {
                write!(f, "{option}: {} would overwrite the input {input}", path.display())
            }
            Self::Output { options: [first, second], path } => {
                write!(f, "{first} and {second} name one file: {}", path.display())
            }
        }
    }
}

#[derive(Debug, Clone)]
struct Output {
    option: String,
    path: PathBuf,
    rewritten: bool,
}

/// All files that one task writes.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    all: Vec<Output>,
    /// What a user named to be read; it may not have been opened yet.
    named: Vec<PathBuf>,
}

impl Outputs {
    /// Notes that an option names a file to be written.
    ///
    /// # Errors
    /// If another option names it too.
    pub fn claim(&mut self, option: &str, path: &Path) -> Result<(), Clash> {
        self.add(Output { option: option.to_owned(), path: path.to_owned(), rewritten: false })
    }

    /// The same for a file of checkpoints, which is read first and then written.
    ///
    /// # Errors
    /// If another option names it too.
    pub fn claim_rewritten(&mut self, option: &str, path: &Path) -> Result<(), Clash> {
        self.add(Output { option: option.to_owned(), path: path.to_owned(), rewritten: true })
    }

    fn add(&mut self, new: Output) -> Result<(), Clash> {
        if !is_guarded(&new.path) {
            return Ok(());
        }
        let place = Place::of(&new.path);
        if let Some(other) = self.all.iter().find(|other| Place::of(&other.path).is_same(&place)) {
            return Err(Clash::Output { options: [other.option.clone(), new.option], path: new.path });
        }
        self.all.push(new);
        Ok(())
    }

    /// Notes that a user named a file to be read.
    pub fn protect(&mut self, path: &Path) {
        self.named.push(path.to_owned());
    }

    /// That no output is an input, as things are now.
    ///
    /// # Errors
    /// The first that is.
    pub fn check(&self, inputs: &Inputs) -> Result<(), Clash> {
        for output in &self.all {
            if let Some(input) = self.input_at(&output.path, inputs, output.rewritten) {
                return Err(Clash::Input { option: output.option.clone(), path: output.path.clone(), input });
            }
        }
        Ok(())
    }

    /// Whether a file is no input, as things are now.
    #[must_use]
    pub fn allows(&self, path: &Path, inputs: &Inputs) -> bool {
        !is_guarded(path) || self.input_at(path, inputs, false).is_none()
    }

    fn input_at(&self, path: &Path, inputs: &Inputs, rewritten: bool) -> Option<String> {
        let place = Place::of(path);
        let named = || self.named.iter().find(|named| Place::of(named).is_same(&place));
        let input = inputs.at(&place, rewritten).map(str::to_owned);
        input.or_else(|| named().map(|path| path.display().to_string()))
    }
}

/// Standard output, devices and pipes are written to as they are, by as many as like.
fn is_guarded(path: &Path) -> bool {
    path.as_os_str() != STANDARD_INPUT && !is_stream(path)
}
