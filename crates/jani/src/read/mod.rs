//! JANI text to syntax.
//!
//! Implements the JANI model format (version 1) for `lts`, `dtmc` and `mdp`, and PlaJA's extensions. What is not
//! supported is refused by name and place; what is unknown is an error, never ignored. A property of a kind that is not
//! supported does not keep its model from loading: it becomes [`PropertyBody::Unsupported`].
//!
//! Each list entry (a variable, an edge, a property) is read on its own, so that one run reports one error per entry.

mod automaton;
mod expression;
mod include;
mod model;
mod property;
mod standalone;
mod types;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_files::Kind;

use crate::syntax::{Model, Pool, Property, PropertyBody};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Document, Node};
use surefoot_text::load;
use surefoot_text::source::{FileId, Name, SourceMap, Spanned};

pub use standalone::read_expression;

/// More errors than this help nobody.
const MAX_ERRORS: usize = 50;

/// Why something could not be read.
pub(crate) struct Fault {
    diagnostic: Diagnostic,
    /// Well-formed, but of a kind that is refused by name.
    unsupported: bool,
}

impl From<Diagnostic> for Fault {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, unsupported: false }
    }
}

impl Fault {
    fn unsupported(diagnostic: Diagnostic) -> Self {
        Self { diagnostic: diagnostic.refusal(), unsupported: true }
    }
}

type Read<T> = Result<T, Fault>;

/// The state of reading a model or a properties file.
struct Reader<'s> {
    sources: &'s mut SourceMap,
    pool: Pool,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    names: HashSet<Arc<str>>,
    /// The files we are inside of, outermost first, in a form that is the same for the same file.
    including: Vec<PathBuf>,
    /// Included files that are in the source map already.
    included: HashMap<PathBuf, FileId>,
}

impl<'s> Reader<'s> {
    fn new(sources: &'s mut SourceMap, path: &Path, pool: Pool) -> Self {
        Self {
            sources,
            pool,
            errors: Vec::new(),
            warnings: Vec::new(),
            names: HashSet::new(),
            including: vec![include::identity(path)],
            included: HashMap::new(),
        }
    }

    fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.names.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.names.insert(Arc::clone(&new));
        new
    }

    /// A name; `wanted` says of what, with article. JANI's identifiers are not empty.
    fn name(&mut self, node: Node<'_>, wanted: &str) -> Read<Name> {
        let text = node.expect_str(wanted)?;
        // JANI's identifiers are of one line; with more, a name could pass for lines of ours.
        if text.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
            let error = Diagnostic::error(node.span(), "a name must not contain line breaks");
            return Err(error.with_help("rename it").into());
        }
        if text.is_empty() {
            let wanted = wanted.trim_end_matches(", or null");
            let error = Diagnostic::error(node.span(), format!("{wanted} must not be empty"));
            return Err(error.with_help("names have at least one character").into());
        }
        Ok(Spanned::new(self.intern(text), node.span()))
    }

    /// Reads each element of an array, noting the error of each that cannot be read.
    fn each<'d, T>(
        &mut self,
        node: Option<Node<'d>>,
        wanted: &str,
        mut read: impl FnMut(&mut Self, Node<'d>) -> Read<T>,
    ) -> Vec<T> {
        let Some(node) = node else { return Vec::new() };
        let mut all = Vec::new();
        match node.expect_array(wanted) {
            Ok(items) => {
                for item in items {
                    let result = read(self, item);
                    all.extend(self.note(result));
                    if self.errors.len() >= MAX_ERRORS {
                        break;
                    }
                }
            }
            Err(error) => self.errors.push(error),
        }
        all
    }

    /// Notes an error and goes on without the value.
    fn note<T>(&mut self, result: Read<T>) -> Option<T> {
        result.map_err(|fault| self.errors.push(fault.diagnostic)).ok()
    }

    /// Where something stands, as text.
    fn place(&self, span: surefoot_text::source::Span) -> String {
        let (line, column) = self.sources.line_column(span.file, span.start);
        format!("{}:{line}:{column}", self.sources.path(span.file).display())
    }

    /// Refuses names that are already taken by another property.
    fn check_property_names(&mut self, known: &[Property], new: &[Property]) {
        let mut places = HashMap::new();
        for property in known {
            places.insert(Arc::clone(&property.name.value), property.name.span);
        }
        for property in new {
            if let Some(first) = places.get(&property.name.value) {
                let message = format!("there are two properties named \"{}\"", property.name.value);
                let help = format!("the first one is at {}; give them different names", self.place(*first));
                self.errors.push(Diagnostic::error(property.name.span, message).with_help(help));
            } else {
                places.insert(Arc::clone(&property.name.value), property.name.span);
            }
        }
    }
}

