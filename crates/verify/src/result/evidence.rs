//! What shows a verdict: a run, a tree of runs, or a scheduler.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surefoot_certificate::{StateRecord, Witness};

#[cfg(test)]
use super::schema::{RunShape, StateShape};

/// What shows a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum Evidence {
    /// A run, replayed in exact arithmetic.
    Run(#[cfg_attr(test, schemars(with = "RunShape"))] Box<Witness>),
    /// A tree of runs, for formulas that fail whatever happens somewhere.
    Tree(Tree),
    /// What a scheduler does, for probabilities.
    Scheduler(SchedulerWitness),
}

/// A graph of states; node 0 is a start state in which the formula fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Tree {
    /// What it is.
    pub kind: TreeKind,
    /// The nodes.
    pub nodes: Vec<TreeNode>,
    /// What nodes rest on that speak of all that can happen; null or left out where the tree itself shows everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<TreeRests>,
}

/// What a tree rests on where something holds whatever happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TreeRests {
    /// How many states can follow the nodes that rest on something, with their own.
    pub states: u64,
    /// How it was checked in them.
    pub checked: TreeCheck,
}

/// How it was checked that something holds whatever happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TreeCheck {
    /// In each of these states the equations of the formula hold, with successors and conditions by the reference interpreter.
    Replay,
    /// They hold, with successors and conditions as they were explored.
    Equations,
    /// There were too many numbers for a second pass: it rests on the first.
    None,
}

/// The kind of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub enum TreeKind {
    /// A tree of runs.
    #[serde(rename = "tree")]
    Tree,
}

/// A state and the steps that matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TreeNode {
    /// The state.
    #[cfg_attr(test, schemars(with = "StateShape"))]
    pub state: StateRecord,
    /// The steps.
    pub steps: Vec<TreeStep>,
    /// Whether these are all there are: the formula fails whatever happens here.
    pub all_successors: bool,
    /// Whether the formula fails here because of what never changes, whatever happens from here on; that is not shown.
    pub for_ever: bool,
    /// What is shown of this state, as formulas; left out where there are no words for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<String>,
    /// What holds here whatever happens, as formulas: it rests on all states that can follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests: Vec<String>,
}

/// A step of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TreeStep {
    /// The operator in words; null where the state has no successors and stays.
    pub operator: Option<String>,
    /// The action; null for silent steps.
    pub label: Option<String>,
    /// The destination taken per edge, from 0.
    pub outcome: Option<Vec<u32>>,
    /// The node after it.
    pub target: usize,
}

/// What the opponent does for the value that is reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct SchedulerWitness {
    /// The start state whose value is reported.
    #[cfg_attr(test, schemars(with = "StateShape"))]
    pub start: StateRecord,
    /// What it does where it has a choice, for the first thousand states.
    pub scheduler: Vec<SchedulerChoice>,
    /// In how many states it has a choice.
    pub scheduler_states: usize,
}

/// What a scheduler does in a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct SchedulerChoice {
    /// The state, without variables that were left out.
    #[cfg_attr(test, schemars(with = "StateShape"))]
    pub state: StateRecord,
    /// The label of what it chooses, or `(silent)`.
    pub action: String,
    /// Which of the state's choices that is, from 0, in the model's order.
    pub choice: u32,
}
