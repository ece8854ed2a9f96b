//! One turn of the loop: search, check, refine.

use std::sync::Arc;

use surefoot_limits::{Stop, Unit};
use surefoot_oracle::FullOracle;

use crate::answer::{Failure, Invariant, Iteration, Observer, Outcome};
use crate::check::{Checked, Checker};
use crate::engine::{Proved, Run};
use crate::faults::{self, FaultFound};
use crate::number::number;
use crate::path::{AbstractPath, End};
use crate::refine::{Cause, Refined, Refiner};
use crate::search::{Found, Search};

/// How an iteration ended.
pub(crate) enum Ended {
    Refined,
    With(Outcome),
}

impl<O: FullOracle> Run<'_, '_, O> {
    pub(crate) fn iteration(&mut self, observer: &mut dyn Observer) -> Result<Ended, Failure> {
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
            match self.system.starts(&mut *self.oracle, limits) {
                Ok(starts) => self.starts = starts,
                Err(limit) => return stopped(limit),
            }
        }
        if self.starts.is_empty() {
            return Err(surefoot_abstraction::Failure::NoStart.into());
        }
        self.heuristic.extend(self.system, &self.predicates, &mut *self.oracle, limits);
        let work = self.options.work.map(|most| most.saturating_sub(self.figures.nodes));
        let (rules, heuristic, store) = (&mut self.rules, &self.heuristic, &self.store);
        let (predicates, options) = (&self.predicates, self.options);
        let mut search = Search::new(
            self.system,
            rules,
            predicates,
            heuristic,
            options,
            store,
            self.oracles,
            &self.refuted,
            &self.watched,
        );
        let mut found = search.run(&mut self.starts, &mut self.oracle, work)?;
        let (states, within, mut open_fault) = (search.invariant(), search.within(), None);
        self.figures.start_states = search.starts.len() as u64;
        self.figures.reachable_states = states.len() as u64;
        self.figures.expanded_states = search.expanded as u64;
        self.figures.transitions = search.transitions as u64;
        self.figures.all_expanded += search.expanded as u64;
        if let Found::Nothing = found {
            let (predicates, limits) = (&self.predicates, &self.options.limits);
            let (fault, work) =
                faults::find(search.system, predicates, &states, &within, &mut self.faults, self.oracles, limits)?;
            self.other_work.questions += work.questions;
            self.other_work.nodes += work.nodes;
            match fault {
                FaultFound::None => {}
                FaultFound::In(id, fault) => {
                    let (what, predicates) = (fault.what.clone(), self.predicates.clone());
                    let states = states.iter().map(|(_, state)| state.clone()).collect();
                    let within = within.clone();
                    self.proved = Some(Proved { states, within, what, predicates, figures: self.figures });
                    found = Found::Path(search.path_to(id, End::Fault(fault)));
                }
                FaultFound::Open(what, stop) => open_fault = Some((what, stop)),
            }
        }
        self.sketch = self.options.sketch.then(|| search.sketch());
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
                Ended::With(Outcome::Safe(Invariant { states, within, open_fault }))
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
            oracle: &mut *self.oracle,
            limits: &self.options.limits,
            mode: self.options.strategy.path_check,
            path_nodes: self.options.path_nodes,
        };
        let checked = checker.check(path);
        let mut refiner = Refiner {
            system: self.system,
            predicates: &self.predicates,
            profile: &self.profile,
            oracle: &mut *self.oracle,
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
                let by = self.rules.at(&source.locations).iter().position(|known| Arc::ptr_eq(known, rule));
                let by = number(by.expect("paths are made of known rules"));
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
            path: Some(path),
            cause,
            predicates: &self.predicates,
            added: &self.predicates.formulas()[before..],
            figures: self.figures,
        });
        Ok(ended)
    }
}
