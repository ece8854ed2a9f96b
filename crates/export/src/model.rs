//! What is written: a Markov decision process with names.

use surefoot_mdp::{Mdp, StateSet};

use crate::error::ExportError;
use crate::options::{Options, ProcessType};

/// A set of states with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Where it holds.
    pub states: StateSet,
}

/// The values of a variable; every value is an integer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VariableKind {
    /// 0 is false, 1 is true.
    Bool,
    /// Integers within bounds.
    Int {
        /// Smallest value.
        lower: i64,
        /// Largest value.
        upper: i64,
    },
    /// Names, numbered from 0; formats without such a type take the numbers.
    Symbol(Vec<String>),
}

/// A variable of the states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its values.
    pub kind: VariableKind,
}

impl Variable {
    /// Smallest and largest value.
    #[must_use]
    pub fn bounds(&self) -> (i64, i64) {
        match &self.kind {
            VariableKind::Bool => (0, 1),
            VariableKind::Int { lower, upper } => (*lower, *upper),
            VariableKind::Symbol(names) => (0, i64::try_from(names.len()).expect("names fit the memory") - 1),
        }
    }

    /// A value in words.
    #[must_use]
    pub fn show(&self, value: i64) -> String {
        match &self.kind {
            VariableKind::Bool => (value != 0).to_string(),
            VariableKind::Int { .. } => value.to_string(),
            VariableKind::Symbol(names) => {
                let name = usize::try_from(value).ok().and_then(|index| names.get(index));
                name.cloned().unwrap_or_else(|| value.to_string())
            }
        }
    }
}

/// What is asked for one choice or one state at a time.
pub trait Source {
    /// The action of a choice, as an index into the model's actions; `None` = silent.
    fn action(&self, choice: u32) -> Option<u32>;

    /// The values of a state, in the order of the model's variables.
    fn values(&self, state: u32, values: &mut [i64]);
}

/// An explicit model.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    /// Its name.
    pub name: &'a str,
    /// States, choices and branches.
    pub mdp: &'a Mdp,
    /// Where runs start.
    pub initial: &'a StateSet,
    /// Named sets of states; names are distinct, and none is `init`.
    pub labels: &'a [Label],
    /// Names of actions.
    pub actions: &'a [String],
    /// The variables of the states; names are distinct.
    pub variables: &'a [Variable],
    /// Actions of choices and values of states.
    pub source: &'a dyn Source,
}

impl Model<'_> {
    /// Whether this is written as a chain or as a decision process.
    #[must_use]
    pub fn process_type(&self, options: &Options) -> ProcessType {
        if self.mdp.is_chain() && !options.always_mdp { ProcessType::Dtmc } else { ProcessType::Mdp }
    }

    /// The labels of a state, in order.
    pub(crate) fn labels_of(&self, state: u32) -> impl Iterator<Item = &str> {
        self.labels.iter().filter(move |label| label.states.contains(state)).map(|label| label.name.as_str())
    }

    /// The action of a choice by name.
    pub(crate) fn action_name(&self, choice: u32) -> Option<&str> {
        self.source.action(choice).and_then(|action| self.actions.get(action as usize)).map(String::as_str)
    }

    /// The values of a state in words: `x=1 & on=true`.
    pub(crate) fn describe(&self, state: u32, values: &mut [i64], separator: &str) -> String {
        self.source.values(state, values);
        let shown = self.variables.iter().zip(values).map(|(v, value)| format!("{}={}", v.name, v.show(*value)));
        shown.collect::<Vec<_>>().join(separator)
    }

    /// Room for the values of a state.
    pub(crate) fn room(&self) -> Vec<i64> {
        vec![0; self.variables.len()]
    }

    /// Checks that sets are over the model's states and that names tell things apart.
    pub(crate) fn check(&self) -> Result<(), ExportError> {
        let states = self.mdp.num_states();
        let inconsistent = |what: String| Err(ExportError::Inconsistent(what));
        if states == 0 {
            return inconsistent("there are no states".to_owned());
        }
        if self.initial.universe() != states {
            return inconsistent("the initial states are of another model".to_owned());
        }
        for (i, label) in self.labels.iter().enumerate() {
            if label.states.universe() != states {
                return inconsistent(format!("the label '{}' is of another model", label.name));
            }
            let taken = self.labels[..i].iter().any(|other| other.name == label.name);
            if taken || label.name == "init" || label.name.is_empty() {
                return Err(ExportError::Label(label.name.clone()));
            }
        }
        let named = |i: usize| self.variables[..i].iter().any(|other| other.name == self.variables[i].name);
        if let Some(i) = (0..self.variables.len()).find(|i| named(*i)) {
            return inconsistent(format!("the variable '{}' is given twice", self.variables[i].name));
        }
        Ok(())
    }
}

impl std::fmt::Debug for Model<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("name", &self.name)
            .field("states", &self.mdp.num_states())
            .finish_non_exhaustive()
    }
}
