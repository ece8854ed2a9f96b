//! What each command adds to the object.
//!
//! Commands about a problem say what was asked ([`Subject`]), and then what came out, if anything did: where a limit was met before there was anything to
//! tell, or something went wrong, the rest is left out.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surefoot_certificate::{Members, StateRecord};

use super::abstract_path::{AbstractDeadlock, AbstractPath};
use super::certificate::Certified;
use super::check::Check;
use super::decide::Answered;
use super::diff::Comparison;
use super::explain::Explained;
use super::zoo::{Distilled, Domains, Experiments, Generated, Plotted, Trained};
use super::{Command, Subject, given};

/// What a command adds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Body {
    /// `check`.
    Check(Box<Check>),
    /// `explore` and `simulate`: what was asked; the figures say the rest.
    Counted(Box<Subject>),
    /// `verify` and `bounds`.
    Decided(Box<Decided>),
    /// `abstract`.
    Abstracted(Box<About<Abstracted>>),
    /// `ctl`.
    Formula(Box<About<FormulaDecided>>),
    /// `induce`.
    Induced(Box<About<Induced>>),
    /// `encode`.
    Encoded(Box<About<Encoded>>),
    /// `replay`.
    Replayed(Box<About<Replayed>>),
    /// `certify`.
    Certified(Box<About<Certified>>),
    /// `explain`.
    Explained(Box<About<Explained>>),
    /// `diff`.
    Compared(Box<About<Comparison>>),
    /// `decide`.
    Answered(Answered),
    /// `zoo list`.
    Domains(Domains),
    /// `zoo generate`.
    Generated(Generated),
    /// `zoo predicates`.
    Predicates(Box<About<Predicates>>),
    /// `zoo train`.
    Trained(Box<About<Trained>>),
    /// `zoo experiment`.
    Experiments(Experiments),
    /// `zoo distil`.
    Distilled(Box<Distilled>),
    /// `zoo plot`.
    Plotted(Plotted),
}

/// What was asked, and what came out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct About<T> {
    /// What was asked.
    #[serde(flatten)]
    pub subject: Subject,
    /// What came out.
    #[serde(flatten)]
    pub found: Option<T>,
}

impl Body {
    /// What a command asked, before anything came out.
    #[must_use]
    pub(super) fn about(command: Command, subject: Subject) -> Self {
        fn asked<T>(subject: Subject) -> Box<About<T>> {
            Box::new(About { subject, found: None })
        }
        match command {
            Command::Verify | Command::Bounds => Self::Decided(Box::new(Decided::about(subject))),
            Command::Abstract => Self::Abstracted(asked(subject)),
            Command::Ctl => Self::Formula(asked(subject)),
            Command::Induce => Self::Induced(asked(subject)),
            Command::Encode => Self::Encoded(asked(subject)),
            Command::Replay => Self::Replayed(asked(subject)),
            Command::Certify => Self::Certified(asked(subject)),
            Command::Explain => Self::Explained(asked(subject)),
            Command::Diff => Self::Compared(asked(subject)),
            Command::ZooPredicates => Self::Predicates(asked(subject)),
            Command::ZooTrain => Self::Trained(asked(subject)),
            Command::Explore
            | Command::Simulate
            | Command::Check
            | Command::Report
            | Command::View
            | Command::Decide
            | Command::ZooList
            | Command::ZooGenerate
            | Command::ZooExperiment
            | Command::ZooDistil
            | Command::ZooPlot => Self::Counted(Box::new(subject)),
        }
    }
}

/// What `verify` and `bounds` add.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Decided {
    /// What was asked.
    #[serde(flatten)]
    pub subject: Subject,
    /// Who bounded a probability by abstraction: `boxes` or `paper`; engine `cegar` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// How refinement chose its predicates; refinement only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// After how many iterations directed runs found the violation, where they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub falsified_after: Option<u64>,
    /// The predicates at the end, in words; refinement only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicates: Option<Vec<String>>,
    /// What happened, iteration by iteration; refinement only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diary: Option<Vec<DiaryEntry>>,
    /// The invariant that proves it; refinement only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invariant: Option<Invariant>,
    /// What a proof leaves open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_errors: Option<OpenErrorsRecord>,
    /// The formula of CTL, where one decides.
    #[serde(flatten)]
    pub formula: Option<FormulaDecided>,
    /// The probability; where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Interval>,
    /// How the bounds narrowed, iteration by iteration; abstraction only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<Vec<BandPoint>>,
    /// The same if the model is never in error, where that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_without_errors: Option<Interval>,
    /// The smallest, largest and mean value over the start states; `bounds` by exploration, where nothing is left out of the states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_starts: Option<OverStartsRecord>,
    /// What is expected, where `value` is no probability but a number of steps or a reward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedRecord>,
    /// From how many start states the goal is reached; `verify` with a goal, where nothing that is looked for is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<GoalRecord>,
    /// The probability of the run, if the environment does all it can for it, as a fraction; `--witness` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_probability: Option<String>,
    /// The file that has the verdict of each start state; `--per-start` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_start: Option<String>,
}

