//! Options of `diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use surefoot_verify::diff::Way;

use super::{CommonArgs, ModelArgs};

/// `--policy` is given twice: the old one, then the new one.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// How: auto (reachable states within a budget, else all states of the domains, else all reachable ones), explicit (every reachable state), or region (questions about both networks)
    /// [default: auto]
    #[arg(long, value_name = "E", hide_possible_values = true, conflicts_with_all = ["invariant", "prove"])]
    pub(crate) engine: Option<WayArg>,
    /// Compare in the states of a condition, as in 'y = 2 & x > 3', reachable or not
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["invariant", "prove"])]
    pub(crate) region: Option<String>,
    /// A certificate of the old policy (of `verify --certificate`), or a result that names one: is its invariant inductive under the new policy?
    #[arg(long, value_name = "CERTIFICATE", conflicts_with = "prove")]
    pub(crate) invariant: Option<PathBuf>,
    /// The same of a proof about the old policy that is made at once, by refinement
    #[arg(long)]
    pub(crate) prove: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WayArg {
    Auto,
    Explicit,
    Region,
}

impl From<WayArg> for Way {
    fn from(way: WayArg) -> Self {
        match way {
            WayArg::Auto => Self::Auto,
            WayArg::Explicit => Self::Explicit,
            WayArg::Region => Self::Region,
        }
    }
}
