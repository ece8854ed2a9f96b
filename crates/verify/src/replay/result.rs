//! What a result object claims besides its witness: that it is about this model, property and policy, and that its verdict is the one
//! that its run shows.
//!
//! What is there is checked; a witness from elsewhere may leave all of it out. Nothing follows from the other members (figures, seconds,
//! engine, assumptions, hashes of files, where the property stood), and they are not looked at.

use surefoot_certificate::{PolicyClaim, QuestionClaim, ReadWitness, ResultClaims, Value};
use surefoot_model::lower::GivenConstant;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;

use super::NotReal;
use crate::Asking;
use crate::cegar::count_starts;
use crate::engine::several_starts;
use crate::problem::{Failure, Problem};
use crate::question::Claim;
use crate::result::ties;

/// What a run is to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shows {
    /// That the property's target is reached.
    Target,
    /// That a formula of CTL fails.
    Formula(String),
}

/// What the run of a result is to show.
///
/// # Errors
/// Commands whose results claim nothing of a run, formulas that are missing or out of place, another property in the witness than in the
/// result.
pub fn shows(read: &ReadWitness) -> Result<Shows, Diagnostic> {
    let Some(claims) = &read.result else { return Ok(Shows::Target) };
    if let (Some(Some(name)), Some(other)) = (&claims.property, &read.witness.property)
        && name != other
    {
        let message = format!("the result is about the property '{name}', and its witness about '{other}'");
        return Err(Diagnostic::error(claims.span, message));
    }
    let command = claims.command.as_deref();
    match (command, &claims.formula) {
        (None | Some("verify" | "ctl" | "replay"), Some(formula)) => Ok(Shows::Formula(formula.clone())),
        (None | Some("verify" | "simulate" | "replay"), None) => Ok(Shows::Target),
        (Some("ctl"), None) => {
            let error = Diagnostic::error(
                claims.span,
                "a result of `ctl` without its formula: what the run shows is not known",
            );
            Err(error.with_help(format!("write the result anew with `surefoot ctl ... {} FILE`", option("json"))))
        }
        (Some("simulate"), Some(_)) => {
            let message = format!("a result of `{}` has no formula", command.unwrap_or_default());
            Err(Diagnostic::error(claims.span, message)
                .with_help("results with a formula are those of `ctl` and `verify`"))
        }
        (Some(other), _) => {
            let message = format!("a result of `{other}` claims nothing that a run could show");
            Err(Diagnostic::error(claims.span, message).with_help("replay results of `verify`, `ctl` or `simulate`"))
        }
    }
}

/// What a result was asked in text.
///
/// # Errors
/// A request that asks something else.
pub fn asked(given: &Asking, claims: Option<&ResultClaims>) -> Result<Asking, Diagnostic> {
    let Some((claims, claimed)) = claims.and_then(|claims| Some((claims, claims.question.clone()?))) else {
        return Ok(given.clone());
    };
    let QuestionClaim { never, start, goal, always_reach, within, formula } = claimed;
    let claimed = Asking { never, start, goal, always_reach, within, formula };
    if given.is_empty() || *given == claimed {
        return Ok(claimed);
    }
    let words: Vec<String> =
        claimed.told().into_iter().map(|(name, text)| format!("{} '{text}'", option(name))).collect();
    let message = format!("the result is about another question: {}", words.join(" "));
    Err(Diagnostic::error(claims.span, message).with_help("leave the question out: the result says it"))
}

