//! Files, all or nothing: see [`Draft`].

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use surefoot_files::Draft;

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
        drafts.push(Draft::new(path).map_err(|error| name_file(error.into(), path))?);
    }
    for (i, draft) in drafts.iter().enumerate() {
        let mut out = BufWriter::with_capacity(1 << 16, Timed { file: draft.file(), deadline: options.deadline });
        let written = match (format, i) {
            (Format::Drn, _) => drn::write(model, options, &mut out),
            (Format::Umb, _) => umb::write(model, options, &mut out),
            (Format::Dot, _) => dot::write(model, options, &mut out),
            (Format::GraphMl, _) => graphml::write(model, options, &mut out),
            (Format::Prism, 0) => prism::transitions(model, options, &mut out),
            (Format::Prism, 1) => prism::states(model, &mut out),
            (Format::Prism, _) => prism::labels(model, &mut out),
        };
        written.and_then(|()| Ok(out.flush()?)).map_err(|error| name_file(error, draft.place()))?;
    }
    for (draft, path) in drafts.into_iter().zip(&paths) {
        draft.publish().map_err(|error| name_file(error.into(), path))?;
    }
    Ok(paths)
}

fn name_file(error: ExportError, path: &Path) -> ExportError {
    match error {
        ExportError::Io(error) if error.kind() == io::ErrorKind::TimedOut => ExportError::Deadline,
        ExportError::Io(error) => ExportError::File { path: path.to_owned(), reason: error.to_string() },
        other => other,
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