/// An iteration of refinement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct DiaryEntry {
    /// Its number, from 1.
    pub iteration: u64,
    /// The abstract states that its search reached.
    pub states: u64,
    /// Questions to the oracle, so far.
    pub questions: u64,
    /// Nodes of its searches, so far.
    pub nodes: u64,
    /// The abstract path to an unsafe state that was looked at; null where there was none, and left out of late iterations.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub path: Option<Option<Vec<Passed>>>,
    /// Why it was spurious, in a word (`guard`, `target`, `policy`, `leaves`, `separated`); null where nothing was refined.
    pub cause: Option<String>,
    /// At which step of the path; 0 is its start.
    pub step: Option<usize>,
    /// The predicates that were added, in words. They come after those before in the list of predicates.
    pub added: Vec<String>,
    /// How many predicates there were in its search.
    pub predicates: usize,
}

/// The bounds after an iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct BandPoint {
    /// The iteration, from 0: before the first refinement.
    pub iteration: u64,
    /// Questions to the oracle, so far.
    pub questions: u64,
    /// The lower bound, rounded down.
    pub lo: f64,
    /// The upper bound, rounded up.
    pub hi: f64,
    /// Why the last counterexample was spurious; null where there was none.
    pub cause: Option<String>,
}

/// An abstract state of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Passed {
    /// The action that led there; null for silent ones and at the start.
    pub label: Option<String>,
    /// The locations of automata that have several.
    pub locations: Vec<String>,
    /// The truth values of the predicates that there were, as digits `0` and `1`.
    pub values: String,
}

/// What the values of all start states come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct OverStartsRecord {
    /// Start states.
    pub start_states: u64,
    /// The smallest value.
    pub smallest: Interval,
    /// The largest value.
    pub largest: Interval,
    /// The mean, each start state counting once or as the weights say.
    pub mean: Interval,
    /// How much every start state counts in the mean, as it was written; `--weights` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
}

/// What is expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ExpectedRecord {
    /// What is summed up: `steps`, the reward as it was written, or `property` for what the property adds up.
    pub of: String,
    /// Until when: `goal`, or `reach` for what the property looks for.
    pub until: String,
    /// Over what the environment may do: `max` or `min`.
    pub scheduler: String,
    /// A start state that has the value, as far as the bounds tell.
    #[cfg_attr(test, schemars(with = "super::schema::StateShape"))]
    pub start: StateRecord,
}

/// From how many start states the goal is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct GoalRecord {
    /// Start states.
    pub start_states: u64,
    /// Those from which some run reaches it.
    pub can: u64,
    /// Those from which it is reached with probability one, whatever the environment does.
    pub almost_surely: u64,
    /// Those from which every run reaches it.
    pub must: u64,
}

impl Decided {
    pub(super) fn about(subject: Subject) -> Self {
        Self {
            subject,
            formula: None,
            algorithm: None,
            preset: None,
            falsified_after: None,
            predicates: None,
            diary: None,
            invariant: None,
            open_errors: None,
            value: None,
            band: None,
            value_without_errors: None,
            over_starts: None,
            expected: None,
            goal: None,
            run_probability: None,
            per_start: None,
        }
    }
}

/// Abstract states that contain every start state and no unsafe one, and that no move leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Invariant {
    /// How many.
    pub states: usize,
    /// The predicates that tell them apart, in words.
    pub predicates: Vec<String>,
    /// Variables that keep a value from the start where nothing has written them since, with that value, in words; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untouched: Vec<String>,
}

/// Errors of the model that a proof of safety leaves open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct OpenErrorsRecord {
    /// What would be an error.
    pub what: String,
    /// Why it is not known whether it is.
    pub because: String,
}

/// Bounds that are guaranteed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Interval {
    /// From below.
    pub lo: Bound,
    /// From above.
    pub hi: Bound,
}

/// One end of an interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum Bound {
    /// A float that is a bound.
    Float(f64),
    /// The exact value as a fraction, such as `135/256`; or `infinity`, of what is expected.
    Exact(String),
}

