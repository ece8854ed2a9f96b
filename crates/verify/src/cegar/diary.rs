//! The diary of refinement: what every iteration found, why that was spurious, and what came of it.
//!
//! It holds no times, so that it is the same whenever and wherever a run is made.

use surefoot_abstraction::AbstractState;
use surefoot_cegar::Iteration;
use surefoot_cegar::path::AbstractPath;
use surefoot_model::Model;

use crate::abstraction::words::{describe, locations};
use crate::result::body::{DiaryEntry, Passed};

/// Iterations whose paths are kept: nobody reads more of them, and results stay small.
const MOST_PATHS: usize = 200;

/// What happened.
#[derive(Debug, Clone, Default)]
pub struct Diary {
    /// Iteration by iteration.
    pub entries: Vec<DiaryEntry>,
}

impl Diary {
    /// Enters an iteration.
    pub(super) fn enter(&mut self, model: &Model, iteration: &Iteration<'_>) {
        let path = iteration.path.map(|path| passed(model, path));
        self.entries.push(DiaryEntry {
            iteration: iteration.number,
            states: iteration.figures.reachable_states,
            questions: iteration.figures.questions,
            nodes: iteration.figures.nodes,
            path: (self.entries.len() < MOST_PATHS).then_some(path),
            cause: iteration.cause.map(|(cause, _)| cause.word().to_owned()),
            step: iteration.cause.map(|(_, step)| step),
            added: iteration.added.iter().map(|formula| describe(model, formula)).collect(),
            predicates: iteration.predicates.len() - iteration.added.len(),
        });
    }
}

fn passed(model: &Model, path: &AbstractPath) -> Vec<Passed> {
    let labels = path.steps.iter().map(|rule| rule.label.map(|label| model.labels[label.0 as usize].to_string()));
    let at = |(label, state): (Option<String>, &AbstractState)| Passed {
        label,
        locations: locations(model, state)
            .filter(|(instance, _, _)| model.instances[*instance].locations.len() > 1)
            .map(|(_, name, location)| format!("{name} at {location}"))
            .collect(),
        values: state.values.iter().map(|value| if value { '1' } else { '0' }).collect(),
    };
    std::iter::once(None).chain(labels).zip(&path.states).map(at).collect()
}
