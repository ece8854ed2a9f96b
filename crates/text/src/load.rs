//! Files to text.

use std::path::Path;

use surefoot_files::{Kind, Origin, ReadError, unpack, unpacked_name};

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, SourceMap, Span};

/// Reads a UTF-8 file that a user names, or standard input (`-`), into the source map, without its byte-order mark. Queries may be
/// packed (`.gz`).
///
/// # Errors
/// If it cannot be read, is no regular file, is too long, or is not UTF-8; the place says where not.
pub fn load(sources: &mut SourceMap, path: &Path, kind: Kind) -> Result<FileId, Diagnostic> {
    let bytes = sources.inputs.read(path, kind, Origin::Named);
    let packed = kind == Kind::Query && unpacked_name(path).is_some();
    let bytes = bytes.and_then(|bytes| if packed { unpack(&bytes, kind) } else { Ok(bytes) });
    add(sources, path, bytes.map_err(|error| unreadable(path, &error))?, None)
}

/// The same for a file that another one names; errors in it are veiled for now.
///
/// # Errors
/// As for [`load`].
pub fn load_reached(sources: &mut SourceMap, path: &Path, kind: Kind) -> Result<FileId, Diagnostic> {
    let bytes = sources.inputs.read(path, kind, Origin::Reached).map_err(|error| unreadable(path, &error))?;
    add(sources, path, bytes, Some(kind))
}

/// Takes a text in memory under a name; messages may quote it.
///
/// # Errors
/// Another text of the same name.
pub fn give(sources: &mut SourceMap, name: &str, text: &str, kind: Kind) -> Result<FileId, Diagnostic> {
    let path = Path::new(name);
    sources.inputs.give(name, text.as_bytes(), kind).map_err(|error| unreadable(path, &error))?;
    Ok(sources.add(path, text.strip_prefix('\u{FEFF}').unwrap_or(text)))
}

/// Lets messages quote a file that another one names, if it is beside it: it is JSON, and not anybody's.
pub fn unveil_beside(sources: &mut SourceMap, namer: FileId, file: FileId) {
    if sources.inputs.is_beside(sources.path(namer), sources.path(file)) {
        sources.unveil(file);
    }
}

fn unreadable(path: &Path, error: &ReadError) -> Diagnostic {
    let diagnostic = Diagnostic::error_anywhere(format!("cannot read {}: {error}", path.display()));
    match error.help() {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}

fn add(sources: &mut SourceMap, path: &Path, mut bytes: Vec<u8>, veil: Option<Kind>) -> Result<FileId, Diagnostic> {
    if bytes.starts_with("\u{FEFF}".as_bytes()) {
        bytes.drain(..3);
    }
    let result = text(sources, path, bytes);
    if let (Some(kind), Ok(file) | Err((file, _))) = (veil, &result) {
        sources.veil(*file, kind);
    }
    result.map_err(|(_, error)| error)
}

fn text(sources: &mut SourceMap, path: &Path, bytes: Vec<u8>) -> Result<FileId, (FileId, Diagnostic)> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(sources.add(path, text)),
        Err(error) => {
            // Up to the wrong byte the lossy text is the same, so the place is right in it too.
            let at = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let byte = bytes[at];
            let utf16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
            let file = sources.add(path, String::from_utf8_lossy(&bytes));
            let span = Span::between(file, at, at + 1);
            let error = Diagnostic::error(span, format!("the file is not UTF-8: byte {byte:#04x} at offset {at}"));
            let error = error.with_help(if utf16 {
                "it looks like UTF-16; save it as UTF-8"
            } else {
                "save it as UTF-8 (operators such as ∧ need it)"
            });
            Err((file, error))
        }
    }
}
