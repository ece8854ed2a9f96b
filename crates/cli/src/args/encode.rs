//! The arguments of `encode`.

use std::path::PathBuf;

use clap::Args;
use surefoot_encode::{MOST_BITS, Starts, Target};

use super::{CommonArgs, ModelArgs};

#[derive(Debug, Args)]
pub(crate) struct EncodeArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// For whom: storm (JANI, integer neurons), jani-real (JANI, real neurons) or nuxmv (SMV)
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Target,
    /// The file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Bits after the point of weights and neurons, 1 to 40 (storm) [default: as many as lose nothing, if the numbers stay small enough]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_BITS)))]
    pub(crate) precision: Option<u32>,
    /// Where runs begin: initial (many initial states) or edges (one, with an edge to each start state); JANI only [default: initial]
    #[arg(long, value_name = "initial|edges")]
    pub(crate) starts: Option<Starts>,
}
