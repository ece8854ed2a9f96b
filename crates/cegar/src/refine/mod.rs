//! New predicates from a spurious path.
//!
//! * A step that cannot be taken, or an end that is not met ([`Cause::Guard`], [`Cause::Target`]): the atoms of the guard or of the end, and
//!   their weakest preconditions along the path (`precondition`).
//! * A label that the policy does not choose ([`Cause::Policy`]): witness splitting (`split`), decision explanation
//!   (`explain`), or what all concretisations agree on (`entailed`).
//! * A concretisation that leaves the abstract path before that ([`Cause::Leaves`]): the weakest precondition of the predicate in
//!   which it does.
//! * Where none of these is new ([`Cause::Separated`]): predicates that tell the farthest concretisation inside the path's abstract
//!   states from the witness of the step that it cannot take (`separate`).
//!
//! Where a step of the path was only assumed to exist, all this may find that it does not (`NoSuchStep`).
//!
//! **Progress.** Every refinement adds a predicate that tells two states of one abstract state apart, so that none is added
//! twice; over finitely many states there are finitely many such refinements. The last kind always finds one: the two
//! states are different, for one takes a step that the other cannot. That nothing was added is therefore an error
//! of ours (`Refined::Nothing`), and is reported as one.

mod entailed;
pub(crate) mod explain;
pub(crate) mod precondition;
mod separate;
pub(crate) mod split;
mod witness;

use surefoot_abstraction::{PredicateSet, System, domain_variable};
use surefoot_limits::Stop;
use surefoot_linear::{Formula, Symbol};
use surefoot_model::State;
use surefoot_num::Random;
use surefoot_oracle::Oracle;

use crate::atoms::atoms;
use crate::check::{Checked, Checker};
use crate::decision::Decision;
use crate::options::{Options, PolicyRefinement};
use crate::path::{AbstractPath, End, Unrolled};
use crate::profile::Profile;

/// Why a path is spurious.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A step cannot be taken.
    Guard,
    /// The end is not met.
    Target,
    /// The policy chooses another label.
    Policy,
    /// The concretisation leaves the abstract states of the path.
    Leaves,
    /// No concretisation stays inside the abstract states of the path.
    Separated,
}

impl Cause {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::Target => "target",
            Self::Policy => "policy",
            Self::Leaves => "leaves",
            Self::Separated => "separated",
        }
    }
}

/// What came of a refinement.
#[derive(Debug)]
pub enum Refined {
    /// More predicates, of which those after the first `before` are new.
    More {
        /// All of them.
        predicates: PredicateSet,
        /// Why the path is spurious.
        cause: Cause,
        /// At which step.
        step: usize,
    },
    /// A step of the path was assumed and does not exist.
    NoSuchStep(usize),
    /// The path is real after all.
    Real(Vec<State>),
    /// Nothing: an error of ours.
    Nothing,
    /// The oracle met a limit.
    Unknown(Stop),
}

/// Refines.
pub struct Refiner<'a, 'm, O> {
    /// What is abstracted.
    pub system: &'a System<'m>,
    /// By which predicates.
    pub predicates: &'a PredicateSet,
    /// How the model assigns its variables.
    pub profile: &'a Profile,
    /// Who answers.
    pub oracle: &'a mut O,
    /// How to refine, and until when.
    pub options: &'a Options,
    /// For what may be done one way or another.
    pub random: &'a mut Random,
}

impl<O: Oracle> Refiner<'_, '_, O> {
    /// Predicates that refute a path of which it is known that no concretisation stays inside its abstract states (and, where `follows` says so, goes
    /// along with the policy). What a check finds may leave them: then that is refuted.
    pub fn refute(&mut self, path: &AbstractPath, follows: bool) -> Refined {
        let checked = if follows { self.checker().check(path) } else { self.checker().check_steps(path) };
        let Checked::Real(states) = &checked else { return self.refine(path, &checked) };
        match self.leaves(path, states) {
            Some(refined) => refined,
            None => self.separate(path).unwrap_or_else(Refined::Unknown),
        }
    }

