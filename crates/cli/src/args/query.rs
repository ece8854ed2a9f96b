//! Options of `verify` and `check` where a VNN-LIB query stands in the place of a model.
//!
//! They are commands of their own, hidden: no option of models means anything to them. Which of the two is meant is told by
//! the name of the file ([`rename`]).

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args};
use surefoot_network::Activation;
use surefoot_verify::decide::NetworkSource;

use super::network;
use super::number::{megabytes, seconds, seed, threads};

/// What stands behind the name of a command that is about queries.
pub(crate) const SUFFIX: &str = "-query";

#[derive(Debug, Args)]
#[command(
    override_usage = "surefoot verify QUERY.vnnlib --network NAME=FILE [--network NAME=FILE ...] [--timeout S] [OPTIONS]"
)]
pub(crate) struct VerifyQueryArgs {
    /// The query, in VNN-LIB; .vnnlib.gz too
    #[arg(value_name = "QUERY.vnnlib")]
    pub(crate) query: PathBuf,
    /// The file of a network that the query declares, once for each that is not equal to another
    #[arg(long, value_name = "NAME=FILE", value_parser = network, required = true)]
    pub(crate) network: Vec<NetworkSource>,
    /// Give up after so many seconds
    #[arg(long, alias = "time-limit", value_name = "S", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Write the state as ONNX tensors into this folder, a file NAME.pb for each input and output, and not to standard output
    #[arg(long, value_name = "FOLDER")]
    pub(crate) serialise_assignments: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) answering: AnsweringArgs,
}

/// How questions about networks are answered, and where that is told.
#[derive(Debug, Args)]
pub(crate) struct AnsweringArgs {
    /// What stands between the layers of a .safetensors file that does not say it
    #[arg(long, value_name = "relu|tanh|...|identity")]
    pub(crate) activation: Option<Activation>,
    /// Give up on a query when its open nodes take more than so many megabytes
    #[arg(long, value_name = "MB", value_parser = megabytes)]
    pub(crate) memory_limit: Option<usize>,
    /// Queries decided at the same time; threads that are left over share the long ones [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Seed of random choices
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = seed)]
    pub(crate) seed: u64,
    /// Only the answers and errors
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Write the result object; - for standard output, which then holds nothing else
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(override_usage = "surefoot check QUERY.vnnlib [--network NAME=FILE ...] [OPTIONS]")]
pub(crate) struct CheckQueryArgs {
    /// The query, in VNN-LIB; .vnnlib.gz too
    #[arg(value_name = "QUERY.vnnlib")]
    pub(crate) query: PathBuf,
    /// The file of a network that the query declares
    #[arg(long, value_name = "NAME=FILE", value_parser = network)]
    pub(crate) network: Vec<NetworkSource>,
    /// What stands between the layers of a .safetensors file that does not say it
    #[arg(long, value_name = "relu|tanh|...|identity")]
    pub(crate) activation: Option<Activation>,
    /// Only the findings and errors
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// What the VNN-LIB standard has tools ask a solver: one of these.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("capability").required(true).multiple(false)))]
pub(crate) struct SupportsArgs {
    /// The first and the last operator set of ONNX
    #[arg(long, group = "capability")]
    pub(crate) onnx_opset_versions: bool,
    /// Element types of declarations
    #[arg(long, group = "capability")]
    pub(crate) onnx_element_types: bool,
    /// Operators of ONNX
    #[arg(long, group = "capability")]
    pub(crate) onnx_operators: bool,
    /// The first and the last version of VNN-LIB
    #[arg(long, group = "capability")]
    pub(crate) vnnlib_versions: bool,
    /// Hidden nodes: NH, H
    #[arg(long, group = "capability")]
    pub(crate) hidden_node_theories: bool,
    /// Several inputs and outputs: SIO, MIO
    #[arg(long, group = "capability")]
    pub(crate) multiple_input_output_theories: bool,
    /// Several networks: SNET, MENET, MINET, MNET
    #[arg(long, group = "capability")]
    pub(crate) multiple_network_theories: bool,
    /// Comparisons of several nodes: SNC, MNC
    #[arg(long, group = "capability")]
    pub(crate) multiple_node_comparison_theories: bool,
    /// Arithmetic: BND, OUTC, LIN, POLY
    #[arg(long, group = "capability")]
    pub(crate) arithmetic_complexity_theories: bool,
    /// Whether disjunctions are searched as they are, and not written out first
    #[arg(long, group = "capability")]
    pub(crate) optimised_disjunctive_reasoning: bool,
    /// Whether `verify` has --serialise-assignments
    #[arg(long, group = "capability")]
    pub(crate) serialise_assignments: bool,
    /// Whether `verify` has --unsat-proofs
    #[arg(long, group = "capability")]
    pub(crate) unsat_proofs: bool,
}

/// Gives `verify` and `check` the names of the commands for queries, where a word is the name of a query.
pub(crate) fn rename(words: &mut [OsString]) {
    let is_query = |word: &OsString| {
        let word = word.to_string_lossy().to_ascii_lowercase();
        !word.starts_with('-') && !word.contains('=') && (word.ends_with(".vnnlib") || word.ends_with(".vnnlib.gz"))
    };
    // An option may name anything; a model that is named makes it an option's.
    let has_query = words.iter().skip(2).any(is_query);
    let has_model = words.iter().skip(2).any(|word| word.to_string_lossy().to_ascii_lowercase().ends_with(".jani"));
    if let Some(command) = words.get_mut(1).filter(|word| *word == "verify" || *word == "check")
        && has_query
        && !has_model
    {
        command.push(SUFFIX);
    }
}
