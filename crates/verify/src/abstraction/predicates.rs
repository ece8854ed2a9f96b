//! Predicates from files and texts: a JANI array of expressions, or any object that has one as its `predicates`.

use std::path::Path;
use std::sync::Arc;

use surefoot_files::Kind as FileKind;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Document, Kind, Node};

use surefoot_jani::read_expression;
use surefoot_model::TermId;
use surefoot_model::lower::Lowered;
use surefoot_model::property::Question;
use surefoot_text::option;
use surefoot_text::source::{FileId, SourceMap};
use surefoot_text::{load_reached, unveil_beside};

use crate::problem::{Failure, Problem};
use crate::source::Source;

/// Files that name files that name files: beyond this something is wrong.
const MOST_FILES: usize = 16;

/// The predicates of a source, or else of the problem's property.
///
/// # Errors
/// What is wrong with the source; or that there are no predicates.
pub fn read_predicates(
    sources: &mut SourceMap,
    problem: &mut Problem,
    source: Option<&Source>,
    ignore_own: bool,
) -> Result<Vec<TermId>, Failure> {
    if let Some(source) = source {
        let file = source.load(sources, FileKind::Predicates)?;
        return Ok(predicates_of(sources, &mut problem.lowered, file)?);
    }
    if ignore_own {
        return Ok(Vec::new());
    }
    own_predicates(problem)?.ok_or_else(|| {
        let mut error = Diagnostic::error_anywhere("there are no predicates: the property has none of its own");
        error.span = problem.query.span;
        let (file, none) = (option("predicates"), option("ignore-predicates"));
        let help = format!("give a file with {file}, or tell states apart by their locations alone with {none}");
        error.with_help(help).into()
    })
}

/// The predicates of the problem's property, where it has some.
///
/// # Errors
/// What is wrong with the property.
pub fn own_predicates(problem: &mut Problem) -> Result<Option<Vec<TermId>>, Failure> {
    match problem.property.as_ref().map(|property| problem.lowered.question(property.index)) {
        Some(Ok(Question::Safety(safety))) => Ok(safety.predicates),
        Some(Err(error)) => Err(error.into()),
        _ => Ok(None),
    }
}

/// The predicates of a file that was loaded.
pub(crate) fn predicates_of(
    sources: &mut SourceMap,
    lowered: &mut Lowered,
    file: FileId,
) -> Result<Vec<TermId>, Diagnostic> {
    let mut reader = Reader { sources, lowered, files: 0 };
    reader.file(file, None)
}

struct Reader<'r> {
    sources: &'r mut SourceMap,
    lowered: &'r mut Lowered,
    files: usize,
}

impl Reader<'_> {
    fn file(&mut self, file: FileId, namer: Option<FileId>) -> Result<Vec<TermId>, Diagnostic> {
        self.files += 1;
        let text = Arc::clone(&self.sources.file(file).text);
        let document = Document::parse(file, &text)?;
        if let Some(namer) = namer {
            unveil_beside(self.sources, namer, file);
        }
        let predicates = self.list(document.root(), file)?;
        self.sources.unveil(file);
        Ok(predicates)
    }

    /// The predicates of a value in a file.
    fn list(&mut self, node: Node<'_>, here: FileId) -> Result<Vec<TermId>, Diagnostic> {
        if node.kind() == Kind::Array {
            return node.items().map(|item| self.predicate(item)).collect();
        }
        if let Some(inner) = node.get("predicates").or_else(|| node.get("expression")) {
            return self.list(inner, here);
        }
        if let Some(properties) = node.get("properties") {
            let with: Vec<Node<'_>> = properties
                .items()
                .filter_map(|property| property.get("expression"))
                .filter(|expression| expression.get("predicates").is_some())
                .collect();
            return match with.as_slice() {
                [only] => self.list(*only, here),
                found => {
                    let message = format!("{} of the properties have predicates, not one", found.len());
                    Err(Diagnostic::error(properties.span(), message).with_help("give an array of expressions"))
                }
            };
        }
        if let Some(file) = node.get("file")
            && node.get("op").is_none()
        {
            if self.files >= MOST_FILES {
                let message = format!("more than {MOST_FILES} files name each other");
                return Err(Diagnostic::error(file.span(), message));
            }
            let name = file.expect_str("the path of a file")?;
            let path = self.sources.path(here).parent().unwrap_or(Path::new("")).join(name);
            let next = load_reached(self.sources, &path, FileKind::Predicates)?;
            return self.file(next, Some(here));
        }
        let help = "predicates are an array of expressions, or an object with one as its \"predicates\"";
        Err(Diagnostic::error(node.span(), "there are no predicates here").with_help(help))
    }

    fn predicate(&mut self, node: Node<'_>) -> Result<TermId, Diagnostic> {
        let expression = read_expression(self.sources, node, self.lowered.pool_mut())?;
        self.lowered.lower_condition(expression)
    }
}
