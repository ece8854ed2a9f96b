//! Errors of the model that the abstraction does not exclude.
//!
//! An operator counts as absent where it is an error (a new value out of its domain, a probability that is none). That
//! nothing unsafe is reached is then proved of the model only if no such state is: after the search, every abstract state is
//! asked for one.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use surefoot_limits::{Stop, Unit};
use surefoot_linear::Formula;
use surefoot_model::State;
use surefoot_model::policy::Outputs;
use surefoot_oracle::{Answer, BranchAndBound, Limits};
use surefoot_symbolic::MAX_CASES;
use surefoot_text::diagnostic::Diagnostic;

use crate::oracles::Oracles;
use crate::predicate::PredicateSet;
pub use crate::region::Region;
use crate::region::witness;
use crate::rule::{Chooser, MOST_OPERATORS};
use crate::search::Abstraction;
use crate::state::StateId;
use crate::system::System;

/// Whether some state of the abstraction may be one in which the model is in error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errors {
    /// None is.
    Excluded,
    /// An abstract state holds one; it need not be reachable.
    Possible {
        /// The abstract state.
        state: StateId,
        /// What would be an error.
        what: String,
        /// A concrete state in which it is.
        witness: Box<State>,
    },
    /// The limit was met before that was known.
    Undecided(Stop),
}

/// Something that may be an error at given locations.
#[derive(Debug, Clone)]
pub struct Fault {
    /// What it is, in words.
    pub what: String,
    /// Where it is one.
    pub formula: Formula,
    /// How the policy comes to where it matters; `None` = it matters anyhow.
    pub choosers: Option<Arc<[Chooser]>>,
    /// Whether it is one wherever the formula says so. Otherwise it may be: that depends on choices among too many values.
    pub exact: bool,
}

impl Fault {
    /// Why it is open whether a fault is one that is not exact.
    #[must_use]
    pub fn undecided() -> Stop {
        Stop::Most(Unit::Choices, MAX_CASES as u64)
    }
}

/// Looks for errors in all states of an abstraction.
///
/// # Errors
/// What cannot be lowered, with its place.
pub fn errors(
    system: &mut System<'_>,
    predicates: &PredicateSet,
    abstraction: &Abstraction,
    options: &surefoot_oracle::Options,
    limits: &Limits,
) -> Result<Errors, Diagnostic> {
    let mut faults: FxHashMap<Box<[u32]>, Vec<Fault>> = FxHashMap::default();
    for (_, state) in abstraction.states.iter() {
        if !faults.contains_key(&state.locations) {
            faults.insert(state.locations.clone(), system.faults(&state.locations)?);
        }
    }
    let states: Vec<_> = abstraction.states.iter().collect();
    let system = &*system;
    let oracles = Oracles::new(options.clone());
    let found = states
        .par_iter()
        .map_init(
            || oracles.lend(),
            |oracle, (id, state)| {
                let faults = &faults[&state.locations];
                if faults.is_empty() {
                    return Errors::Excluded;
                }
                let region = Region::of(system, predicates, state);
                let mut undecided = Errors::Excluded;
                for fault in faults {
                    match fault.occurs(&region, oracle, limits) {
                        Answer::Sat(point) => {
                            let witness = Box::new(witness(point));
                            return Errors::Possible { state: *id, what: fault.what.clone(), witness };
                        }
                        Answer::Unsat => {}
                        Answer::Unknown(limit) => undecided = Errors::Undecided(limit),
                    }
                }
                undecided
            },
        )
        .find_first(|errors| *errors != Errors::Excluded);
    Ok(found.unwrap_or(Errors::Excluded))
}

