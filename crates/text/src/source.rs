//! The files that were read, and places in them.
//!
//! A [`Span`] is a file and a byte range, nothing more; line, column, JSON path, automaton and edge are worked
//! out only when a diagnostic is shown.
//!
//! **Whose files these are.** A file that a user names may be quoted in messages. One that another file names might be anybody's, a
//! file of passwords perhaps: it is quoted only when it has been read as what it should be, or is JSON beside the file that names it.
//! Until then its errors are [veiled](SourceMap::veiled): they tell the place, and nothing of what is there.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_files::{Inputs, Kind};

use crate::diagnostic::{Diagnostic, Severity};

/// A file in a [`SourceMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

impl FileId {
    /// The file of a position in the map.
    fn at(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 files"))
    }
}

/// A byte range of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes between two offsets.
    ///
    /// # Panics
    /// As [`offset`].
    #[must_use]
    pub fn between(file: FileId, start: usize, end: usize) -> Self {
        Self { file, start: offset(start), end: offset(end) }
    }
}

/// A place in a text, or a number of things in it, in 32 bits.
///
/// # Panics
/// Beyond 4 GiB: files are read up to far less.
#[must_use]
pub fn offset(position: usize) -> u32 {
    u32::try_from(position).expect("a text has fewer than 2^32 bytes")
}

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

/// A name as written.
pub type Name = Spanned<Arc<str>>;

impl<T> Spanned<T> {
    /// Pairs a value with its place.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// One file: its path as the user wrote it and its text without byte-order mark.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// The path, for messages and for resolving includes.
    pub path: PathBuf,
    /// The text.
    pub text: Arc<str>,
    /// What it should be, while messages must not quote it.
    veil: Option<Kind>,
}

/// All files read for one task.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// All that was read, with hashes: these files, and others that are no text.
    pub inputs: Inputs,
}

impl SourceMap {
    /// Adds a file.
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId::at(self.files.len());
        self.files.push(SourceFile { path: path.into(), text: text.into(), veil: None });
        id
    }

    /// Keeps messages from quoting a file that another one names as being of a kind.
    pub(crate) fn veil(&mut self, id: FileId, kind: Kind) {
        self.files[id.0 as usize].veil = Some(kind);
    }

    /// Lets messages quote a file: it has been read as what it should be.
    pub fn unveil(&mut self, id: FileId) {
        self.files[id.0 as usize].veil = None;
    }

    /// Whether messages must not quote a file.
    #[must_use]
    pub fn is_veiled(&self, id: FileId) -> bool {
        self.file(id).veil.is_some()
    }

    /// A diagnostic as it may be shown: an error in a veiled file says nothing of what is in it.
    #[must_use]
    pub fn veiled<'d>(&self, diagnostic: &'d Diagnostic) -> Cow<'d, Diagnostic> {
        let file = diagnostic.span.map(|span| self.file(span.file));
        match file.and_then(|file| Some((file, file.veil?))) {
            Some((file, kind)) if diagnostic.severity == Severity::Error => {
                let message = format!("{} is named as {kind}, but is not what that should be", file.path.display());
                let help = "what is in it is not shown, as another file names it: name it yourself to see more";
                let mut error = Diagnostic::error_anywhere(message).with_help(help);
                error.span = diagnostic.span;
                Cow::Owned(error)
            }
            _ => Cow::Borrowed(diagnostic),
        }
    }

    /// The file of an id.
    #[must_use]
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The path of a file.
    #[must_use]
    pub fn path(&self, id: FileId) -> &Path {
        &self.file(id).path
    }

    /// All files with their ids.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId::at(i), f))
    }

    /// Line and column (both from 1, columns in characters) of a byte offset.
    #[must_use]
    pub fn line_column(&self, id: FileId, offset: u32) -> (usize, usize) {
        line_column(&self.file(id).text, offset)
    }
}

/// Line and column (both from 1, columns in characters) of a byte offset in a text.
#[must_use]
pub fn line_column(text: &str, offset: u32) -> (usize, usize) {
    let offset = (offset as usize).min(text.len());
    let before = &text.as_bytes()[..offset];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
    // A character starts at every byte that is not a UTF-8 continuation byte.
    let column = before[line_start..].iter().filter(|b| **b & 0xC0 != 0x80).count() + 1;
    (line, column)
}
