//! What comes out of a task.

use surefoot_explicit::Statistics;
use surefoot_explicit::simulate::Simulation;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::Figure;

use super::certify::Opinion;
use super::check::Checked;
use super::induce::Written;
use super::replay::ReplayedWitness;
use super::report::Reported;
use super::train::Learned;
use crate::abstraction::Abstracted;
use crate::bounds::BoundsOutcome;
use crate::bounds::expected::ExpectedOutcome;
use crate::ctl::{CtlFormula, CtlOutcome, MilpOutcome};
use crate::decide::{Answered, Queries};
use crate::diff::Compared;
use crate::engine;
use crate::explain::Explanation;
use crate::problem::Problem;
use crate::replay::Replayed;
use crate::replay::bound::CheckedBound;
use crate::result::body::Encoded;
use crate::result::{ResultObject, VerdictWord};

/// What came out of a task.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub class: Class,
    /// What there is to say to a program.
    pub result: ResultObject,
    /// What there is to tell people.
    pub told: Told,
    /// The problem that it is about, if it is about one.
    pub problem: Option<Problem>,
    /// The figures of the last event, and the verdict that goes with them.
    pub last: (Vec<Figure>, Option<VerdictWord>),
    /// Notices that came up on the way.
    pub notes: Vec<Diagnostic>,
    /// What went wrong beside it, and is no reason to have no result.
    pub warnings: Vec<Diagnostic>,
}

/// How a task ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The property holds, or the task was done.
    Done,
    /// The property is violated, or a witness is not real.
    Violated,
    /// The input is in error, and that was what was to be found out.
    Unreadable,
    /// It is not known.
    Unknown,
}

impl Class {
    /// The class of a result.
    pub(super) fn of(result: &ResultObject) -> Self {
        match result.verdict {
            None | Some(VerdictWord::Holds) => Self::Done,
            Some(VerdictWord::Violated) => Self::Violated,
            Some(VerdictWord::Unknown) => Self::Unknown,
        }
    }
}

/// What there is to tell people: what an engine or a procedure ended with.
#[derive(Debug)]
pub enum Told {
    /// Of a check.
    Checked(Box<Checked>),
    /// Of an exploration.
    Explored(Statistics),
    /// Of random runs: them, and the first that reaches what is looked for.
    Simulated(Simulation, Option<Box<Replayed>>),
    /// Of a verification.
    Verified(Box<engine::Outcome>),
    /// Of a probability.
    Bounded(Box<BoundsOutcome>),
    /// Of an expected value.
    Expected(Box<ExpectedOutcome>),
    /// Of an abstraction.
    Abstracted(Box<Abstracted>),
    /// Of a formula, by the built-in procedure.
    Formula(CtlFormula, Box<CtlOutcome>),
    /// Of a formula, by mixed-integer programs.
    Programs(CtlFormula, Box<MilpOutcome>),
    /// Of single decisions.
    Answered(Box<Queries>, Vec<Answered>),
    /// Of a model for other checkers.
    Induced(Option<Written>),
    /// Of a composed system.
    Encoded(Box<Encoded>),
    /// Of a witness.
    Replayed(Box<ReplayedWitness>),
    /// Of a result that was read again.
    Reported(Box<Reported>),
    /// Of a problem that was only read.
    Opened,
    /// Of a bound on a probability.
    CheckedBound(Box<CheckedBound>),
    /// Of a choice.
    Explained(Box<Explanation>),
    /// Of two policies.
    Compared(Box<Compared>),
    /// Of a certificate.
    Certified(Box<Opinion>),
    /// Of training.
    Trained(Box<Learned>),
}

impl Outcome {
    /// An outcome whose result says how it ended.
    pub(super) fn new(result: ResultObject, told: Told, problem: Problem, figures: Vec<Figure>) -> Self {
        Self {
            class: Class::of(&result),
            last: (figures, result.verdict),
            result,
            told,
            problem: Some(problem),
            notes: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
