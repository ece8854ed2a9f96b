//! What the commands about benchmark domains add.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::statistics::Estimate;

/// What `zoo list` adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Domains {
    /// The domains.
    pub domains: Vec<DomainSummary>,
}

/// A domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct DomainSummary {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub summary: String,
    /// What it can be told.
    pub parameters: Vec<ParameterSummary>,
}

/// A parameter of a domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ParameterSummary {
    /// Its name.
    pub name: String,
    /// What it may be.
    pub r#type: ParameterType,
    /// What it is unless told.
    pub default: String,
    /// What it is about.
    pub about: String,
}

/// What a parameter may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ParameterType {
    /// A whole number.
    Integer {
        /// The smallest.
        least: i64,
        /// The largest.
        most: i64,
    },
    /// One of some words.
    Choice {
        /// The words.
        words: Vec<String>,
    },
    /// The path of a file or a folder.
    Path,
    /// A text.
    Text {
        /// What it looks like.
        form: String,
    },
}

/// What `zoo generate` adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Generated {
    /// The domain.
    pub domain: String,
    /// What it was told, as `name=value`.
    pub settings: Vec<String>,
    /// The folder.
    pub folder: String,
    /// The files in it.
    pub files: Vec<String>,
    /// Those of them that were there before.
    pub replaced: Vec<String>,
    /// Files of an earlier instance that were removed.
    pub removed: Vec<String>,
}

/// What `zoo train` adds. The figures are those of random runs under the policy, which end at the goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Trained {
    /// The folder.
    pub folder: String,
    /// The files in it.
    pub files: Vec<String>,
    /// Neurons of the hidden layers.
    pub hidden: Vec<usize>,
    /// What the network reads, in order.
    pub network_inputs: Vec<String>,
    /// The labels that it scores, in order.
    pub labels: Vec<String>,
    /// Choices that were to be made in training.
    pub of_steps: u64,
    /// Choices that were.
    pub steps: u64,
    /// Runs of training.
    pub episodes: u64,
    /// Updates of the network.
    pub updates: u64,
    /// After how many choices the network was as it was kept: the best of those that were evaluated.
    pub kept_step: u64,
    /// What a run earned with it on average, without discount, at the last evaluation.
    pub mean_return: f64,
    /// The probability of a run to an unsafe state where runs go on after the goal; left out where there is no goal, or runs end there by the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsafe_share_past_goal: Option<Estimate>,
}

/// What `zoo experiment` adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Experiments {
    /// The experiments that there are, or the one that was carried out.
    pub experiments: Vec<ExperimentSummary>,
    /// What came of it; left out where none was named, or it did not come to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<ExperimentReport>,
}

/// An experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ExperimentSummary {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub about: String,
}

/// What came of an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ExperimentReport {
    /// The folder.
    pub folder: String,
    /// The files in it: a page, tables, charts.
    pub files: Vec<String>,
    /// Rows of all tables.
    pub rows: usize,
    /// Runs that were made.
    pub made: usize,
    /// Runs that were in the journal already.
    pub kept: usize,
}

/// What `zoo distil` adds. The figures are those of states and runs drawn at random: they prove nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Distilled {
    /// The domain.
    pub domain: String,
    /// What it was told, as `name=value`.
    pub settings: Vec<String>,
    /// The folder.
    pub folder: String,
    /// The files in it.
    pub files: Vec<String>,
    /// Neurons of the hidden layers.
    pub hidden: Vec<usize>,
    /// Points of the grid on which the decision problem was solved.
    pub grid_points: u64,
    /// Sweeps over the grid.
    pub sweeps: u64,
    /// The networks.
    pub networks: Vec<DistilledNetwork>,
    /// Random runs under the solution, under the networks, and under nobody.
    pub trials: Vec<TrialRecord>,
}

/// A network that imitates a solution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct DistilledNetwork {
    /// The file, without its ending.
    pub name: String,
    /// Updates made.
    pub updates: u64,
    /// States on which it was compared with the solution.
    pub states: u64,
    /// Those in which it chooses as the solution does.
    pub same: u64,
    /// What its choice costs more than the solution's, on average.
    pub regret: f64,
}

/// What random runs under a system come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TrialRecord {
    /// Who chooses: `table` is the solution, `networks` are those that imitate it, and `none` is nobody.
    pub system: String,
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

/// What `zoo plot` adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Plotted {
    /// The kind of the chart: `cactus`, `scatter`, `growth` or `band`.
    pub kind: String,
    /// The file.
    pub file: String,
    /// Rows of the table that were looked at.
    pub rows: usize,
    /// Those of them that have no number where one is needed, and are not drawn.
    pub left_out: usize,
    /// The series, in their order.
    pub series: Vec<PlottedSeries>,
    /// What is drawn, in sentences; the drawing has them too.
    pub description: String,
}

/// A series of a chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct PlottedSeries {
    /// Its name.
    pub name: String,
    /// Its points.
    pub points: usize,
}
