//! What `check` finds out.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surefoot_certificate::Members;

use super::subject::{ConstantValue, PolicySummary};

/// What `check` adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Check {
    /// The constants whose values were given, with the values.
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, ConstantValue>"))]
    pub constants: Members<ConstantValue>,
    /// Whether everything could be read.
    pub readable: bool,
    /// The model; null where it could not be read.
    pub model: Option<ModelSummary>,
    /// The properties, in their order.
    pub properties: Vec<PropertySummary>,
    /// Whether `ctl` can do anything with the model; null where that was not looked at.
    pub ctl: Option<ClassSummary>,
    /// The policy given, or those that properties name.
    pub policies: Vec<PolicySummary>,
    /// What the networks of the policies read, in order.
    #[serde(default)]
    pub network_inputs: Vec<NetworkInputs>,
    /// Constants without a value.
    pub undefined_constants: Vec<UndefinedConstant>,
    /// Errors, warnings and notices.
    pub diagnostics: Vec<DiagnosticRecord>,
}

/// A model in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ModelSummary {
    /// Its name.
    pub name: String,
    /// Its type: `lts`, `dtmc` or `mdp`.
    pub kind: String,
    /// Its automata, by instance.
    pub automata: Vec<String>,
    /// Its variables.
    pub variables: Vec<VariableSummary>,
    /// Its actions.
    pub actions: Vec<String>,
    /// How many edges it has; this and the rest is left out where constants are missing.
    #[serde(flatten)]
    pub structure: Option<Structure>,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct VariableSummary {
    /// Its name.
    pub name: String,
    /// Its domain in words; null where constants are missing.
    pub domain: Option<String>,
}

/// The structure of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Structure {
    /// Edges of all automata.
    pub edges: usize,
    /// Synchronisation vectors.
    pub vectors: usize,
    /// Operators: combinations of edges that move together.
    pub operators: u64,
    /// Whether every variable has finitely many values.
    pub discrete: bool,
}

/// A property in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct PropertySummary {
    /// Its index, from 0.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// What it is written as: `PA`, `filter` or `other`.
    pub kind: String,
    /// Whether something can be done with it.
    pub supported: bool,
    /// Why not; null where it can.
    pub reason: Option<String>,
}

/// Whether a model is in the class of `ctl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ClassSummary {
    /// Whether it is.
    pub supported: bool,
    /// Why not; null where it is.
    pub reason: Option<String>,
}

/// What a network reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct NetworkInputs {
    /// Its file.
    pub network: String,
    /// Its inputs, in order.
    pub inputs: Vec<InputSummary>,
    /// Scores that are closer than this, over the reals, may come out in another order in float32; null where nothing is known, as where a
    /// number may overflow.
    pub float32_band: Option<f64>,
}

/// An input of a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct InputSummary {
    /// What is read, over the variables.
    pub expression: String,
    /// Its range over the variables' domains.
    pub range: String,
    /// How the network normalises it first, `v` being what is read; null where it does not.
    pub normaliser: Option<String>,
    /// The range that the network states; null where it states none.
    pub stated_range: Option<String>,
    /// Whether the range goes beyond the stated one.
    pub outside: bool,
}

/// A constant without a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct UndefinedConstant {
    /// Its name.
    pub name: String,
    /// Its type.
    pub r#type: String,
}

/// An error, a warning or a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct DiagnosticRecord {
    /// What it is: `error`, `warning` or `notice`.
    pub severity: String,
    /// What it says.
    pub message: String,
    /// The file it is about; this, line and column are left out where it is about no place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}
