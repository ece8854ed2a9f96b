//! What a page holds, member by member; `PAGE.md` describes it for those who draw it.

use serde::Serialize;
use serde_json::Value;
use surefoot_model::State;

use crate::graph::Graph;
use crate::pack::Column;

/// The version of this format: script and data always come together, so it is for people.
pub const FORMAT: u32 = 1;

/// The object of a page.
#[derive(Debug, Clone, Default, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Page {
    pub format: u32,
    pub mode: &'static str,
    pub title: String,
    pub tool: &'static str,
    pub version: String,
    pub command: String,
    pub repeat: String,
    pub verdict: Verdict,
    pub assumptions: Vec<String>,
    pub inputs: Vec<Input>,
    pub subject: Subject,
    pub statistics: Vec<Figure>,
    pub variables: Vec<Variable>,
    pub actions: Vec<String>,
    pub policy_actions: Vec<u32>,
    pub sought: &'static str,
    pub start: Option<Start>,
    pub run: Option<Run>,
    pub tree: Option<Tree>,
    pub invariant: Option<Invariant>,
    pub bounds: Option<Bounds>,
    pub cover: Option<Value>,
    pub formula: Option<Formula>,
    pub diary: Option<Vec<Entry>>,
    pub diary_predicates: Vec<String>,
    pub states: Option<States>,
    pub slices: Option<Slices>,
    pub graph: Option<Graph>,
    pub drawing: Option<Value>,
    pub given_predicates: Vec<String>,
}

/// A start state, with the texts of values that were rounded.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Start {
    pub state: StateValues,
    pub exact: Option<Vec<Option<String>>>,
}

/// The verdict, and what it rests on.
#[derive(Debug, Clone, Default, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Verdict {
    pub word: Option<&'static str>,
    pub checked: bool,
    pub headline: String,
    pub reason: Option<String>,
    pub engine: Option<String>,
    pub seed: u64,
    pub rests: Vec<String>,
    pub certificate: Option<Certificate>,
    pub no_certificate: Option<String>,
}

/// A certificate, and what a checker said of it.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Certificate {
    pub file: String,
    pub bytes: Option<u64>,
    pub accepted: Option<bool>,
    pub says: Option<String>,
}

/// Something that was read.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Input {
    pub name: String,
    pub hash: String,
}

/// What was asked.
#[derive(Debug, Clone, Default, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Subject {
    pub model: String,
    pub property: Option<Value>,
    pub question: Vec<Value>,
    pub constants: Vec<Value>,
    pub policy: Option<Value>,
}

/// A figure.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Figure {
    pub key: String,
    pub name: String,
    pub value: Value,
    pub hint: Option<&'static str>,
}

/// A variable, or an automaton with several locations.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Variable {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub names: Option<Vec<String>>,
    pub seen: bool,
}

/// A state: a number per variable of the page.
pub type StateValues = Vec<f64>;

/// A run.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Run {
    pub shows: String,
    pub states: Vec<StateValues>,
    pub exact: Option<Vec<Vec<Option<String>>>>,
    pub marks: Vec<u8>,
    pub steps: Vec<Step>,
    #[serde(rename = "loop")]
    pub goes_on: Option<usize>,
    /// The states themselves, where all of them is known: numbers may be rounded.
    #[serde(skip)]
    pub exactly: Vec<Option<State>>,
}

/// A step of a run.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Step {
    pub action: Option<u32>,
    pub operator: Option<String>,
    pub outcome: Option<String>,
    pub probability: Option<String>,
    pub p: Option<f64>,
    pub choice: Option<Choice>,
    pub float32: Option<String>,
}

/// What the policy said.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Choice {
    pub network: String,
    pub chosen: Vec<u32>,
    pub scores: Vec<Score>,
    pub runner_up: Option<u32>,
    pub margin: Option<f64>,
    pub exact: Option<String>,
}

/// The score of an action.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Score {
    pub action: u32,
    pub exact: String,
    pub value: f64,
    pub out: bool,
}

/// A tree of runs.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Tree {
    pub nodes: Vec<Node>,
}

/// A state of a tree of runs.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Node {
    pub state: StateValues,
    pub steps: Vec<Branch>,
    pub all: bool,
    pub for_ever: bool,
    pub shows: Vec<String>,
    pub rests: Vec<String>,
}

/// A step of a tree of runs.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Branch {
    pub action: Option<u32>,
    pub operator: Option<String>,
    pub target: usize,
}

/// An inductive invariant in words.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Invariant {
    pub count: usize,
    pub what: String,
    pub common: Vec<String>,
    pub ranges: Vec<Range>,
    pub regions: Vec<Vec<String>>,
    pub predicates: Vec<String>,
}

/// Between which values a variable is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Range {
    pub variable: usize,
    pub lower: f64,
    pub upper: f64,
}

/// Bounds on a probability or an expected value.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Bounds {
    pub lo: Option<f64>,
    pub hi: Option<f64>,
    pub exact: [String; 2],
    pub what: String,
    pub threshold: Option<Threshold>,
    pub band: Vec<Value>,
    pub states: Vec<Weighty>,
    pub starts: Option<Value>,
}

/// What a value is compared with.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Threshold {
    pub op: &'static str,
    pub value: f64,
    pub text: String,
}

/// A state that matters to bounds.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Weighty {
    pub state: StateValues,
    pub lo: Option<f64>,
    pub hi: Option<f64>,
    pub action: Option<String>,
    pub weight: Option<f64>,
    pub note: Option<String>,
}

/// A formula of CTL.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Formula {
    pub text: String,
    pub horizon: Option<u64>,
    pub stuttering: Option<bool>,
}

/// An iteration of refinement.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Entry {
    pub iteration: u64,
    pub states: u64,
    pub questions: u64,
    pub nodes: u64,
    pub predicates: usize,
    pub added: Vec<String>,
    pub cause: Option<String>,
    pub step: Option<usize>,
    pub path: Option<Vec<Passed>>,
}

/// An abstract state of a path.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Passed {
    pub action: Option<u32>,
    pub locations: Vec<String>,
    pub values: String,
}

/// Concrete states.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct States {
    pub count: usize,
    pub values: Vec<Column>,
    pub mark: Column,
    pub action: Option<Column>,
    pub margin: Option<Column>,
    pub depth: Column,
    pub complete: bool,
    pub value: Option<Column>,
}

/// Slices through the policy.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Slices {
    pub bases: Vec<Base>,
    pub maps: Vec<Map>,
}

/// A state through which slices go.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Base {
    pub name: String,
    pub state: StateValues,
}

/// A slice over two variables.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of PAGE.md, which explains them")]
pub struct Map {
    pub x: usize,
    pub y: usize,
    pub base: i64,
    pub xs: Vec<f64>,
    pub ys: Vec<f64>,
    pub sampled: bool,
    pub action: Column,
    pub margin: Column,
    pub mark: Column,
    pub scores: Option<Vec<Column>>,
}
