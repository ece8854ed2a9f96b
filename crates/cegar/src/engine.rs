//! The loop: search, check, refine.
//!
//! **Termination.** Every iteration that does not end the run adds a predicate that tells apart two concrete states of one
//! abstract state ([`crate::refine`]). Abstract states are nonempty sets of concrete ones and only ever fall into smaller ones; there are
//! finitely many concrete states, so there are finitely many iterations. Or else a transition of the path was only assumed, because
//! it was too hard to decide, and does not exist: then it is left out, of which there are finitely many. Anything else is reported as an internal
//! error, not tried again.
//!
//! **What the answers rest on.** `Unsafe`: the states of a run, to be replayed by the caller. `Safe`: the abstract states that were
//! reached contain every start state, are closed under the moves that the policy permits, and hold no unsafe state: an inductive
//! invariant. Errors of the model are excluded the same way, as ends of paths: an error that is reached really is reported
//! with its run.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashSet;
use surefoot_abstraction::{AbstractState, PredicateSet, System};
use surefoot_limits::{Stop, Unit};
use surefoot_linear::Formula;
use surefoot_model::State;
use surefoot_num::Random;
use surefoot_oracle::{BranchAndBound, KeepStatistics, Statistics};

use crate::answer::{Cegar, Failure, Figures, Invariant, Iteration, Observer, Outcome};
use crate::atoms::atoms;
use crate::check::{Checked, Checker};
use crate::faults::{FaultFound, Faults};
use crate::heuristic::Heuristic;
use crate::options::Options;
use crate::path::{AbstractPath, End};
use crate::profile::Profile;
use crate::refine::{Cause, Refined, Refiner};
use crate::search::{Found, Refuted, Rules, Search};
use crate::starts::{Start, starts};
use crate::store::Store;

