//! The result object: what every command has to say to a program.
//!
//! [`ResultObject`] is what `--json` writes and what other front ends are given. Its JSON is a contract: [`FORMAT`] is its version, keys keep their
//! names and their order, and more may be added. `docs/result.md` describes it for users, `docs/result.schema.json` for programs;
//! both are made from these types, and a test holds them against each other.
//!
//! * `subject`: what was asked; `body`: what each command adds; `statistics`: figures; `evidence`: runs, trees and schedulers;
//! * `certificate`: certificates of verdicts; `check`, `decide`, `diff`, `explain`, `abstract_path`, `zoo`: parts of single commands; `fill`: from outcomes to objects; `read`: back from JSON.

pub mod abstract_path;
pub mod body;
pub mod certificate;
pub mod check;
pub mod decide;
pub mod diff;
pub mod evidence;
pub mod explain;
mod fill;
mod read;
#[cfg(test)]
mod schema;
pub mod statistics;
pub mod subject;
pub mod zoo;

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surefoot_certificate::Members;

use crate::problem::Problem;

pub use body::Body;
pub use certificate::CertificateRecord;
pub use evidence::Evidence;
pub use fill::{seeks_unsafe, ties};
pub use statistics::Statistics;
pub use subject::Subject;

/// The version of the object's format. It grows when a key changes its meaning or goes away; keys that are added leave it alone.
pub const FORMAT: u32 = surefoot_certificate::RESULT_FORMAT;

/// What every command has to say, as one object.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ResultObject {
    /// The program that wrote it.
    pub tool: Tool,
    /// The program's version.
    pub version: String,
    /// The version of this format.
    pub format: u32,
    /// The command.
    pub command: Command,
    /// The verdict; null for commands that decide nothing, where nothing was decided on purpose, and after an error.
    pub verdict: Option<VerdictWord>,
    /// Why nothing is known, or why a witness is not real; else null.
    pub reason: Option<String>,
    /// What decided it; null where nothing did.
    pub engine: Option<String>,
    /// Seconds from the start of the process, to six digits.
    pub seconds: f64,
    /// The seed of random choices.
    pub seed: u64,
    /// All that was read, by name, with its SHA-256 hash in hexadecimal digits. Names are those of files as they were given, or in angle brackets those of texts and
    /// values in memory; a network in memory is hashed by its parameters.
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, String>"))]
    pub inputs: Members<String>,
    /// What the verdict takes for granted.
    pub assumptions: Vec<String>,
    /// Figures: which, depends on what decided. No members where there are none.
    pub statistics: Statistics,
    /// Why the verdict is believed where something can be shown: a run, a tree of runs, or a scheduler; else null.
    pub witness: Option<Evidence>,
    /// The certificate of the verdict, where one was asked for and written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateRecord>,
    /// Why there is no certificate, where one was asked for; nothing was checked then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_certificate: Option<String>,
    /// What the command adds.
    #[serde(flatten)]
    #[cfg_attr(test, schemars(skip))]
    pub body: Option<Body>,
    /// What went wrong, as it was shown; then there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub enum Tool {
    /// This one.
    #[default]
    #[serde(rename = "surefoot")]
    Surefoot,
}

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Command {
    /// Reads everything and reports what it is.
    Check,
    /// Counts the reachable states.
    Explore,
    /// Makes random runs.
    Simulate,
    /// Decides a property.
    Verify,
    /// Abstracts by given predicates.
    Abstract,
    /// Bounds a probability.
    Bounds,
    /// Decides a formula of bounded CTL.
    Ctl,
    /// Answers single questions about a network.
    Decide,
    /// Writes the induced model.
    Induce,
    /// Writes the composed system.
    Encode,
    /// Steps through a witness.
    Replay,
    /// Shows a result.
    Report,
    /// Serves a page.
    View,
    /// Judges a certificate.
    Certify,
    /// Explains a choice of the policy.
    Explain,
    /// Compares two policies.
    Diff,
    /// Lists benchmark domains.
    #[serde(rename = "zoo list")]
    ZooList,
    /// Generates an instance of a domain.
    #[serde(rename = "zoo generate")]
    ZooGenerate,
    /// Writes predicates.
    #[serde(rename = "zoo predicates")]
    ZooPredicates,
    /// Trains a policy.
    #[serde(rename = "zoo train")]
    ZooTrain,
    /// Carries an experiment out.
    #[serde(rename = "zoo experiment")]
    ZooExperiment,
    /// Solves a domain's decision problem, and makes networks imitate the solution.
    #[serde(rename = "zoo distil")]
    ZooDistil,
    /// Draws a table.
    #[serde(rename = "zoo plot")]
    ZooPlot,
}

/// A verdict in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum VerdictWord {
    /// The property holds.
    Holds,
    /// It does not.
    Violated,
    /// It is not known.
    Unknown,
}

impl VerdictWord {
    /// The word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
            Self::Unknown => "unknown",
        }
    }
}

impl ResultObject {
    /// An object that says nothing yet.
    #[must_use]
    pub fn new(command: Command, seed: u64) -> Self {
        Self {
            tool: Tool::Surefoot,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            format: FORMAT,
            command,
            verdict: None,
            reason: None,
            engine: None,
            seconds: 0.0,
            seed,
            inputs: Members::default(),
            assumptions: Vec::new(),
            statistics: Statistics::default(),
            witness: None,
            certificate: None,
            no_certificate: None,
            body: None,
            error: None,
        }
    }

    /// An object about a problem, which says nothing of it yet.
    #[must_use]
    pub fn about(command: Command, seed: u64, problem: &Problem) -> Self {
        Self {
            inputs: Members(problem.inputs.clone()),
            assumptions: problem.assumptions.clone(),
            body: Some(Body::about(command, Subject::of(problem))),
            ..Self::new(command, seed)
        }
    }

    /// Nothing is known, and why.
    #[must_use]
    pub fn unknown(self, reason: impl Into<String>) -> Self {
        Self { verdict: Some(VerdictWord::Unknown), reason: Some(reason.into()), ..self }
    }

    /// With the time that it took, in seconds.
    #[must_use]
    pub fn after(self, seconds: f64) -> Self {
        Self { seconds: rounded(seconds), ..self }
    }
}

/// Seconds to six digits.
pub(crate) fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// What is there, even if it is null: for members that may be absent and may be null.
pub(crate) fn given<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
