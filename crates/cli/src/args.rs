//! Options.

pub(crate) mod abstraction;
pub(crate) mod bounds;
pub(crate) mod cegar;
pub(crate) mod certificate;
pub(crate) mod ctl;
pub(crate) mod diff;
pub(crate) mod distil;
pub(crate) mod encode;
pub(crate) mod experiment;
mod number;
pub(crate) mod oracle;
mod parse;
pub(crate) mod plot;
pub(crate) mod query;
pub(crate) mod report;
pub(crate) mod train;
pub(crate) mod zoo;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand, ValueEnum};
use surefoot_export::Format;
use surefoot_limits::Cancel;
use surefoot_model::lower::GivenConstant;
use surefoot_num::Rational;
use surefoot_verify::decide::NetworkSource;
use surefoot_verify::{Asking, Budget, EngineChoice, PolicySource, Request, Slicing};

use abstraction::AbstractArgs;
use bounds::AlgorithmArgs;
use cegar::CegarArgs;
use certificate::{CertificateArgs, CertifyArgs};
use ctl::CtlArgs;
use diff::DiffArgs;
use encode::EncodeArgs;
use number::{count, depth, megabytes, precision, probability, seconds, seed, threads};
use oracle::OracleArgs;
use query::{AnsweringArgs, CheckQueryArgs, SupportsArgs, VerifyQueryArgs};
use report::{PageArgs, ReportArgs, ViewArgs};
use zoo::ZooArgs;

pub(crate) use parse::parse;

use crate::process;

/// Proves neural action policies safe, or shows how they fail.
#[derive(Debug, Parser)]
#[command(name = "surefoot", version, max_term_width = 110)]
#[command(
    after_help = "Exit codes: 0 holds (or done), 1 violated, 2 error in input or use, 3 unknown (limit reached)."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read everything and report what it is; of a VNN-LIB query, what is odd about it
    Check(CheckArgs),
    /// Visit all reachable states and count them
    Explore(ExploreArgs),
    /// Make random runs
    Simulate(SimulateArgs),
    /// Decide a property: can an unsafe state be reached? Or a VNN-LIB query: `verify QUERY.vnnlib --network NAME=FILE`
    Verify(VerifyArgs),
    /// Predicate abstraction under the policy: figures, graph, and a verdict where nothing unsafe is reached
    Abstract(AbstractArgs),
    /// Bound a probability: decide a bound, or derive an interval
    Bounds(BoundsArgs),
    /// Decide a formula of bounded CTL, over reals too
    Ctl(CtlArgs),
    /// Decide single questions about a network: is there an input with a wanted property?
    Decide(DecideArgs),
    /// Read a query about networks and report what is odd about it
    #[command(hide = true)]
    CheckQuery(CheckQueryArgs),
    /// Verify a query about networks
    #[command(hide = true)]
    VerifyQuery(VerifyQueryArgs),
    /// Tell what queries of VNN-LIB are understood, as its standard asks solvers
    Supports(SupportsArgs),
    /// Write the policy-induced (or full) model for other checkers
    Induce(InduceArgs),
    /// Write the system with its policy as part of it, for other checkers
    Encode(EncodeArgs),
    /// Step through a counterexample, exactly and in float32
    Replay(ReplayArgs),
    /// Show what a choice of the policy hinges on: scores, the nearest states with another choice, the variables that matter
    Explain(ExplainArgs),
    /// Compare two policies: do they choose alike, and does a proof about one hold of the other?
    Diff(DiffArgs),
    /// Judge a certificate, by code that contains no engine: 0 accepted, 1 rejected, 2 unreadable
    Certify(CertifyArgs),
    /// Write one HTML file that shows a result: its run, the policy, the abstraction
    Report(ReportArgs),
    /// Serve a page on this computer alone: step the policy by hand, try predicates, ask about regions
    View(ViewArgs),
    /// Benchmark domains: list them, generate instances; train policies
    Zoo(ZooArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// Number of runs
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count)]
    pub(crate) runs: u64,
    /// Steps per run, at most
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count)]
    pub(crate) steps: u64,
    /// Write all states of all runs: a line per state, or per run
    #[arg(long, value_name = "FILE.csv|FILE.jsonl")]
    pub(crate) traces: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// Leave variables out of the states that the answer cannot depend on
    #[arg(long, value_name = "on|off", hide_possible_values = true, default_value = "off")]
    pub(crate) slice: Switch,
    /// The engine: auto (several in turn), explicit (every reachable state), cegar (predicate abstraction, refined until it decides), or bmc (all
    /// paths, shortest first)
    #[arg(long, value_name = "E", default_value = "auto")]
    pub(crate) engine: EngineChoice,
    /// Look at paths of at most so many steps (--engine bmc)
    #[arg(long, value_name = "N", value_parser = depth)]
    pub(crate) max_depth: Option<u32>,
    /// Which run shows what is found: a shortest one, or one than which none is likelier, with its probability (explicit engine)
    #[arg(long, value_name = "shortest|likeliest", hide_possible_values = true)]
    pub(crate) witness: Option<WitnessArg>,
    /// Write the verdict of each start state (explicit engine)
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) per_start: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) time: TimeArgs,
    #[command(flatten)]
    pub(crate) assume: AssumeArgs,
    #[command(flatten)]
    pub(crate) certificate: CertificateArgs,
    #[command(flatten)]
    pub(crate) oracle: OracleArgs,
    #[command(flatten)]
    pub(crate) report: PageArgs,
    #[command(flatten)]
    pub(crate) cegar: CegarArgs,
}

