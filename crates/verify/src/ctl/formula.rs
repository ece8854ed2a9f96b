//! Where the formula comes from: the command line, or a JANI property.

use surefoot_ctl::text::{Vocabulary, parse};
use surefoot_ctl::{Ctl, property};
use surefoot_jani::syntax::FilterFunction;
use surefoot_model::ScalarType;
use surefoot_model::lower::{Lowered, Value};
use surefoot_model::property::{Filter, Question, Values};
use surefoot_symbolic::Lowering;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::{SourceMap, Span};

use crate::problem::{Failure, Problem};
use crate::request::Request;

/// A formula and how it was written.
#[derive(Debug, Clone)]
pub struct CtlFormula {
    /// The formula.
    pub formula: Ctl,
    /// As text.
    pub text: String,
}

/// Reads the formula: the text if there is one, else the selected property.
///
/// # Errors
/// What is wrong with it, with its place; no formula at all; several properties that might say who the policy is.
pub fn read_formula(
    sources: &mut SourceMap,
    problem: &mut Problem,
    request: &Request,
    text: Option<&str>,
) -> Result<CtlFormula, Failure> {
    if problem.property.is_none() && request.policy.is_none() && problem.lowered.syntax().properties.len() > 1 {
        // Each of them may name another policy: guessing would change the answer.
        let names: Vec<&str> = problem.lowered.syntax().properties.iter().map(|p| &*p.name.value).collect();
        let message = format!("there are {} properties: which one has the policy and the start states?", names.len());
        let help = format!("use {} with one of {}, or {}", option("property"), names.join(", "), option("policy"));
        return Err(Diagnostic::error_anywhere(message).with_help(help).into());
    }
    match text {
        Some(text) => of_text(sources, problem, text),
        None => of_property(problem),
    }
}

fn of_text(sources: &mut SourceMap, problem: &Problem, text: &str) -> Result<CtlFormula, Failure> {
    let vocabulary = vocabulary(&problem.lowered);
    let formula = parse(text, &vocabulary).map_err(|error| {
        let file = sources.add(option("formula"), text);
        let clip = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        let span = Span { file, start: clip(error.start), end: clip(error.end.max(error.start)) };
        let diagnostic = Diagnostic::error(span, error.message);
        if let Some(help) = error.help { diagnostic.with_help(help) } else { diagnostic }
    })?;
    Ok(CtlFormula { formula, text: text.trim().to_owned() })
}

/// The names that formulas may use: variables, locations, and constants of the model.
fn vocabulary(lowered: &Lowered) -> Vocabulary {
    let mut vocabulary = Vocabulary::new(&lowered.model);
    for constant in &lowered.syntax().constants {
        if let Some(Value::Scalar(term)) = lowered.names.in_property(&constant.name.value)
            && let Some(value) = lowered.model.terms.constant(*term)
        {
            let is_bool = lowered.model.terms.ty(*term) == ScalarType::Bool;
            vocabulary.constant(&constant.name.value, value, is_bool);
        }
    }
    vocabulary
}

fn of_property(problem: &mut Problem) -> Result<CtlFormula, Failure> {
    let Some(selected) = problem.property.clone() else {
        let error = Diagnostic::error_anywhere("there is no formula");
        let (formula, property) = (option("formula"), option("property"));
        let help = format!("give one with {formula} TEXT, or a property ∀ or ∃ with {property}");
        return Err(error.with_help(help).into());
    };
    let span = problem.lowered.syntax().properties[selected.index].name.span;
    let question = problem.lowered.question(selected.index)?;
    let refuse =
        |message: &str, help: &str| -> Failure { Diagnostic::error(span, message).refusal().with_help(help).into() };
    let Question::Filter(Filter { function, values, .. }) = question else {
        return Err(refuse(
            "this property asks for no formula of CTL; its start states and its policy can be used",
            &format!("give the formula with {}, as in AG[<=10] !(x = 3)", option("formula")),
        ));
    };
    if function != FilterFunction::Forall {
        let message =
            format!("the filter \"{}\" is not supported: CTL asks about all initial states", function.symbol());
        return Err(refuse(&message, "use \"∀\""));
    }
    let mut lowering = Lowering::new(problem.model(), problem.policy())?;
    let formula = match values {
        Values::Path(path) => property::of_path(&mut lowering, &path, Some(span))?,
        Values::State(condition) => property::of_condition(&mut lowering, condition, Some(span))?,
        Values::Compare(..) => {
            return Err(refuse("CTL does not speak of probabilities", "use `bounds` or `verify`"));
        }
    };
    let text = formula.describe(problem.model());
    Ok(CtlFormula { formula, text })
}
