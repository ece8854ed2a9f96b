//! Everything a request names, read and put together.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot_jani::{read_model, read_properties, syntax};
use surefoot_limits::Stop;
use surefoot_model::ModelError;
use surefoot_model::interpret::{EvalErrorKind, ModelErrorKind};
use surefoot_model::lower::{GivenConstant, Lowered, lower};
use surefoot_model::policy::read::{inferences, read_policy_named_in};
use surefoot_model::policy::{Outputs, Policy, Ties};
use surefoot_model::property::Question;
use surefoot_model::{Interpreter, Model};
use surefoot_text::diagnostic::{Diagnostic, Severity};
use surefoot_text::source::{SourceMap, Span};

use crate::question::Query;
use crate::request::{Request, Slicing};
use crate::slice::Slice;

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The input is in error.
    Input(Vec<Diagnostic>),
    /// We are: an invariant of our own is broken.
    Internal(String),
    /// A limit was met before there was anything to tell.
    Stopped(Stop),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Input(vec![diagnostic])
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Input(diagnostics)
    }
}

/// Which property to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// There must be one to decide.
    Decide,
    /// There must be one that asks for a probability.
    Bound,
    /// There must be one about unsafe states; it need not say which these are.
    Abstract,
    /// One that is named, or the only one; otherwise none. It need not be decidable.
    Optional,
    /// One that is named, or the only one of a properties file that is; otherwise none, and the model's own initial states
    /// are the start set. It need not be decidable.
    Named,
}

/// A policy and where it came from.
#[derive(Debug, Clone)]
pub struct LoadedPolicy {
    /// The policy, options applied.
    pub policy: Policy,
    /// Its file.
    pub file: PathBuf,
}

/// A property by name and index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedProperty {
    /// Its index over all properties.
    pub index: usize,
    /// Its name.
    pub name: String,
}

/// A model, a policy and a question.
#[derive(Debug)]
pub struct Problem {
    /// The model, and what its names stand for.
    pub lowered: Lowered,
    /// Who chooses; `None` = every enabled operator is possible.
    pub policy: Option<LoadedPolicy>,
    /// The property the query came from.
    pub property: Option<SelectedProperty>,
    /// The question.
    pub query: Query,
    /// Warnings and notices.
    pub notes: Vec<Diagnostic>,
    /// What a verdict takes for granted.
    pub assumptions: Vec<String>,
    /// Files and their hashes: all that was read until the problem was complete.
    pub inputs: Vec<(String, String)>,
    /// The constants whose values were given.
    pub constants: Vec<GivenConstant>,
    /// The variables that are left out of the states.
    pub slice: Option<Slice>,
}

/// Reads the model and the property files.
///
/// # Errors
/// What is wrong with them.
pub fn read_syntax(
    sources: &mut SourceMap,
    request: &Request,
) -> Result<(syntax::Model, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (mut model, mut notes) = read_model(sources, &request.model)?;
    for path in &request.properties {
        notes.extend(read_properties(sources, &mut model, path)?);
    }
    Ok((model, notes))
}

/// Reads a policy and applies the options; `named_at` is where a property names it.
///
/// # Errors
/// What is wrong with it.
pub fn load_policy(
    lowered: &mut Lowered,
    sources: &mut SourceMap,
    path: &Path,
    named_at: Option<Span>,
    request: &Request,
) -> Result<(LoadedPolicy, Vec<Diagnostic>), Vec<Diagnostic>> {
    if let Some(span) = named_at
        && !path.exists()
    {
        let message = format!("the policy file {} does not exist", path.display());
        let error = Diagnostic::error(span, message).with_help("give the policy with --policy FILE");
        return Err(vec![error]);
    }
    let (mut policy, mut notes) = read_policy_named_in(named_at.map(|span| span.file), lowered, sources, path)?;
    if let Some(filter) = request.filter {
        if let Outputs::Transients(_) = policy.outputs {
            let message = "--filter is about action labels, but the outputs of this policy are values of variables";
            return Err(vec![Diagnostic::error_anywhere(message).with_help("leave --filter out")]);
        }
        if policy.filter != filter {
            let word = |on| if on { "on" } else { "off" };
            let message =
                format!("the applicability filter is {}; the policy file has it {}", word(filter), word(!filter));
            notes.push(notice(message));
        }
        policy.filter = filter;
    }
    if request.plaja_compat {
        policy.ties = Ties::Plaja;
    }
    Ok((LoadedPolicy { policy, file: path.to_owned() }, notes))
}

/// A notice about no place in particular.
pub(crate) fn notice(message: impl Into<String>) -> Diagnostic {
    Diagnostic { severity: Severity::Notice, ..Diagnostic::error_anywhere(message) }
}

