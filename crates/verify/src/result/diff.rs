//! What `diff` adds to the object.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surefoot_certificate::StateRecord;

use super::subject::PolicySummary;

/// What `diff` adds. `policy` is the first policy; labels are in the order in which the model has them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Comparison {
    /// The second policy.
    pub other_policy: PolicySummary,
    /// Whether both choose alike: in all reachable states, or in the region; null where that is not known, or an invariant was asked about.
    pub alike: Option<bool>,
    /// What was found in reachable states; null where they were not visited.
    pub reachable: Option<ReachableRecord>,
    /// What a region took, or all states of the domains; null where nothing was asked about one.
    pub region: Option<AskedRecord>,
    /// A state that tells the policies apart, or from which the second leaves the invariant; else null.
    pub difference: Option<DifferenceRecord>,
    /// What became of the invariant; null where none was asked about.
    pub invariant: Option<ReusedRecord>,
}

/// How often policies differ in reachable states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ReachableRecord {
    /// In states reachable under the first.
    pub old: SideRecord,
    /// In states reachable under the second; null where these are the same, as no state that the first reaches tells them apart, or a limit was met before.
    pub new: Option<SideRecord>,
    /// In states reachable under either, as far as they were visited.
    pub union: TallyRecord,
}

/// How often they differ in states reachable under one of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct SideRecord {
    /// How often.
    #[serde(flatten)]
    pub tally: TallyRecord,
    /// Why not all of them were visited, where not; else null.
    pub stopped: Option<String>,
}

/// How often policies differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TallyRecord {
    /// States that were looked at.
    pub states: u64,
    /// Those in which the policies are asked.
    pub asked: u64,
    /// Those in which they differ.
    pub differing: u64,
    /// The share of the states in which they differ; null where there are none.
    pub share: Option<f64>,
    /// The same by what they choose.
    pub pairs: Vec<PairRecord>,
}

/// In how many states one policy chooses this and the other that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct PairRecord {
    /// What the first chooses: one label, several under ties, none where the filter leaves none.
    pub old: Vec<String>,
    /// What the second does.
    pub new: Vec<String>,
    /// In so many states.
    pub states: u64,
}

/// What questions about a region took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct AskedRecord {
    /// The region as text; null: all states of the domains.
    pub condition: Option<String>,
    /// Questions that were asked.
    pub questions: u64,
    /// Nodes of the oracle's searches.
    pub nodes: u64,
}

/// A state that tells policies apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct DifferenceRecord {
    /// The state.
    #[cfg_attr(test, schemars(with = "super::schema::StateShape"))]
    pub state: StateRecord,
    /// What the first chooses there; null where none of its networks is responsible.
    pub old: Option<Vec<String>>,
    /// What the second does.
    pub new: Option<Vec<String>>,
    /// Steps of a shortest run to a state that tells them apart, which `witness` is; null where the state need not be reachable.
    pub steps: Option<u64>,
    /// Whether no lesser state is as near (values compared one after the other, locations first); null where it need not be reachable.
    pub least: Option<bool>,
    /// How the second policy leaves the invariant there; null where none was asked about.
    pub leaving: Option<LeavingRecord>,
}

/// A step out of an invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct LeavingRecord {
    /// The operator in words.
    pub operator: String,
    /// The state outside that it leads to.
    #[cfg_attr(test, schemars(with = "super::schema::StateShape"))]
    pub successor: StateRecord,
}

/// What became of an invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ReusedRecord {
    /// Where it comes from, in words.
    pub source: String,
    /// Whether it is inductive under the second policy, which is safe then; null where that is not known. Where it is not, that says nothing of safety.
    pub inductive: Option<bool>,
    /// Regions of it.
    pub regions: u64,
    /// States that it lists.
    pub states: u64,
    /// Regions that were looked at.
    pub regions_asked: u64,
    /// Those among them in which the second policy permits something that the first does not, or may do so.
    pub regions_changed: u64,
    /// Listed states that were looked at.
    pub states_asked: u64,
    /// Those among them in which the policies differ.
    pub states_changed: u64,
    /// Questions that were asked.
    pub questions: u64,
    /// Nodes of the oracle's searches.
    pub nodes: u64,
    /// Questions that a check of every move asks at least, in what was looked at: one for each region and move.
    pub questions_from_nothing: u64,
    /// Questions of the proof under the first policy, where it was made for this; else null.
    pub questions_of_the_proof: Option<u64>,
}
