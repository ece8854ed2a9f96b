//! Options of `zoo experiment`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use surefoot_experiments::Options;

use super::number::{megabytes, seconds, some, threads};
use super::zoo::ZooOutputArgs;

#[derive(Debug, Args)]
pub(crate) struct ZooExperimentArgs {
    /// The experiment; without one they are listed
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The folder for tables, plots and the journal of runs; an interrupted experiment goes on there [default: experiments/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The benchmark set
    #[arg(long, value_name = "FILE", default_value = "benchmarks/index.json")]
    set: PathBuf,
    /// Few instances, short limits: some seconds instead of hours
    #[arg(long)]
    quick: bool,
    /// Only instances that have one of these in their names
    #[arg(long, value_name = "TEXT,TEXT", value_delimiter = ',')]
    only: Vec<String>,
    /// How many seeds, where there are several
    #[arg(long, value_name = "N", value_parser = some)]
    seeds: Option<u32>,
    /// Seconds for each run [default: the experiment's own]
    #[arg(long, value_name = "S", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// Megabytes for each run
    #[arg(long, value_name = "MB", value_parser = megabytes)]
    memory_limit: Option<usize>,
    /// How many runs at once; times mean most with one
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    jobs: usize,
    /// A folder with what others published: PlaJA's models and networks, and those of the paper on neural agents
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// A Python interpreter, for what asks other programs: HiGHS, Storm, Z3 and Marabou
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,
    /// Write JSON lines about the progress
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: ZooOutputArgs,
}

impl ZooExperimentArgs {
    /// What is said of an experiment.
    pub(crate) fn options(&self, name: &str) -> Options {
        Options {
            out: self.out.clone().unwrap_or_else(|| PathBuf::from("experiments").join(name)),
            set: self.set.clone(),
            quick: self.quick,
            only: self.only.clone(),
            seeds: self.seeds,
            time_limit: self.time_limit.map(|limit| limit.as_secs_f64()),
            memory_limit: self.memory_limit.map(|megabytes| megabytes as u64),
            jobs: self.jobs,
            data: self.data.clone(),
            python: self.python.clone(),
        }
    }
}
