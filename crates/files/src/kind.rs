//! What is read, and how long it may be.
//!
//! Bounds are far beyond what is sensible and far below what would fill a machine: an endless stream ends in a message.

use std::fmt;

/// What a file is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A model, or a part of one.
    Model,
    /// A file of properties.
    Properties,
    /// A policy: which network is asked, and how.
    Policy,
    /// A network.
    Network,
    /// Weights that a network keeps beside it.
    Weights,
    /// Predicates.
    Predicates,
    /// The predicates of an earlier run, which this one goes on with and writes again.
    Checkpoint,
    /// Questions about a network.
    Query,
    /// The result of an earlier run.
    Result,
    /// A map of a benchmark domain.
    Map,
    /// How states are drawn.
    Drawing,
    /// A certificate, which is read line by line.
    Certificate,
    /// What another program answered.
    Answer,
    /// A set of benchmarks.
    Benchmarks,
    /// The runs of an experiment so far.
    Journal,
    /// A program.
    Program,
    /// A table in CSV.
    Table,
}

const MIB: u64 = 1 << 20;

impl Kind {
    /// The most bytes that such a file may have.
    #[must_use]
    pub fn most(self) -> u64 {
        match self {
            Self::Model | Self::Properties | Self::Result => 256 * MIB,
            Self::Policy | Self::Predicates | Self::Checkpoint => 64 * MIB,
            Self::Network | Self::Weights => 1024 * MIB,
            Self::Query | Self::Answer => 256 * MIB,
            Self::Certificate => 4096 * MIB,
            Self::Map | Self::Drawing => MIB,
            Self::Benchmarks | Self::Table => 64 * MIB,
            Self::Journal | Self::Program => 4096 * MIB,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Model => "a model",
            Self::Properties => "a file of properties",
            Self::Policy => "a policy file",
            Self::Network => "a network",
            Self::Weights => "a file of weights",
            Self::Predicates => "a file of predicates",
            Self::Checkpoint => "a checkpoint",
            Self::Query => "a file of queries",
            Self::Result => "a result",
            Self::Certificate => "a certificate",
            Self::Map => "a map",
            Self::Drawing => "a drawing",
            Self::Answer => "a solver's answer",
            Self::Benchmarks => "a set of benchmarks",
            Self::Journal => "a journal of runs",
            Self::Program => "a program",
            Self::Table => "a table",
        })
    }
}
