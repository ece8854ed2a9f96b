//! Variables, states and actions as pages have them.
//!
//! Automata with one location are left out: there is nothing to see of them. What is drawn are floats; what counts as exact is text beside them.

use surefoot_certificate::{StateRecord, Value};
use surefoot_model::policy::{Outputs, Policy};
use surefoot_model::{Domain, LabelId, Model, State};
use surefoot_num::Rational;
use surefoot_verify::Problem;
use surefoot_verify::states::StateNames;

use crate::data::{StateValues, Variable};

/// The variables of a page: which slots of the model they are, and what they are called.
#[derive(Debug, Clone)]
pub struct Names<'m> {
    model: &'m Model,
    names: StateNames,
    /// Slots, in the order of the page.
    pub slots: Vec<usize>,
    /// The variables.
    pub variables: Vec<Variable>,
}

impl<'m> Names<'m> {
    /// Those of a problem.
    #[must_use]
    pub fn new(problem: &'m Problem) -> Self {
        let model = problem.model();
        let names = StateNames::new(model);
        let shown = |slot: &usize| model.instances.get(*slot).is_none_or(|instance| instance.locations.len() > 1);
        let slots: Vec<usize> = (0..model.slots.len()).filter(shown).collect();
        let seen = seen(model, problem.policy());
        let variables = slots.iter().map(|slot| variable(model, *slot, names.slot(*slot), seen[*slot])).collect();
        Self { model, names, slots, variables }
    }

    /// A state as numbers.
    #[must_use]
    pub fn values(&self, state: &State) -> StateValues {
        self.slots.iter().map(|slot| state.0[*slot].to_f64()).collect()
    }

    /// The exact values of a state beside its numbers; nothing where all numbers are exact.
    #[must_use]
    pub fn rounded(&self, state: &State) -> Option<Vec<Option<String>>> {
        let exact = self.exact(state);
        exact.iter().any(Option::is_some).then_some(exact)
    }

    /// The exact values of a state that are drawn rounded, as text: fractions, and integers that no float is.
    #[must_use]
    pub fn exact(&self, state: &State) -> Vec<Option<String>> {
        let whole = |value: &Rational| value.to_i64().is_some_and(|value| value.unsigned_abs() <= LARGEST_FLOAT);
        let text = |value: &Rational| (!whole(value)).then(|| value.to_string());
        self.slots.iter().map(|slot| text(&state.0[*slot])).collect()
    }

    /// A state by names as numbers. What it does not name, as schedulers leave variables out, is no number.
    #[must_use]
    pub fn record(&self, record: &StateRecord) -> StateValues {
        self.slots.iter().map(|slot| self.recorded(record, *slot).map_or(f64::NAN, |value| value.to_f64())).collect()
    }

    /// The state of a record, exactly; nothing where it leaves something out, or is no state. Slots that pages do not show have their only value.
    #[must_use]
    pub fn state_of(&self, record: &StateRecord) -> Option<State> {
        let mut state = vec![Rational::ZERO; self.model.slots.len()];
        for slot in &self.slots {
            let value = self.recorded(record, *slot)?;
            if !self.model.slots[*slot].domain.contains(&value) {
                return None;
            }
            state[*slot] = value;
        }
        Some(State(state.into()))
    }

    /// Whether a state is as a record says, as far as that says anything.
    #[must_use]
    pub fn agrees(&self, record: &StateRecord, state: &State) -> bool {
        self.slots.iter().all(|slot| self.recorded(record, *slot).is_none_or(|value| value == state.0[*slot]))
    }

    fn recorded(&self, record: &StateRecord, slot: usize) -> Option<Rational> {
        let name = self.names.slot(slot);
        if let Some(instance) = self.model.instances.get(slot) {
            let (_, location) = record.locations.iter().find(|(automaton, _)| automaton == name)?;
            let found = instance.locations.iter().position(|l| *l.name == **location)?;
            return Some(Rational::from(i64::try_from(found).ok()?));
        }
        let (_, value) = record.variables.iter().find(|(variable, _)| variable == name)?;
        Some(match value {
            Value::Bool(value) => Rational::from(i64::from(*value)),
            Value::Number(number) => number.clone(),
        })
    }

