//! States that have an abstract step, or the end that a path wants.

use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_model::State;
use surefoot_oracle::{Answer, Oracle};

use super::Refiner;
use crate::decision::Decision;
use crate::path::{AbstractPath, End};

impl<O: Oracle> Refiner<'_, '_, O> {
    /// A concrete state in which an abstract step is taken: of its source, where the policy chooses the label and the rule leads into the
    /// next state.
    pub(super) fn witness(&mut self, path: &AbstractPath, step: usize) -> Result<Option<State>, Stop> {
        let source = &path.states[step];
        let Some(rule) = path.steps.get(step) else { return self.end_witness(path) };
        let prepared = self.system.prepared(self.predicates, rule);
        for question in prepared.into_target(source, &path.states[step + 1]) {
            match self.oracle.decide(&question, &self.options.limits) {
                Answer::Sat(point) => return Ok(Some(prepared.concrete(self.system, source, &point))),
                Answer::Unsat => {}
                Answer::Unknown(limit) => return Err(limit),
            }
        }
        Ok(None)
    }

    /// A concrete state of the last abstract state that is as the end wants it.
    fn end_witness(&mut self, path: &AbstractPath) -> Result<Option<State>, Stop> {
        let state = path.states.last().expect("a path has a state");
        let cell = self.system.cell(self.predicates, state);
        let (formula, choosers) = match &path.end {
            End::Unsafe => (self.system.reach(), None),
            End::Fault(fault) => (&fault.formula, fault.choosers.as_deref()),
        };
        let (wanted, limits) =
            (self.system.lowering().at_all_locations(formula, &state.locations), &self.options.limits);
        let answer = match choosers {
            None => self.oracle.decide(&cell.question(wanted), limits),
            Some(choosers) => {
                let property = Formula::all([cell.formula(), wanted]);
                Decision { choosers }.chosen_in(self.oracle, &cell.variables, &property, limits)
            }
        };
        match answer {
            Answer::Sat(point) => Ok(Some(State(point.into()))),
            Answer::Unsat => Ok(None),
            Answer::Unknown(limit) => Err(limit),
        }
    }
}
