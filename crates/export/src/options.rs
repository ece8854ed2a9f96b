//! Formats and how to write them.

use std::path::Path;
use std::str::FromStr;
use std::time::Instant;

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Storm's DRN.
    Drn,
    /// PRISM's explicit files.
    Prism,
    /// The binary format UMB.
    Umb,
    /// Graphviz.
    Dot,
    /// GraphML.
    GraphMl,
}

impl Format {
    /// All formats by the extensions of their files.
    pub const ALL: [(&'static str, Self); 5] =
        [("drn", Self::Drn), ("tra", Self::Prism), ("umb", Self::Umb), ("dot", Self::Dot), ("graphml", Self::GraphMl)];

    /// The format that a file's extension names.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        path.extension()?.to_str()?.to_ascii_lowercase().parse().ok()
    }

    /// The extension of its files, which is its name too.
    #[must_use]
    pub fn extension(self) -> &'static str {
        Self::ALL.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    /// Whether it is meant to be looked at.
    #[must_use]
    pub fn is_drawing(self) -> bool {
        matches!(self, Self::Dot | Self::GraphMl)
    }

    /// How probabilities are written unless told otherwise: exactly where the format's readers take fractions.
    #[must_use]
    pub fn numbers(self) -> Numbers {
        match self {
            Self::Drn | Self::Umb | Self::Dot => Numbers::Exact,
            Self::Prism | Self::GraphMl => Numbers::Double,
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, format)| *format);
        found.ok_or_else(|| format!("there is no format '{text}': use drn, tra, umb, dot or graphml"))
    }
}

/// How probabilities are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// As fractions.
    Exact,
    /// As the nearest double, in the shortest decimal that reads back.
    Double,
}

/// What kind of process a file says it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessType {
    /// A discrete-time Markov chain: one choice per state.
    Dtmc,
    /// A Markov decision process.
    Mdp,
}

/// The most states of a drawing that is not forced.
pub(crate) const DRAWING_LIMIT: usize = 10_000;

/// How to write.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// How probabilities are written; `None` = as suits the format.
    pub numbers: Option<Numbers>,
    /// Write a decision process even where no state has a choice to make.
    pub always_mdp: bool,
    /// Draw models of any size.
    pub any_size: bool,
    /// Stop writing then.
    pub deadline: Option<Instant>,
}
