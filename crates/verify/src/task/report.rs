//! A result again, with the problem that it is about: for those who show it.
//!
//! A run in it is replayed, and one that is not real is an error: nobody shows it. Where there is none the result must have been made with these very files, and its verdict is
//! reached anew by a visit of all states where these are few ([`claim`]), or by its abstraction; one that is contradicted is an error. Whatever else it says is repeated as it stands.
//!
//! Soundness: [`Reported::confirmed`] says whether the verdict was reached anew. One that was not is what somebody wrote into a file, and is shown as that.

mod claim;

use surefoot_certificate::{ResultClaims, read_claims};
use surefoot_files::{Kind, escape};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Reporter;

use super::replay::Replaying;
use super::{Outcome, Told};
use crate::abstraction::{AbstractOptions, Abstracted, abstraction, words};
use crate::ctl::CtlFormula;
use crate::engine::{Budget, Verdict};
use crate::problem::{Failure, Problem, Selection, notice};
use crate::replay::{Replayed, result};
use crate::request::{Request, Slicing};
use crate::result::body::Interval;
use crate::result::{Body, Command, Evidence, ResultObject};
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
    /// What was asked: a formula, where it is one.
    Question(Box<Problem>, Option<CtlFormula>),
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
        let mut problem = Problem::load(sources, &request, selection)?;
        let about: Vec<_> = problem.inputs.iter().filter(|read| !besides.contains(read)).collect();
        check_inputs(&about, &inputs, &claims)?;
        let notes = problem.notes.clone();
        let formula = claim::formula(sources, &mut problem, &request, &read, &claims)?;
        let shown = Shown::Question(Box::new(problem), formula);
        Ok(Self { read, claims, property_chosen, shown, notes })
    }

    /// The problem.
    pub(super) fn problem(&self) -> &Problem {
        match &self.shown {
            Shown::Run(replaying) => &replaying.problem,
            Shown::Question(problem, _) => problem,
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
        let (mut problem, run, visited) = match shown {
            Shown::Question(problem, formula) => {
                let visited = claim::check(&problem, formula.as_ref(), &read, &claims, budget)?;
                (*problem, None, visited)
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
                // It shows the verdict on what is reached, or on a formula; of a number it says nothing.
                (problem, Some(run), value(&read).is_none())
            }
        };
        let (abstraction, note) = match anew(sources, &mut problem, &read, budget, reporter) {
            Some(Ok(abstraction)) => (Some(abstraction), None),
            Some(Err(why)) => (None, Some(notice(format!("the abstraction is not shown: {why}")))),
            None => (None, None),
        };
        let proved = abstraction.as_ref().is_some_and(proves) && claim::reaches(&problem, &read) == Some(false);
        let told = Told::Reported(Box::new(Reported { read, run, abstraction, confirmed: visited || proved }));
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

/// A result that was read again.
#[derive(Debug)]
pub struct Reported {
    /// The result.
    pub read: ResultObject,
    /// Its run, replayed.
    pub run: Option<Replayed>,
    /// The abstraction by its predicates, computed anew.
    pub abstraction: Option<Abstracted>,
    /// Whether the verdict was reached anew: by the run, by a visit of all states, or by the abstraction.
    pub confirmed: bool,
}

/// Whether an abstraction shows that no unsafe state is reached, on nobody's word and with nothing left open.
fn proves(found: &Abstracted) -> bool {
    found.open.is_none() && found.outside.is_none() && matches!(found.conclusion, Some(Verdict::Holds(_)))
}

/// The number that a result is about.
fn value(read: &ResultObject) -> Option<&Interval> {
    if let Some(Body::Decided(body)) = &read.body { body.value.as_ref() } else { None }
}

/// States that are visited anew, and abstract states that are computed anew, at most.
const MOST_STATES: usize = 100_000;

/// The abstraction by the predicates of a result; nothing where it has none.
fn anew(
    sources: &mut SourceMap,
    problem: &mut Problem,
    read: &ResultObject,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Option<Result<Abstracted, String>> {
    // What no unsafe state is reached by says nothing of formulas.
    if problem.query.temporal.is_some() {
        return None;
    }
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