/// Start states in which the model may be in error: for each fault of each abstract start state and each start condition one, if
/// there is one. Where a fault is exact the model is in error there, elsewhere it may be.
///
/// # Errors
/// What cannot be lowered, with its place.
pub fn start_errors(
    system: &mut System<'_>,
    predicates: &PredicateSet,
    abstraction: &Abstraction,
    options: &surefoot_oracle::Options,
    limits: &Limits,
) -> Result<Vec<State>, Diagnostic> {
    let mut oracle = BranchAndBound::new(options.clone());
    let mut found = Vec::new();
    for (_, state) in abstraction.states.iter().take(abstraction.start) {
        let faults = system.faults(&state.locations)?;
        let region = Region::of(system, predicates, state);
        for (fault, condition) in faults.iter().flat_map(|f| system.start_conditions.iter().map(move |c| (f, c))) {
            let condition = system.lowering.at_all_locations(condition, &state.locations);
            let formula = Formula::all([condition, fault.formula.clone()]);
            let here = Fault { formula, ..fault.clone() };
            if let Answer::Sat(point) = here.occurs(&region, &mut oracle, limits) {
                found.push(witness(point));
            }
        }
    }
    Ok(found)
}

impl Fault {
    /// Whether it occurs in a region.
    pub fn occurs(&self, region: &Region, oracle: &mut BranchAndBound, limits: &Limits) -> Answer {
        let plain = region.ask(oracle, &self.formula, None, limits);
        let (Some(choosers), Answer::Sat(_)) = (&self.choosers, &plain) else { return plain };
        let mut result = Answer::Unsat;
        for chooser in choosers.iter() {
            match region.ask(oracle, &self.formula, Some(chooser), limits) {
                Answer::Unsat => {}
                Answer::Unknown(limit) => result = Answer::Unknown(limit),
                sat @ Answer::Sat(_) => return sat,
            }
        }
        result
    }
}

impl System<'_> {
    /// All that may be an error at given locations.
    ///
    /// # Errors
    /// What cannot be lowered, with its place.
    pub fn faults(&mut self, locations: &[u32]) -> Result<Vec<Fault>, Diagnostic> {
        let model = self.model();
        let not_terminal = self.lowering.space().negated(&self.terminal);
        let mut faults = Vec::new();
        let mut add = |system: &Self, what: String, formula: Formula, choosers, exact: bool| {
            let formula = system.lowering.at_all_locations(&formula, locations);
            if !formula.is_falsity() {
                faults.push(Fault { what, formula, choosers, exact });
            }
        };
        let undefined = self.lowering.space().negated(&self.defined);
        add(self, "a condition of the property has no value".to_owned(), undefined, None, true);
        if let Some(policy) = self.policy.clone() {
            // Nobody is asked where there is nothing to choose.
            let labels = if let Outputs::Labels(labels) = &policy.outputs { labels.as_slice() } else { &[] };
            let applicable = labels.iter().map(|label| self.lowering.applicable(*label, Some(locations)));
            let asked = Formula::any(applicable.collect::<Result<Vec<_>, _>>()?);
            let uncovered = self.lowering.space().negated(&policy.covered);
            let formula = Formula::all([uncovered, asked, not_terminal.clone()]);
            add(self, "no network of the policy is responsible".to_owned(), formula, None, true);
        }
        for vector in 0..model.vectors.len() as u32 {
            let defined = self.lowering.guards_defined(vector)?;
            let formula = Formula::all([self.lowering.space().negated(&defined), not_terminal.clone()]);
            add(self, "a guard has no value".to_owned(), formula, None, true);
            for operator in self.lowering.operators(vector, Some(locations), MOST_OPERATORS)? {
                let lowered = self.lowering.operator(&operator)?;
                let space = self.lowering.space();
                // Not known to be free of errors anywhere: it may be one wherever it is enabled.
                let free = lowered.error_free(space);
                let exact = free.is_some();
                let error = free.map_or_else(Formula::truth, |free| space.negated(&free));
                let formula = Formula::all([lowered.guard.holds.clone(), not_terminal.clone(), error]);
                // Part of the error above, and told before it by its own name.
                let no_distribution = space.negated(&lowered.distribution);
                let choosers = self.choosers(lowered.label, locations)?;
                let name = model.describe_operator(&operator);
                let wrong = Formula::all([lowered.guard.holds.clone(), not_terminal.clone(), no_distribution]);
                let what = format!("the probabilities of {name} are negative or do not add up to 1");
                add(self, what, wrong, choosers.clone(), true);
                let what = format!("an update of {name} has no value or leaves a variable's domain");
                add(self, what, formula, choosers, exact);
            }
        }
        Ok(faults)
    }
}
