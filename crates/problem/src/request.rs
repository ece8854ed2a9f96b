//! What the user asked for.

use surefoot_model::lower::GivenConstant;

use crate::asking::Asking;
use crate::source::{PolicySource, Source};

/// Sources and options, as given.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The model.
    pub model: Source,
    /// Further properties.
    pub properties: Vec<Source>,
    /// The property by name or index.
    pub property: Option<String>,
    /// What is asked in text, instead of a property or besides one.
    pub asking: Asking,
    /// The policy, overriding the property's own.
    pub policy: Option<PolicySource>,
    /// Values of constants.
    pub constants: Vec<GivenConstant>,
    /// Whether only applicable labels count, overriding the policy file.
    pub filter: Option<bool>,
    /// Whether the objective's goal states are terminal.
    pub goal_terminal: bool,
    /// Whether symbolic engines leave the property's own predicates alone; nothing to explicit ones.
    pub ignore_predicates: bool,
    /// Start set and ties as PlaJA has them.
    pub plaja_compat: bool,
    /// Whether variables that do not matter are left out.
    pub slicing: Slicing,
}

impl Request {
    /// The files that it names, which will be read.
    pub fn files(&self) -> impl Iterator<Item = &std::path::PathBuf> {
        let texts = std::iter::once(&self.model).chain(&self.properties).filter_map(Source::file);
        texts.chain(self.policy.iter().filter_map(PolicySource::file))
    }
}

/// Whether variables that do not matter are left out of the states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Slicing {
    /// They stay: counts are those of the model as written.
    #[default]
    Off,
    /// They go.
    On,
}
