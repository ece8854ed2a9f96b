//! What was asked: constants, model, property and policy.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surefoot_certificate::Members;
use surefoot_model::lower::GivenConstant;

use super::fill::ties;
use crate::Asking;
use crate::problem::{LoadedPolicy, Problem};

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Subject {
    /// The constants whose values were given, with the values.
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, ConstantValue>"))]
    pub constants: Members<ConstantValue>,
    /// The model's name.
    pub model: String,
    /// The property; null where none was selected.
    pub property: Option<PropertyName>,
    /// What was asked in text; not there where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<AskedInText>,
    /// The policy; null where every enabled action is possible.
    pub policy: Option<PolicySummary>,
}

/// A question in text: instead of a property, or besides one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct AskedInText {
    /// The unsafe states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<String>,
    /// The start states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// Whether every run must reach the goal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub always_reach: bool,
    /// Within how many steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u64>,
    /// The formula of CTL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
}

impl AskedInText {
    fn of(asking: &Asking) -> Option<Self> {
        let Asking { never, start, goal, always_reach, within, formula } = asking.clone();
        (!asking.is_empty()).then_some(Self { never, start, goal, always_reach, within, formula })
    }
}

/// The value of a constant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum ConstantValue {
    /// A truth value.
    Bool(bool),
    /// An exact number as text, such as `3` or `7/10`.
    Number(String),
}

/// A property by name and index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct PropertyName {
    /// Its name.
    pub name: String,
    /// Its index, from 0, over the model's properties and then the further ones.
    pub index: usize,
}

/// A policy in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct PolicySummary {
    /// Its file, or in angle brackets what it is called in memory.
    pub file: String,
    /// Whether only applicable labels are in the running.
    pub filter: bool,
    /// How ties are broken.
    pub ties: TiesWord,
    /// Its networks, in the order in which they are asked.
    pub networks: Vec<NetworkSummary>,
}

/// How ties are broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TiesWord {
    /// The first maximal output wins.
    First,
    /// Every maximal output is possible.
    Any,
    /// Every output within 1e-7 of the maximum is possible.
    Plaja,
}

impl TiesWord {
    /// The word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Any => "any",
            Self::Plaja => "plaja",
        }
    }
}

/// A network in a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct NetworkSummary {
    /// Its file, or what it is called in memory.
    pub file: String,
    /// How many inputs it has.
    pub inputs: usize,
    /// The sizes of its hidden layers.
    pub hidden: Vec<usize>,
    /// How many outputs it has.
    pub outputs: usize,
    /// How many weights and biases it has.
    pub parameters: usize,
    /// Whether it is asked in every state that no network before it is asked in.
    pub everywhere: bool,
}

impl Subject {
    /// What a problem asks.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        Self {
            constants: constants(&problem.constants),
            model: problem.model().name.to_string(),
            property: problem.property.as_ref().map(|p| PropertyName { name: p.name.clone(), index: p.index }),
            question: AskedInText::of(&problem.asking),
            policy: problem.policy.as_ref().map(PolicySummary::of),
        }
    }
}

/// Constants, with the values given to them.
#[must_use]
pub fn constants(given: &[GivenConstant]) -> Members<ConstantValue> {
    let value = |c: &GivenConstant| match c.is_bool {
        true => ConstantValue::Bool(!c.value.is_zero()),
        false => ConstantValue::Number(c.value.to_string()),
    };
    let mut members: Vec<(String, ConstantValue)> = Vec::with_capacity(given.len());
    for constant in given {
        // Of several values of one constant the last counts.
        match members.iter_mut().find(|(name, _)| *name == *constant.name) {
            Some((_, known)) => *known = value(constant),
            None => members.push((constant.name.to_string(), value(constant))),
        }
    }
    Members(members)
}

impl PolicySummary {
    /// A policy.
    #[must_use]
    pub fn of(loaded: &LoadedPolicy) -> Self {
        let networks = loaded.policy.networks.iter().map(|network| NetworkSummary {
            file: network.file.clone(),
            inputs: network.network.input_len(),
            hidden: network.network.hidden_sizes(),
            outputs: network.network.output_len(),
            parameters: network.network.parameter_count(),
            everywhere: network.when.is_none(),
        });
        Self {
            file: loaded.name.clone(),
            filter: loaded.policy.filter,
            ties: ties(loaded.policy.ties),
            networks: networks.collect(),
        }
    }
}