/// Questions about what happens in time.
#[derive(Debug, Args)]
pub(crate) struct TimeArgs {
    /// Does every run reach the goal (of --goal, or of the property's objective)?
    #[arg(long)]
    always_reach: bool,
    /// Within so many steps: with --always-reach, or for unsafe states
    #[arg(long, value_name = "K", value_parser = count)]
    within: Option<u64>,
    /// A formula of CTL that holds in all start states, as in "AG (x > 3 => AF y = 0)"
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    formula: Option<String>,
}

impl TimeArgs {
    /// Asks that.
    pub(crate) fn ask(&self, asking: &mut Asking) {
        asking.always_reach = self.always_reach;
        asking.within = self.within;
        asking.formula.clone_from(&self.formula);
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum WitnessArg {
    Shortest,
    Likeliest,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ExtremeArg {
    Max,
    Min,
}

#[derive(Debug, Args)]
pub(crate) struct BoundsArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// Leave variables out of the states that the answer cannot depend on
    #[arg(long, value_name = "on|off", hide_possible_values = true, default_value = "on")]
    pub(crate) slice: Switch,
    /// The engine: auto (explicit where all states fit, else cegar), explicit (every reachable state), partial (the likely part of the states first), or
    /// cegar (an abstraction, refined until it is precise)
    #[arg(long, value_name = "E", default_value = "auto")]
    pub(crate) engine: EngineChoice,
    /// Within so many steps, for unsafe states
    #[arg(long, value_name = "K", value_parser = count)]
    pub(crate) within: Option<u64>,
    /// Decide whether the probability is at most P (exactly: 0.1 is 1/10)
    #[arg(long, value_name = "P", value_parser = probability)]
    pub(crate) p_max: Option<Rational>,
    /// The wanted absolute width of the interval [default: 1e-6; with --algorithm paper, 0.05]
    #[arg(long, value_name = "D", value_parser = precision)]
    pub(crate) precision: Option<f64>,
    /// Solve in fractions: exact, and slower
    #[arg(long)]
    pub(crate) exact: bool,
    /// Give the mean over all start states too; no variable is left out then
    #[arg(long)]
    pub(crate) mean: bool,
    /// The mean over all start states with these weights, an expression of at least 0 over start states; --mean alone counts each once
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) weights: Option<String>,
    /// Bound the largest or smallest expected number of steps to the goal (without one, to what the property looks for) instead of a probability
    #[arg(long, value_name = "max|min", hide_possible_values = true)]
    pub(crate) expect: Option<ExtremeArg>,
    /// With --expect: the expected sum of an expression, collected in every state that is left, instead of the number of steps
    #[arg(long, value_name = "EXPR", requires = "expect", allow_hyphen_values = true)]
    pub(crate) reward: Option<String>,
    #[command(flatten)]
    pub(crate) assume: AssumeArgs,
    #[command(flatten)]
    pub(crate) certificate: CertificateArgs,
    #[command(flatten)]
    pub(crate) report: PageArgs,
    #[command(flatten)]
    pub(crate) algorithm: AlgorithmArgs,
    #[command(flatten)]
    pub(crate) cegar: CegarArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// A query, or an array of queries, in JSON; or a VNN-LIB property
    #[arg(value_name = "QUERY")]
    pub(crate) query: PathBuf,
    /// The network; the name is the one that a VNN-LIB 2.0 query declares, once for each of several
    #[arg(long, value_name = "FILE|NAME=FILE", value_parser = network, required = true)]
    pub(crate) network: Vec<NetworkSource>,
    /// Give up on a query after so many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) time_limit: Option<Duration>,
    #[command(flatten)]
    pub(crate) answering: AnsweringArgs,
    /// Write the answer to a VNN-LIB property with its counterexample, as VNN-COMP has it
    #[arg(long, value_name = "FILE")]
    pub(crate) witness: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) certificate: CertificateArgs,
}

