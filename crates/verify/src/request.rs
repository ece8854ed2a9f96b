//! What the user asked for.

use std::path::PathBuf;

use surefoot_model::lower::GivenConstant;

/// Files and options, as given.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The model.
    pub model: PathBuf,
    /// Files with further properties.
    pub properties: Vec<PathBuf>,
    /// The property by name or index.
    pub property: Option<String>,
    /// The policy, overriding the property's own.
    pub policy: Option<PathBuf>,
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

/// Whether variables that do not matter are left out of the states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Slicing {
    /// They stay: counts are those of the model as written.
    #[default]
    Off,
    /// They go.
    On,
}
