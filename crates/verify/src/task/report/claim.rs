//! A verdict that a file says, reached anew where all states can be visited and are few: of what is reached, of formulas, of comparisons of a probability with a number.
//!
//! Soundness: the question is the one that is asked now, and the result must say no other. What cannot be decided so, for whatever reason, is not confirmed.

use surefoot_certificate::ResultClaims;
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Silent;

use super::super::replay::asked_formula;
use super::{MOST_STATES, value};
use crate::answer::compare;
use crate::bounds::{self, BoundsOptions};
use crate::ctl::explicit::{Share, decide};
use crate::ctl::{CtlFormula, CtlVerdict, read_formula};
use crate::engine::Budget;
use crate::look::{Values, look};
use crate::problem::{Failure, Problem};
use crate::quantity::{Aggregate, Quantity};
use crate::question::Over;
use crate::request::Request;
use crate::result::body::{Bound, Interval};
use crate::result::{Body, Command, ResultObject, VerdictWord};

/// The formula that a result is about; nothing where it is about none, or says in words that are no formula which.
///
/// # Errors
/// Results about another formula than what is asked.
pub(super) fn formula(
    sources: &mut SourceMap,
    problem: &mut Problem,
    request: &Request,
    read: &ResultObject,
    claims: &ResultClaims,
) -> Result<Option<CtlFormula>, Failure> {
    let Some(text) = &claims.formula else {
        let asks = problem.query.temporal.as_ref().filter(|_| read.command == Command::Verify);
        return match asks.filter(|_| holds(read).is_some()) {
            Some(temporal) => {
                let message =
                    format!("the result does not say that it is about the formula that is asked: {}", temporal.text);
                Err(Diagnostic::error(claims.span, message).with_help(ANEW).into())
            }
            None => Ok(None),
        };
    };
    if read.command == Command::Verify || problem.asking.is_question() {
        return Ok(Some(asked_formula(problem, claims.span, text)?));
    }
    if problem.property.is_some()
        && let Ok(formula) = read_formula(sources, problem, request, None)
        && formula.text == *text
    {
        return Ok(Some(formula));
    }
    Ok(read_formula(sources, problem, request, Some(text)).ok())
}

/// Whether the verdict of a result without a run is the one that all states show, where there are few.
///
/// # Errors
/// Verdicts that need a run, verdicts and intervals that all states contradict.
pub(super) fn check(
    problem: &Problem,
    formula: Option<&CtlFormula>,
    read: &ResultObject,
    claims: &ResultClaims,
    budget: &Budget,
) -> Result<bool, Diagnostic> {
    let compared = check_value(problem, read, claims, budget)?;
    let shown = match (formula, value(read)) {
        (_, Some(_)) => compared,
        (Some(formula), None) => {
            let asked = problem.query.temporal.as_ref().filter(|_| read.command == Command::Verify);
            label(problem, formula, asked.map_or(Over::All, |asked| asked.over), budget)
        }
        (None, None) => return check_reached(problem, read, claims, budget),
    };
    match (holds(read), shown) {
        (Some(said), Some(shown)) if said != shown => {
            let [said, shown] = [said, shown].map(|holds| if holds { "holds" } else { "fails" });
            let what = if compared.is_some() { "comparison" } else { "formula" };
            let message =
                format!("the result says that the {what} {said}, and it {shown}: all states were visited to see that");
            Err(Diagnostic::error(claims.span, message).with_help(ANEW))
        }
        (said, shown) => Ok(said.is_some() && shown.is_some()),
    }
}

const ANEW: &str = "make the result anew";

/// Whether a result says that what is asked holds; nothing where it does not say it.
fn holds(read: &ResultObject) -> Option<bool> {
    match read.verdict? {
        VerdictWord::Holds => Some(true),
        VerdictWord::Violated => Some(false),
        VerdictWord::Unknown => None,
    }
}

/// Whether a verdict says that what is looked for is reached; nothing where it is about something else.
pub(super) fn reaches(problem: &Problem, read: &ResultObject) -> Option<bool> {
    let about = matches!(read.command, Command::Verify | Command::Abstract) && value(read).is_none();
    let is_formula = matches!(&read.body, Some(Body::Decided(body)) if body.formula.is_some());
    let claim = problem.query.claim.filter(|_| about && !is_formula)?;
    Some(holds(read)? != claim.is_avoidance())
}

