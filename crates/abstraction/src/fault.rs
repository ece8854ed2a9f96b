//! What may be an error of the model: an update without a value or out of a domain, probabilities that do not add up, a guard or
//! a condition without a value, a state that no network of the policy is responsible for.

use std::sync::Arc;

use surefoot_limits::{Stop, Unit};
use surefoot_linear::Formula;
use surefoot_model::policy::Outputs;
use surefoot_oracle::{Answer, Limits, Oracle};
use surefoot_symbolic::MAX_CASES;
use surefoot_text::diagnostic::Diagnostic;

use crate::cell::Cell;
use crate::chooser::Chooser;
use crate::errors::Faults;
use crate::rule::MOST_OPERATORS;
use crate::system::System;

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

    /// Whether it occurs in a cell.
    pub fn occurs(&self, cell: &Cell, oracle: &mut impl Oracle, limits: &Limits) -> Answer {
        let plain = cell.ask(oracle, &self.formula, None, limits);
        let (Some(choosers), Answer::Sat(_)) = (&self.choosers, &plain) else { return plain };
        let mut result = Answer::Unsat;
        for chooser in choosers.iter() {
            match cell.ask(oracle, &self.formula, Some(chooser), limits) {
                Answer::Unsat => {}
                Answer::Unknown(stop) => result = Answer::Unknown(stop),
                sat @ Answer::Sat(_) => return sat,
            }
        }
        result
    }
}

impl System<'_> {
    /// Finds out what may be an error at given locations, once.
    ///
    /// # Errors
    /// What cannot be lowered, with its place.
    pub fn prepare_faults(&mut self, locations: &[u32], faults: &mut Faults) -> Result<(), Diagnostic> {
        faults.prepare(locations, || Ok(self.faults(locations)?.into_iter().map(Arc::new).collect()))
    }

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
        for vector in model.vector_numbers() {
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