impl Problem {
    /// Reads what the request names. The sources are filled even on failure, for showing errors.
    ///
    /// # Errors
    /// All that is wrong with the input.
    pub fn load(sources: &mut SourceMap, request: &Request, selection: Selection) -> Result<Self, Failure> {
        let (syntax, mut notes) = read_syntax(sources, request)?;
        let mut lowered = lower(Arc::new(syntax), &request.constants)?;
        let (property, question) = select(&mut lowered, request, selection, &mut notes)?;
        let mut assumptions = Vec::new();
        let mut query = match (&question, &property) {
            (Some(question), Some(property)) => {
                let span = lowered.syntax().properties[property.index].name.span;
                let (query, refusal) = Query::of(&mut lowered, question, span);
                match (selection, refusal) {
                    (Selection::Decide, Some(refusal)) => return Err(refusal.into()),
                    (Selection::Abstract, Some(refusal)) if !matches!(question, Question::Safety(_)) => {
                        return Err(refusal.into());
                    }
                    (Selection::Bound, Some(refusal)) if query.quantity.is_none() => return Err(refusal.into()),
                    // A condition on start states says nothing about runs.
                    (Selection::Optional | Selection::Named, _) if query.initial_only => {
                        Query { initial_only: false, target: None, claim: None, ..query }
                    }
                    _ => query,
                }
            }
            _ => Query::anything(&mut lowered),
        };

        let own = match &question {
            Some(Question::Safety(safety)) => safety.policy_file.clone(),
            _ => None,
        };
        let path = match (&request.policy, &own) {
            (Some(path), _) => Some((path.clone(), None)),
            (None, Some(file)) => Some((file.value.clone(), Some(file.span))),
            (None, None) => None,
        };
        let policy = match path {
            Some((path, span)) => {
                let (policy, policy_notes) = load_policy(&mut lowered, sources, &path, span, request)?;
                assumptions.push(REAL_SEMANTICS.to_owned());
                assumptions.extend(inferences(&policy_notes));
                notes.extend(policy_notes);
                Some(policy)
            }
            None => {
                if request.filter.is_some() {
                    let error = Diagnostic::error_anywhere("--filter is about a policy, but there is none");
                    return Err(error.with_help("give one with --policy FILE").into());
                }
                if matches!(question, Some(Question::Safety(_))) {
                    notes.push(notice(NO_POLICY));
                    assumptions.push(NO_POLICY.to_owned());
                }
                None
            }
        };
        if request.goal_terminal {
            if query.goal.is_none() {
                let error = Diagnostic::error_anywhere("--goal-terminal needs a property whose objective has a goal");
                let help = "choose one with --property, or add \"objective\" with \"goal\" to the property";
                return Err(error.with_help(help).into());
            }
            query.goal_terminal = true;
            assumptions.push("goal states are terminal (--goal-terminal)".to_owned());
        }
        if request.plaja_compat {
            if matches!(question, Some(Question::Safety(_))) {
                let initial = lowered.initial_condition();
                query.start.conditions.push(initial);
                assumptions.push("PlaJA compatibility: the model's initial states are start states too".to_owned());
            }
            if policy.as_ref().is_some_and(|p| matches!(p.policy.outputs, Outputs::Labels(_))) {
                let text = "PlaJA compatibility: every output within 1e-7 of the maximum counts as maximal";
                assumptions.push(text.to_owned());
            }
        }
        notes.extend(lowered.notes.iter().cloned());
        let inputs = sources.inputs.hashes();
        let slice = match request.slicing {
            Slicing::Off => None,
            Slicing::On => Slice::new(&lowered.model, policy.as_ref().map(|p| &p.policy), &query),
        };
        notes.extend(slice.as_ref().map(|slice| notice(slice.describe(&lowered.model))));
        let constants = request.constants.clone();
        Ok(Self { lowered, policy, property, query, notes, assumptions, inputs, constants, slice })
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
        let policy = matches!(error.kind, ModelErrorKind::Evaluation(EvalErrorKind::NoNetwork));
        let what = if policy { "policy" } else { "model" };
        let message = format!("the {what} is in error: {}", error.describe(self.model()));
        Diagnostic { span: error.span, ..Diagnostic::error_anywhere(message) }
    }
}

const NO_POLICY: &str = "no policy: every enabled action is possible";
const REAL_SEMANTICS: &str =
    "the policy is the function over the reals that its stored weights define (exact arithmetic, not float32)";

/// The property asked for, lowered.
fn select(
    lowered: &mut Lowered,
    request: &Request,
    selection: Selection,
    notes: &mut Vec<Diagnostic>,
) -> Result<(Option<SelectedProperty>, Option<Question>), Failure> {
    let wanted = request.property.as_deref();
    let optional = matches!(selection, Selection::Optional | Selection::Named) && wanted.is_none();
    let count = lowered.syntax().properties.len();
    if optional && selection == Selection::Named && request.properties.is_empty() {
        if count > 0 {
            notes.push(notice("no property was selected (--property): the start set is the model's own"));
        }
        return Ok((None, None));
    }
    if optional && count != 1 {
        if count > 1 {
            let message = format!("none of the {count} properties was selected: the start set is the model's own");
            notes.push(notice(message));
        }
        return Ok((None, None));
    }
    let index = lowered.find_property(wanted)?;
    let name = lowered.syntax().properties[index].name.value.to_string();
    match lowered.question(index) {
        Ok(question) => Ok((Some(SelectedProperty { index, name }), Some(question))),
        Err(reason) if optional => {
            notes.push(notice(format!("the property '{name}' is not used: {}", reason.message)));
            Ok((None, None))
        }
        Err(error) => Err(error.into()),
    }
}
