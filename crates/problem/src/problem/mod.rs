//! Everything a request names, read and put together.
//!
//! [`Problem::load`] is the order of it; each concern has a file of its own:
//!
//! * [`source`](crate::source): files and values in memory, and [`read_syntax`], which reads model and properties from them;
//! * `select`: which property, and the query that it is; `policy`: who chooses;
//! * `assume`: what a verdict takes for granted; [`mod@crate::slice`]: variables that do not matter; `failure`: what goes wrong.

mod assume;
mod failure;
mod policy;
mod select;

use std::path::PathBuf;
use std::sync::Arc;

use surefoot_files::{Kind, escape};
use surefoot_jani::{read_model_source, read_properties_source, syntax};
use surefoot_model::ModelError;
use surefoot_model::interpret::{EvalErrorKind, ModelErrorKind};
use surefoot_model::lower::{GivenConstant, Lowered, lower};
use surefoot_model::policy::Policy;
use surefoot_model::policy::read::inferences;
use surefoot_model::property::Question;
use surefoot_model::{Interpreter, Model};
use surefoot_text::diagnostic::{Diagnostic, Severity};
use surefoot_text::source::SourceMap;
use surefoot_text::{load_reached, unveil_beside};

use crate::asking::{self, Asking};
use crate::question::Query;
use crate::request::{Request, Slicing};
use crate::slice::Slice;

pub use failure::Failure;
pub use policy::{LoadedPolicy, load_policy};
use select::Selected;
pub use select::{SelectedProperty, Selection};

/// A model, a policy and a question.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The model, and what its names stand for.
    pub lowered: Lowered,
    /// Who chooses; `None` = every enabled operator is possible.
    pub policy: Option<LoadedPolicy>,
    /// The property the query came from.
    pub property: Option<SelectedProperty>,
    /// What was asked in text.
    pub asking: Asking,
    /// The question.
    pub query: Query,
    /// Warnings and notices.
    pub notes: Vec<Diagnostic>,
    /// What a verdict takes for granted.
    pub assumptions: Vec<String>,
    /// Files, texts and values in memory, and their hashes: all that was read until the problem was complete.
    pub inputs: Vec<(String, String)>,
    /// The constants whose values were given.
    pub constants: Vec<GivenConstant>,
    /// The variables that are left out of the states.
    pub slice: Option<Slice>,
}

/// What a file of properties beside a model is called.
pub const BESIDE: &str = "properties.jani";

/// Reads the model and further properties: those that the request names; else, with `beside`, where the model has none of its own, those of the
/// file `properties.jani` in its folder, if there is one.
///
/// # Errors
/// What is wrong with them.
pub fn read_syntax(
    sources: &mut SourceMap,
    request: &Request,
    beside: bool,
) -> Result<(syntax::Model, Vec<Diagnostic>), Vec<Diagnostic>> {
    let one = |error: Diagnostic| vec![error];
    let file = request.model.load(sources, Kind::Model).map_err(one)?;
    let (mut model, mut notes) = read_model_source(sources, file)?;
    for source in &request.properties {
        let file = source.load(sources, Kind::Properties).map_err(one)?;
        notes.extend(read_properties_source(sources, &mut model, file)?);
    }
    if beside
        && request.properties.is_empty()
        && model.properties.is_empty()
        && let Some(path) = properties_beside(request)
    {
        let found = load_reached(sources, &path, Kind::Properties).map_err(one)?;
        unveil_beside(sources, file, found);
        notes.extend(read_properties_source(sources, &mut model, found)?);
        let shown = escape(&path.display().to_string()).into_owned();
        let other = surefoot_text::option("properties");
        notes.push(notice(format!("the properties are those of {shown}, beside the model; {other} names others")));
    }
    Ok((model, notes))
}

/// The file of properties beside the model.
fn properties_beside(request: &Request) -> Option<PathBuf> {
    let model = request.model.file().filter(|path| path.as_os_str() != "-")?;
    let path = model.with_file_name(BESIDE);
    (path.is_file() && path != *model).then_some(path)
}

/// A notice about no place in particular.
#[must_use]
pub fn notice(message: impl Into<String>) -> Diagnostic {
    Diagnostic { severity: Severity::Notice, ..Diagnostic::error_anywhere(message) }
}

impl Problem {
    /// Reads what the request names. The sources are filled even on failure, for showing errors.
    ///
    /// # Errors
    /// All that is wrong with the input.
    pub fn load(sources: &mut SourceMap, request: &Request, selection: Selection) -> Result<Self, Failure> {
        let (syntax, mut notes) = read_syntax(sources, request, selection.looks_beside(request))?;
        let mut lowered = lower(Arc::new(syntax), &request.constants)?;
        let selected = select::select(&mut lowered, request, selection, &mut notes)?;
        let (property, question) = selected.map(|Selected { property, question }| (property, question)).unzip();
        let texts = asking::read(sources, &mut lowered, &request.asking)?;
        let question = texts.change(&mut lowered, &request.asking, question)?;
        let span = property.as_ref().map(|p: &SelectedProperty| lowered.syntax().properties[p.index].name.span);
        let asked = question.as_ref().map(|question| (question, span));
        let mut query = select::query(&mut lowered, asked, &request.asking, selection)?;
        texts.ask(&mut lowered, &request.asking, &mut query)?;
        let mut assumptions = Vec::new();
        let policy = match policy::wanted(request, question.as_ref()) {
            Some((source, span)) => {
                let (policy, policy_notes) = load_policy(&mut lowered, sources, &source, span, request)?;
                assumptions.push(assume::semantics(&policy.policy).to_owned());
                assumptions.extend(inferences(&policy_notes));
                notes.extend(policy_notes);
                Some(policy)
            }
            None => {
                policy::check_none(request)?;
                if matches!(question, Some(Question::Safety(_))) {
                    notes.push(notice(assume::NO_POLICY));
                    assumptions.push(assume::NO_POLICY.to_owned());
                }
                None
            }
        };
        assume::goal(request, &mut query, &mut assumptions)?;
        assume::plaja(request, &mut lowered, question.as_ref(), policy.as_ref(), &mut query, &mut assumptions);
        notes.extend(lowered.notes.iter().cloned());
        let inputs = sources.inputs.hashes();
        let slice = match request.slicing {
            Slicing::Off => None,
            Slicing::On => Slice::new(&lowered.model, policy.as_ref().map(|p| &p.policy), &query),
        };
        notes.extend(slice.as_ref().map(|slice| notice(slice.describe(&lowered.model))));
        let constants = request.constants.clone();
        let asking = request.asking.clone();
        Ok(Self { lowered, policy, property, asking, query, notes, assumptions, inputs, constants, slice })
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.lowered.model
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> Option<&Policy> {
        self.policy.as_ref().map(|loaded| &loaded.policy)
    }

    /// The reference interpreter.
    #[must_use]
    pub fn interpreter(&self) -> Interpreter<'_> {
        match self.policy() {
            Some(policy) => Interpreter::with_policy(self.model(), policy),
            None => Interpreter::new(self.model()),
        }
    }

    /// An error of the model as a diagnostic.
    #[must_use]
    pub fn model_error(&self, error: &ModelError) -> Diagnostic {
        let policy =
            matches!(error.kind, ModelErrorKind::Evaluation(EvalErrorKind::NoNetwork | EvalErrorKind::Undecided(_)));
        let what = if policy { "policy" } else { "model" };
        let message = format!("the {what} is in error: {}", error.describe(self.model()));
        Diagnostic { span: error.span, ..Diagnostic::error_anywhere(message) }
    }
}
