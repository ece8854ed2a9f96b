//! Stepping through a witness.

use serde_json::Value;
use surefoot_certificate::{ReadWitness, read_witness};
use surefoot_files::Kind;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{SourceMap, Span};

use super::{Class, Outcome, Told};
use crate::ctl::{CtlFormula, read_formula};
use crate::float32::differences;
use crate::problem::{Failure, Problem, Selection, notice};
use crate::replay::formula::replay_formula;
use crate::replay::result::{self, Shows};
use crate::replay::{NotReal, Replayed, WitnessError, replay_witness};
use crate::request::Request;
use crate::result::ResultObject;
use crate::source::Source;

/// A witness and the problem it is about.
#[derive(Debug)]
pub(super) struct Replaying {
    read: ReadWitness,
    shows: Shows,
    request: Request,
    /// Whether the user chose the property, and not the witness.
    property_chosen: bool,
    pub(super) problem: Problem,
    pub(super) notes: Vec<Diagnostic>,
}

/// A witness that was stepped through.
#[derive(Debug)]
pub struct ReplayedWitness {
    /// What it is to show.
    pub shows: Shows,
    /// The run, or why it is not real.
    pub run: Result<Replayed, NotReal>,
    /// The steps in which single precision chooses otherwise, and how.
    pub differences: Vec<(usize, String)>,
}

impl Replaying {
    /// Reads a witness, and the problem that it says it is about.
    pub(super) fn load(sources: &mut SourceMap, request: &Request, witness: &Source) -> Result<Self, Failure> {
        let read = read(sources, witness)?;
        let mut request = request.clone();
        // The witness knows what it is about.
        let property_chosen = request.property.is_some();
        let named = read.result.as_ref().and_then(|claims| claims.property.clone().flatten());
        request.property = request.property.or_else(|| read.witness.property.clone()).or(named);
        request.asking = result::asked(&request.asking, read.result.as_ref())?;
        request.goal_terminal |= read.result.as_ref().is_some_and(|claims| claims.goal_terminal);
        let shows = result::shows(&read)?;
        let verifies = read.result.as_ref().is_some_and(|claims| claims.command.as_deref() == Some("verify"));
        let selection = if shows == Shows::Target || verifies { Selection::Decide } else { Selection::Formula };
        let problem = Problem::load(sources, &request, selection)?;
        let notes = problem.notes.iter().cloned().chain(changed_files(&problem, &read.inputs)).collect();
        Ok(Self { read, shows, request, property_chosen, problem, notes })
    }

    pub(super) fn run(mut self, sources: &mut SourceMap, result: ResultObject) -> Result<Outcome, Failure> {
        if let Some(claims) = &self.read.result {
            result::check_subject(&self.problem, claims, self.property_chosen)?;
        }
        let (read, steps) = (&self.read, self.read.witness.steps.len());
        let (run, notes) = match step_through(sources, &mut self.problem, &self.request, read, &self.shows)? {
            Ok(run) => (Ok(run), Vec::new()),
            Err(WitnessError::NotReal(reason)) => {
                let span = match &reason {
                    NotReal::Start(_) => read.start_span,
                    NotReal::Step(step, _) => read.step_spans[step - 1],
                    NotReal::End(_) => read.step_spans.last().copied().unwrap_or(read.start_span),
                    NotReal::Claim(_) => read.result.as_ref().map_or(read.start_span, |claims| claims.span),
                };
                let note = Diagnostic::notice(span, format!("not real: {reason}"));
                (Err(reason), vec![note])
            }
            Err(WitnessError::OtherModel(state, reason)) => {
                let span = if state == 0 { read.start_span } else { read.step_spans[state - 1] };
                let error = Diagnostic::error(span, format!("the witness is not about this model: {reason}"));
                let help = "give the model, properties, policy and constants that it was found with";
                return Err(error.with_help(help).into());
            }
        };
        let problem = self.problem;
        let (result, class, differences) = match &run {
            Ok(run) => {
                let found = differences(&problem, run);
                let formula = match &self.shows {
                    Shows::Formula(formula) => Some(formula.clone()),
                    Shows::Target => None,
                };
                (result.real(&problem, run, &found, formula), Class::Done, found)
            }
            Err(reason) => (result.not_real(&problem, reason, steps), Class::Violated, Vec::new()),
        };
        let told = Told::Replayed(Box::new(ReplayedWitness { shows: self.shows, run, differences }));
        Ok(Outcome { class, notes, ..Outcome::new(result, told, problem, Vec::new()) })
    }
}

/// Replays the run, and holds it against what it is to show and what the result says.
fn step_through(
    sources: &mut SourceMap,
    problem: &mut Problem,
    request: &Request,
    read: &ReadWitness,
    shows: &Shows,
) -> Result<Result<Replayed, WitnessError>, Failure> {
    let replayed = match shows {
        Shows::Target => replay_witness(problem, read),
        Shows::Formula(text) => {
            let verifies = read.result.as_ref().is_some_and(|claims| claims.command.as_deref() == Some("verify"));
            let formula = if verifies || problem.asking.is_question() {
                let span = read.result.as_ref().map_or(read.start_span, |claims| claims.span);
                asked_formula(problem, span, text)?
            } else {
                read_formula(sources, problem, request, Some(text))?
            };
            replay_formula(problem, &formula, read)?
        }
    };
    if let (Ok(_), Some(claims)) = (&replayed, &read.result)
        && let Err(reason) = result::check_verdict(problem, claims, shows)?
    {
        return Ok(Err(WitnessError::NotReal(reason)));
    }
    Ok(replayed)
}

/// The formula of the question or of the property, which the result must name.
///
/// # Errors
/// Questions and properties that are no formula, or another one.
pub(super) fn asked_formula(problem: &Problem, span: Span, text: &str) -> Result<CtlFormula, Diagnostic> {
    let Some(temporal) = &problem.query.temporal else {
        let message = "a result of `verify` has no formula, unless its question or its property is one";
        return Err(Diagnostic::error(span, message).with_help("give the property or the question it was made with"));
    };
    if temporal.text != text {
        let message = format!("the result is about another formula than what is asked: {}", temporal.text);
        return Err(Diagnostic::error(span, message).with_help("give the property or the question it was made with"));
    }
    let (terms, text, span) = (temporal.formula.clone(), temporal.text.clone(), problem.query.span);
    Ok(CtlFormula { terms, text, span })
}

fn read(sources: &mut SourceMap, witness: &Source) -> Result<ReadWitness, Diagnostic> {
    let file = witness.load(sources, Kind::Result)?;
    let text = &sources.file(file).text;
    let object = serde_json::from_str::<Value>(text).unwrap_or_default();
    if object["witness"]["kind"] == "tree" {
        let message = "the witness is a tree of runs: there is no single run to step through";
        let help = "it was replayed when it was found; run `surefoot ctl` with the same formula to see that again";
        return Err(Diagnostic::error_anywhere(message.to_owned()).refusal().with_help(help));
    }
    read_witness(file, text)
}

/// Files that are not what they were when the witness was found: worth knowing when it fails.
pub(super) fn changed_files(problem: &Problem, inputs: &[(String, String)]) -> Vec<Diagnostic> {
    let changed = problem
        .inputs
        .iter()
        .filter(|(file, hash)| inputs.iter().any(|(known, before)| known == file && before != hash));
    changed.map(|(file, _)| notice(format!("{file} has changed since the witness was found"))).collect()
}
