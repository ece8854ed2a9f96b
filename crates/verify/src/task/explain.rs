//! Explaining a choice of the policy: in a state that is given, or in one of a run.

use surefoot_certificate::StateRecord;
use surefoot_files::Kind;
use surefoot_model::{Domain, Model, State};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_text::{option, suggest};

use super::{Outcome, Told};
use crate::engine::Budget;
use crate::explain::explain;
use crate::problem::{Failure, Problem};
use crate::result::ResultObject;
use crate::source::Source;
use crate::states::StateNames;

/// Which choice to explain.
#[derive(Debug, Clone)]
pub enum Explaining {
    /// In a state as text: `x=3, door=true`. Variables that are not named have their initial values.
    State(String),
    /// In a state of the run of a result: before the first step (0), or after so many.
    Run(Source, usize),
}

impl Explaining {
    /// The file that it names to be read.
    pub(super) fn file(&self) -> Option<&std::path::PathBuf> {
        match self {
            Self::State(_) => None,
            Self::Run(source, _) => source.file(),
        }
    }

    /// The state.
    pub(super) fn prepare(&self, sources: &mut SourceMap, problem: &Problem) -> Result<State, Failure> {
        match self {
            Self::State(text) => state_of(problem.model(), text).map_err(Failure::from),
            Self::Run(source, step) => {
                let file = source.load(sources, Kind::Result)?;
                let record = state_of_run(&sources.file(file).text, *step).map_err(|message| {
                    let help =
                        format!("give {} a result of `verify`, `simulate` or `replay` that has a run", option("run"));
                    Diagnostic::error_anywhere(message).with_help(help)
                })?;
                let state = StateNames::new(problem.model()).state(problem.model(), &record);
                Ok(state.map_err(|reason| {
                    let message = format!("the run is not about this model: {reason}");
                    Diagnostic::error_anywhere(message).with_help("give the model and constants that it was found with")
                })?)
            }
        }
    }

    pub(super) fn run(
        problem: Problem,
        state: &State,
        result: ResultObject,
        budget: &Budget,
    ) -> Result<Outcome, Failure> {
        let explanation = explain(&problem, state, budget)?;
        let mut result = result.explained(&problem, &explanation);
        if let Some(stop) = explanation.stopped {
            result = result.unknown(budget.describe(stop));
        }
        Ok(Outcome::new(result, Told::Explained(Box::new(explanation)), problem, Vec::new()))
    }
}

/// The state after so many steps of the run in a result object, or in its witness alone.
fn state_of_run(text: &str, step: usize) -> Result<StateRecord, String> {
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| format!("the result is no JSON: line {}, column {}", error.line(), error.column()))?;
    let witness = value.get("witness").unwrap_or(&value);
    let steps = witness.get("steps").and_then(serde_json::Value::as_array);
    let (Some(steps), Some(start)) = (steps, witness.get("start")) else {
        return Err("the result has no run".to_owned());
    };
    let state = match step.checked_sub(1) {
        None => start,
        Some(before) => steps.get(before).and_then(|step| step.get("state")).ok_or_else(|| {
            format!(
                "there is no state after step {step}: the run has {}",
                surefoot_text::counted(steps.len() as u64, "step")
            )
        })?,
    };
    serde_json::from_value(state.clone()).map_err(|_| format!("the state of step {step} is not as results have it"))
}

/// A state as text. Variables and locations that are not named have their initial values.
fn state_of(model: &Model, text: &str) -> Result<State, Diagnostic> {
    let names = StateNames::new(model);
    let mut values: Vec<Option<Rational>> = model.slots.iter().map(|slot| slot.initial.clone()).collect();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let Some((name, value)) = part.split_once('=').map(|(name, value)| (name.trim(), value.trim())) else {
            let error = Diagnostic::error_anywhere(format!("'{part}' gives no variable a value"));
            return Err(error.with_help("write a state as 'x=3, door=true', with = between name and value"));
        };
        let Some(slot) =
            (0..model.slots.len()).find(|slot| names.slot(*slot) == name || *model.slots[*slot].name == *name)
        else {
            let error = Diagnostic::error_anywhere(format!("the model has no variable or automaton '{name}'"));
            let near = suggest(name, (0..model.slots.len()).map(|slot| names.slot(slot)));
            return Err(near.map_or(error.clone(), |near| error.with_help(format!("did you mean '{near}'?"))));
        };
        let domain = &model.slots[slot].domain;
        let number = match (model.instances.get(slot), domain) {
            (Some(instance), _) => {
                let position = instance.locations.iter().position(|location| *location.name == *value);
                position.and_then(|position| i64::try_from(position).ok()).map(Rational::from)
            }
            (None, Domain::Bool) => match value {
                "true" => Some(Rational::ONE),
                "false" => Some(Rational::ZERO),
                _ => None,
            },
            (None, _) => value.parse().ok(),
        };
        match number.filter(|number| domain.contains(number)) {
            Some(number) => values[slot] = Some(number),
            None => {
                let message = format!("'{value}' is no value of '{name}' ({})", domain.describe());
                return Err(Diagnostic::error_anywhere(message));
            }
        }
    }
    for (slot, value) in values.iter_mut().enumerate() {
        // A single location needs no mention.
        if value.is_none() && model.instances.get(slot).is_some_and(|instance| instance.locations.len() == 1) {
            *value = Some(Rational::ZERO);
        }
        if value.is_none() {
            let message = format!("the state says nothing of '{}', which has no initial value", names.slot(slot));
            return Err(Diagnostic::error_anywhere(message).with_help(format!("add '{}=...'", names.slot(slot))));
        }
    }
    Ok(State(values.into_iter().flatten().collect()))
}
