//! Iterations of counterexample-guided refinement, as they are told.

use std::time::Duration;

use surefoot_cegar::Figures;
use surefoot_verdict::{Event, Figure, Kind};

/// What happened in an iteration.
#[derive(Debug, Clone)]
pub(crate) struct Iterated {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// Steps of the abstract path that was looked at; `None` where there was none.
    pub(crate) path: Option<usize>,
    /// Why the path is spurious, in a word, and at which step (0 = the start).
    pub(crate) cause: Option<(&'static str, usize)>,
    /// The predicates that were added, in words.
    pub(crate) added: Vec<String>,
    /// How many predicates there are now.
    pub(crate) predicates: usize,
    /// Figures so far.
    pub(crate) figures: Figures,
    /// How long it took.
    pub(crate) time: Duration,
}

impl Event for Iterated {
    fn kind(&self) -> Kind {
        Kind::Iteration
    }

    fn figures(&self) -> Vec<Figure> {
        let mut figures = refined(&self.figures, self.predicates);
        figures.extend([
            Figure::new("path", self.path),
            Figure::new("cause", self.cause.map(|(cause, _)| cause)),
            Figure::new("step", self.cause.map(|(_, step)| step)),
            Figure::new("added", self.added.clone()),
            Figure::new("iteration_seconds", self.time),
        ]);
        figures
    }

    fn line(&self) -> String {
        let Self { number, predicates, figures, .. } = self;
        let (states, questions) = (figures.reachable_states, figures.questions);
        format!("iteration {number}: {predicates} predicates, {states} abstract states, {questions} questions")
    }
}

/// The figures of refinement: those of the last abstraction, and how many predicates and iterations led to it.
pub(crate) fn refined(figures: &Figures, predicates: usize) -> Vec<Figure> {
    vec![
        Figure::new("iteration", figures.iterations),
        Figure::new("predicates", predicates),
        Figure::new("states", figures.reachable_states),
        Figure::new("expanded", figures.expanded_states),
        Figure::new("questions", figures.questions),
        Figure::new("nodes", figures.nodes),
    ]
}
