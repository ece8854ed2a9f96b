//! From outcomes to result objects: one file for each kind of outcome.

mod abstraction;
mod bounds;
mod certify;
mod ctl;
mod decide;
mod diff;
mod explain;
mod runs;
mod verify;

use surefoot_explicit::Statistics as Figures;
use surefoot_model::policy::Ties;
use surefoot_verdict::{Undecided, Verdict};

use super::body::OpenErrorsRecord;
use super::statistics::{Exploration, Statistics};
use super::subject::TiesWord;
use super::{ResultObject, VerdictWord};
use crate::open::OpenErrors;
use crate::problem::Problem;
use crate::question::Claim;

/// How ties are broken, in a word.
#[must_use]
pub fn ties(ties: Ties) -> TiesWord {
    match ties {
        Ties::First => TiesWord::First,
        Ties::Any => TiesWord::Any,
        Ties::Plaja => TiesWord::Plaja,
    }
}

/// Whether what is looked for is unsafe; `None` where nothing is looked for.
#[must_use]
pub fn seeks_unsafe(problem: &Problem) -> Option<bool> {
    problem.query.target?;
    Some(problem.query.claim.is_some_and(Claim::is_avoidance))
}

/// What a proof leaves open.
fn open_errors(open: Option<&OpenErrors>) -> Option<OpenErrorsRecord> {
    open.map(|open| open_error(&open.error))
}

/// An error that is open.
fn open_error(error: &Undecided) -> OpenErrorsRecord {
    OpenErrorsRecord { what: error.what.clone(), because: error.because.to_string() }
}

/// The figures of an exploration.
fn exploration(problem: &Problem, figures: &Figures) -> Statistics {
    let sought = seeks_unsafe(problem);
    Statistics::Exploration(Exploration {
        start_states: figures.start_states,
        reachable_states: figures.states,
        expanded_states: figures.expanded,
        unsafe_states: (sought == Some(true)).then_some(figures.reach_states),
        target_states: (sought == Some(false)).then_some(figures.reach_states),
        goal_states: figures.goal_states,
        terminal_states: figures.terminal_states,
        transitions: figures.transitions,
        choices: figures.choices,
        deadlocks: figures.deadlocks,
        depth: figures.depth,
        exact_decisions: figures.exact_decisions,
        memory_bytes: figures.bytes,
    })
}

impl VerdictWord {
    /// A verdict in a word.
    #[must_use]
    pub fn of<Proof, Refutation>(verdict: &Verdict<Proof, Refutation>) -> Self {
        match verdict {
            Verdict::Holds(_) => Self::Holds,
            Verdict::Violated(_) => Self::Violated,
            Verdict::Unknown(_) => Self::Unknown,
        }
    }
}

impl ResultObject {
    /// With a verdict, and why nothing is known; nothing where there is nothing to decide.
    fn judged<Proof, Refutation>(self, verdict: Option<&Verdict<Proof, Refutation>>) -> Self {
        let reason = verdict.and_then(Verdict::reason).map(ToString::to_string);
        Self { verdict: verdict.map(VerdictWord::of), reason, ..self }
    }

    /// With what decided it.
    fn by(self, engine: impl Into<String>) -> Self {
        Self { engine: Some(engine.into()), ..self }
    }

    /// With further assumptions behind those of the problem.
    fn assuming(mut self, more: impl IntoIterator<Item = String>) -> Self {
        self.assumptions.extend(more);
        self
    }

    /// An exploration that was to explore: its figures, and the limit that cut it short.
    #[must_use]
    pub fn explored(self, problem: &Problem, figures: &Figures, limit: Option<String>) -> Self {
        let object = Self { statistics: exploration(problem, figures), ..self.by("explicit") };
        match limit {
            Some(reason) => object.unknown(reason),
            None => object,
        }
    }
}
