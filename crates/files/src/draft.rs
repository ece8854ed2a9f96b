//! Files, all or nothing.
//!
//! A file is written beside its place under another name, and takes its place when it is complete. What was there before stays
//! until then, and stays for good when something goes wrong: a full disk leaves no half of a result. A link stays a link, to a file
//! with the new content; what exists and is no regular file (`/dev/null`, a pipe, a terminal) is written to directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::place::{is_own_descriptor, resolve};
use crate::unfinished::{forget, make};

/// How long a lock is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// A file in the making; it vanishes unless it is published.
#[derive(Debug)]
pub struct Draft {
    file: File,
    /// Where it is being written; `None`: directly at its place.
    draft: Option<PathBuf>,
    place: PathBuf,
}

impl Draft {
    /// A draft of what is to be at a path.
    ///
    /// # Errors
    /// If there is no place for it.
    pub fn new(path: &Path) -> io::Result<Self> {
        if is_stream(path) {
            let file = OpenOptions::new().append(true).open(path)?;
            return Ok(Self { file, draft: None, place: path.to_owned() });
        }
        let place = resolve(path);
        let existing = fs::metadata(&place).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::Error::other("it is a directory"));
        }
        if place.file_name().is_none() {
            return Err(io::Error::other("it has no file name"));
        }
        if existing.is_some() {
            // A new file can take the place of one that may not be written; but who made it so meant the name.
            OpenOptions::new().write(true).open(&place)?;
        }
        let (draft, file) = make(|| beside(&place))?;
        let new = Self { file, draft: Some(draft), place };
        if let Some(existing) = existing {
            // Who may read a result does not change because it is written again.
            new.file.set_permissions(existing.permissions())?;
        }
        Ok(new)
    }

    /// Where to write.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Where it will be.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// If that fails; then nothing has changed.
    pub fn publish(mut self) -> io::Result<()> {
        if let Some(draft) = &self.draft {
            fs::rename(draft, &self.place)?;
            forget(draft);
            self.draft = None;
        }
        Ok(())
    }

    /// Puts it in its place for good: a power failure leaves the old file or the new one.
    ///
    /// # Errors
    /// If that fails; then nothing has changed.
    pub fn publish_durably(self) -> io::Result<()> {
        if self.draft.is_some() {
            self.file.sync_all()?;
        }
        let folder = self.place.parent().map(Path::to_owned);
        self.publish()?;
        // Not all systems can do this for folders; the file itself is safe.
        let _ = folder.map(|folder| File::open(folder).and_then(|folder| folder.sync_all()));
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(draft) = &self.draft {
            // There is nobody to tell, and nothing depends on it.
            let _ = fs::remove_file(draft);
            forget(draft);
        }
    }
}

/// A new file in the same folder; its own name is free whatever the length of the other's.
fn beside(place: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    for _ in 0..100 {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let draft = place.with_file_name(format!(".surefoot-{}-{number}.part", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&draft) {
            Ok(file) => return Ok((draft, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there is no free name for a temporary file beside it"))
}

/// Whether a path is something that is written to as it is: a device, a pipe, one of our own descriptors (`/dev/stdout`, whatever it
/// leads to), but no folder. A regular file is none, wherever it lies: `/dev/shm` has many.
pub(crate) fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| !there.is_dir() && (!there.is_file() || is_own_descriptor(path)))
}

/// Writes one file, durably.
///
/// # Errors
/// Where that fails; then nothing has been changed.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let draft = Draft::new(path)?;
    let mut out = BufWriter::with_capacity(1 << 16, draft.file());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    draft.publish_durably()
}

/// That a file could be drafted now; leaves nothing behind. Streams are not touched: whoever reads from a pipe would take it for its
/// end.
///
/// # Errors
/// Why not.
pub fn can_replace(path: &Path) -> io::Result<()> {
    if is_stream(path) { Ok(()) } else { Draft::new(path).map(drop) }
}

/// Opens a file for a log, which is written as things happen, and empties it.
///
/// # Errors
/// If it cannot be written.
pub fn open_log(path: &Path) -> io::Result<File> {
    if is_stream(path) {
        return OpenOptions::new().append(true).open(path);
    }
    OpenOptions::new().write(true).create(true).truncate(true).open(path)
}

/// Opens a file of lines that is read and grows at its end, and keeps others from doing so at the same time.
///
/// # Errors
/// If it cannot be written, or another process has it open in this way.
pub fn open_journal(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            // A process that is being started has what its parent had open, for a moment.
            Err(fs::TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => std::thread::sleep(PATIENCE / 100),
            Err(fs::TryLockError::WouldBlock) => return Err(io::Error::other("another process is writing to it")),
            // Not all systems have locks.
            Err(fs::TryLockError::Error(_)) => return Ok(file),
        }
    }
}
