//! Opening and reading: what is asked about a file is asked of the open handle, so that it cannot be another file by then.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use crate::kind::Kind;

/// Why a file was not read; says nothing of what is in it.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused.
    #[error("{}", without_number(.0))]
    System(#[from] io::Error),
    /// A folder.
    #[error("it is a directory")]
    Folder,
    /// Something that may never end: a pipe, a device, a socket.
    #[error("it is {0}, and no regular file")]
    NotRegular(&'static str),
    /// It is longer than files of its kind may be.
    #[error("it is longer than {} MiB, and {kind} may not be", kind.most() >> 20)]
    TooLong {
        /// What it is read as.
        kind: Kind,
    },
    /// Its name says that it is packed by gzip, and it is not, or it is broken.
    #[error("it is no complete gzip file")]
    NotPacked,
    /// Standard input was read before, and is over.
    #[error("standard input can be read only once")]
    StandardInputTwice,
    /// A link leads out of the folder that the file must be in.
    #[error("a link leads out of the folder of the file that names it")]
    Leaves,
    /// It is not what it was a moment ago.
    #[error("it changed while it was used")]
    Changed,
}

impl ReadError {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::NotRegular(_) => Some("give a regular file, or - for standard input"),
            Self::NotPacked => Some("pack it again, or take .gz off its name"),
            Self::StandardInputTwice => Some("give one of them as a file"),
            Self::Leaves => Some("put the file itself beside the one that names it"),
            Self::Changed => Some("run it again when nothing writes to the file"),
            Self::System(_) | Self::Folder | Self::TooLong { .. } => None,
        }
    }
}

fn without_number(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// Opens a regular file for reading; never waits for another program, and never makes a terminal ours.
pub(crate) fn open(path: &Path) -> Result<File, ReadError> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
    }
    let opened = options.open(path);
    // Some systems refuse to open a folder or a socket; which it is says more than their words.
    let file = opened.map_err(|error| match path.metadata() {
        Ok(metadata) if !metadata.is_file() => irregular(metadata.file_type()),
        _ => error.into(),
    })?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() { Ok(file) } else { Err(irregular(kind)) }
}

fn irregular(kind: FileType) -> ReadError {
    if kind.is_dir() {
        return ReadError::Folder;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return ReadError::NotRegular("a pipe");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return ReadError::NotRegular("a device");
        }
        if kind.is_socket() {
            return ReadError::NotRegular("a socket");
        }
    }
    ReadError::NotRegular("something else")
}

/// The first bytes of a regular file, without white space; `None` where there are none.
#[must_use]
pub fn head(path: &Path, most: u64) -> Option<String> {
    let mut bytes = Vec::new();
    open(path).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    let text: String = String::from_utf8_lossy(&bytes).split_whitespace().collect();
    (!text.is_empty()).then_some(text)
}

/// All bytes, as many as the kind may have. The size that a file claims is not trusted: it may be nothing (`/proc`), or grow.
pub(crate) fn read_all(from: impl Read, kind: Kind) -> Result<Vec<u8>, ReadError> {
    read_at_most(from, kind.most())?.ok_or(ReadError::TooLong { kind })
}

pub(crate) fn read_at_most(from: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    // One byte more than allowed tells what is too long.
    from.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_read_to_its_bound_only() {
        assert!(read_at_most(io::repeat(0), 1000).unwrap().is_none());
        assert_eq!(read_at_most(&[7; 1000][..], 1000).unwrap(), Some(vec![7; 1000]));
        let error = read_all(io::repeat(0), Kind::Map).unwrap_err().to_string();
        assert_eq!(error, "it is longer than 1 MiB, and a map may not be");
    }
}
