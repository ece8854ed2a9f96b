//! What is told on the way: the band as it narrows, and the predicates for another run.

use surefoot_abstraction::PredicateSet;
use surefoot_num::round::{add_down, add_up};
use surefoot_probabilistic::{Narrowed, Observer};
use surefoot_verdict::{Event, Figure, Kind, Reporter};

use crate::cegar::{Checkpoint, Expressions};
use crate::result::body::BandPoint;

/// Tells of the band, and keeps the checkpoint.
pub(super) struct Listener<'a> {
    pub(super) reporter: &'a dyn Reporter,
    /// Whether the property asks for one minus what is bounded.
    pub(super) complement: bool,
    /// Whether the lower end of the property's value comes from the model; else the upper one does.
    pub(super) lower_is_shown: bool,
    pub(super) checkpoint: Option<&'a Checkpoint>,
    pub(super) expressions: &'a Expressions,
    /// A full disk must not stop a proof; it is told at the end.
    pub(super) failure: Option<String>,
    /// What was told last.
    pub(super) last: Option<Narrowed>,
    /// The band at the end of each iteration.
    pub(super) band: Vec<BandPoint>,
    /// The predicates that are in the checkpoint, and after how many iterations.
    pub(super) written: Option<(usize, u64)>,
}

impl Listener<'_> {
    /// Keeps the last band of every iteration. There are no times in it, so that it is the same whenever and wherever a run is made.
    fn remember(&mut self, narrowed: &Narrowed) {
        let iteration = narrowed.figures.iterations;
        if self.band.last().is_some_and(|point| point.iteration == iteration) {
            self.band.pop();
        }
        self.band.push(BandPoint {
            iteration,
            questions: narrowed.figures.questions,
            lo: narrowed.lower,
            hi: narrowed.upper,
            cause: narrowed.cause.map(str::to_owned),
        });
    }

    fn keep(&mut self, iterations: u64, predicates: &PredicateSet) {
        let Some(checkpoint) = self.checkpoint else { return };
        let state = Some((predicates.len(), iterations));
        if self.written != state {
            self.written = state;
            let written = checkpoint.write(iterations, predicates, self.expressions);
            self.failure = written.err().or(self.failure.take());
        }
    }
}

impl Observer for Listener<'_> {
    fn narrowed(&mut self, narrowed: &Narrowed, predicates: Option<&PredicateSet>) {
        if let Some(predicates) = predicates {
            self.keep(narrowed.figures.iterations, predicates);
        }
        let narrowed = of_the_property(narrowed.clone(), self.complement);
        self.remember(&narrowed);
        let bounds = |told: &Narrowed| (told.lower, told.upper, told.p_u, told.figures.iterations);
        let news = self.last.as_ref().is_none_or(|last| bounds(last) != bounds(&narrowed));
        self.reporter.tell(&Band { narrowed: &narrowed, news, lower_is_shown: self.lower_is_shown });
        self.last = Some(narrowed);
    }
}

/// The band of the property's value, rounded outward.
fn of_the_property(narrowed: Narrowed, complement: bool) -> Narrowed {
    if !complement {
        return narrowed;
    }
    let lower = add_down(1.0, -narrowed.upper).max(0.0);
    let upper = add_up(1.0, -narrowed.lower).min(1.0);
    Narrowed { lower, upper, ..narrowed }
}

/// A band, and whether there is anything new about it.
struct Band<'n> {
    narrowed: &'n Narrowed,
    news: bool,
    lower_is_shown: bool,
}

impl Event for Band<'_> {
    fn kind(&self) -> Kind {
        if self.news { Kind::Iteration } else { Kind::Progress }
    }

    fn figures(&self) -> Vec<Figure> {
        let mut figures = self.narrowed.figures();
        figures.push(Figure::new("shown", if self.lower_is_shown { "lower" } else { "upper" }));
        figures.push(Figure::new("cause", self.narrowed.cause));
        figures
    }

    fn line(&self) -> String {
        self.narrowed.line()
    }
}
