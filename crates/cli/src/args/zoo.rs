//! Options of `zoo`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::distil::ZooDistilArgs;
use super::experiment::ZooExperimentArgs;
use super::plot::ZooPlotArgs;
use super::train::ZooTrainArgs;
use super::{CommonArgs, ModelArgs};

#[derive(Debug, Args)]
pub(crate) struct ZooArgs {
    #[command(subcommand)]
    pub(crate) command: ZooCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ZooCommand {
    /// List the domains and what they can be told
    List(ZooListArgs),
    /// Write a domain's model, properties and policy into a folder
    Generate(ZooGenerateArgs),
    /// Write predicates that split variables' domains in halves, again and again
    Predicates(Box<ZooPredicatesArgs>),
    /// Train a policy for a model by deep Q-learning
    Train(Box<ZooTrainArgs>),
    /// Carry out a paper's experiment: tables and plots, our figures beside the published ones
    Experiment(ZooExperimentArgs),
    /// Solve a domain's decision problem and make networks imitate the solution
    Distil(Box<ZooDistilArgs>),
    /// Draw a table in CSV: a cactus plot, a comparison with a peer, growth, or bands
    Plot(Box<ZooPlotArgs>),
}

#[derive(Debug, Args)]
pub(crate) struct ZooListArgs {
    /// Only this domain
    #[arg(value_name = "DOMAIN")]
    pub(crate) domain: Option<String>,
    #[command(flatten)]
    pub(crate) output: ZooOutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ZooGenerateArgs {
    /// The domain; `zoo list` has them all
    #[arg(value_name = "DOMAIN")]
    pub(crate) domain: String,
    /// Parameters that differ from their defaults
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// The folder; it is made if it does not exist, files of the same names in it are replaced, and an earlier policy is removed
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) output: ZooOutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ZooPredicatesArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// The number of predicates
    #[arg(long, value_name = "N", value_parser = super::number::size)]
    pub(crate) count: usize,
    /// The variables, in the order in which they are served [default: those that the policy reads, else all bounded integers]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) variables: Vec<String>,
    /// The file; one that is there is replaced
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ZooOutputArgs {
    /// Only the result and errors: no notices
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Write the result object; - for standard output, which then holds nothing else
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
}
