//! Reading a certificate: one line after the other, uncompressed as they are asked for.
//!
//! Files come from others. Memory is that of the longest line, which has a bound, and so has the text as a whole: a small file that unpacks to an endless one
//! ends in an error. Whatever is wrong is told with the number of the line and what was expected there. A certificate ends with the line `end`, and nothing comes
//! after it; the checksum of the compression is compared as well.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;
use surefoot_files::{Inputs, Kind, ReadError};

use crate::index::Index;

/// The most bytes of a line.
pub const MOST_LINE: usize = 1 << 26;
/// The most bytes of all lines.
pub const MOST_RAW: u64 = 1 << 34;
/// The word that the last line starts with.
pub const END: &str = "end";

/// Why a certificate cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// It cannot be opened.
    #[error(transparent)]
    File(#[from] ReadError),
    /// What is compressed is broken, or the system refused.
    #[error("line {line}: {expected} was expected, but the file cannot be read on: {error}")]
    Broken {
        /// The line, counted from 1.
        line: u64,
        /// What was expected there.
        expected: String,
        /// What went wrong.
        error: io::Error,
    },
    /// It ends too early.
    #[error("line {line}: {expected} was expected, but the file ends")]
    Ends {
        /// The line, counted from 1.
        line: u64,
        /// What was expected there.
        expected: String,
    },
    /// A line, or all of them, are longer than any that is read.
    #[error("line {line}: {expected} was expected, but {what}")]
    Long {
        /// The line, counted from 1.
        line: u64,
        /// What was expected there.
        expected: String,
        /// What is too long.
        what: String,
    },
    /// An archive is not what it should be.
    #[error("{0}")]
    Archive(String),
    /// A line is not what it should be.
    #[error("line {line}: {what}")]
    Line {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
}

/// The lines of a certificate.
pub struct CertificateLines {
    reader: BufReader<GzDecoder<Box<dyn BufRead>>>,
    bytes: Vec<u8>,
    line: u64,
    raw_bytes: u64,
    most_line: usize,
    most_raw: u64,
}

impl std::fmt::Debug for CertificateLines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CertificateLines").field("line", &self.line).field("raw_bytes", &self.raw_bytes).finish()
    }
}

impl CertificateLines {
    /// Of a file.
    ///
    /// # Errors
    /// What cannot be opened or is no regular file.
    pub fn open(inputs: &mut Inputs, path: &Path) -> Result<Self, CertificateError> {
        Ok(Self::new(inputs.open(path, Kind::Certificate)?))
    }

    /// Of anything that has the bytes of one.
    pub fn new(bytes: impl Read + 'static) -> Self {
        Self::within(bytes, MOST_LINE, MOST_RAW)
    }

    /// With bounds of its own.
    fn within(bytes: impl Read + 'static, most_line: usize, most_raw: u64) -> Self {
        let bytes: Box<dyn BufRead> = Box::new(BufReader::with_capacity(1 << 16, bytes));
        let reader = BufReader::with_capacity(1 << 16, GzDecoder::new(bytes));
        Self { reader, bytes: Vec::new(), line: 0, raw_bytes: 0, most_line, most_raw }
    }

    /// The index: the first line.
    ///
    /// # Errors
    /// A line that is none.
    pub fn index(&mut self) -> Result<Index, CertificateError> {
        let line = self.next("the index")?;
        let read = Index::read(line);
        read.map_err(|what| self.wrong(what))
    }

    /// The next line, without its end.
    ///
    /// # Errors
    /// If there is none, and if it cannot be read: with what was expected.
    pub fn next(&mut self, expected: &str) -> Result<&str, CertificateError> {
        self.line += 1;
        let line = self.line;
        let broken = |error| CertificateError::Broken { line, expected: expected.to_owned(), error };
        let long = |what: String| CertificateError::Long { line, expected: expected.to_owned(), what };
        self.bytes.clear();
        loop {
            let some = match self.reader.fill_buf() {
                Ok(some) => some,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(broken(error)),
            };
            if some.is_empty() {
                return Err(CertificateError::Ends { line, expected: expected.to_owned() });
            }
            let end = some.iter().position(|byte| *byte == b'\n');
            let part = &some[..end.unwrap_or(some.len())];
            if self.bytes.len() + part.len() > self.most_line {
                return Err(long(format!("it is longer than {} bytes", self.most_line)));
            }
            self.bytes.extend_from_slice(part);
            let consumed = part.len() + usize::from(end.is_some());
            self.reader.consume(consumed);
            self.raw_bytes += consumed as u64;
            if self.raw_bytes > self.most_raw {
                return Err(long(format!("the text is longer than {} bytes", self.most_raw)));
            }
            if end.is_some() {
                break;
            }
        }
        std::str::from_utf8(&self.bytes).map_err(|_| {
            let what = format!("{expected} was expected, but it is no text in UTF-8");
            CertificateError::Line { line, what }
        })
    }

    /// The number of the line that was read last, counted from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// How much text was read.
    #[must_use]
    pub fn raw_bytes(&self) -> u64 {
        self.raw_bytes
    }

    /// That something is wrong with the line that was read last.
    #[must_use]
    pub fn wrong(&self, what: impl Into<String>) -> CertificateError {
        CertificateError::Line { line: self.line, what: what.into() }
    }

    /// That the line that was read last is the last one: `end` and these numbers, and nothing after it.
    ///
    /// # Errors
    /// Other numbers, and a file that goes on.
    pub fn finish(mut self, numbers: &[u64]) -> Result<(), CertificateError> {
        let told = std::str::from_utf8(&self.bytes).unwrap_or_default();
        let expected = numbers.iter().fold(END.to_owned(), |line, number| format!("{line} {number}"));
        if told != expected {
            return Err(self.wrong(format!("`{expected}` was expected as the last line, but it is `{}`", shown(told))));
        }
        let line = self.line + 1;
        let expected = "the end of the file".to_owned();
        match self.reader.fill_buf() {
            // Reading to the end has compared the checksum.
            Ok([]) => {}
            Ok(_) => return Err(CertificateError::Line { line, what: format!("{expected} was expected") }),
            Err(error) => return Err(CertificateError::Broken { line, expected, error }),
        }
        match self.reader.into_inner().into_inner().fill_buf() {
            Ok([]) => Ok(()),
            Ok(_) => {
                let what = format!("{expected} was expected, but something follows what is compressed");
                Err(CertificateError::Line { line, what })
            }
            Err(error) => Err(CertificateError::Broken { line, expected, error }),
        }
    }
}

/// The beginning of a line, to be shown.
fn shown(line: &str) -> String {
    line.chars().take(60).map(|c| if surefoot_files::is_unprintable(c) { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests;
