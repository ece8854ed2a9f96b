//! Policies from a domain's own solution: its decision problem is solved by value iteration, and networks learn to imitate the solution.
//!
//! A domain that knows how is [`Distilling`]. What comes out are networks as the domain's parameter `networks` reads them, and how good they are: how often each chooses as
//! the solution does, and what random runs come to under the solution, under the networks, and with nobody choosing.

use surefoot_limits::{Limits, Stop};
use surefoot_network::{Network, ShapeError};
use surefoot_train::OptionError;
use surefoot_train::distil::{Agreement, Imitation};
use surefoot_verdict::{Event, Figure, Reporter};

use crate::{Parameter, ParameterError, Values};

/// A domain that can solve its own decision problem.
pub trait Distilling: Sync {
    /// What it can be told.
    fn parameters(&self) -> Vec<Parameter>;

    /// The names of its networks, without endings.
    fn names(&self) -> Vec<String>;

    /// Networks that imitate the solution. Runs in the thread pool that it is called in. Limits cut learning and judging short: then networks are as good as they are.
    ///
    /// # Errors
    /// When parameters do not fit together, a limit is met before there is a solution, or learning diverges.
    fn distil(
        &self,
        values: &Values,
        options: &Options,
        span: &Span,
        reporter: &dyn Reporter,
    ) -> Result<Distillation, DistilError>;
}

/// How to distil.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How networks learn.
    pub imitation: Imitation,
    /// Seed of everything that is random.
    pub seed: u64,
    /// States on which each network is compared with the solution.
    pub states: u64,
    /// Random runs under each system.
    pub runs: u64,
}

impl Default for Options {
    fn default() -> Self {
        let hidden = vec![20; 5];
        let imitation = Imitation { hidden, updates: 12_000, batch: 256, learning_rate: 4e-3, temperature: 2e-4 };
        Self { imitation, seed: 0, states: 20_000, runs: 20_000 }
    }
}

/// What may be spent.
#[derive(Debug, Clone, Default)]
pub struct Span {
    /// The limits of solving and learning.
    pub learning: Limits,
    /// The limits of judging what was learned.
    pub judging: Limits,
    /// Threads; how many there are changes nothing.
    pub threads: usize,
}

/// What came out.
#[derive(Debug, Clone)]
pub struct Distillation {
    /// The networks.
    pub networks: Vec<Distilled>,
    /// Points of the grid, and sweeps over it.
    pub table: (usize, usize),
    /// What random runs come to: under the solution, under the networks, under nobody.
    pub trials: Vec<Trial>,
    /// The limit that cut learning short.
    pub stopped: Option<Stop>,
}

/// A network.
#[derive(Debug, Clone)]
pub struct Distilled {
    /// The file's name, without its ending.
    pub name: String,
    /// The network.
    pub network: Network,
    /// Updates made.
    pub updates: u64,
    /// How near it is to the solution.
    pub agreement: Agreement,
}

/// What random runs under a system come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Trial {
    /// Who chooses.
    pub system: &'static str,
    /// Runs.
    pub runs: u64,
    /// Those that end in an unsafe state.
    pub unsafe_runs: u64,
    /// Those in which the system did something.
    pub alerted_runs: u64,
    /// Steps in which it did.
    pub alert_steps: u64,
    /// How often it changed its mind to the contrary.
    pub reversals: u64,
}

/// Why nothing came out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DistilError {
    /// A parameter.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// An option.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A limit, before there was a solution.
    #[error("there is no solution yet")]
    Stopped(Stop),
    /// Numbers beyond what floats have.
    #[error("learning diverged: {0}")]
    Diverged(#[from] ShapeError),
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Sweeps, made and to be made.
    pub sweeps: (usize, usize),
    /// Updates of all networks, made and to be made.
    pub updates: (u64, u64),
}

impl Event for Progress {
    fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::new("sweeps", self.sweeps.0 as u64),
            Figure::new("of_sweeps", self.sweeps.1 as u64),
            Figure::new("updates", self.updates.0),
            Figure::new("of_updates", self.updates.1),
        ]
    }

    fn line(&self) -> String {
        let (made, all) = self.sweeps;
        if made < all {
            return format!("value iteration: {made} of {all} sweeps");
        }
        let (made, all) = self.updates;
        format!("networks: {made} of {all} updates")
    }
}

/// Distils the networks of a domain, from `key=value` texts.
///
/// # Errors
/// When there is no such domain, it has no solution of its own, or as [`Distilling::distil`].
pub fn distil(
    domain: &str,
    settings: &[String],
    options: &Options,
    span: &Span,
    reporter: &dyn Reporter,
) -> Result<Distillation, DistilError> {
    let (name, distilling) = find(domain)?;
    options.imitation.check()?;
    let values = Values::parse(name, &distilling.parameters(), settings)?;
    let work = || distilling.distil(&values, options, span, reporter);
    match rayon::ThreadPoolBuilder::new().num_threads(span.threads.max(1)).build() {
        Ok(pool) => pool.install(work),
        // Where no threads can be had, there are those of everybody.
        Err(_) => work(),
    }
}

/// The names of the networks that a domain distils, without endings.
///
/// # Errors
/// When there is no such domain, or it has no solution of its own.
pub fn names(domain: &str) -> Result<Vec<String>, DistilError> {
    find(domain).map(|(_, distilling)| distilling.names())
}

fn find(domain: &str) -> Result<(&'static str, &'static dyn Distilling), DistilError> {
    let found = crate::find(domain)?;
    found.distilling().map(|distilling| (found.name(), distilling)).ok_or_else(|| {
        let able: Vec<&str> =
            crate::all().iter().filter(|domain| domain.distilling().is_some()).map(|domain| domain.name()).collect();
        let message = format!(
            "{} has no solution of its own that networks could imitate; those that have: {}",
            found.name(),
            able.join(", ")
        );
        ParameterError::new(message).into()
    })
}
