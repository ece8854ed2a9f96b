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
    /// One option names a file in the folder of another.
    Folder {
        /// The option of the folder, and of the file.
        options: [String; 2],
        /// The file.
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
            Self::Folder { options: [folder, file], path } => {
                write!(f, "{file}: {} lies in the folder of {folder}", path.display())
            }
        }
    }
}

#[derive(Debug, Clone)]
struct Output {
    option: String,
    path: PathBuf,
    change: Change,
}

/// What becomes of what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// It is lost.
    Replaced,
    /// It is read first, as a checkpoint.
    Rewritten,
    /// Nothing: it is what is written.
    None,
}

/// All files that one task writes.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    all: Vec<Output>,
    /// Folders, with the options that name them.
    folders: Vec<(String, Place)>,
    /// What a user named to be read; it may not have been opened yet.
    named: Vec<PathBuf>,
}

impl Outputs {
    /// Notes that an option names a file to be written.
    ///
    /// # Errors
    /// If another option names it too.
    pub fn claim(&mut self, option: &str, path: &Path) -> Result<(), Clash> {
        self.add(option, path, Change::Replaced)
    }

    /// The same for a file of checkpoints, which is read first and then written.
    ///
    /// # Errors
    /// If another option names it too.
    pub fn claim_rewritten(&mut self, option: &str, path: &Path) -> Result<(), Clash> {
        self.add(option, path, Change::Rewritten)
    }

    /// The same for a file that is written with the content it has: that harms no input.
    ///
    /// # Errors
    /// If another option names it too.
    pub fn claim_unchanged(&mut self, option: &str, path: &Path) -> Result<(), Clash> {
        self.add(option, path, Change::None)
    }

    /// Notes that an option names a folder for files of any number: no other is written there.
    ///
    /// # Errors
    /// If another option names a file there.
    pub fn claim_folder(&mut self, option: &str, folder: &Path) -> Result<(), Clash> {
        let place = Place::of(folder);
        if let Some(other) = self.all.iter().find(|other| Place::of(&other.path).is_in(&place)) {
            return Err(Clash::Folder { options: [option.to_owned(), other.option.clone()], path: other.path.clone() });
        }
        self.folders.push((option.to_owned(), place));
        Ok(())
    }

    fn add(&mut self, option: &str, path: &Path, change: Change) -> Result<(), Clash> {
        let new = Output { option: option.to_owned(), path: path.to_owned(), change };
        if !is_guarded(&new.path) {
            return Ok(());
        }
        let place = Place::of(&new.path);
        if let Some((other, _)) = self.folders.iter().find(|(_, folder)| place.is_in(folder)) {
            return Err(Clash::Folder { options: [other.clone(), new.option], path: new.path });
        }
        if let Some(other) = self.all.iter().find(|other| Place::of(&other.path).is_same(&place)) {
            return Err(Clash::Output { options: [other.option.clone(), new.option], path: new.path });
        }
        self.all.push(new);
        Ok(())
    }

    /// Notes that a user named a file to be read.
    pub fn protect(&mut self, path: &Path) {
        if path.as_os_str() != STANDARD_INPUT {
            self.named.push(path.to_owned());
        }
    }

    /// That no output is an input, as things are now.
    ///
    /// # Errors
    /// The first that is.
    pub fn check(&self, inputs: &Inputs) -> Result<(), Clash> {
        for output in self.all.iter().filter(|output| output.change != Change::None) {
            if let Some(input) = self.input_at(&output.path, inputs, output.change == Change::Rewritten) {
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
        let input = inputs.at(&place, rewritten);
        input.or_else(|| named().map(|path| path.display().to_string()))
    }
}

/// Standard output, devices and pipes are written to as they are, by as many as like. To this crate, `-` is a file to be written.
fn is_guarded(path: &Path) -> bool {
    !is_stream(path)
}
