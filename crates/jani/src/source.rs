//! The files that were read, and places in them.
//!
//! A [`Span`] is a file and a byte range, nothing more; line, column, JSON path, automaton and edge are worked
//! out only when a diagnostic is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file in a [`SourceMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

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
}

/// All files read for one task.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file.
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).expect("fewer than 2^32 files"));
        self.files.push(SourceFile { path: path.into(), text: text.into() });
        id
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
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
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
