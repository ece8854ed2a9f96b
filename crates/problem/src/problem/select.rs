//! Which property is asked about, and what that asks.

use surefoot_model::lower::Lowered;
use surefoot_model::property::Question;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::Span;

use super::{Failure, notice};
use crate::asking::Asking;
use crate::question::Query;
use crate::request::Request;

/// Which property to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// There must be one to decide.
    Decide,
    /// There must be one that asks for a probability or an expected value.
    Bound,
    /// There must be one about unsafe states; it need not say which these are.
    Abstract,
    /// One that is named, or the only one; otherwise none. It need not be decidable.
    Optional,
    /// The same beside a formula that is given as text: properties beside the model are not looked for.
    Formula,
    /// One that is named, or the only one of a properties file that is; otherwise none, and the model's own initial states
    /// are the start set. It need not be decidable.
    Named,
}

impl Selection {
    /// Whether properties beside the model are looked for: not where the question is given as text, nor where counting all states needs none.
    #[must_use]
    pub fn looks_beside(self, request: &Request) -> bool {
        let needed = !matches!(self, Self::Named | Self::Formula) || request.property.is_some();
        needed && (!request.asking.is_question() || request.property.is_some())
    }
}

/// A property by name and index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedProperty {
    /// Its index over all properties.
    pub index: usize,
    /// Its name.
    pub name: String,
}

/// A property that was selected.
pub(super) struct Selected {
    pub(super) property: SelectedProperty,
    pub(super) question: Question,
}

/// The property asked for, lowered.
pub(super) fn select(
    lowered: &mut Lowered,
    request: &Request,
    selection: Selection,
    notes: &mut Vec<Diagnostic>,
) -> Result<Option<Selected>, Failure> {
    let wanted = request.property.as_deref();
    let optional = matches!(selection, Selection::Optional | Selection::Formula | Selection::Named) && wanted.is_none();
    let count = lowered.syntax().properties.len();
    if request.asking.is_question() && wanted.is_none() && request.properties.is_empty() {
        if count > 0 {
            let all = if count == 1 { "property is" } else { "properties are" };
            notes.push(notice(format!("the question is given as text: the model's own {all} not looked at")));
        }
        return Ok(None);
    }
    if optional && selection == Selection::Named && request.properties.is_empty() {
        if count > 0 {
            notes.push(notice(format!(
                "no property was selected ({}): the start set is the model's own",
                option("property")
            )));
        }
        return Ok(None);
    }
    if optional && count != 1 {
        if count > 1 {
            let message = format!("none of the {count} properties was selected: the start set is the model's own");
            notes.push(notice(message));
        }
        return Ok(None);
    }
    let index = lowered.find_property(wanted)?;
    let name = lowered.syntax().properties[index].name.value.to_string();
    match lowered.question(index) {
        Ok(question) => Ok(Some(Selected { property: SelectedProperty { index, name }, question })),
        Err(reason) if optional => {
            notes.push(notice(format!("the property '{name}' is not used: {}", reason.message)));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The query of the property, if it is one that the selection allows.
///
/// # Errors
/// Properties that ask for something else, or cannot be decided.
pub(super) fn query(
    lowered: &mut Lowered,
    question: Option<(&Question, Option<Span>)>,
    asking: &Asking,
    selection: Selection,
) -> Result<Query, Failure> {
    let Some((question, span)) = question else { return Ok(Query::anything(lowered)) };
    let (query, refusal) = Query::of(lowered, question, span);
    match (selection, refusal) {
        (Selection::Decide, Some(_)) if query.temporal.is_some() || asking.is_question() => Ok(query),
        (Selection::Decide | Selection::Bound, Some(_)) if span.is_none() => {
            let message = format!("the question does not say which states are unsafe: {} is missing", option("never"));
            Err(Diagnostic::error_anywhere(message).with_help(format!("give it with {} TEXT", option("never"))).into())
        }
        (Selection::Decide, Some(refusal)) => Err(refusal.into()),
        (Selection::Abstract, Some(refusal)) if !matches!(question, Question::Safety(_)) => Err(refusal.into()),
        (Selection::Bound, Some(refusal)) if query.quantity.is_none() && query.expected.is_none() => {
            Err(refusal.into())
        }
        // A condition on start states says nothing about runs.
        (Selection::Optional | Selection::Formula | Selection::Named, _) if query.initial_only => {
            Ok(Query { initial_only: false, target: None, claim: None, ..query })
        }
        _ => Ok(query),
    }
}
