//! What was read, with the hash of each file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::kind::Kind;
use crate::open::{ReadError, open, read_all};
use crate::place::Place;

/// The name of standard input.
pub const STANDARD_INPUT: &str = "-";

/// Who named a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A user: `-` is standard input, and messages may quote the file.
    Named,
    /// Another file: `-` is a file called so, and messages quote the file only once it is known to be one of ours.
    Reached,
}

#[derive(Debug, Clone)]
struct Input {
    /// As it was given.
    path: PathBuf,
    /// The path, shown: two paths that are no UTF-8 may look alike.
    name: String,
    hash: String,
    kind: Kind,
    /// Standard input has none, and neither has what was given in memory.
    place: Option<Place>,
}

/// All files read for one task.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    read: Vec<Input>,
    /// Opened, but not read to the end: to be guarded all the same.
    opened: Vec<(PathBuf, Place)>,
    /// In memory, by name.
    held: BTreeMap<PathBuf, Arc<[u8]>>,
}

impl Inputs {
    /// Holds bytes under a name: whoever reads the name gets these, and no file is looked at. They are hashed like a file when they are read.
    pub fn hold(&mut self, name: impl Into<PathBuf>, bytes: impl Into<Arc<[u8]>>) {
        self.held.insert(name.into(), bytes.into());
    }

    /// Whether a name is of something in memory.
    #[must_use]
    pub fn holds(&self, path: &Path) -> bool {
        self.held.contains_key(path)
    }

    /// What is in memory under a name.
    fn read_held(&mut self, path: &Path, kind: Kind) -> Option<Result<Vec<u8>, ReadError>> {
        let bytes = Arc::clone(self.held.get(path)?);
        if bytes.len() as u64 > kind.most() {
            return Some(Err(ReadError::TooLong { kind }));
        }
        Some(self.record(path, &bytes, kind, None).map(|()| bytes.to_vec()))
    }

    /// The bytes of a file, or of standard input where a user says `-`.
    ///
    /// # Errors
    /// What cannot be opened or read, is no regular file, or is too long.
    pub fn read(&mut self, path: &Path, kind: Kind, origin: Origin) -> Result<Vec<u8>, ReadError> {
        if let Some(held) = self.read_held(path, kind) {
            return held;
        }
        if origin == Origin::Named && path.as_os_str() == STANDARD_INPUT {
            if self.read.iter().any(|input| input.path == path && input.place.is_none()) {
                return Err(ReadError::StandardInputTwice);
            }
            let bytes = read_all(io::stdin().lock(), kind)?;
            return self.record(path, &bytes, kind, None).map(|()| bytes);
        }
        let file = open(path)?;
        self.read_open(path, &file, kind)
    }

    /// A file that is read bit by bit, by whoever bounds that; it is no part of the [hashes](Self::hashes).
    ///
    /// # Errors
    /// What cannot be opened, is no regular file, or is too long.
    pub fn open(&mut self, path: &Path, kind: Kind) -> Result<File, ReadError> {
        let file = open(path)?;
        if file.metadata()?.len() > kind.most() {
            return Err(ReadError::TooLong { kind });
        }
        self.opened.push((path.to_owned(), Place::of_open(path, &file)));
        Ok(file)
    }

    /// The bytes of a file that must lie in a folder or below it, links followed.
    ///
    /// # Errors
    /// As for [`Inputs::read`]; a file that lies elsewhere.
    pub fn read_below(&mut self, folder: &Path, path: &Path, kind: Kind) -> Result<Vec<u8>, ReadError> {
        let path = folder.join(path);
        if let Some(held) = self.read_held(&path, kind) {
            return held;
        }
        let file = open(&path)?;
        // That the place is the open file's shows that no link was changed in between.
        if !is_below(folder, &path) || !Place::of(&path).is_same(&Place::of_open(&path, &file)) {
            return Err(ReadError::Leaves);
        }
        self.read_open(&path, &file, kind)
    }

    /// Notes what a caller has in memory under a name: it is hashed like a file, and there is no file to guard.
    ///
    /// # Errors
    /// [`ReadError::Changed`] where something else has the name already.
    pub fn give(&mut self, name: &str, bytes: &[u8], kind: Kind) -> Result<(), ReadError> {
        self.record(Path::new(name), bytes, kind, None)
    }

    fn read_open(&mut self, path: &Path, file: &File, kind: Kind) -> Result<Vec<u8>, ReadError> {
        let place = Place::of_open(path, file);
        self.opened.push((path.to_owned(), place.clone()));
        let bytes = read_all(file, kind)?;
        self.record(path, &bytes, kind, Some(place))?;
        Ok(bytes)
    }

    fn record(&mut self, path: &Path, bytes: &[u8], kind: Kind, place: Option<Place>) -> Result<(), ReadError> {
        let hash = sha256(bytes);
        // One file has one hash in a result.
        if self.read.iter().any(|input| input.path == path && input.hash != hash) {
            return Err(ReadError::Changed);
        }
        let alike = |name: &str| self.read.iter().any(|input| input.name == name && input.path != path);
        let mut name = path.display().to_string();
        for number in 2.. {
            if !alike(&name) {
                break;
            }
            name = format!("{} ({number})", path.display());
        }
        self.read.push(Input { path: path.to_owned(), name, hash, kind, place });
        Ok(())
    }

    /// Names, as they were given, and SHA-256 hashes in hexadecimal digits; each name once, in the order of reading.
    #[must_use]
    pub fn hashes(&self) -> Vec<(String, String)> {
        let mut hashes: Vec<(String, String)> = Vec::new();
        for input in &self.read {
            if hashes.iter().all(|(known, _)| *known != input.name) {
                hashes.push((input.name.clone(), input.hash.clone()));
            }
        }
        hashes
    }

    /// The input that is at a place; for what is `rewritten`, checkpoints are none.
    pub(crate) fn at(&self, place: &Place, rewritten: bool) -> Option<String> {
        let kept = |input: &&Input| !(rewritten && input.kind == Kind::Checkpoint);
        let is_there = |other: &Option<Place>| other.as_ref().is_some_and(|other| other.is_same(place));
        let read = self.read.iter().filter(kept).find(|input| is_there(&input.place)).map(|input| input.name.clone());
        let unread = |path: &PathBuf| self.read.iter().all(|input| input.path != *path);
        let mut opened = self.opened.iter().filter(|(path, _)| unread(path));
        read.or_else(|| opened.find(|(_, other)| other.is_same(place)).map(|(path, _)| path.display().to_string()))
    }

    /// What was read by another; for commands that read in two steps.
    pub fn extend(&mut self, other: &Self) {
        self.read.extend(other.read.iter().cloned());
        self.opened.extend(other.opened.iter().cloned());
    }

    /// Whether a file lies in the folder of another that names it, or below, links followed; what is in memory is its holder's own.
    #[must_use]
    pub fn is_beside(&self, namer: &Path, path: &Path) -> bool {
        self.holds(path) || is_below(namer.parent().unwrap_or(Path::new("")), path)
    }
}

fn is_below(folder: &Path, path: &Path) -> bool {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let canonical = |path: &Path| -> Option<PathBuf> { path.canonicalize().ok() };
    canonical(folder).zip(canonical(path)).is_some_and(|(folder, path)| path.starts_with(folder))
}

/// The SHA-256 hash of bytes, in hexadecimal digits.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
