//! What `decide` adds to the object: answers about networks alone.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `decide` adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Answered {
    /// The answer to a single query; null where there is a list of them.
    pub answer: Option<AnswerWord>,
    /// The answers, in the order of the queries.
    pub answers: Vec<AnswerRecord>,
}

/// An answer in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AnswerWord {
    /// There is such an input.
    Sat,
    /// There is none.
    Unsat,
    /// The time was over.
    TimedOut,
    /// It is not known, for another reason.
    Unknown,
}

/// A query answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct AnswerRecord {
    /// The answer.
    pub answer: AnswerWord,
    /// The input that was found; else null.
    pub state: Option<Vec<ExactNumber>>,
    /// The exact outputs for it; else null.
    pub outputs: Option<Vec<ExactNumber>>,
    /// Why there is no answer; else null.
    pub reason: Option<String>,
    /// What is odd about the query; else null.
    pub notice: Option<String>,
    /// Nodes of the search tree.
    pub nodes: u64,
    /// Seconds that it took, to six digits.
    pub seconds: f64,
}

/// An exact number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum ExactNumber {
    /// An integer of 64 bits.
    Integer(i64),
    /// Any other, as a fraction.
    Fraction(String),
}