/// Reads a model.
///
/// # Errors
/// If the file cannot be read, is not JSON, or says something that is unknown or not supported: one error per entry.
pub fn read_model(sources: &mut SourceMap, path: &Path) -> Result<(Model, Vec<Diagnostic>), Vec<Diagnostic>> {
    let file = load(sources, path, Kind::Model).map_err(|error| vec![error])?;
    read_model_source(sources, file)
}

/// Reads a model from a text; includes are looked for next to `path`, which need not exist.
///
/// # Errors
/// As [`read_model`].
pub fn read_model_text(
    sources: &mut SourceMap,
    path: &Path,
    text: &str,
) -> Result<(Model, Vec<Diagnostic>), Vec<Diagnostic>> {
    let file = sources.add(path, text.strip_prefix('\u{FEFF}').unwrap_or(text));
    read_model_source(sources, file)
}

/// Reads a model from a source that is there already.
///
/// # Errors
/// As [`read_model`].
pub fn read_model_source(sources: &mut SourceMap, file: FileId) -> Result<(Model, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (path, text) = (sources.path(file).to_owned(), Arc::clone(&sources.file(file).text));
    let document = Document::parse(file, &text).map_err(|error| vec![error])?;
    let mut reader = Reader::new(sources, &path, Pool::default());
    let result = reader.model(document.root());
    let model = reader.note(result);
    match model {
        Some(model) if reader.errors.is_empty() => Ok((Model { pool: reader.pool, ..model }, reader.warnings)),
        _ => Err(reader.errors),
    }
}

/// Reads an additional-properties file and appends its properties to the model's; gives the warnings.
///
/// # Errors
/// As [`read_model`], and if a property has the name of another; the model is then as before.
pub fn read_properties(
    sources: &mut SourceMap,
    model: &mut Model,
    path: &Path,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let file = load(sources, path, Kind::Properties).map_err(|error| vec![error])?;
    read_properties_source(sources, model, file)
}

/// Reads additional properties from a text; includes are looked for next to `path`, which need not exist.
///
/// # Errors
/// As [`read_properties`].
pub fn read_properties_text(
    sources: &mut SourceMap,
    model: &mut Model,
    path: &Path,
    text: &str,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let file = sources.add(path, text.strip_prefix('\u{FEFF}').unwrap_or(text));
    read_properties_source(sources, model, file)
}

/// Reads additional properties from a source that is there already.
///
/// # Errors
/// As [`read_properties`].
pub fn read_properties_source(
    sources: &mut SourceMap,
    model: &mut Model,
    file: FileId,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let (path, text) = (sources.path(file).to_owned(), Arc::clone(&sources.file(file).text));
    let document = Document::parse(file, &text).map_err(|error| vec![error])?;
    let before = model.pool.len();
    let mut reader = Reader::new(sources, &path, std::mem::take(&mut model.pool));
    let result = reader.property_file(document.root());
    let properties = reader.note(result).unwrap_or_default();
    reader.check_property_names(&model.properties, &properties);
    model.pool = reader.pool;
    if !reader.errors.is_empty() {
        model.pool.truncate(before);
        return Err(reader.errors);
    }
    model.properties.extend(properties);
    Ok(reader.warnings)
}

/// Turns a refusal by name into a property that says so.
fn body_or_refusal(result: Read<PropertyBody>) -> Read<PropertyBody> {
    match result {
        Err(Fault { diagnostic, unsupported: true }) => Ok(PropertyBody::Unsupported(Box::new(diagnostic))),
        other => other,
    }
}