    /// Predicates that a spurious path asks for.
    pub fn refine(&mut self, path: &AbstractPath, checked: &Checked) -> Refined {
        let result = match checked {
            Checked::Step { step, states } => self.step(path, *step, states),
            Checked::Policy { step, states } => self.policy(path, *step, states),
            Checked::Real(states) => return Refined::Real(states.clone()),
            Checked::Unknown(limit) => return Refined::Unknown(*limit),
        };
        match result {
            Ok(Some(refined)) => refined,
            Ok(None) => self.separate(path).unwrap_or_else(Refined::Unknown),
            Err(limit) => Refined::Unknown(limit),
        }
    }

    /// A step that cannot be taken, or the end.
    fn step(&mut self, path: &AbstractPath, step: usize, states: &[State]) -> Result<Option<Refined>, Stop> {
        let preconditions = self.options.strategy.preconditions;
        let cause = if step < path.steps.len() { Cause::Guard } else { Cause::Target };
        // What else makes a step possible (that its update stays in the domains, say) matters only where the guard does not tell.
        for more in [false, true] {
            let mut wanted = self.wanted(path, step, more);
            if preconditions.only_open {
                wanted = self.open(path, step, wanted)?;
            }
            let mut added = precondition::versions(&path.steps, step, &wanted, preconditions.along);
            if preconditions.guards {
                for earlier in 0..step.min(path.steps.len()) {
                    let guard = self.wanted(path, earlier, more);
                    added.extend(precondition::versions(&path.steps, earlier, &guard, preconditions.along));
                }
            }
            if preconditions.predicates {
                for at in 1..=step {
                    added.extend(precondition::versions(&path.steps, at, self.predicates.formulas(), true));
                }
            }
            if let Some(refined) = self.extended(&added, cause, step) {
                return Ok(Some(refined));
            }
        }
        Ok(self.leaves(path, states))
    }

    /// The atoms of a step's guard, or of all that makes it possible; or those of the end.
    fn wanted(&self, path: &AbstractPath, step: usize, all: bool) -> Vec<Formula> {
        if let Some(rule) = path.steps.get(step) {
            return precondition::without_choices(rule, if all { &rule.formula } else { &rule.guard });
        }
        let end = match &path.end {
            End::Unsafe => self.system.reach(),
            End::Fault(fault) => &fault.formula,
        };
        let end = self.system.lowering().at_all_locations(end, &path.states[step].locations);
        atoms(self.system.lowering().space(), &end, self.system.model().instances.len())
    }

    /// The atoms that do not hold on all concretisations of the path up to a step.
    fn open(&mut self, path: &AbstractPath, step: usize, wanted: Vec<Formula>) -> Result<Vec<Formula>, Stop> {
        let unrolled = Unrolled::new(path, &self.system.cell(self.predicates, &path.states[0]));
        let so_far = Formula::all((0..step).map(|step| unrolled.enabled(step)));
        let mut open = Vec::new();
        for atom in wanted {
            let fails = Formula::all([so_far.clone(), unrolled.at(step, &atom.negated())]);
            if self.checker().exists(path, &unrolled, &fails, 0..0)?.is_some() {
                open.push(atom);
            }
        }
        Ok(open)
    }

    pub(crate) fn checker(&mut self) -> Checker<'_, '_, O> {
        Checker {
            system: self.system,
            predicates: self.predicates,
            oracle: self.oracle,
            limits: &self.options.limits,
            mode: self.options.strategy.path_check,
            path_nodes: self.options.path_nodes,
        }
    }

