//! Options of `zoo distil`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use surefoot_train::distil::Imitation;
use surefoot_verify::Budget;
use surefoot_zoo::distil::Options;

use super::cores;
use super::number::{count, real, seconds, seed, size, threads};
use crate::process;

#[derive(Debug, Args)]
pub(crate) struct ZooDistilArgs {
    /// The domain
    #[arg(value_name = "DOMAIN")]
    pub(crate) domain: String,
    /// Parameters of its decision problem that differ from their defaults
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// The folder for the networks; it is made if it does not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Neurons of the hidden layers
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "20,20,20,20,20", value_parser = size)]
    hidden: Vec<usize>,
    /// Updates of each network
    #[arg(long, value_name = "N", default_value_t = 12_000, value_parser = count)]
    updates: u64,
    /// States of an update
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = size)]
    batch: usize,
    /// How far an update moves a network at the beginning; at the end it is a hundredth
    #[arg(long, value_name = "A", default_value_t = 4e-3, value_parser = real)]
    learning_rate: f32,
    /// Differences of costs far below this count for nothing
    #[arg(long, value_name = "T", default_value_t = 2e-4, value_parser = real)]
    temperature: f32,
    /// States on which each network is compared with the solution
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = count)]
    states: u64,
    /// Random runs under the solution, under the networks, and under nobody
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = count)]
    runs: u64,
    /// Give up after so many seconds; the networks are written as they are then
    #[arg(long, value_name = "S", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// Worker threads [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// Seed of random choices
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = seed)]
    pub(crate) seed: u64,
    /// Only the result and errors: no notices, no progress
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Write progress as JSON lines
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) events: Option<PathBuf>,
    /// Write the result object; - for standard output, which then holds nothing else
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
}

impl ZooDistilArgs {
    /// How to distil.
    pub(crate) fn options(&self) -> Options {
        let imitation = Imitation {
            hidden: self.hidden.clone(),
            updates: self.updates,
            batch: self.batch,
            learning_rate: self.learning_rate,
            temperature: self.temperature,
        };
        Options { imitation, seed: self.seed, states: self.states, runs: self.runs }
    }

    /// What may be spent, from the beginning of the process; limits are kept from now on.
    pub(crate) fn budget(&self) -> Budget {
        let budget = Budget {
            started: process::started(),
            time: self.time_limit,
            memory: None,
            threads: self.threads.unwrap_or_else(cores),
            cancel: process::cancel(),
        };
        process::watch(&budget);
        budget
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::zoo::ZooCommand;
    use super::super::{Cli, Command};

    #[test]
    fn defaults_are_those_of_the_library() {
        let cli = Cli::try_parse_from(["surefoot", "zoo", "distil", "d", "--out", "o"]).expect("it is complete");
        let Command::Zoo(args) = cli.command else { panic!("it is zoo") };
        let ZooCommand::Distil(args) = args.command else { panic!("it is distil") };
        assert_eq!(args.options(), surefoot_zoo::distil::Options::default());
    }
}
