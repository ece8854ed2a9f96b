//! What an engine ends with: the verdict, why it is believed, and what the engine has to tell.

use surefoot_bmc::Followed;
use surefoot_explicit::Statistics;
use surefoot_verdict::{Event, Figure};

use crate::bmc::BmcDetails;
use crate::cegar::{self, CegarDetails};
use crate::falsify::RunFigures;
use crate::open::OpenErrors;
use crate::replay::Replayed;

/// Why a verdict is believed.
#[derive(Debug, Clone)]
pub enum Evidence {
    /// Every reachable state was visited.
    Exhaustive,
    /// Abstract states that contain every start state and no unsafe one, and that no move leaves.
    Invariant {
        /// How many.
        states: usize,
    },
    /// Every path was followed to its end.
    AllPaths {
        /// How many.
        paths: u64,
        /// Steps of the longest.
        depth: u32,
    },
    /// A run, replayed exactly.
    Run(Box<Replayed>),
}

impl Evidence {
    /// The run, where it is one.
    #[must_use]
    pub fn run(&self) -> Option<&Replayed> {
        if let Self::Run(run) = self { Some(run) } else { None }
    }
}

/// The answer.
pub type Verdict = surefoot_verdict::Verdict<Evidence>;

/// A verdict and how it came about.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The engine that found it.
    pub engine: &'static str,
    /// What it takes for granted besides what the problem does.
    pub assumptions: Vec<String>,
    /// What is open besides a proof of safety.
    pub open: Option<OpenErrors>,
    /// What the engine has to tell.
    pub details: Details,
}

/// What an engine has to tell besides the verdict.
#[derive(Debug, Clone)]
pub enum Details {
    /// Of an exploration: its figures.
    Explicit(Statistics),
    /// Of refinement.
    Cegar(Box<CegarDetails>),
    /// Of bounded model checking.
    Bmc(BmcDetails),
    /// Of directed runs, one of which showed a violation.
    Runs(RunFigures),
}

impl Outcome {
    /// The run that shows the verdict, where there is one.
    #[must_use]
    pub fn run(&self) -> Option<&Replayed> {
        self.verdict.evidence().and_then(Evidence::run)
    }

    /// How far the engine came: the figures of its last event.
    #[must_use]
    pub fn last(&self) -> Vec<Figure> {
        match &self.details {
            Details::Explicit(statistics) => statistics.explored().figures(),
            Details::Cegar(details) => cegar::refined(&details.figures, details.words.predicates().len()),
            Details::Bmc(BmcDetails { figures, refuted }) => {
                Followed { refuted: *refuted, open: 0, figures: *figures }.figures()
            }
            Details::Runs(figures) => vec![Figure::new("runs", figures.runs), Figure::new("steps", figures.steps)],
        }
    }

    /// The figures of an exploration, if that was the engine.
    #[must_use]
    pub fn explored(&self) -> Option<&Statistics> {
        match &self.details {
            Details::Explicit(statistics) => Some(statistics),
            Details::Cegar(_) | Details::Bmc(_) | Details::Runs(_) => None,
        }
    }
}
