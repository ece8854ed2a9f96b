//! `{"file": "..."}`: a value that stands in another file.
//!
//! The whole JSON value of that file takes the place of the object. Paths are relative to the file that names them, and may lead
//! anywhere; messages quote what they lead to only when it is beside the file that names it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_files::Kind as FileKind;

use crate::read::{Read, Reader};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Document, Kind, Node, ObjectReader, Shape};
use surefoot_text::source::Span;
use surefoot_text::{load_reached, unveil_beside};

const INCLUDE: Shape = Shape::new("a reference to a file", &["file"], &[]);

/// Includes of includes of includes: beyond this something is wrong, and the stack is finite.
const MAX_DEPTH: usize = 16;

/// The same for all spellings of the path of one file.
pub(super) fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

impl Reader<'_> {
    /// A path relative to the file a place is in.
    pub(super) fn resolve(&self, span: Span, path: &str) -> PathBuf {
        let base = self.sources.path(span.file).parent().unwrap_or(Path::new(""));
        base.join(path)
    }

    /// Reads a value that may stand in another file.
    pub(super) fn included<T>(
        &mut self,
        node: Node<'_>,
        read: &mut dyn FnMut(&mut Self, Node<'_>) -> Read<T>,
    ) -> Read<T> {
        if node.kind() != Kind::Object || node.get("file").is_none() || node.get("op").is_some() {
            return read(self, node);
        }
        let reference = ObjectReader::new(node, &INCLUDE)?.required("file");
        let span = reference.span();
        let path = self.resolve(span, reference.expect_str("the path of a file")?);
        let file_identity = identity(&path);
        if self.including.contains(&file_identity) {
            let message = format!("{} includes itself", path.display());
            return Err(Diagnostic::error(span, message).with_help("remove the cycle").into());
        }
        if self.including.len() >= MAX_DEPTH {
            return Err(Diagnostic::error(span, format!("files include each other more than {MAX_DEPTH} deep"))
                .with_help("put them into one file")
                .into());
        }
        let file = match self.included.get(&file_identity) {
            Some(file) => *file,
            None => match load_reached(self.sources, &path, FileKind::Properties) {
                Ok(file) => file,
                // A place inside the included file is worth more than the place of the include.
                Err(error) if error.span.is_some() => return Err(error.into()),
                Err(error) => {
                    let from = self.sources.path(span.file).display();
                    let help = error.help.unwrap_or_else(|| format!("the path is relative to the folder of {from}"));
                    return Err(Diagnostic::error(span, error.message).with_help(help).into());
                }
            },
        };
        self.included.insert(file_identity.clone(), file);
        let text = Arc::clone(&self.sources.file(file).text);
        let document = Document::parse(file, &text)?;
        unveil_beside(self.sources, span.file, file);
        self.including.push(file_identity);
        // What lies elsewhere stays veiled: any JSON text reads as a name, which the model then does not know.
        let result = self.included(document.root(), read);
        self.including.pop();
        result
    }
}
