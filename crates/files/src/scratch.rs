//! A private temporary folder.

use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::unfinished::{forget, make};

/// A new folder of a name that cannot be foreseen, which nobody else may enter; removed in the end, on signals too.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// A folder in another.
    ///
    /// # Errors
    /// If there can be none.
    pub fn new(parent: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("surefoot-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o700));
        }
        let (_, folder) = make(|| builder.tempdir_in(parent).map(|folder| (folder.path().to_owned(), folder)))?;
        Ok(Self { folder })
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file in it.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let file = self.path().join(name);
        std::fs::write(&file, text)?;
        Ok(file)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        forget(self.folder.path());
    }
}
