//! PlaJA's default refinement of policy-induced spuriousness.
//!
//! Inputs of the policy that have one value on all concretisations of the path, whatever the policy says, get that value as two
//! predicates. Where that adds nothing, every other input gets one bisection of its domain. Neither needs a witness.

use std::collections::VecDeque;

use surefoot_abstraction::PredicateSet;
use surefoot_limits::Stop;
use surefoot_linear::{Formula, Symbol};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::Oracle;

use super::{Refiner, precondition};
use crate::atoms::{at_least, at_most};
use crate::decision::Decision;
use crate::path::{AbstractPath, Unrolled};

impl<O: Oracle> Refiner<'_, '_, O> {
    /// Predicates for a step at which the policy chooses another label than the path.
    pub(super) fn entailed(
        &mut self,
        path: &AbstractPath,
        step: usize,
        states: &[State],
        decision: &Decision<'_>,
    ) -> Result<Vec<Formula>, Stop> {
        let cell = self.system.cell(self.predicates, &path.states[0]);
        let unrolled = Unrolled::new(path, &cell);
        let steps = (0..path.steps.len()).map(|step| unrolled.enabled(step));
        let whole = Formula::all(steps.chain([unrolled.end(self.system)]));
        let space = self.system.lowering().space().clone();
        let along = self.options.strategy.preconditions.along;
        let (mut added, mut open) = (Vec::new(), Vec::new());
        for input in decision.inputs() {
            let value = &states[step].0[input.index()];
            let both = [at_most(&space, input, value), at_least(&space, input, value)];
            let differs = Formula::any(both.iter().map(|side| unrolled.at(step, &side.negated())));
            let other = Formula::all([whole.clone(), differs]);
            if self.checker().exists(path, &unrolled, &other, 0..0)?.is_some() {
                open.push(input);
            } else {
                added.extend(precondition::versions(&path.steps, step, &both, along));
            }
        }
        let extended = |added: &[Formula]| {
            let all = [self.predicates.formulas(), added].concat();
            PredicateSet::new(&space, &all, false).0.len() > self.predicates.len()
        };
        if extended(&added) {
            return Ok(added);
        }
        let bisect = |input: &Symbol| {
            let bounds = &space.symbol(*input).bounds;
            let (lower, upper) = (bounds.lower.as_ref()?.to_i64()?, bounds.upper.as_ref()?.to_i64()?);
            let useful = |at: i64| {
                let threshold = at_least(&space, *input, &Rational::from(at));
                extended(std::slice::from_ref(&threshold)).then_some(threshold)
            };
            first_of_bisection(lower, upper, useful)
        };
        Ok(open.iter().filter_map(bisect).collect())
    }
}

/// The first useful threshold of a domain, by bisecting it breadth first.
fn first_of_bisection<T>(lower: i64, upper: i64, useful: impl Fn(i64) -> Option<T>) -> Option<T> {
    let mut parts = VecDeque::from([(lower, upper)]);
    while let Some((lower, upper)) = parts.pop_front() {
        if lower > upper {
            continue;
        }
        let middle = lower + (upper - lower) / 2;
        if let Some(found) = useful(middle) {
            return Some(found);
        }
        parts.push_back((lower, middle - 1));
        parts.push_back((middle + 1, upper));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_come_breadth_first() {
        let order = std::cell::RefCell::new(Vec::new());
        let none: Option<()> = first_of_bisection(0, 6, |at| {
            order.borrow_mut().push(at);
            None
        });
        assert_eq!(none, None);
        assert_eq!(*order.borrow(), [3, 1, 5, 0, 2, 4, 6]);
        assert_eq!(first_of_bisection(0, 6, |at| (at > 3).then_some(at)), Some(5));
    }
}
