//! Options of `ctl`.

use clap::{Args, ValueEnum};

use super::{CommonArgs, ModelArgs};

#[derive(Debug, Args)]
pub(crate) struct CtlArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// The formula, as in "AX^3 (h > 100 | h < -100)" or "AG[<=10] !(tile = 3)"; without it the property is taken
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) formula: Option<String>,
    /// The procedure: auto (exact, built in)
    #[arg(long, value_name = "M", default_value = "auto", hide_possible_values = true)]
    pub(crate) method: CtlMethodArg,
    /// The same as --threads
    #[arg(long, value_name = "N", value_parser = super::threads)]
    pub(crate) jobs: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CtlMethodArg {
    Auto,
}