/// What `abstract` adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Abstracted {
    /// What a proof leaves open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_errors: Option<OpenErrorsRecord>,
    /// The predicates, in words.
    pub predicates: Vec<String>,
    /// The file that the abstract state space was written to; else null.
    pub graph: Option<String>,
    /// A shortest path to an unsafe abstract state; null where none is reached.
    pub abstract_path: Option<AbstractPath>,
    /// Where the policy may choose what is not applicable; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadlocks: Option<Vec<AbstractDeadlock>>,
}

/// What `ctl` adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct FormulaDecided {
    /// The formula, as it was written.
    pub formula: String,
    /// How many steps it looks ahead; null where some operator has no bound.
    pub horizon: Option<u64>,
    /// Whether a state without successors, which stays as it is, matters to the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuttering: Option<bool>,
    /// How many steps are decided from all start states, or null; left out where there is a verdict.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub horizon_decided: Option<Option<u64>>,
    /// The decided pieces of the start set; built-in procedure only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover: Option<CoverRecord>,
}

/// The decided pieces of the start set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct CoverRecord {
    /// How many there are.
    pub count: usize,
    /// The first thousand of them.
    pub pieces: Vec<PieceRecord>,
}

/// A decided piece of the start set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct PieceRecord {
    /// Constraints on the start state, beyond what is the same in all start states.
    pub constraints: Vec<String>,
    /// Whether the formula holds there.
    pub holds: bool,
    /// How many symbolic states were looked at.
    pub states: usize,
}

/// What `induce` adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Induced {
    /// The file as it was asked for; null where nothing was written.
    pub file: Option<String>,
    /// The files that were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// What is in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exported: Option<Exported>,
}

/// A model as it was written for other checkers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Exported {
    /// The format: `drn`, `tra`, `umb`, `dot` or `graphml`.
    pub format: String,
    /// What it is: `dtmc` or `mdp`.
    pub r#type: String,
    /// How probabilities are written: `exact` or `double`.
    pub numbers: String,
    /// States.
    pub states: usize,
    /// Choices, self-loops included.
    pub choices: usize,
    /// Branches, self-loops included.
    pub transitions: usize,
    /// Self-loops that were added in states without moves.
    pub self_loops: usize,
    /// In how many states each label holds.
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, usize>"))]
    pub labels: Members<usize>,
}

/// What `encode` adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Encoded {
    /// The file that was written.
    pub file: String,
    /// What it is for: `storm`, `jani-real` or `nuxmv`.
    pub target: String,
    /// Networks of the policy.
    pub networks: usize,
    /// Neurons, scores included, over all networks.
    pub neurons: usize,
    /// Variables that hold them; 0 where they are definitions.
    pub neuron_variables: usize,
    /// The smallest and the largest value of any of these variables; integers only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neuron_range: Option<[String; 2]>,
    /// Bits that these variables take together; integers only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neuron_bits: Option<u64>,
    /// Locations of the automaton that computes them; 0 where there is none.
    pub phases: usize,
    /// Bits after the point, where numbers were rounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<u32>,
    /// Whether the file is faithful: nothing was rounded.
    pub exact: bool,
    /// What stands for a score of 1, per network.
    pub score_scales: Vec<String>,
    /// What a score may differ by from that of the network, as an exact fraction: a proved bound.
    pub score_error: String,
    /// What the file says about the policy, in words.
    pub faithful: String,
}

/// What `replay` adds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Replayed {
    /// Whether the witness is real.
    pub real: bool,
    /// The first step that is wrong, from 1; 0 is the start, null the claim as a whole. Left out where it is real.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub step: Option<Option<usize>>,
    /// What single precision would choose; left out where it is not real.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub float32: Option<Float32>,
    /// The formula that fails, where the witness is one of `ctl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The probability from the start state, where the witness is one of `bounds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Interval>,
    /// Whether that is what the scheduler of the witness attains; else any was taken. Only where there is a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduled: Option<bool>,
    /// Random runs from the start state, where the witness is one of `bounds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated: Option<RandomRuns>,
}

/// A few random runs, which show nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct RandomRuns {
    /// How many.
    pub runs: u64,
    /// Those that are as asked for.
    pub reached: u64,
}

/// The choices of the policy in single precision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Float32 {
    /// Whether they are the same in all steps.
    pub agrees: bool,
    /// Where they are not.
    pub differences: Vec<FloatDifference>,
}

/// A step in which single precision chooses otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct FloatDifference {
    /// The step, from 1.
    pub step: usize,
    /// The choices, in words.
    pub difference: String,
}

/// What `zoo predicates` adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Predicates {
    /// The file that was written.
    pub file: String,
    /// The predicates, as JANI expressions.
    pub predicates: Vec<serde_json::Value>,
}