/// Proves that no unsafe state is reachable, or finds a run to one. The search starts from the atoms of the unsafety condition and the given predicates.
///
/// # Errors
/// When something cannot be lowered, there is no start state, or a refinement adds nothing.
pub fn cegar(
    system: &mut System<'_>,
    given: &[Formula],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Cegar, Failure> {
    let space = system.lowering().space();
    let mut initial = Vec::new();
    for formula in std::iter::once(system.reach()).chain(given) {
        initial.extend(atoms(space, formula, system.model().instances.len()));
    }
    let (predicates, _) = PredicateSet::new(space, &initial, false);
    let profile = Profile::new(system);
    let run = Run {
        system,
        options,
        profile,
        expanders: (0..rayon::current_num_threads()).map(|_| Mutex::new(new_oracle(options))).collect(),
        oracle: new_oracle(options),
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
    };
    run.run(observer)
}

fn new_oracle(options: &Options) -> BranchAndBound {
    BranchAndBound::new(surefoot_oracle::Options { seed: options.seed, ..Default::default() })
}

struct Run<'s, 'm> {
    system: &'s mut System<'m>,
    options: &'s Options,
    profile: Profile,
    oracle: BranchAndBound,
    /// One per thread, for expansions: their work is counted when it is used.
    expanders: Vec<Mutex<BranchAndBound>>,
    predicates: PredicateSet,
    rules: Rules,
    starts: Vec<Start>,
    heuristic: Heuristic,
    store: Store,
    faults: Faults,
    random: Random,
    figures: Figures,
    /// How often predicates were added.
    refinements: u64,
    /// Transitions that were assumed under the current predicates and do not exist.
    refuted: FxHashSet<Refuted>,
    /// What is proved already but for errors of the model.
    proved: Option<Proved>,
    /// Work of the other oracles.
    other_work: Statistics,
}

/// That no unsafe state is reachable, unless the model is in error.
struct Proved {
    states: Vec<AbstractState>,
    what: String,
    predicates: PredicateSet,
    figures: Figures,
}

/// How an iteration ended.
enum Ended {
    Refined,
    With(Outcome),
}

impl Run<'_, '_> {
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
            (Outcome::Unknown(stop), Some(Proved { states, what, predicates, figures })) => {
                // The figures of the last iteration are those of the invariant.
                self.figures.start_states = figures.start_states;
                self.figures.reachable_states = figures.reachable_states;
                self.figures.expanded_states = figures.expanded_states;
                self.figures.transitions = figures.transitions;
                (Outcome::Safe(Invariant { states, open_fault: Some((what, stop)) }), predicates)
            }
            (outcome, _) => (outcome, self.predicates),
        };
        Cegar { outcome, predicates, figures: self.figures }
    }

    /// A run that someone else found, who is asked the more rarely the more refinements there were.
    fn falsified(&mut self, before: u64, observer: &mut dyn Observer) -> Option<Vec<State>> {
        if self.refinements == before || !self.refinements.is_power_of_two() {
            return None;
        }
        self.heuristic.extend(self.system, &self.predicates, &mut self.oracle, &self.options.limits);
        let (heuristic, predicates) = (&self.heuristic, &self.predicates);
        observer.falsify(&|values| heuristic.distance_of(predicates, values))
    }

    fn count(&mut self) {
        let own = self.oracle.statistics();
        self.figures.questions = own.questions + self.other_work.questions;
        self.figures.nodes = own.nodes + self.other_work.nodes;
    }

    fn iteration(&mut self, observer: &mut dyn Observer) -> Result<Ended, Failure> {
        let stopped = |limit| Ok(Ended::With(Outcome::Unknown(limit)));
        if let Some(most) = self.options.iterations.filter(|most| self.figures.iterations >= *most) {
            return stopped(Stop::Most(Unit::Iterations, most));
        }
        if let Some(most) = self.options.work.filter(|most| self.figures.nodes >= *most) {
            return stopped(Stop::Most(Unit::AllNodes, most));
        }
        self.figures.iterations += 1;
        let limits = &self.options.limits;
        if self.starts.is_empty() {
            match starts(self.system, &mut self.oracle, limits) {
                Ok(starts) => self.starts = starts,
                Err(limit) => return stopped(limit),
            }
        }
        if self.starts.is_empty() {
            return Err(surefoot_abstraction::Failure::NoStart.into());
        }
        self.heuristic.extend(self.system, &self.predicates, &mut self.oracle, limits);
        let work = self.options.work.map(|most| most.saturating_sub(self.figures.nodes));
        let (rules, heuristic, store) = (&mut self.rules, &self.heuristic, &self.store);
        let (predicates, options) = (&self.predicates, self.options);
        let mut search =
            Search::new(self.system, rules, predicates, heuristic, options, store, &self.expanders, &self.refuted);
        let mut found = search.run(&mut self.starts, &mut self.oracle, work)?;
        let (states, mut open_fault) = (search.invariant(), None);
        self.figures.start_states = search.starts.len() as u64;
        self.figures.reachable_states = states.len() as u64;
        self.figures.expanded_states = search.expanded as u64;
        self.figures.transitions = search.transitions as u64;
        self.figures.all_expanded += search.expanded as u64;
        if let Found::Nothing = found {
            let (fault, work) = self.faults.find(search.system, &self.predicates, &states, &self.options.limits)?;
            self.other_work.questions += work.questions;
            self.other_work.nodes += work.nodes;
            match fault {
                FaultFound::None => {}
                FaultFound::In(id, fault) => {
                    let (what, predicates) = (fault.what.clone(), self.predicates.clone());
                    let states = states.iter().map(|(_, state)| state.clone()).collect();
                    self.proved = Some(Proved { states, what, predicates, figures: self.figures });
                    found = Found::Path(search.path_to(id, End::Fault(fault)));
                }
                FaultFound::Open(what, stop) => open_fault = Some((what, stop)),
            }
        }
        self.other_work.questions += search.work.questions;
        self.other_work.nodes += search.work.nodes;
        if self.options.incremental {
            let (bytes, memory) = (search.record_bytes, self.options.limits.run.memory);
            let records = search.into_records();
            self.store.add(self.predicates.len(), records, bytes, memory);
        }
        self.count();
        let ended = match found {
            Found::Nothing => {
                let states = states.into_iter().map(|(_, state)| state).collect();
                Ended::With(Outcome::Safe(Invariant { states, open_fault }))
            }
            Found::Stopped(stop) => Ended::With(Outcome::Unknown(stop)),
            Found::Path(path) => return self.refine(&path, observer),
        };
        observer.iteration(&Iteration {
            number: self.figures.iterations,
            path: None,
            cause: None,
            predicates: &self.predicates,
            added: &[],
            figures: self.figures,
        });
        Ok(ended)
    }

    /// Checks a path, and refines where it is spurious.
    fn refine(&mut self, path: &AbstractPath, observer: &mut dyn Observer) -> Result<Ended, Failure> {
        let mut checker = Checker {
            system: self.system,
            predicates: &self.predicates,
            oracle: &mut self.oracle,
            limits: &self.options.limits,
            mode: self.options.strategy.path_check,
            path_nodes: self.options.path_nodes,
        };
        let checked = checker.check(path);
        let mut refiner = Refiner {
            system: self.system,
            predicates: &self.predicates,
            profile: &self.profile,
            oracle: &mut self.oracle,
            options: self.options,
            random: &mut self.random,
        };
        let refined = refiner.refine(path, &checked);
        self.count();
        let before = self.predicates.len();
        let (ended, cause) = match refined {
            Refined::Real(states) => {
                let outcome = match &path.end {
                    End::Unsafe => Outcome::Unsafe(states),
                    End::Fault(fault) => Outcome::Fault(fault.clone(), states),
                };
                (Ended::With(outcome), None)
            }
            Refined::Unknown(limit) => (Ended::With(Outcome::Unknown(limit)), None),
            Refined::NoSuchStep(step) => {
                let source = &path.states[step];
                let rule = &path.steps[step];
                let by = self.rules[&source.locations].iter().position(|known| Arc::ptr_eq(known, rule));
                let by = by.expect("paths are made of known rules") as u32;
                if !self.refuted.insert((source.clone(), by, path.states[step + 1].clone())) {
                    let found = format!("step {step} was refuted before");
                    return Err(Failure::NoProgress { steps: path.steps.len(), found });
                }
                (Ended::Refined, None)
            }
            Refined::Nothing => {
                let found = match checked {
                    Checked::Step { step, .. } => format!("step {step} cannot be taken"),
                    Checked::Policy { step, .. } => format!("the policy chooses otherwise in step {step}"),
                    Checked::Real(_) | Checked::Unknown(_) => "nothing".to_owned(),
                };
                return Err(Failure::NoProgress { steps: path.steps.len(), found });
            }
            Refined::More { predicates, cause, step } => {
                if cause == Cause::Policy {
                    self.figures.policy_refinements += 1;
                    self.figures.policy_predicates += (predicates.len() - before) as u64;
                }
                self.predicates = predicates;
                self.refinements += 1;
                self.refuted.clear();
                (Ended::Refined, Some((cause, step)))
            }
        };
        observer.iteration(&Iteration {
            number: self.figures.iterations,
            path: Some(path.steps.len()),
            cause,
            predicates: &self.predicates,
            added: &self.predicates.formulas()[before..],
            figures: self.figures,
        });
        Ok(ended)
    }
}