    /// The state of a page's numbers. Slots that it does not show have their only value.
    ///
    /// # Errors
    /// Numbers that the variables do not have.
    pub fn state(&self, values: &[f64]) -> Result<State, String> {
        self.state_exactly(values, &[])
    }

    /// The same where some numbers were rounded, and stand beside them as text.
    ///
    /// # Errors
    /// Values that the variables do not have; texts that are no numbers.
    pub fn state_exactly(&self, values: &[f64], exact: &[Option<String>]) -> Result<State, String> {
        if values.len() != self.slots.len() {
            return Err(format!("a state of this model has {} values, not {}", self.slots.len(), values.len()));
        }
        let texts = exact.iter().map(Option::as_deref).chain(std::iter::repeat(None));
        let mut state = vec![Rational::ZERO; self.model.slots.len()];
        for (((slot, value), variable), text) in self.slots.iter().zip(values).zip(&self.variables).zip(texts) {
            let number = match text {
                Some(text) => text.parse().map_err(|_| format!("'{text}' is no number"))?,
                None => Rational::from_f64(*value).ok_or_else(|| format!("'{}' has no value", variable.name))?,
            };
            if !self.model.slots[*slot].domain.contains(&number) {
                let domain = self.model.slots[*slot].domain.describe();
                return Err(format!("{number} is no value of '{}' ({domain})", variable.name));
            }
            state[*slot] = number;
        }
        Ok(State(state.into()))
    }

    /// A variable with a value, as `door=true`.
    #[must_use]
    pub fn told(&self, variable: usize, value: &Rational) -> String {
        let slot = self.slots[variable];
        let value = self.model.describe_value(surefoot_model::SlotId::at(slot), value);
        format!("{}={value}", self.variables[variable].name)
    }

    /// The action of a label by its name.
    #[must_use]
    pub fn action(&self, name: &str) -> Option<u32> {
        self.model.label(name).map(|label| label.0)
    }
}

/// Up to here every integer is a float.
pub(crate) const LARGEST_FLOAT: u64 = 1 << 53;

fn variable(model: &Model, slot: usize, name: &str, seen: bool) -> Variable {
    let declared = &model.slots[slot];
    if let Some(instance) = model.instances.get(slot) {
        let names = instance.locations.iter().map(|location| location.name.to_string()).collect();
        return Variable {
            name: name.to_owned(),
            kind: "location",
            lower: None,
            upper: None,
            names: Some(names),
            seen,
        };
    }
    let (kind, lower, upper) = match &declared.domain {
        Domain::Bool => ("bool", Some(0.0), Some(1.0)),
        Domain::Int { lower, upper } => {
            ("int", Some(Rational::from(*lower).to_f64()), Some(Rational::from(*upper).to_f64()))
        }
        Domain::Real { lower, upper } => {
            ("real", lower.as_ref().map(Rational::to_f64), upper.as_ref().map(Rational::to_f64))
        }
    };
    Variable { name: name.to_owned(), kind, lower, upper, names: None, seen }
}

/// Per slot, whether a network reads it.
fn seen(model: &Model, policy: Option<&Policy>) -> Vec<bool> {
    let mut seen = vec![false; model.slots.len()];
    for network in policy.into_iter().flat_map(|policy| &policy.networks) {
        network.inputs.iter().flat_map(|form| form.terms()).for_each(|(slot, _)| seen[slot.index()] = true);
    }
    seen
}

/// The actions of a model, and those of them that the policy knows, in the order of its outputs.
#[must_use]
pub fn actions(problem: &Problem) -> (Vec<String>, Vec<u32>) {
    let all = problem.model().labels.iter().map(ToString::to_string).collect();
    let known = match problem.policy().map(|policy| &policy.outputs) {
        Some(Outputs::Labels(labels)) => labels.iter().map(|LabelId(label)| *label).collect(),
        _ => Vec::new(),
    };
    (all, known)
}
