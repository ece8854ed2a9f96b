//! What `explain` adds to the object: a choice, and what would change it.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surefoot_certificate::{Decision, StateRecord};

/// What `explain` adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Explained {
    /// The state.
    #[cfg_attr(test, schemars(with = "super::schema::StateShape"))]
    pub state: StateRecord,
    /// What the policy chooses there.
    #[cfg_attr(test, schemars(with = "super::schema::DecisionShape"))]
    pub decision: Decision,
    /// How far the best of the other labels is behind, as a fraction; null where there is none.
    pub margin: Option<String>,
    /// What each variable that the policy sees does to the choice, the others staying as they are.
    pub alone: Vec<AloneRecord>,
    /// A nearest state with another choice; null where there is none, or a limit was met.
    pub nearest: Option<NearestRecord>,
    /// Whether the choice is the same in all states with these locations.
    pub same_everywhere: bool,
}

/// What a variable does to a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct AloneRecord {
    /// The variable.
    pub variable: String,
    /// Its value.
    pub value: String,
    /// The nearest smaller value with another choice; else null.
    pub below: Option<TurnRecord>,
    /// The nearest larger one; else null.
    pub above: Option<TurnRecord>,
}

/// A value with another choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TurnRecord {
    /// The value.
    pub value: String,
    /// The labels chosen then.
    pub chosen: Vec<String>,
}

/// A nearest state with another choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct NearestRecord {
    /// By how much its variables differ at most; with less the choice stays.
    pub distance: String,
    /// The variables that differ.
    pub changed: Vec<String>,
    /// The labels chosen there.
    pub chosen: Vec<String>,
    /// The state.
    #[cfg_attr(test, schemars(with = "super::schema::StateShape"))]
    pub state: StateRecord,
}