#[derive(Debug, Args)]
pub(crate) struct InduceArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// The file; its extension names the format: .drn (Storm), .tra (PRISM, with .sta and .lab), .umb, .dot, .graphml
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// The format, whatever the extension: drn, tra, umb, dot or graphml
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Probabilities as fractions or as decimals [default: exact for drn, umb and dot; double for tra and graphml]
    #[arg(long, value_name = "exact|double", hide_possible_values = true)]
    pub(crate) numbers: Option<NumbersArg>,
    /// Write a decision process even where no state has a choice (by default that is a Markov chain)
    #[arg(long)]
    pub(crate) mdp: bool,
    /// Draw (.dot, .graphml) models of more than 10000 states too
    #[arg(long)]
    pub(crate) large: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum NumbersArg {
    Exact,
    Double,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// A result object (what --json writes), or its "witness"
    #[arg(value_name = "WITNESS")]
    pub(crate) witness: PathBuf,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// The state: 'x=3, door=true'; variables that are not named have their initial values
    #[arg(long, value_name = "STATE", conflicts_with = "run", required_unless_present = "run")]
    pub(crate) state: Option<String>,
    /// A result object with a run: explain the choice in one of its states
    #[arg(long, value_name = "RESULT")]
    pub(crate) run: Option<PathBuf>,
    /// Which state of the run: 0 is the start, K the state after step K
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = count, requires = "run")]
    pub(crate) step: u64,
}

#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// The model, in JANI
    #[arg(value_name = "MODEL", required_unless_present = "model_file")]
    model: Option<PathBuf>,
    /// The model, as PlaJA spells it
    #[arg(long, hide = true, value_name = "MODEL", conflicts_with = "model")]
    model_file: Option<PathBuf>,
}

