//! Options of `ctl`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::report::PageArgs;
use super::{AssumeArgs, CommonArgs, ModelArgs};

#[derive(Debug, Args)]
pub(crate) struct CtlArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// The formula, as in "AX^3 (h > 100 | h < -100)" or "AG[<=10] !(tile = 3)"; without it the property is taken
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) formula: Option<String>,
    /// The procedure: auto (every state where they are few, else exact); exact (regions of states, also over reals); or the paper's, by a MILP solver: monolithic (one program), compositional (many small ones)
    #[arg(long, value_name = "M", default_value = "auto", hide_possible_values = true)]
    pub(crate) method: CtlMethodArg,
    /// How many programs are solved at once (compositional; 8 unless said); otherwise the same as --threads
    #[arg(long, value_name = "N", value_parser = super::number::threads)]
    pub(crate) jobs: Option<usize>,
    /// The MILP solver: the executable highs, or a Python that has highspy; else $SUREFOOT_HIGHS; else highs or python3 beside this program or on the PATH
    #[arg(long, value_name = "FILE")]
    pub(crate) solver: Option<PathBuf>,
    /// Writes the programs to a folder, in LP format with indicators
    #[arg(long, value_name = "DIR")]
    pub(crate) write_lp: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) assume: AssumeArgs,
    #[command(flatten)]
    pub(crate) report: PageArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CtlMethodArg {
    Auto,
    Exact,
    Monolithic,
    Compositional,
}
