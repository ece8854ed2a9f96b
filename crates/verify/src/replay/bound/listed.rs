//! The scheduler that a result lists, where it lists all of it.

use std::collections::HashMap;

use surefoot_certificate::{ReadBound, StateRecord, Value};
use surefoot_explicit::partial::Partial;
use surefoot_mdp::{Mdp, Scheduler};
use surefoot_model::{Domain, State};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

use crate::problem::{Failure, Problem};
use crate::states::StateNames;

/// What a scheduler does, by states without the variables that do not matter.
pub(super) struct Listed {
    /// The choice, and the number of the entry.
    choices: HashMap<Vec<Option<Rational>>, (u32, usize)>,
    dropped: Vec<bool>,
}

impl Listed {
    /// Nothing where some states are missing: what is partly one scheduler and partly another may attain less than either.
    pub(super) fn new(problem: &Problem, names: &StateNames, read: &ReadBound) -> Result<Option<Self>, Failure> {
        if read.scheduler.is_empty() || read.scheduler.len() < read.scheduler_states as usize {
            return Ok(None);
        }
        let slots = problem.model().slots.len();
        let dropped = problem.slice.as_ref().map_or_else(|| vec![false; slots], |slice| slice.dropped.clone());
        let mut listed = Self { choices: HashMap::new(), dropped };
        for (index, entry) in read.scheduler.iter().enumerate() {
            let filled = listed.filled(problem, names, &entry.state);
            let state = names.state(problem.model(), &filled).map_err(|error| {
                let message = format!("the scheduler of the witness is not about this model: {error}");
                Failure::from(Diagnostic::error(entry.span, message))
            })?;
            listed.choices.entry(listed.key(&state)).or_insert((entry.choice, index));
        }
        Ok(Some(listed))
    }

    fn key(&self, state: &State) -> Vec<Option<Rational>> {
        state.0.iter().zip(&self.dropped).map(|(value, dropped)| (!dropped).then(|| value.clone())).collect()
    }

    /// A record with some value for the variables that were left out because they do not matter.
    fn filled(&self, problem: &Problem, names: &StateNames, record: &StateRecord) -> StateRecord {
        let mut record = record.clone();
        let slots = problem.model().slots.iter().enumerate().filter(|(slot, _)| self.dropped[*slot]);
        for (slot, declared) in slots {
            let name = names.slot(slot);
            if !record.variables.iter().any(|(known, _)| known == name) {
                let least = declared.domain.int_bounds().map_or(0, |(lower, _)| lower);
                let value = match declared.domain {
                    Domain::Bool => Value::Bool(false),
                    _ => Value::Number(Rational::from(least)),
                };
                record.variables.push((name.to_owned(), value));
            }
        }
        record
    }

    /// The chain that the scheduler leaves of an explored part; the error is the number of an entry that is no choice of its state. States that it does not come to
    /// keep what they have.
    pub(super) fn chain(&self, part: &Partial<'_>, mdp: &Mdp, mut scheduler: Scheduler) -> Result<Mdp, usize> {
        for number in mdp.states() {
            let choices = mdp.choices(number);
            if choices.len() > 1
                && let Some((choice, entry)) = self.choices.get(&self.key(&part.state(number)))
            {
                if *choice as usize >= choices.len() {
                    return Err(*entry);
                }
                scheduler.set(number, choices.start + choice);
            }
        }
        Ok(mdp.induced_chain(&scheduler))
    }
}