/// What a verdict may take for granted because the user says so.
#[derive(Debug, Args)]
pub(crate) struct AssumeArgs {
    /// Take for granted what the engine cannot decide: no-errors (the model is never in error, as by an update out of a variable's domain)
    #[arg(long, value_name = "WHAT")]
    assume: Option<Assumed>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Assumed {
    NoErrors,
}

impl AssumeArgs {
    /// Whether the model is never in error.
    pub(crate) fn no_errors(&self) -> bool {
        matches!(self.assume, Some(Assumed::NoErrors))
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// Further JANI properties; PlaJA's additional-properties files too
    #[arg(long, alias = "additional-properties", value_name = "FILE")]
    properties: Vec<PathBuf>,
    /// The property; the index is from 0, over the model's properties and then FILE's
    #[arg(long, alias = "prop", value_name = "NAME|INDEX")]
    pub(crate) property: Option<String>,
    /// The unsafe states as a condition, as in 'y = 2 & x > 3', instead of a property
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    never: Option<String>,
    /// The start states as a condition, instead of the property's or the model's
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    start: Option<String>,
    /// The goal as a condition, instead of the property's
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    goal: Option<String>,
    /// The policy: .jani2nnet or .policy.json; overrides the property's own
    #[arg(long, alias = "nn-interface", value_name = "FILE")]
    policy: Vec<PathBuf>,
    /// The value of a JANI constant; repeatable
    #[arg(long = "const", value_name = "NAME=VALUE", value_parser = GivenConstant::parse, allow_hyphen_values = true)]
    constants: Vec<GivenConstant>,
    /// Give up after so many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// Give up when states take more than so many megabytes
    #[arg(long, value_name = "MB", value_parser = megabytes)]
    memory_limit: Option<usize>,
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
    /// The applicability filter, overriding the policy file
    #[arg(long, value_name = "on|off", hide_possible_values = true)]
    filter: Option<Switch>,
    /// Goal states are terminal: those of the property's objective, or of --goal
    #[arg(long)]
    goal_terminal: bool,
    /// Start without the property's own predicates (means nothing to the explicit engine)
    #[arg(long)]
    ignore_predicates: bool,
    /// Start set and ties as PlaJA has them
    #[arg(long)]
    plaja_compat: bool,
    /// Write the result object; - for standard output, which then holds nothing else
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
}

fn network(text: &str) -> Result<NetworkSource, std::convert::Infallible> {
    Ok(NetworkSource::parse(text))
}

impl Switch {
    /// Whether variables that do not matter are left out.
    pub(crate) fn slicing(self) -> Slicing {
        match self {
            Self::On => Slicing::On,
            Self::Off => Slicing::Off,
        }
    }
}

impl CommonArgs {
    /// What is asked for.
    pub(crate) fn request(&self, model: &ModelArgs) -> Request {
        Request {
            model: model.model.as_ref().or(model.model_file.as_ref()).map(Into::into).unwrap_or_default(),
            properties: self.properties.iter().map(Into::into).collect(),
            property: self.property.clone(),
            asking: Asking {
                never: self.never.clone(),
                start: self.start.clone(),
                goal: self.goal.clone(),
                ..Asking::default()
            },
            policy: self.policy.first().map(Into::into),
            constants: self.constants.clone(),
            filter: self.filter.map(|switch| matches!(switch, Switch::On)),
            goal_terminal: self.goal_terminal,
            ignore_predicates: self.ignore_predicates,
            plaja_compat: self.plaja_compat,
            slicing: Slicing::Off,
        }
    }

    /// The policy that the first is compared with.
    pub(crate) fn second_policy(&self) -> Option<PolicySource> {
        self.policy.get(1).map(Into::into)
    }

    /// How many policies are given: more than one to commands that compare them.
    pub(crate) fn policies(&self) -> usize {
        self.policy.len()
    }

    /// What may be spent, from a moment on.
    pub(crate) fn spend(&self, started: Instant, cancel: Cancel) -> Budget {
        let threads = self.threads.unwrap_or_else(cores);
        Budget { started, time: self.time_limit, memory: self.memory_limit, threads, cancel }
    }

    /// What may be spent, from the beginning of the process; limits are kept from now on.
    pub(crate) fn budget(&self) -> Budget {
        let budget = self.spend(process::started(), process::cancel());
        process::watch(&budget);
        budget
    }
}

/// How many threads can run at the same time.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
