//! The first line of a certificate: what it claims, and of what.
//!
//! Everything here is compared with a checker's own reading of the files, except for `tool`, `engine` and the names of files, which are for people.
//! Members that are not known are refused: what is not understood may change what is claimed.

use serde::{Deserialize, Serialize};

use crate::members::Members;
use crate::trouble::trouble;

/// What the member `format` says.
pub const FORMAT: &str = "surefoot-certificate";
/// The version that is read and written.
pub const VERSION: u32 = 1;

/// What a certificate claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// No run from a start state reaches the target.
    Unreachable,
    /// A run does.
    Reachable,
    /// A question about a network has no answer.
    Unsat,
}

impl Claim {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Reachable => "reachable",
            Self::Unsat => "unsat",
        }
    }

    /// What it says.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Unreachable => "no run reaches the target",
            Self::Reachable => "a run reaches the target",
            Self::Unsat => "there is no such input",
        }
    }
}

/// What follows for the property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It does not.
    Violated,
    /// Of a question about a network: there is no answer.
    Unsat,
}

impl Verdict {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
            Self::Unsat => "unsat",
        }
    }
}

/// How ties between outputs are broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// The first maximal output is chosen.
    First,
    /// Every maximal output may be.
    Any,
}

/// A property by name and place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Property {
    /// Its index over all properties.
    pub index: usize,
    /// Its name.
    pub name: String,
}

/// How model and policy are meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Semantics {
    /// How ties are broken; `None` without a policy whose outputs are labels.
    pub ties: Option<Ties>,
    /// Whether only applicable labels count; `None` likewise.
    pub filter: Option<bool>,
    /// Whether goal states have no outgoing moves.
    pub goal_terminal: bool,
    /// Whether only start states are asked about.
    pub initial_only: bool,
    /// Whether operators are taken to be absent where they are in error.
    pub assume_no_errors: bool,
}

/// The index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// What is claimed.
    pub claim: Claim,
    /// What follows for the property.
    pub verdict: Verdict,
    /// The program that wrote it.
    pub tool: String,
    /// The engine whose verdict it is.
    pub engine: String,
    /// The files that were read, with their SHA-256 in hexadecimal digits.
    pub inputs: Members<String>,
    /// Values of constants that were given, as exact numbers.
    pub constants: Members<String>,
    /// The property, where there is one.
    pub property: Option<Property>,
    /// How model and policy are meant.
    pub semantics: Semantics,
    /// The names of the state's slots: locations first, then variables.
    pub slots: Vec<String>,
    /// How many of the slots are locations.
    pub locations: usize,
    /// The action labels.
    pub actions: Vec<String>,
    /// The labels that the policy's outputs stand for.
    pub outputs: Vec<String>,
}

/// What a certificate is about: the members that all kinds have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The files that were read, with their SHA-256 in hexadecimal digits.
    pub inputs: Members<String>,
    /// Values of constants that were given, as exact numbers.
    pub constants: Members<String>,
    /// The property, where there is one.
    pub property: Option<Property>,
    /// How model and policy are meant.
    pub semantics: Semantics,
    /// The names of the state's slots: locations first, then variables.
    pub slots: Vec<String>,
    /// How many of the slots are locations.
    pub locations: usize,
    /// The action labels.
    pub actions: Vec<String>,
    /// The labels that the policy's outputs stand for.
    pub outputs: Vec<String>,
}

impl Index {
    /// What it is about.
    #[must_use]
    pub fn subject(&self) -> Subject {
        let Self { inputs, constants, property, semantics, slots, locations, actions, outputs, .. } = self.clone();
        Subject { inputs, constants, property, semantics, slots, locations, actions, outputs }
    }

    /// Reads an index.
    ///
    /// # Errors
    /// What is not as it should be, in words.
    pub fn read(line: &str) -> Result<Self, String> {
        /// What tells whether the rest can be understood.
        #[derive(Deserialize)]
        struct Head {
            format: Option<String>,
            version: Option<u32>,
        }
        let no_index = |error: serde_json::Error| format!("no index of a certificate: {}", trouble(&error));
        let head: Head = serde_json::from_str(line).map_err(no_index)?;
        if head.format.as_deref() != Some(FORMAT) {
            return Err(format!("no index of a certificate: its \"format\" is not \"{FORMAT}\""));
        }
        match head.version {
            Some(VERSION) => serde_json::from_str(line).map_err(no_index),
            Some(other) => Err(format!("the certificate is of version {other}, and this program reads {VERSION}")),
            None => Err("no index of a certificate: it has no \"version\"".to_owned()),
        }
    }
}
