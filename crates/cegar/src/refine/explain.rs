//! Explaining a decision: a box around a state in which a label is never chosen.
//!
//! The state is really reached and the policy does not choose the label in it. The box starts as that state and grows: the
//! variables that the decision depends on are freed one after another to the range of the abstract state, or as far as the oracle proves
//! that the label is chosen nowhere in the box. What stays bounded explains the decision, and becomes the predicates: the
//! witness of the abstract transition lies outside, so that one of them is new.
//!
//! The order decides what is found. Counters are freed first (thresholds on them are the most expensive), then variables
//! without predicates, the widest first; variables that are tracked already come last.

use surefoot_linear::{Formula, Space, Symbol};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Limits, Oracle, Variable};

use crate::atoms::{at_least, at_most};
use crate::decision::Decision;

/// Nodes per question: what is not decided by then counts as not proved.
const NODES: u64 = 2_000;

/// What is explained.
pub(crate) struct Explanation<'a> {
    pub(crate) decision: Decision<'a>,
    /// The box of the abstract state, then the domains of the rule's choices, which do not matter to the decision.
    pub(crate) bounds: &'a [Variable],
    /// What else holds in it and where the label's operator is enabled.
    pub(crate) property: &'a Formula,
    /// The state that is really reached.
    pub(crate) reached: &'a State,
}

impl Explanation<'_> {
    /// The predicates; `order` says what a variable is to be freed by, smallest first.
    pub(crate) fn predicates<K: Ord>(
        &self,
        space: &Space,
        order: impl Fn(Symbol) -> K,
        oracle: &mut impl Oracle,
        limits: &Limits,
    ) -> Vec<Formula> {
        let mut variables: Vec<Symbol> = self.decision.variables().into_iter().collect();
        variables.sort_by_key(|v| (order(*v), *v));
        let limits = Limits { nodes: Some(NODES), ..limits.clone() };
        let mut sides: Vec<Variable> = self.bounds.to_vec();
        for variable in &variables {
            let (side, value) = (&mut sides[variable.index()], &self.reached.0[variable.index()]);
            (side.lower, side.upper) = (value.clone(), value.clone());
        }
        for variable in &variables {
            self.free(&mut sides, variable.index(), oracle, &limits);
        }
        let mut predicates = Vec::new();
        for variable in variables {
            let (side, bounds) = (&sides[variable.index()], &self.bounds[variable.index()]);
            if side.lower > bounds.lower {
                predicates.push(at_least(space, variable, &side.lower));
            }
            if side.upper < bounds.upper {
                predicates.push(at_most(space, variable, &side.upper));
            }
        }
        predicates
    }

    /// Frees a variable: altogether, or each side as far as it goes.
    fn free<O: Oracle>(&self, sides: &mut [Variable], variable: usize, oracle: &mut O, limits: &Limits) {
        let Variable { lower, upper, .. } = self.bounds[variable].clone();
        if sides[variable].lower == lower && sides[variable].upper == upper {
            return;
        }
        let never = |sides: &[Variable], oracle: &mut O| {
            self.decision.chosen_in(oracle, sides, self.property, limits) == Answer::Unsat
        };
        let value = sides[variable].lower.clone();
        (sides[variable].lower, sides[variable].upper) = (lower.clone(), upper.clone());
        if never(sides, oracle) {
            return;
        }
        (sides[variable].lower, sides[variable].upper) = (value.clone(), value.clone());
        for (end, is_upper) in [(upper, true), (lower, false)] {
            let set = |sides: &mut [Variable], to: &Rational| {
                let side = &mut sides[variable];
                if is_upper { side.upper.clone_from(to) } else { side.lower.clone_from(to) }
            };
            // The label is never chosen up to `good`; it may be at `bad` and beyond.
            let (mut good, mut bad) = (value.clone(), end.clone());
            set(sides, &end);
            if end == value || never(sides, oracle) {
                continue;
            }
            while (&bad - &good).abs() > Rational::ONE {
                let middle = (&(&good + &bad) * &Rational::new(1, 2).unwrap_or(Rational::ONE)).floor();
                set(sides, &middle);
                if never(sides, oracle) {
                    good = middle;
                } else {
                    bad = middle;
                }
            }
            set(sides, &good);
        }
    }
}
