//! Writing a certificate: lines, compressed as they come, in a file that is there when it is complete.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use surefoot_files::Draft;

use crate::index::Index;
use crate::lines::{END, MOST_LINE, MOST_RAW};

/// Why a certificate could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The system refused.
    #[error(transparent)]
    System(#[from] io::Error),
    /// No checker would read the line.
    #[error("a line of the certificate is longer than {} MiB", MOST_LINE >> 20)]
    LongLine,
    /// No checker would read it to the end.
    #[error("the certificate is longer than {} GiB", MOST_RAW >> 30)]
    Long,
}

/// How large a certificate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of its text.
    pub raw_bytes: u64,
}

/// A certificate in the making.
///
/// Dropped without [`finish`](Self::finish) it leaves nothing behind.
pub struct CertificateWriter {
    encoder: GzEncoder<Counted<Box<dyn Write + Send>>>,
    draft: Option<Draft>,
    raw_bytes: u64,
}

impl fmt::Debug for CertificateWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CertificateWriter").field("draft", &self.draft).field("raw_bytes", &self.raw_bytes).finish()
    }
}

impl CertificateWriter {
    /// A file at a path, and its index.
    ///
    /// # Errors
    /// If there can be no such file.
    pub fn create(path: &Path, index: &Index) -> Result<Self, WriteError> {
        let draft = Draft::new(path)?;
        let out = Box::new(BufWriter::with_capacity(1 << 16, draft.file().try_clone()?));
        Self::start(out, Some(draft), index)
    }

    /// Anything that bytes can be written to.
    ///
    /// # Errors
    /// If that fails.
    pub fn new(out: impl Write + Send + 'static, index: &Index) -> Result<Self, WriteError> {
        Self::start(Box::new(out), None, index)
    }

    fn start(out: Box<dyn Write + Send>, draft: Option<Draft>, index: &Index) -> Result<Self, WriteError> {
        // A header without a time: the same certificate is the same bytes.
        let encoder = GzEncoder::new(Counted { out, bytes: 0 }, Compression::best());
        let mut writer = Self { encoder, draft, raw_bytes: 0 };
        writer.line(&serde_json::to_string(index).map_err(io::Error::from)?)?;
        Ok(writer)
    }

    /// Writes a line.
    ///
    /// # Errors
    /// If that fails, or is more than is ever read.
    pub fn line(&mut self, line: &str) -> Result<(), WriteError> {
        debug_assert!(!line.contains('\n'), "a line is one");
        if line.len() > MOST_LINE {
            return Err(WriteError::LongLine);
        }
        self.raw_bytes += line.len() as u64 + 1;
        if self.raw_bytes > MOST_RAW {
            return Err(WriteError::Long);
        }
        self.encoder.write_all(line.as_bytes())?;
        self.encoder.write_all(b"\n")?;
        Ok(())
    }

    /// How much text there is so far.
    #[must_use]
    pub fn raw_bytes(&self) -> u64 {
        self.raw_bytes
    }

    /// Writes the last line, with what it says of the whole, and puts the file in its place.
    ///
    /// # Errors
    /// If that fails; then there is no file.
    pub fn finish(mut self, numbers: &[u64]) -> Result<Size, WriteError> {
        let mut last = END.to_owned();
        for number in numbers {
            last.push_str(&format!(" {number}"));
        }
        self.line(&last)?;
        let mut counted = self.encoder.finish()?;
        counted.flush()?;
        let size = Size { bytes: counted.bytes, raw_bytes: self.raw_bytes };
        drop(counted);
        self.draft.map_or(Ok(()), Draft::publish_durably)?;
        Ok(size)
    }
}

/// Counts what passes.
struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
