//! What comes of it, and what is told on the way.

use surefoot_abstraction::{PredicateSet, Sketch};
use surefoot_limits::Stop;
use surefoot_model::{ModelError, State};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::{Amount, Event, Figure};

/// An interval that contains the value, and what it rests on.
#[derive(Debug, Clone)]
pub struct Bounded {
    /// Attained (nearly: it is rounded down) by a scheduler from the start state; for the smallest value, by none.
    pub lower: Rational,
    /// No scheduler does better from any start state.
    pub upper: Rational,
    /// A start state that shows the bound which comes from the model itself.
    pub start: Option<State>,
    /// The limit that was met before it was known as precisely as wanted.
    pub stopped: Option<Stop>,
    /// An error of the model that is not excluded: what, and why not. The bound that comes from the abstraction takes it for granted that it does not
    /// occur.
    pub open_fault: Option<(String, Stop)>,
    /// The predicates at the end, where there are any.
    pub predicates: Option<PredicateSet>,
    /// Its figures.
    pub figures: Figures,
    /// The last abstraction, where that was to be kept.
    pub sketch: Option<Sketch>,
}

/// Figures of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Abstractions that were solved.
    pub iterations: u64,
    /// Refinements of transition-induced spuriousness of a path (i-a), of a set of paths (ii-a), of policy-induced spuriousness of a path (i-b),
    /// of a set (ii-b).
    pub refinements: [u64; 4],
    /// Abstract start states of the last abstraction.
    pub start_states: u64,
    /// Abstract states of the last abstraction.
    pub abstract_states: u64,
    /// Abstract transitions of the last abstraction.
    pub transitions: u64,
    /// Predicates of the last abstraction, or cuts.
    pub predicates: u64,
    /// Concrete states that were expanded.
    pub concrete_states: u64,
    /// Paths of the largest path set.
    pub most_paths: u64,
    /// Milliseconds spent on counterexamples.
    pub analysis_milliseconds: u64,
    /// Questions to the oracle.
    pub questions: u64,
    /// Nodes of its searches.
    pub nodes: u64,
}

/// The band of lower and upper bound, as far as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Narrowed {
    /// The lower bound, rounded down.
    pub lower: f64,
    /// The upper bound, rounded up.
    pub upper: f64,
    /// The bound that the paper's linear search is at.
    pub p_u: Option<f64>,
    /// Why the last counterexample was spurious, in a word or two.
    pub cause: Option<&'static str>,
    /// Figures so far.
    pub figures: Figures,
}

impl Event for Narrowed {
    fn figures(&self) -> Vec<Figure> {
        let Self { lower, upper, p_u, figures, .. } = self;
        let mut told = vec![
            Figure::new("lower", Amount::Probability(*lower)),
            Figure::new("upper", Amount::Probability(*upper)),
            Figure::new("iterations", figures.iterations),
            Figure::new("abstract_states", figures.abstract_states),
            Figure::new("predicates", figures.predicates),
            Figure::new("concrete_states", figures.concrete_states),
            Figure::new("paths", figures.most_paths),
            Figure::new("questions", figures.questions),
        ];
        told.extend(p_u.map(|p| Figure::new("p_u", Amount::Probability(p))));
        told
    }

    fn line(&self) -> String {
        let Self { lower, upper, figures, .. } = self;
        let Figures { iterations, abstract_states, concrete_states, .. } = figures;
        format!(
            "[{lower:.6}, {upper:.6}], iteration {iterations}, {abstract_states} abstract and {concrete_states} concrete states"
        )
    }
}

/// Someone who wants to know how it goes.
pub trait Observer {
    /// The band is narrower, or an iteration is over; with the predicates, where there are any.
    fn narrowed(&mut self, narrowed: &Narrowed, predicates: Option<&PredicateSet>);
}

impl Observer for () {
    fn narrowed(&mut self, _: &Narrowed, _: Option<&PredicateSet>) {}
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Something cannot be abstracted, or there is no start state.
    #[error(transparent)]
    Abstraction(#[from] surefoot_abstraction::Failure),
    /// The model is in error in a state that a run comes to.
    #[error("the model is in error")]
    Model(Box<ModelError>),
    /// A refinement added nothing, or the like: an error of ours.
    #[error("{0}")]
    Internal(String),
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Abstraction(diagnostic.into())
    }
}