/// That a result is about this model with these constants, this property and this policy. Where the user chose the property, what the result says of it does not
/// matter.
///
/// # Errors
/// The first difference.
pub fn check_subject(problem: &Problem, claims: &ResultClaims, property_chosen: bool) -> Result<(), Diagnostic> {
    let other = |message: String, help: &str| Err(Diagnostic::error(claims.span, message).with_help(help));
    let model = &*problem.model().name;
    if let Some(name) = claims.model.as_deref().filter(|name| *name != model) {
        return other(
            format!("the result is about the model '{name}', and this is '{model}'"),
            "give the model it was made with",
        );
    }
    let value =
        |c: &GivenConstant| if c.is_bool { Value::Bool(!c.value.is_zero()) } else { Value::Number(c.value.clone()) };
    let mut constants: Vec<(String, Value)> = problem.constants.iter().map(|c| (c.name.clone(), value(c))).collect();
    constants.sort_by(|(a, _), (b, _)| a.cmp(b));
    if let Some(claimed) = claims.constants.as_ref().filter(|claimed| **claimed != constants) {
        let differs = |(name, value): &&(String, Value)| !constants.contains(&(name.clone(), value.clone()));
        let other_one =
            claimed.iter().find(differs).or_else(|| constants.iter().find(|given| !claimed.contains(given)));
        let name = other_one.map_or("", |(name, _)| name.as_str());
        let message =
            format!("the result is about another value of the constant '{name}', or about none that was given");
        return other(message, &format!("give {} as it was given", option("const")));
    }
    // By name: files may have been added since.
    let selected = problem.property.as_ref().map(|property| property.name.clone());
    let named = |property: &Option<String>| {
        property.as_ref().map_or_else(|| "no property".to_owned(), |name| format!("the property '{name}'"))
    };
    if let Some(claimed) = claims.property.as_ref().filter(|claimed| **claimed != selected && !property_chosen) {
        let message = format!("the result is about {}, and this is {}", named(claimed), named(&selected));
        let property = option("property");
        let help = format!("give the files with properties that it was made with, or choose one with {property}");
        return other(message, &help);
    }
    let policy = problem.policy.as_ref().map(|loaded| PolicyClaim {
        filter: Some(loaded.policy.filter),
        ties: Some(ties(loaded.policy.ties).word().to_owned()),
    });
    match (&claims.policy, &policy) {
        (None, _) | (Some(None), None) => Ok(()),
        (Some(None), Some(_)) => {
            other("the result is about a model without a policy".to_owned(), &format!("leave {} out", option("policy")))
        }
        (Some(Some(_)), None) => other(
            "the result is about a policy, and there is none".to_owned(),
            &format!("give it with {}", option("policy")),
        ),
        (Some(Some(claimed)), Some(is)) => {
            if claimed.filter.is_some() && claimed.filter != is.filter {
                let word = if claimed.filter == Some(true) { "on" } else { "off" };
                return other(
                    format!("the result is about the policy with its filter {word}"),
                    &format!("give {} as it was given", option("filter")),
                );
            }
            match &claimed.ties {
                Some(ties) if claimed.ties != is.ties => other(
                    format!("the result is about the policy with ties \"{ties}\""),
                    &format!("give {} as it was given", option("plaja-compat")),
                ),
                _ => Ok(()),
            }
        }
    }
}

/// That the verdict of a result is the one that its run shows.
///
/// # Errors
/// [`Failure::Input`] where a run decides nothing, because there are several start states.
pub fn check_verdict(problem: &Problem, claims: &ResultClaims, shows: &Shows) -> Result<Result<(), NotReal>, Failure> {
    let Some(claimed) = &claims.verdict else { return Ok(Ok(())) };
    let verifies = matches!(claims.command.as_deref(), None | Some("verify"));
    let shown = match (shows, problem.query.claim) {
        (Shows::Formula(_), _) if claims.command.as_deref() != Some("replay") => Some("violated"),
        (Shows::Target, Some(claim)) if verifies => {
            if let Claim::AvoidFromSingle(function) | Claim::ReachFromSingle(function) = claim
                && let starts @ 2.. = count_starts(problem)?
            {
                return Err(several_starts(problem, function.symbol(), &format!("at least {starts}")).into());
            }
            Some(if claim.is_avoidance() { "violated" } else { "holds" })
        }
        _ => None,
    };
    if claimed.as_deref() == shown {
        return Ok(Ok(()));
    }
    let word =
        |verdict: Option<&str>| verdict.map_or_else(|| "no verdict".to_owned(), |verdict| format!("\"{verdict}\""));
    let message = format!("the result says {}, but what the run shows is {}", word(claimed.as_deref()), word(shown));
    Ok(Err(NotReal::Claim(message)))
}
