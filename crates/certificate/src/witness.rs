//! A run in names and exact numbers.
//!
//! ```json
//! {
//!   "kind": "run",
//!   "property": "crash",
//!   "start": {"locations": {"car": "drive"}, "x": 3, "open": false, "speed": "7/2"},
//!   "steps": [
//!     {
//!       "operator": "go (car: edge 0)",
//!       "label": "go",
//!       "edges": {"car": 0},
//!       "outcome": [1],
//!       "probability": "1/10",
//!       "policy": {
//!         "network": "car.nnet",
//!         "chosen": ["go"],
//!         "scores": {"go": {"exact": "3/2", "float": 1.5}, "stop": {"exact": "1", "float": 1.0}}
//!       },
//!       "state": {"locations": {"car": "drive"}, "x": 4, "open": false, "speed": "7/2"}
//!     }
//!   ]
//! }
//! ```
//!
//! The keys are stable. A state is an object from variables to values, its locations by name under `locations`; a
//! variable that is itself called `locations` is written with an apostrophe behind its name. Integers within 64 bits
//! are JSON integers, all other numbers exact fractions as text. Edges are numbered as in the automaton's list, from 0;
//! `null` is the implicit loop of an input-enabled action. `outcome` holds the destination taken per edge, from 0.
//! `policy` is there where the policy had a say in the step.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use surefoot_num::Rational;

/// A run from a start state.
#[derive(Debug, Clone, PartialEq)]
pub struct Witness {
    /// The property it is about.
    pub property: Option<String>,
    /// Where it starts.
    pub start: StateRecord,
    /// What happens.
    pub steps: Vec<Step>,
}

/// A value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Rational),
}

/// A state by names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateRecord {
    /// The location of each automaton instance.
    pub locations: Vec<(String, String)>,
    /// The value of each variable.
    pub variables: Vec<(String, Value)>,
}

/// The edge that an automaton instance takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeTaken {
    /// The instance.
    pub automaton: String,
    /// The edge's number in the automaton's list; `None` for an implicit loop.
    pub edge: Option<usize>,
}

/// One step. A foreign witness may leave out everything but the state.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The operator in words, for people.
    pub operator: Option<String>,
    /// The action label: not given, silent, or a name.
    pub label: Option<Option<String>>,
    /// The edges taken.
    pub edges: Option<Vec<EdgeTaken>>,
    /// The destination taken per edge.
    pub outcome: Option<Vec<u32>>,
    /// The probability of the outcome.
    pub probability: Option<Rational>,
    /// What the policy said.
    pub policy: Option<Decision>,
    /// The state after the step.
    pub state: StateRecord,
}

/// What the policy said in a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The file of the network that was asked.
    pub network: String,
    /// The labels chosen: one, or several under ties.
    pub chosen: Vec<String>,
    /// The score of each label, in the order of the outputs.
    pub scores: Vec<Score>,
    /// The best of the other labels that were in the running, and how far it is behind the label taken.
    pub runner_up: Option<Score>,
}

/// The score of a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The label.
    pub label: String,
    /// The exact score.
    pub exact: Rational,
}

/// The member of a state that holds the locations.
pub(crate) const LOCATIONS: &str = "locations";

/// The member that a variable is written as: its name, except for names that would hide the locations.
pub(crate) fn variable_key(name: &str) -> String {
    if name.trim_end_matches('\'') == LOCATIONS { format!("{name}'") } else { name.to_owned() }
}

/// The variable that a member stands for.
pub(crate) fn variable_name(key: &str) -> &str {
    match key.strip_suffix('\'') {
        Some(name) if name.trim_end_matches('\'') == LOCATIONS => name,
        _ => key,
    }
}

/// A map from names in the order given; [`Members`](crate::Members) without the copy.
struct Named<'a, V>(&'a [(String, V)]);

impl<V: Serialize> Serialize for Named<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => match number.to_i64() {
                Some(integer) => serializer.serialize_i64(integer),
                None => serializer.collect_str(number),
            },
        }
    }
}

impl Serialize for StateRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1 + self.variables.len()))?;
        map.serialize_entry(LOCATIONS, &Named(&self.locations))?;
        for (name, value) in &self.variables {
            map.serialize_entry(&variable_key(name), value)?;
        }
        map.end()
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("exact", &self.exact.to_string())?;
        map.serialize_entry("float", &self.exact.to_f64())?;
        map.end()
    }
}

impl Serialize for Decision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Scores<'a>(&'a [Score]);
        impl Serialize for Scores<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().map(|score| (&score.label, score)))
            }
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("network", &self.network)?;
        map.serialize_entry("chosen", &self.chosen)?;
        map.serialize_entry("scores", &Scores(&self.scores))?;
        if let Some(Score { label, exact }) = &self.runner_up {
            map.serialize_entry("runner_up", label)?;
            map.serialize_entry("margin", &Score { label: String::new(), exact: exact.clone() })?;
        }
        map.end()
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(operator) = &self.operator {
            map.serialize_entry("operator", operator)?;
        }
        if let Some(label) = &self.label {
            map.serialize_entry("label", label)?;
        }
        if let Some(edges) = &self.edges {
            let edges: Vec<(String, Option<usize>)> = edges.iter().map(|e| (e.automaton.clone(), e.edge)).collect();
            map.serialize_entry("edges", &Named(&edges))?;
        }
        if let Some(outcome) = &self.outcome {
            map.serialize_entry("outcome", outcome)?;
        }
        if let Some(probability) = &self.probability {
            map.serialize_entry("probability", &probability.to_string())?;
        }
        if let Some(policy) = &self.policy {
            map.serialize_entry("policy", policy)?;
        }
        map.serialize_entry("state", &self.state)?;
        map.end()
    }
}

impl Serialize for Witness {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", "run")?;
        if let Some(property) = &self.property {
            map.serialize_entry("property", property)?;
        }
        map.serialize_entry("start", &self.start)?;
        map.serialize_entry("steps", &self.steps)?;
        map.end()
    }
}
