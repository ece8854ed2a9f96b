//! What an engine ends with: the verdict, why it is believed, and what the engine has to tell.

use std::sync::Arc;

use surefoot_explicit::{Reached, Statistics};
use surefoot_verdict::Figure;

use crate::abstraction::regions::Cells;
use crate::bmc::BmcDetails;
use crate::cegar::CegarDetails;
use crate::falsify::RunFigures;
use crate::open::OpenErrors;
use crate::outside::Witnesses;
use crate::replay::Replayed;

/// Why a verdict is believed.
#[derive(Debug, Clone)]
pub enum Evidence {
    /// Every reachable state was visited.
    Exhaustive {
        /// The states, where they are kept.
        reached: Option<Arc<Reached>>,
    },
    /// Abstract states that contain every start state and no unsafe one, and that no move leaves.
    Invariant {
        /// How many.
        states: usize,
        /// The abstract states, where they are kept.
        cells: Option<Arc<Cells>>,
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
    /// Who was asked instead of the built-in oracle.
    pub outside: Option<Witnesses>,
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
        self.details.account().last()
    }

    /// How many start states there are, where the engine has counted them.
    #[must_use]
    pub fn starts(&self) -> Option<u64> {
        self.details.account().starts()
    }

    /// What was done, line by line: a word for each, and what it says.
    #[must_use]
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        self.details.account().lines()
    }

    /// The engine, what it has to show for the verdict, and what that took.
    #[must_use]
    pub fn account(&self) -> String {
        let by = self.outside.as_ref().map(|outside| format!("; answers by {}", outside.name));
        self.details.account().told(self) + &by.unwrap_or_default()
    }

    /// What it takes for granted of other people's solvers.
    #[must_use]
    pub fn words_taken(&self) -> Vec<String> {
        self.outside.as_ref().map_or_else(Vec::new, |outside| outside.assumptions(Some(&self.verdict)))
    }

    /// The same, by other people's solvers.
    pub(crate) fn by(self, witnesses: Witnesses) -> Self {
        let verdict = witnesses.explained(self.verdict);
        let mut assumptions = witnesses.assumptions(Some(&verdict));
        assumptions.extend(self.assumptions);
        Self { verdict, assumptions, outside: Some(witnesses), ..self }
    }

    /// What refinement has to tell, if that was the engine.
    #[must_use]
    pub fn refinement(&self) -> Option<&CegarDetails> {
        if let Details::Cegar(details) = &self.details { Some(details) } else { None }
    }

    /// The figures of an exploration, if that was the engine.
    #[must_use]
    pub fn explored(&self) -> Option<&Statistics> {
        if let Details::Explicit(statistics) = &self.details { Some(statistics) } else { None }
    }
}

impl Details {
    fn account(&self) -> &dyn Account {
        match self {
            Self::Explicit(statistics) => statistics,
            Self::Cegar(details) => &**details,
            Self::Bmc(details) => details,
            Self::Runs(figures) => figures,
        }
    }
}

/// What the figures of an engine say to people.
pub(crate) trait Account {
    /// The figures of its last event.
    fn last(&self) -> Vec<Figure>;

    /// How many start states there are, where that is known.
    fn starts(&self) -> Option<u64> {
        None
    }

    /// What was done, line by line: a word for each, and what it says.
    fn lines(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// The engine, what it has to show for an outcome, and what that took.
    fn told(&self, outcome: &Outcome) -> String;
}
