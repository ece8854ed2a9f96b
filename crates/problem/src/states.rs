//! States by names, and back.

use surefoot_certificate::{StateRecord, Value};
use surefoot_model::{Domain, Model, State};
use surefoot_num::Rational;
use surefoot_text::suggest;

/// The names by which witnesses call the slots of a model. Unlike the names for people they are distinct.
#[derive(Debug, Clone)]
pub struct StateNames {
    names: Vec<String>,
    instances: usize,
}

/// Why a record is no state of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoState {
    /// It is about another model.
    #[error("{0}")]
    OtherModel(String),
    /// It names the right things, but gives one of them a value it cannot have.
    #[error("{0}")]
    NoSuchValue(String),
}

impl StateNames {
    /// The names of a model's slots.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let instances = model.instances.len();
        let mut names: Vec<String> = Vec::with_capacity(model.slots.len());
        for (i, slot) in model.slots.iter().enumerate() {
            // Locations and variables stand in objects of their own.
            let first = if i < instances { 0 } else { instances };
            let mut name = slot.name.to_string();
            let mut number = 2;
            while names[first..].contains(&name) {
                name = format!("{}#{number}", slot.name);
                number += 1;
            }
            names.push(name);
        }
        Self { names, instances }
    }

    /// The name of an instance.
    #[must_use]
    pub fn instance(&self, instance: usize) -> &str {
        &self.names[instance]
    }

    /// The name of a slot.
    #[must_use]
    pub fn slot(&self, slot: usize) -> &str {
        &self.names[slot]
    }

    /// A state by names.
    #[must_use]
    pub fn record(&self, model: &Model, state: &State) -> StateRecord {
        let mut record = StateRecord::default();
        for (i, (name, value)) in self.names.iter().zip(&state.0).enumerate() {
            if i < self.instances {
                let location = model.describe_value(surefoot_model::SlotId::at(i), value);
                record.locations.push((name.clone(), location));
            } else {
                let value = match model.slots[i].domain {
                    Domain::Bool => Value::Bool(!value.is_zero()),
                    _ => Value::Number(value.clone()),
                };
                record.variables.push((name.clone(), value));
            }
        }
        record
    }

    /// The state that a record names.
    ///
    /// # Errors
    /// Unknown and missing names, and values that the model does not have.
    pub fn state(&self, model: &Model, record: &StateRecord) -> Result<State, NoState> {
        let mut values: Vec<Option<Rational>> = vec![None; self.names.len()];
        for (name, location) in &record.locations {
            let slot = self.position(name, 0, self.instances, "automaton")?;
            let found = model.instances[slot].locations.iter().position(|l| *l.name == **location);
            let found = found
                .ok_or_else(|| NoState::OtherModel(format!("the automaton '{name}' has no location '{location}'")))?;
            values[slot] = Some(Rational::from(i64::try_from(found).expect("locations are numbered")));
        }
        for (name, value) in &record.variables {
            let slot = self.position(name, self.instances, self.names.len(), "variable")?;
            let domain = &model.slots[slot].domain;
            let number = match (value, domain) {
                (Value::Bool(value), Domain::Bool) => Rational::from(*value),
                (Value::Number(number), Domain::Int { .. } | Domain::Real { .. }) => number.clone(),
                _ => {
                    let message = format!("the variable '{name}' is of type {}", domain.ty().name());
                    return Err(NoState::OtherModel(message));
                }
            };
            if !domain.contains(&number) {
                let message = format!("{number} is no value of the variable '{name}' ({})", domain.describe());
                return Err(NoState::NoSuchValue(message));
            }
            values[slot] = Some(number);
        }
        for (i, value) in values.iter_mut().enumerate() {
            // A single location needs no mention.
            if value.is_none() && i < self.instances && model.instances[i].locations.len() == 1 {
                *value = Some(Rational::ZERO);
            }
            if value.is_none() {
                let what = if i < self.instances { "automaton" } else { "variable" };
                return Err(NoState::OtherModel(format!("the state says nothing of the {what} '{}'", self.names[i])));
            }
        }
        Ok(State(values.into_iter().flatten().collect()))
    }

    fn position(&self, name: &str, first: usize, end: usize, what: &str) -> Result<usize, NoState> {
        let names = &self.names[first..end];
        names.iter().position(|n| n == name).map(|i| first + i).ok_or_else(|| {
            let near = suggest(name, names.iter().map(|n| &**n));
            let near = near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
            NoState::OtherModel(format!("the model has no {what} '{name}'{near}"))
        })
    }
}