fn check_reached(
    problem: &Problem,
    read: &ResultObject,
    claims: &ResultClaims,
    budget: &Budget,
) -> Result<bool, Diagnostic> {
    let wrong = |message: &str| Err(Diagnostic::error(claims.span, message.to_owned()).with_help(ANEW));
    match reaches(problem, read) {
        None => return Ok(false),
        Some(true) => return wrong("the result says that a state is reached, and has no run that shows it"),
        Some(false) => {}
    }
    let found = look(problem, budget, MOST_STATES, false).and_then(|looked| looked.target);
    match found.map(|target| target.count() > 0) {
        Some(true) => {
            wrong("the result says that a state is never reached, and it is: all states were visited to see that")
        }
        found => Ok(found.is_some()),
    }
}

/// Whether a formula holds, by labels of all states; nothing where that cannot be seen so.
fn label(problem: &Problem, formula: &CtlFormula, over: Over, budget: &Budget) -> Option<bool> {
    // Whether there are few.
    look(problem, budget, MOST_STATES, false)?;
    match decide(problem, formula, over, Share::All, budget, &Silent).ok()??.verdict {
        CtlVerdict::Holds(()) => Some(true),
        CtlVerdict::Violated(_) => Some(false),
        CtlVerdict::Unknown(_) => None,
    }
}

/// What a comparison with a number comes to, by the values of all states; that the interval of a probability is not beside the one that they show.
///
/// # Errors
/// Intervals in which the probability cannot be.
fn check_value(
    problem: &Problem,
    read: &ResultObject,
    claims: &ResultClaims,
    budget: &Budget,
) -> Result<Option<bool>, Diagnostic> {
    let Some(Body::Decided(body)) = &read.body else { return Ok(None) };
    let Some(Interval { lo, hi }) = body.value.as_ref().filter(|_| body.expected.is_none()) else { return Ok(None) };
    let end = |end: &Bound| match end {
        Bound::Float(value) => Rational::from_f64(*value),
        Bound::Exact(text) => text.parse().ok(),
    };
    let Some((lo, hi)) = end(lo).zip(end(hi)) else {
        let message = "the result's value has ends that are no numbers";
        return Err(Diagnostic::error(claims.span, message).with_help(ANEW));
    };
    let quantity = bounds::asked(problem, &BoundsOptions::default()).ok();
    let looked = look(problem, budget, MOST_STATES, true);
    let (Some(quantity), Some(looked)) = (quantity, looked) else { return Ok(None) };
    let Some(values) = &looked.values else { return Ok(None) };
    let starts = 0..looked.graph.starts as usize;
    let extreme = |of: &[f64]| {
        let values = starts.clone().map(|start| of[start]);
        match quantity.aggregate {
            Aggregate::Max => values.reduce(f64::max),
            Aggregate::Min => values.reduce(f64::min),
            Aggregate::Single if starts.len() == 1 => Some(of[0]),
            _ => None,
        }
    };
    if let (Some(lower), Some(upper)) = (extreme(&values.lower), extreme(&values.upper)) {
        let is_beside = Rational::from_f64(upper).is_some_and(|upper| upper < lo)
            || Rational::from_f64(lower).is_some_and(|lower| lower > hi);
        if is_beside || lo > hi {
            let message =
                format!("the result says that the probability is in [{lo}, {hi}], and it is in [{lower}, {upper}]");
            return Err(Diagnostic::error(claims.span, message).with_help(ANEW));
        }
    }
    Ok(compared(&quantity, values, starts.len()))
}

/// What the values of the start states say of a comparison; nothing where there is none, or their bounds leave it open.
fn compared(quantity: &Quantity, values: &Values, starts: usize) -> Option<bool> {
    let threshold = quantity.threshold.as_ref()?;
    if starts == 0 || (quantity.aggregate == Aggregate::Single && starts > 1) {
        return None;
    }
    let number = |of: &[f64], start: usize| Rational::from_f64(of[start]);
    let each: Vec<Option<bool>> = (0..starts)
        .map(|start| compare(threshold, &number(&values.lower, start)?, &number(&values.upper, start)?))
        .collect();
    let all = quantity.aggregate != Aggregate::Some;
    if each.contains(&Some(!all)) {
        return Some(!all);
    }
    each.iter().all(Option::is_some).then_some(all)
}
