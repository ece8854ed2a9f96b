//! A result again, with the problem that it is about: for those who show it.
//!
//! A run in it is replayed, and one that is not real is an error: nobody shows it. Where there is none the result must have been made with these very files, and its verdict must
//! not be contradicted by a visit of all states, where these are few. Whatever else it says is repeated as it stands.

use surefoot_certificate::{ResultClaims, read_claims};
use surefoot_files::{Kind, escape};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Reporter;

use super::replay::Replaying;
use super::{Outcome, Told};
use crate::abstraction::{AbstractOptions, Abstracted, abstraction, words};
use crate::bounds::{self, BoundsOptions};
use crate::engine::Budget;
use crate::look::look;
use crate::problem::{Failure, Problem, Selection, notice};
use crate::quantity::Aggregate;
use crate::replay::{Replayed, result};
use crate::request::{Request, Slicing};
use crate::result::body::{Bound, Interval};
use crate::result::{Body, Command, Evidence, ResultObject, VerdictWord};
use crate::source::Source;

/// A result and the problem it is about.
#[derive(Debug)]
pub(super) struct Reporting {
    read: ResultObject,
    claims: ResultClaims,
    property_chosen: bool,
    shown: Shown,
    pub(super) notes: Vec<Diagnostic>,
}

/// What of it is looked at again.
#[derive(Debug)]
enum Shown {
    /// A run, with its problem.
    Run(Box<Replaying>),
    /// Nothing.
    Nothing(Box<Problem>),
}

impl Reporting {
    /// Reads a result, and the problem that it says it is about.
    pub(super) fn load(sources: &mut SourceMap, request: &Request, source: &Source) -> Result<Self, Failure> {
        let file = source.load(sources, Kind::Result)?;
        let (claims, inputs) = read_claims(file, &sources.file(file).text)?;
        let read: ResultObject = serde_json::from_str(&sources.file(file).text).map_err(|error| {
            let error = Diagnostic::error(claims.span, format!("this is not a result: {error}"));
            error.with_help(format!("write one with {} FILE", option("json")))
        })?;
        if !matches!(
            read.command,
            Command::Verify | Command::Bounds | Command::Abstract | Command::Ctl | Command::Explore
        ) {
            let message = "there is nothing to show of such a result";
            let help = "pages show results of verify, bounds, abstract, ctl and explore";
            return Err(Diagnostic::error(claims.span, message).with_help(help).into());
        }
        if let Some(error) = &read.error {
            let message = format!(
                "the result is about a run that ended with an error: {}",
                error.lines().next().unwrap_or_default()
            );
            return Err(Diagnostic::error(claims.span, message)
                .with_help("mend that, and write the result anew")
                .into());
        }
        let property_chosen = request.property.is_some();
        if let Some(Evidence::Run(_)) = read.witness {
            let mut replaying = Replaying::load(sources, request, source)?;
            let notes = std::mem::take(&mut replaying.notes);
            return Ok(Self { read, claims, property_chosen, shown: Shown::Run(Box::new(replaying)), notes });
        }
        let selection = match read.command {
            Command::Verify => Selection::Decide,
            Command::Bounds => Selection::Bound,
            Command::Abstract => Selection::Abstract,
            Command::Ctl => Selection::Formula,
            _ => Selection::Optional,
        };
        let property = request.property.clone().or_else(|| claims.property.clone().flatten());
        let asking = result::asked(&request.asking, Some(&claims))?;
        let goal_terminal = request.goal_terminal || claims.goal_terminal;
        let request = Request { property, asking, goal_terminal, slicing: Slicing::Off, ..request.clone() };
        let besides = sources.inputs.hashes();
        let problem = Problem::load(sources, &request, selection)?;
        let about: Vec<_> = problem.inputs.iter().filter(|read| !besides.contains(read)).collect();
        check_inputs(&about, &inputs, &claims)?;
        let notes = problem.notes.clone();
        Ok(Self { read, claims, property_chosen, shown: Shown::Nothing(Box::new(problem)), notes })
    }

    /// The problem.
    pub(super) fn problem(&self) -> &Problem {
        match &self.shown {
            Shown::Run(replaying) => &replaying.problem,
            Shown::Nothing(problem) => problem,
        }
    }

    pub(super) fn run(
        self,
        sources: &mut SourceMap,
        result: ResultObject,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        result::check_subject(self.problem(), &self.claims, self.property_chosen)?;
        let Self { read, shown, claims, .. } = self;
        let (mut problem, run) = match shown {
            Shown::Nothing(problem) => {
                check_claim(&problem, &read, &claims, budget)?;
                check_value(&problem, &read, &claims, budget)?;
                (*problem, None)
            }
            Shown::Run(replaying) => {
                let outcome = replaying.run(sources, result.clone())?;
                let (Told::Replayed(witness), Some(problem)) = (outcome.told, outcome.problem) else {
                    return Err(Failure::Internal("a replay told of something else".to_owned()));
                };
                let run = witness.run.map_err(|reason| {
                    let message = format!("the run of the result is not real: {reason}");
                    let help = "give the model, properties, policy and constants that it was found with";
                    Failure::from(Diagnostic::error(claims.span, message).with_help(help))
                })?;
                (problem, Some(run))
            }
        };
        let (abstraction, note) = match anew(sources, &mut problem, &read, budget, reporter) {
            Some(Ok(abstraction)) => (Some(abstraction), None),
            Some(Err(why)) => (None, Some(notice(format!("the abstraction is not shown: {why}")))),
            None => (None, None),
        };
        let told = Told::Reported(Box::new(Reported { read, run, abstraction }));
        Ok(Outcome { notes: note.into_iter().collect(), ..Outcome::new(result, told, problem, Vec::new()) })
    }
}

