//! Files, all or nothing.
//!
//! A file is written beside its place under another name, and takes its place when it is complete. What was there before stays
//! until then, and stays for good when something goes wrong.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::error::ExportError;
use crate::model::Model;
use crate::options::{Format, Options};
use crate::{dot, drn, graphml, prism, umb};

/// The files that [`save`] writes for a path: the path itself, and its siblings for PRISM.
#[must_use]
pub fn paths(path: &Path, format: Format) -> Vec<PathBuf> {
    match format {
        Format::Prism => vec![path.to_owned(), path.with_extension("sta"), path.with_extension("lab")],
        _ => vec![path.to_owned()],
    }
}

/// Writes a model to its file, or files; gives their paths.
///
/// # Errors
/// Where that fails; then no file has been changed, unless a complete one could not take its place after another had.
pub fn save(model: &Model<'_>, format: Format, options: &Options, path: &Path) -> Result<Vec<PathBuf>, ExportError> {
    let paths = paths(path, format);
    let mut drafts = Vec::new();
    for (i, path) in paths.iter().enumerate() {
        // PRISM's files could fall together: `--out model.lab`.
        if paths[..i].contains(path) {
            let reason = "the files of this format would have the same name".to_owned();
            return Err(ExportError::File { path: path.clone(), reason });
        }
        drafts.push(Draft::new(path)?);
    }
    for (i, draft) in drafts.iter_mut().enumerate() {
        let mut out = BufWriter::with_capacity(1 << 16, Timed { file: &draft.file, deadline: options.deadline });
        let written = match (format, i) {
            (Format::Drn, _) => drn::write(model, options, &mut out),
            (Format::Umb, _) => umb::write(model, options, &mut out),
            (Format::Dot, _) => dot::write(model, options, &mut out),
            (Format::GraphMl, _) => graphml::write(model, options, &mut out),
            (Format::Prism, 0) => prism::transitions(model, options, &mut out),
            (Format::Prism, 1) => prism::states(model, &mut out),
            (Format::Prism, _) => prism::labels(model, &mut out),
        };
        written.and_then(|()| Ok(out.flush()?)).map_err(|error| name_file(error, &draft.place))?;
    }
    for draft in drafts {
        draft.publish()?;
    }
    Ok(paths)
}

/// Writes one file.
///
/// # Errors
/// Where that fails; then nothing has been changed.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), ExportError> {
    let draft = Draft::new(path)?;
    let mut out = BufWriter::with_capacity(1 << 16, &draft.file);
    let written = write(&mut out).and_then(|()| out.flush());
    drop(out);
    written.map_err(|error| name_file(error.into(), &draft.place))?;
    draft.publish()
}

fn name_file(error: ExportError, path: &Path) -> ExportError {
    match error {
        ExportError::Io(error) if error.kind() == io::ErrorKind::TimedOut => ExportError::Deadline,
        ExportError::Io(error) => ExportError::File { path: path.to_owned(), reason: error.to_string() },
        other => other,
    }
}

/// A file in the making; it vanishes unless it is published.
struct Draft {
    file: File,
    draft: PathBuf,
    place: PathBuf,
    published: bool,
}

impl Draft {
    fn new(path: &Path) -> Result<Self, ExportError> {
        let fail = |reason: String| ExportError::File { path: path.to_owned(), reason };
        // A link stays a link, to a file with the new content.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if place.exists() && !place.is_file() {
            return Err(fail("it is there already and is no regular file".to_owned()));
        }
        let name = place.file_name().ok_or_else(|| fail("it has no file name".to_owned()))?;
        for attempt in 0..100 {
            let mut draft_name = name.to_owned();
            draft_name.push(format!(".{}-{attempt}.part", std::process::id()));
            let draft = place.with_file_name(draft_name);
            match OpenOptions::new().write(true).create_new(true).open(&draft) {
                Ok(file) => return Ok(Self { file, draft, place, published: false }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(fail(error.to_string())),
            }
        }
        Err(fail("there is no free name for a temporary file beside it".to_owned()))
    }

    fn publish(mut self) -> Result<(), ExportError> {
        let moved = fs::rename(&self.draft, &self.place);
        self.published = moved.is_ok();
        moved.map_err(|error| ExportError::File { path: self.place.clone(), reason: error.to_string() })
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.published {
            // There is nobody to tell, and nothing depends on it.
            let _ = fs::remove_file(&self.draft);
        }
    }
}

/// Writes until the time is up.
struct Timed<'a> {
    file: &'a File,
    deadline: Option<Instant>,
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
