//! Archives whose files are made while they are written.

use std::io::{self, Read, Write};

use tar::{Builder, Header};

/// How many states are turned into bytes at once.
const CHUNK: u32 = 1024;

/// A reproducible tar archive.
pub(super) struct Archive<W: Write> {
    builder: Builder<W>,
}

impl<W: Write> Archive<W> {
    pub(super) fn new(out: W) -> Self {
        Self { builder: Builder::new(out) }
    }

    /// A small file.
    pub(super) fn bytes(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.builder.append_data(&mut header(bytes.len() as u64), path, bytes)
    }

    /// A file of `size` bytes, made state by state.
    pub(super) fn per_state(
        &mut self,
        path: &str,
        size: usize,
        states: usize,
        make: impl FnMut(u32, &mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<()> {
        let states = u32::try_from(states).map_err(io::Error::other)?;
        let mut stream = Stream { make, next: 0, states, buffer: Vec::new(), at: 0, made: 0 };
        self.builder.append_data(&mut header(size as u64), path, &mut stream)?;
        // The size stands before the bytes; an archive in which it is wrong is another archive.
        if stream.made == size && stream.next == stream.states {
            Ok(())
        } else {
            Err(io::Error::other(format!("{path} has {} bytes, not {size}", stream.made)))
        }
    }

    /// Ends the archive.
    pub(super) fn finish(self) -> io::Result<W> {
        self.builder.into_inner()
    }
}

/// Counts what is written.
pub(super) struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Counted<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, bytes: 0 }
    }

    /// What was written to, and how much.
    pub(super) fn finish(self) -> (W, u64) {
        (self.out, self.bytes)
    }
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

fn header(size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_size(size);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header
}

/// Bytes made on demand.
struct Stream<F> {
    make: F,
    next: u32,
    states: u32,
    buffer: Vec<u8>,
    at: usize,
    made: usize,
}

impl<F: FnMut(u32, &mut Vec<u8>) -> io::Result<()>> Read for Stream<F> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.buffer.len() && self.next < self.states {
            self.buffer.clear();
            self.at = 0;
            let end = self.states.min(self.next.saturating_add(CHUNK));
            for state in self.next..end {
                (self.make)(state, &mut self.buffer)?;
            }
            self.next = end;
            self.made += self.buffer.len();
        }
        let count = out.len().min(self.buffer.len() - self.at);
        out[..count].copy_from_slice(&self.buffer[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