    /// A label that the policy does not choose in a state that is really reached.
    fn policy(&mut self, path: &AbstractPath, step: usize, states: &[State]) -> Result<Option<Refined>, Stop> {
        let reached = &states[step];
        if self.system.abstract_of(self.predicates, reached) != path.states[step] {
            return Ok(self.leaves(path, states));
        }
        let space = self.system.lowering().space();
        let (formula, choosers) = match (path.steps.get(step), &path.end) {
            (Some(rule), _) => (&rule.formula, rule.choosers.as_deref()),
            (None, End::Fault(fault)) => (&fault.formula, fault.choosers.as_deref()),
            (None, End::Unsafe) => return Ok(None),
        };
        let decision = Decision { choosers: choosers.unwrap_or_default() };
        let limits = self.options.limits.clone();
        let along = self.options.strategy.preconditions.along;
        let added = match self.options.strategy.policy {
            PolicyRefinement::Split { variables, point, relaxed } => {
                let Some(witness) = self.witness(path, step)? else { return Ok(None) };
                let domains = self.system.slot_variables();
                let split = split::Split { decision, domains: &domains, witness: &witness, reached, relaxed };
                let added = split.predicates(space, variables, point, self.oracle, &limits, self.random);
                precondition::versions(&path.steps, step, &added, along)
            }
            PolicyRefinement::Explain => {
                let cell = self.system.cell(self.predicates, &path.states[step]);
                let property = Formula::all([cell.formula(), formula.clone()]);
                let mut bounds = cell.variables;
                if let Some(rule) = path.steps.get(step) {
                    bounds.extend(rule.choices.iter().map(|(_, domain)| domain_variable(domain)));
                }
                let explanation = explain::Explanation { decision, bounds: &bounds, property: &property, reached };
                let tracked = self.tracked();
                let order = |v: Symbol| {
                    let rank = match (self.profile.is_counter(v), tracked[v.index()]) {
                        (true, _) => 0,
                        (false, false) => 1,
                        (false, true) => 2,
                    };
                    let width = &bounds[v.index()].upper - &bounds[v.index()].lower;
                    (rank, std::cmp::Reverse(width))
                };
                explanation.predicates(space, order, self.oracle, &limits)
            }
            PolicyRefinement::Entailed => self.entailed(path, step, states, &decision)?,
        };
        Ok(self.extended(&added, Cause::Policy, step))
    }

    /// Per slot, whether some predicate is about it.
    fn tracked(&self) -> Vec<bool> {
        let mut tracked = vec![false; self.system.model().slots.len()];
        for formula in self.predicates.formulas() {
            formula.for_each_atom(&mut |atom| {
                atom.form.terms().iter().for_each(|(symbol, _)| tracked[symbol.index()] = true);
            });
        }
        tracked
    }

    /// The weakest precondition of the predicate in which a concretisation first leaves the path.
    fn leaves(&mut self, path: &AbstractPath, states: &[State]) -> Option<Refined> {
        for (step, (concrete, wanted)) in states.iter().zip(&path.states).enumerate() {
            let here = self.system.abstract_of(self.predicates, concrete);
            let differs = |p: &usize| here.values.get(*p) != wanted.values.get(*p);
            if let Some(predicate) = (0..self.predicates.len()).find(differs) {
                let given = [self.predicates.formulas()[predicate].clone()];
                let added = precondition::versions(&path.steps, step, &given, true);
                return self.extended(&added, Cause::Leaves, step);
            }
        }
        None
    }

    /// The predicates with more; `None` when nothing is new.
    pub fn extended(&self, added: &[Formula], cause: Cause, step: usize) -> Option<Refined> {
        let space = self.system.lowering().space();
        let mut all = self.predicates.formulas().to_vec();
        for formula in added {
            all.push(formula.clone());
            for slot in only_slot(formula)
                .map(|slot| self.profile.whole(space, slot, self.options.strategy.whole))
                .unwrap_or_default()
            {
                all.extend(self.profile.thresholds(space, slot));
            }
        }
        let (predicates, _) = PredicateSet::new(space, &all, false);
        (predicates.len() > self.predicates.len()).then_some(Refined::More { predicates, cause, step })
    }
}

/// The only slot that a predicate is about, if it is about one.
fn only_slot(formula: &Formula) -> Option<Symbol> {
    let Formula::Atom(atom) = formula else { return None };
    if let [(symbol, _)] = atom.form.terms() { Some(*symbol) } else { None }
}
