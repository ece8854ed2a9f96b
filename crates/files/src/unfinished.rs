//! What must not stay behind when the process ends early: drafts and scratch folders.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a file or folder and notes it, so that none is made without being noted.
pub(crate) fn make<T>(make: impl FnOnce() -> io::Result<(PathBuf, T)>) -> io::Result<(PathBuf, T)> {
    let mut noted = unfinished();
    let (path, made) = make()?;
    noted.push(path.clone());
    Ok((path, made))
}

/// It is finished, or gone.
pub(crate) fn forget(path: &Path) {
    unfinished().retain(|known| known != path);
}

/// Removes everything that is unfinished: for the moment before a signal ends the process. Whoever writes on gets an error.
pub fn remove_drafts() {
    for path in unfinished().drain(..) {
        // There is nobody to tell.
        let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
    }
}
