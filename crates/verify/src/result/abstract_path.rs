//! Abstract states and transitions, as results and graph files have them.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surefoot_certificate::{Members, StateRecord};

#[cfg(test)]
use super::schema::StateShape;

/// A path of an abstraction, which need not be one of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct AbstractPath {
    /// An abstract start state.
    pub start: AbstractState,
    /// The transitions, with the states after them.
    pub steps: Vec<AbstractStep>,
}

/// An abstract state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct AbstractState {
    /// Its number.
    pub id: u32,
    /// The location of each automaton.
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, String>"))]
    pub locations: Members<String>,
    /// What holds there: each predicate or its negation, in words.
    pub predicates: Vec<String>,
    /// The same as truth values of the predicates, in their order.
    pub values: Vec<bool>,
}

/// A transition between abstract states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct AbstractTransition {
    /// The number of the abstract state that it leaves.
    pub source: u32,
    /// The number of the abstract state that it leads to.
    pub target: u32,
    /// The action; null for silent ones.
    pub label: Option<String>,
    /// The operator in words.
    pub operator: Option<String>,
    /// The destination taken per edge, from 0.
    pub outcome: Option<Vec<u32>>,
    /// A state of the source that has a successor in the target.
    #[cfg_attr(test, schemars(with = "StateShape"))]
    pub witness: StateRecord,
}

/// A transition, and the state after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct AbstractStep {
    /// The transition.
    #[serde(flatten)]
    pub transition: AbstractTransition,
    /// The abstract state after it.
    pub state: AbstractState,
}

/// Where the policy may choose what is not applicable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct AbstractDeadlock {
    /// The number of the abstract state.
    pub state: u32,
    /// What holds there.
    pub predicates: Vec<String>,
    /// The label that is chosen.
    pub label: String,
    /// Whether the abstract state has no transitions at all.
    pub terminal: bool,
    /// A state of it in which the label is chosen and not applicable.
    #[cfg_attr(test, schemars(with = "StateShape"))]
    pub witness: StateRecord,
    /// Whether a run of the model comes to such a state.
    pub reached: Reached,
    /// The states of that run, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Vec<StateShape>>"))]
    pub run: Option<Vec<StateRecord>>,
    /// Why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether a run comes to a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum Reached {
    /// It does, or does not.
    Known(bool),
    /// It is not known.
    Unknown(UnknownWord),
}

/// The word for what is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub enum UnknownWord {
    /// Not known.
    #[serde(rename = "unknown")]
    Unknown,
}
