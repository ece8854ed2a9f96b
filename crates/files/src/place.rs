//! Where a file is, the same for all ways to spell it.

use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};

/// More links than this are a cycle.
const MOST_LINKS: usize = 40;

/// A place for a file: links followed, and the file itself where there is one.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    path: PathBuf,
    file: Option<(u64, u64)>,
}

impl Place {
    pub(crate) fn of(path: &Path) -> Self {
        let path = resolve(path);
        let file = fs::metadata(&path).ok().as_ref().and_then(number);
        Self { path, file }
    }

    /// Of a file that is open.
    pub(crate) fn of_open(path: &Path, file: &File) -> Self {
        Self { path: resolve(path), file: file.metadata().ok().as_ref().and_then(number) }
    }

    /// Whether writing to one may change what is read from the other.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.path == other.path || self.file.is_some() && self.file == other.file && self.is_there() && other.is_there()
    }

    /// Whether the file is still at its place: that of one that was replaced has a number that another file may get.
    fn is_there(&self) -> bool {
        fs::metadata(&self.path).ok().as_ref().and_then(number) == self.file
    }

    /// Whether it lies in a folder, itself and not further below; the folder may not be there yet.
    pub(crate) fn is_in(&self, folder: &Self) -> bool {
        self.path.parent().is_some_and(|parent| Self::of(parent).is_same(folder))
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems have no such numbers")]
fn number(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// The path without links, `.` and `..`, as far as it exists; a link to nothing is the place it leads to.
pub(crate) fn resolve(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if let Ok(canonical) = fs::canonicalize(&path) {
            return canonical;
        }
        let folder = folder_of(&path);
        match fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => return path.file_name().map_or_else(|| path.clone(), |name| folder.join(name)),
        }
    }
    path
}

/// The folder that a path names something in, without links as far as it exists.
fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

/// Whether a path is a descriptor of this process: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`, or a link to one.
pub(crate) fn is_own_descriptor(path: &Path) -> bool {
    let Ok(own) = fs::canonicalize("/dev/fd") else { return false };
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let folder = folder_of(&path);
        if folder == own {
            return true;
        }
        match fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn spellings_and_links_are_one_place() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("a"), "").unwrap();
        fs::hard_link(at("a"), at("hard")).unwrap();
        std::os::unix::fs::symlink("../a", at("sub/soft")).unwrap();
        std::os::unix::fs::symlink("nothing", at("dangling")).unwrap();
        std::os::unix::fs::symlink("loop", at("loop")).unwrap();
        for same in ["a", "./a", "sub/../a", "hard", "sub/soft"] {
            assert!(Place::of(&at("a")).is_same(&Place::of(&at(same))), "{same}");
        }
        assert!(Place::of(&at("dangling")).is_same(&Place::of(&at("sub/../nothing"))));
        fs::write(at("new"), "").unwrap();
        let replaced = Place { path: at("a"), ..Place::of(&at("new")) };
        assert!(!replaced.is_same(&Place::of(&at("new"))), "a file got the number of one that was replaced");
        for other in ["b", "nothing", "sub/a", "loop"] {
            assert!(!Place::of(&at("a")).is_same(&Place::of(&at(other))), "{other}");
        }
    }
}
