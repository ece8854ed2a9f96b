//! Where the formula comes from: the command line, or a JANI property.

use surefoot_ctl::{Constraints, Ctl, property};
use surefoot_jani::syntax::FilterFunction;
use surefoot_model::TermId;
use surefoot_model::property::{Filter, Question, Values};
use surefoot_symbolic::Lowering;
use surefoot_temporal::graph::proof::Claim;
use surefoot_temporal::{Ctl as Formula, lower};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::{SourceMap, Span};

use crate::problem::{Failure, Problem};
use crate::request::Request;

/// A formula and how it was written.
#[derive(Debug, Clone)]
pub struct CtlFormula {
    /// The formula.
    pub terms: Formula<TermId>,
    /// As text.
    pub text: String,
    /// Where it stands.
    pub span: Option<Span>,
}

impl CtlFormula {
    /// The formula over linear constraints.
    ///
    /// # Errors
    /// What is not linear, with its place.
    pub fn constraints(&self, problem: &Problem) -> Result<Ctl, Failure> {
        let mut lowering = Lowering::new(problem.model(), problem.policy())?;
        Ok(property::of_terms(&mut lowering, &self.terms, self.span)?)
    }
}

/// Words for the parts of a formula.
pub(super) struct Words<'p> {
    problem: &'p Problem,
    /// Where conditions are linear.
    linear: Option<Ctl>,
    terms: Formula<TermId>,
}

impl Words<'_> {
    /// What claims say.
    pub(super) fn claims(&self, claims: &[Claim]) -> Vec<String> {
        let (model, terms) = (self.problem.model(), self.terms.numbered());
        let linear = self.linear.as_ref().map(Formula::numbered);
        let text = |claim: &Claim| match &linear {
            Some(parts) => claim.formula(parts).abbreviated().describe(model),
            None => claim.formula(&terms).abbreviated().show(&|_| ("(...)".to_owned(), false)),
        };
        claims.iter().map(text).collect()
    }

    /// What parts say.
    pub(super) fn parts(&self, parts: &[usize]) -> Vec<String> {
        let terms = self.terms.numbered();
        let whole = |part: &usize| {
            let left = match terms[*part] {
                Formula::Next(_, steps, _) => Some(*steps),
                Formula::Until(_, bound, ..) | Formula::Release(_, bound, ..) => *bound,
                _ => None,
            };
            Claim { part: *part, left }
        };
        self.claims(&parts.iter().map(whole).collect::<Vec<_>>())
    }
}

impl CtlFormula {
    /// Words for the parts of its negation, in normal form and stepwise.
    pub(super) fn parts_of_negation<'p>(&self, problem: &'p Problem) -> Words<'p> {
        let linear = self.constraints(problem).ok().map(|linear| linear.negation_normal_of_negation().stepwise());
        Words { problem, linear, terms: self.terms.signed(false, &mut |term, _| *term).stepwise() }
    }
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

fn of_text(sources: &mut SourceMap, problem: &mut Problem, text: &str) -> Result<CtlFormula, Failure> {
    let file = sources.add(option("formula"), text);
    let terms = lower::formula(sources, file, &mut problem.lowered)?;
    let whole = Span::between(file, 0, text.len());
    let text = text.trim().to_owned();
    Ok(CtlFormula { terms, text, span: Some(whole) })
}

fn of_property(problem: &mut Problem) -> Result<CtlFormula, Failure> {
    if let Some(temporal) = problem.query.temporal.as_ref().filter(|_| problem.asking.is_question()) {
        let (terms, text, span) = (temporal.formula.clone(), temporal.text.clone(), problem.query.span);
        return Ok(CtlFormula { terms, text, span });
    }
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
            &format!("give the formula with {}, as in AG[<=10] !(x = 3), or use `verify`", option("formula")),
        ));
    };
    if function != FilterFunction::Forall {
        let message =
            format!("the filter \"{}\" is not supported: CTL asks about all initial states", function.symbol());
        return Err(refuse(&message, "use \"∀\", or `verify`, which decides it"));
    }
    let terms = match values {
        Values::Path(path) => lower::path(&path),
        Values::State(condition) => Some(Formula::State(condition)),
        Values::Compare(..) | Values::Expected(_) | Values::CompareExpected(..) => None,
    };
    let Some(terms) = terms else {
        return Err(refuse("CTL does not speak of probabilities", "use `bounds` or `verify`, or ask with ∀ or ∃"));
    };
    let mut formula = CtlFormula { terms, text: String::new(), span: Some(span) };
    formula.text = match (formula.constraints(problem), &problem.query.temporal) {
        (Ok(constraints), _) => constraints.describe(problem.model()),
        // Not linear: there are words for it.
        (Err(_), Some(temporal)) => temporal.text.clone(),
        (Err(failure), None) => return Err(failure),
    };
    Ok(formula)
}
