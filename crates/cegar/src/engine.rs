//! The loop: search, check, refine.
//!
//! **Termination.** Every iteration that does not end the run adds a predicate that tells apart two concrete states of one
//! abstract state ([`crate::refine`]). Abstract states are nonempty sets of concrete ones and only ever fall into smaller ones; there are
//! finitely many concrete states, so there are finitely many iterations. Or else a transition of the path was only assumed, because
//! it was too hard to decide, and does not exist: then it is left out, of which there are finitely many. Anything else is reported as an internal
//! error, not tried again.
//!
//! **What the answers rest on.** `Unsafe`: the states of a run, to be replayed by the caller. `Safe`: the abstract states that were
//! reached, narrowed to what was not written on the way, contain every start state, are closed under the moves that the policy permits, and hold no unsafe state: an inductive
//! invariant. Errors of the model are excluded the same way, as ends of paths: an error that is reached really is reported
//! with its run.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use surefoot_abstraction::errors::Faults;
use surefoot_abstraction::oracles::Lent;
use surefoot_abstraction::{AbstractState, Oracles, PredicateSet, Rules, Sketch, SlotRange, Start, System, Watched};
use surefoot_linear::Formula;
use surefoot_model::State;
use surefoot_num::Random;
use surefoot_oracle::{FullOracle, Statistics};

use crate::answer::{Cegar, Failure, Figures, Invariant, Observer, Outcome};
use crate::atoms::atoms;
use crate::heuristic::Heuristic;
use crate::iteration::Ended;
use crate::options::Options;
use crate::profile::Profile;
use crate::search::Refuted;
use crate::store::Store;

/// Proves that no unsafe state is reachable, or finds a run to one. The search starts from the atoms of the unsafety condition and the given predicates.
///
/// # Errors
/// When something cannot be lowered, there is no start state, or a refinement adds nothing.
pub fn cegar<O: FullOracle>(
    system: &mut System<'_>,
    given: &[Formula],
    options: &Options,
    oracles: &Oracles<O>,
    observer: &mut dyn Observer,
) -> Result<Cegar, Failure> {
    let space = system.lowering().space();
    let mut initial = Vec::new();
    for formula in std::iter::once(system.reach()).chain(given) {
        initial.extend(atoms(space, formula, system.model().instances.len()));
    }
    let (predicates, _) = PredicateSet::new(space, &initial, false);
    let (profile, oracle) = (Profile::new(system), oracles.lend());
    let watched = if options.strategy.untouched { Watched::of(system) } else { Watched::default() };
    let run = Run {
        watched,
        system,
        options,
        profile,
        before: oracle.statistics(),
        oracle,
        oracles,
        predicates,
        rules: Rules::default(),
        starts: Vec::new(),
        heuristic: Heuristic::default(),
        store: Store::default(),
        faults: Faults::default(),
        random: Random::new(options.seed),
        figures: Figures::default(),
        refinements: 0,
        refuted: FxHashSet::default(),
        proved: None,
        other_work: Statistics::default(),
        sketch: None,
    };
    run.run(observer)
}

pub(crate) struct Run<'s, 'm, O: FullOracle> {
    pub(crate) system: &'s mut System<'m>,
    pub(crate) options: &'s Options,
    pub(crate) profile: Profile,
    /// For what is asked one by one, and what it had done before.
    pub(crate) oracle: Lent<'s, O>,
    pub(crate) before: Statistics,
    /// For what is asked at once: that work is counted when it is used.
    pub(crate) oracles: &'s Oracles<O>,
    pub(crate) predicates: PredicateSet,
    pub(crate) rules: Rules,
    pub(crate) starts: Vec<Start>,
    /// Variables that are watched for not being written.
    pub(crate) watched: Watched,
    pub(crate) heuristic: Heuristic,
    pub(crate) store: Store,
    pub(crate) faults: Faults,
    pub(crate) random: Random,
    pub(crate) figures: Figures,
    /// How often predicates were added.
    pub(crate) refinements: u64,
    /// Transitions that were assumed under the current predicates and do not exist.
    pub(crate) refuted: FxHashSet<Refuted>,
    /// What is proved already but for errors of the model.
    pub(crate) proved: Option<Proved>,
    /// Work of the other oracles.
    pub(crate) other_work: Statistics,
    /// The last search, where it is to be kept.
    pub(crate) sketch: Option<Sketch>,
}

/// That no unsafe state is reachable, unless the model is in error.
pub(crate) struct Proved {
    pub(crate) states: Vec<AbstractState>,
    pub(crate) within: Vec<Arc<[SlotRange]>>,
    pub(crate) what: String,
    pub(crate) predicates: PredicateSet,
    pub(crate) figures: Figures,
}

impl<O: FullOracle> Run<'_, '_, O> {
    fn run(mut self, observer: &mut dyn Observer) -> Result<Cegar, Failure> {
        loop {
            let before = self.refinements;
            let outcome = match self.iteration(observer)? {
                Ended::Refined => match self.falsified(before, observer) {
                    Some(states) => Outcome::Unsafe(states),
                    None => continue,
                },
                Ended::With(outcome) => outcome,
            };
            return Ok(self.ended(outcome));
        }
    }

    /// The answer. What was proved before a limit was met stays proved, but for errors of the model.
    fn ended(mut self, outcome: Outcome) -> Cegar {
        let (outcome, predicates) = match (outcome, self.proved) {
            (Outcome::Unknown(stop), Some(Proved { states, within, what, predicates, figures })) => {
                // The figures of the last iteration are those of the invariant.
                self.figures.start_states = figures.start_states;
                self.figures.reachable_states = figures.reachable_states;
                self.figures.expanded_states = figures.expanded_states;
                self.figures.transitions = figures.transitions;
                (Outcome::Safe(Invariant { states, within, open_fault: Some((what, stop)) }), predicates)
            }
            (outcome, _) => (outcome, self.predicates),
        };
        Cegar { outcome, predicates, figures: self.figures, sketch: self.sketch }
    }

    /// A run that someone else found, who is asked the more rarely the more refinements there were.
    fn falsified(&mut self, before: u64, observer: &mut dyn Observer) -> Option<Vec<State>> {
        if self.refinements == before || !self.refinements.is_power_of_two() {
            return None;
        }
        self.heuristic.extend(self.system, &self.predicates, &mut *self.oracle, &self.options.limits);
        let (heuristic, predicates) = (&self.heuristic, &self.predicates);
        observer.falsify(&|values| heuristic.distance_of(predicates, values))
    }

    pub(crate) fn count(&mut self) {
        let own = self.oracle.statistics().since(&self.before);
        self.figures.questions = own.questions + self.other_work.questions;
        self.figures.nodes = own.nodes + self.other_work.nodes;
    }
}
