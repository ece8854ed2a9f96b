//! Files to text.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, SourceMap, Span};

/// Places are 32-bit, so longer files have bytes that no message could point at.
const LONGEST: u64 = u32::MAX as u64;

/// Reads a UTF-8 file into the source map, without its byte-order mark.
///
/// # Errors
/// If the file cannot be read, is longer than 4 GiB, or is not UTF-8; the place says where not.
pub fn load(sources: &mut SourceMap, path: &Path) -> Result<FileId, Diagnostic> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        let reason = error.to_string();
        let reason = reason.split(" (os error").next().unwrap_or_default();
        Diagnostic::error_anywhere(format!("cannot read {shown}: {reason}"))
    };
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Diagnostic::error_anywhere(format!("cannot read {shown}: it is a directory")));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too long, without trusting the size it claims to have.
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LONGEST {
        return Err(Diagnostic::error_anywhere(format!("cannot read {shown}: it is longer than 4 GiB")));
    }
    if bytes.starts_with("\u{FEFF}".as_bytes()) {
        bytes.drain(..3);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(sources.add(path, text)),
        Err(error) => {
            // Up to the wrong byte the lossy text is the same, so the place is right in it too.
            let at = error.utf8_error().valid_up_to() as u32;
            let bytes = error.into_bytes();
            let byte = bytes[at as usize];
            let utf16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
            let file = sources.add(path, String::from_utf8_lossy(&bytes));
            let span = Span { file, start: at, end: at + 1 };
            let error = Diagnostic::error(span, format!("the file is not UTF-8: byte {byte:#04x} at offset {at}"));
            Err(error.with_help(if utf16 {
                "it looks like UTF-16; save it as UTF-8"
            } else {
                "save it as UTF-8 (operators such as ∧ need it)"
            }))
        }
    }
}
