//! What the commands about benchmark domains add.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `zoo list` adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Domains {
    /// The domains.
    pub domains: Vec<DomainSummary>,
}

/// A domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct DomainSummary {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub summary: String,
    /// What it can be told.
    pub parameters: Vec<ParameterSummary>,
}

/// A parameter of a domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ParameterSummary {
    /// Its name.
    pub name: String,
    /// What it may be.
    pub r#type: ParameterType,
    /// What it is unless told.
    pub default: String,
    /// What it is about.
    pub about: String,
}

/// What a parameter may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ParameterType {
    /// A whole number.
    Integer {
        /// The smallest.
        least: i64,
        /// The largest.
        most: i64,
    },
    /// One of some words.
    Choice {
        /// The words.
        words: Vec<String>,
    },
    /// The path of a file or a folder.
    Path,
    /// A text.
    Text {
        /// What it looks like.
        form: String,
    },
}

/// What `zoo generate` adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Generated {
    /// The domain.
    pub domain: String,
    /// What it was told, as `name=value`.
    pub settings: Vec<String>,
    /// The folder.
    pub folder: String,
    /// The files in it.
    pub files: Vec<String>,
    /// Those of them that were there before.
    pub replaced: Vec<String>,
    /// Files of an earlier instance that were removed.
    pub removed: Vec<String>,
}
