//! What to write.

use std::str::FromStr;

/// Which checker the text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// JANI with integer neurons: Storm, and others that know no real variables.
    Storm,
    /// JANI with real neurons.
    JaniReal,
    /// SMV: nuXmv.
    Nuxmv,
}

impl Target {
    /// The name users know.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Storm => "storm",
            Self::JaniReal => "jani-real",
            Self::Nuxmv => "nuxmv",
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Storm, Self::JaniReal, Self::Nuxmv];
        let named = all.into_iter().find(|target| target.name() == text);
        named.ok_or_else(|| "expected one of storm, jani-real, nuxmv".to_owned())
    }
}

/// Where the runs of a JANI text begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Starts {
    /// In every start state: variables without initial values, and `restrict-initial`.
    #[default]
    Initial,
    /// In one state more, from which a silent edge leads to each start state.
    Edges,
}

impl FromStr for Starts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "initial" => Ok(Self::Initial),
            "edges" => Ok(Self::Edges),
            _ => Err("expected initial or edges".to_owned()),
        }
    }
}

/// The most bits that may be asked for.
pub const MOST_BITS: u32 = 40;

/// How to write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// For whom.
    pub target: Target,
    /// Bits after the point of weights and neurons, at most; `None` = none lost if the numbers stay small enough, else as many as keep them so.
    pub precision: Option<u32>,
    /// Where runs begin.
    pub starts: Starts,
}