/// That everything that was read now was read for the result, by content: nothing of it is looked at again, so it must be about these very files.
///
/// # Errors
/// The first file that the result knows nothing of.
fn check_inputs(
    about: &[&(String, String)],
    inputs: &[(String, String)],
    claims: &ResultClaims,
) -> Result<(), Diagnostic> {
    let known = |hash: &String| inputs.iter().any(|(_, before)| before == hash);
    match about.iter().find(|(_, hash)| !known(hash)) {
        None => Ok(()),
        Some((name, _)) => {
            let message = format!("the result was not made with {} as it is now", escape(name));
            let help =
                "give the files that it was made with, or make it anew: without a run nothing of it can be replayed";
            Err(Diagnostic::error(claims.span, message).with_help(help))
        }
    }
}

/// That a verdict without a run is one that needs none, and the one that all states show, where there are few.
///
/// # Errors
/// Verdicts that are not so.
fn check_claim(
    problem: &Problem,
    read: &ResultObject,
    claims: &ResultClaims,
    budget: &Budget,
) -> Result<(), Diagnostic> {
    let Some(claim) = problem.query.claim.filter(|_| read.command == Command::Verify && claims.formula.is_none())
    else {
        return Ok(());
    };
    let reaches = match (read.verdict, claim.is_avoidance()) {
        (Some(VerdictWord::Violated), true) | (Some(VerdictWord::Holds), false) => true,
        (Some(VerdictWord::Holds), true) | (Some(VerdictWord::Violated), false) => false,
        _ => return Ok(()),
    };
    let wrong = |message: &str| {
        Err(Diagnostic::error(claims.span, message.to_owned()).with_help("make the result anew with `surefoot verify`"))
    };
    if reaches {
        return wrong("the result says that a state is reached, and has no run that shows it");
    }
    if problem.query.initial_only {
        return Ok(());
    }
    let found = look(problem, budget, MOST_STATES, false).and_then(|looked| looked.target).map(|set| set.count() > 0);
    if found == Some(true) {
        return wrong("the result says that a state is never reached, and it is: all states were visited to see that");
    }
    Ok(())
}

/// That the interval of a probability is not beside the one that all states show, where there are few.
///
/// # Errors
/// Intervals in which the probability cannot be.
fn check_value(
    problem: &Problem,
    read: &ResultObject,
    claims: &ResultClaims,
    budget: &Budget,
) -> Result<(), Diagnostic> {
    let Some(Body::Decided(body)) = &read.body else { return Ok(()) };
    let Some(Interval { lo, hi }) = body.value.as_ref().filter(|_| body.expected.is_none()) else { return Ok(()) };
    let end = |end: &Bound| match end {
        Bound::Float(value) => Rational::from_f64(*value),
        Bound::Exact(text) => text.parse().ok(),
    };
    let Some((lo, hi)) = end(lo).zip(end(hi)) else {
        let message = "the result's value has ends that are no numbers";
        return Err(Diagnostic::error(claims.span, message).with_help("make the result anew with `surefoot bounds`"));
    };
    let quantity = bounds::asked(problem, &BoundsOptions::default()).ok();
    let looked = look(problem, budget, MOST_STATES, true);
    let (Some(quantity), Some(looked)) = (quantity, looked) else { return Ok(()) };
    let Some(values) = &looked.values else { return Ok(()) };
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
    let (Some(lower), Some(upper)) = (extreme(&values.lower), extreme(&values.upper)) else { return Ok(()) };
    let is_beside = Rational::from_f64(upper).is_some_and(|upper| upper < lo)
        || Rational::from_f64(lower).is_some_and(|lower| lower > hi);
    if is_beside || lo > hi {
        let message =
            format!("the result says that the probability is in [{lo}, {hi}], and it is in [{lower}, {upper}]");
        return Err(Diagnostic::error(claims.span, message).with_help("make the result anew with `surefoot bounds`"));
    }
    Ok(())
}

/// A result that was read again.
#[derive(Debug)]
pub struct Reported {
    /// The result.
    pub read: ResultObject,
    /// Its run, replayed.
    pub run: Option<Replayed>,
    /// The abstraction by its predicates, computed anew.
    pub abstraction: Option<Abstracted>,
}

/// Abstract states that are computed anew, at most.
const MOST_STATES: usize = 100_000;

/// The abstraction by the predicates of a result; nothing where it has none.
fn anew(
    sources: &mut SourceMap,
    problem: &mut Problem,
    read: &ResultObject,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Option<Result<Abstracted, String>> {
    let predicates = match &read.body {
        Some(Body::Decided(body)) if read.command == Command::Verify => body.predicates.as_ref()?,
        Some(Body::Abstracted(about)) => &about.found.as_ref()?.predicates,
        _ => return None,
    };
    let mut terms = Vec::with_capacity(predicates.len());
    for text in predicates {
        let readable = words::readable(problem.model(), text);
        let file = sources.add("predicate", readable.as_str());
        match surefoot_temporal::lower::condition(sources, file, &mut problem.lowered) {
            Ok(term) => terms.push(term),
            Err(error) => return Some(Err(format!("the predicate '{text}' cannot be read ({})", error.message))),
        }
    }
    let options = AbstractOptions { states: Some(MOST_STATES), ..AbstractOptions::default() };
    Some(abstraction(problem, &terms, &options, budget, reporter).map_err(|failure| match failure {
        Failure::Stopped(stop) => budget.describe(stop),
        Failure::Input(errors) => errors.first().map_or_else(String::new, |error| error.message.clone()),
        Failure::Internal(what) => what,
    }))
}
