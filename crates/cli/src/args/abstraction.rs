//! Options of `abstract`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use surefoot_abstraction::{Configuration, Method};
use surefoot_verify::abstraction::Count;

use super::certificate::CertificateArgs;
use super::oracle::OracleArgs;
use super::report::PageArgs;
use super::{AssumeArgs, CommonArgs, ModelArgs};

#[derive(Debug, Args)]
pub(crate) struct AbstractArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// The predicates: a JANI array of expressions, or an object that has one as its "predicates" [default: the property's own]
    #[arg(long, value_name = "FILE")]
    pub(crate) predicates: Option<PathBuf>,
    /// How successors are found: builtin; or as the paper does, without the policy (pa), with it over the reals (pa+relaxed), exactly by
    /// branch and bound (pa+bb), or exactly after the relaxed test (pa+relaxed+smt)
    #[arg(long, value_name = "M", hide_possible_values = true, default_value = "builtin")]
    pub(crate) method: MethodArg,
    /// Write the abstract state space; the extension names the format: .json, .dot or .graphml
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// What a transition is: a pair of source and target, or source, operator, outcome and target
    #[arg(long, value_name = "pair|operator", hide_possible_values = true, default_value = "pair")]
    pub(crate) count: CountArg,
    /// Expand unsafe abstract states too
    #[arg(long)]
    pub(crate) expand_unsafe: bool,
    /// Stop at the first unsafe abstract state
    #[arg(long)]
    pub(crate) first_unsafe: bool,
    /// Give up when there are more abstract states than this
    #[arg(long, value_name = "N", value_parser = super::number::size)]
    pub(crate) max_states: Option<usize>,
    /// List abstract states in which the policy may choose a label that is not applicable
    #[arg(long)]
    pub(crate) deadlocks: bool,
    /// Build the abstraction with probabilities as well, whose transitions lead to distributions, and say what both took
    #[arg(long, conflicts_with_all = ["expand_unsafe", "first_unsafe"])]
    pub(crate) distributions: bool,
    #[command(flatten)]
    pub(crate) assume: AssumeArgs,
    #[command(flatten)]
    pub(crate) certificate: CertificateArgs,
    #[command(flatten)]
    pub(crate) oracle: OracleArgs,
    #[command(flatten)]
    pub(crate) report: PageArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodArg {
    Builtin,
    Pa,
    #[value(name = "pa+relaxed")]
    Relaxed,
    #[value(name = "pa+bb")]
    BranchAndBound,
    #[value(name = "pa+relaxed+smt")]
    RelaxedThenExact,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CountArg {
    Pair,
    Operator,
}

impl MethodArg {
    pub(crate) fn method(self) -> Method {
        match self {
            Self::Builtin => Method::Builtin,
            Self::Pa => Method::Paper(Configuration::PLAIN),
            Self::Relaxed => Method::Paper(Configuration::RELAXED),
            Self::BranchAndBound => Method::Paper(Configuration::BRANCH_AND_BOUND),
            Self::RelaxedThenExact => Method::Paper(Configuration::RELAXED_THEN_EXACT),
        }
    }
}

impl CountArg {
    pub(crate) fn count(self) -> Count {
        match self {
            Self::Pair => Count::Pair,
            Self::Operator => Count::Operator,
        }
    }
}
