//! What runs have left as it was: variables that the policy reads and that nothing has written since the start.
//!
//! An abstract state says nothing about variables without predicates, such as the costs that a policy reads beside the positions that
//! decide what is safe. All their values count as possible, and then the questions about the policy's choice are over as many free inputs. Most of
//! them were never written on the way: they still have a value that some start state gives them. Which ones *may* have been written is found
//! out along with what is reachable, as in data-flow analysis (Kildall, *A unified approach to global program optimization*, POPL 1973): a
//! move adds what it assigns, and an abstract state has the union over all abstract runs that lead to it. So there is one set for an
//! abstract state; a predicate `x = 0` would make two of every state for each variable, this makes none.
//!
//! **Soundness.** Let `R(v)` be a range of the values of a variable in all start states. Of every reachable state in an abstract state, each
//! variable outside of the set has a value in `R(v)`: that holds of start states; a move either leaves the variable alone, or writes it, and then it is in
//! the set of the target, unless it becomes a constant in `R(v)`. So the abstract states, narrowed by these ranges, are what is inductive.

use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::Variable;

use crate::cell::narrow;
use crate::predicate::{Literal, PredicateSet};
use crate::rule::Rule;
use crate::state::AbstractState;
use crate::system::System;

/// At most so many variables are watched.
const MOST: usize = u64::BITS as usize;

/// A variable and the values that it can have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SlotRange {
    /// The variable.
    pub slot: Symbol,
    /// Its least value.
    pub lower: Rational,
    /// Its largest value.
    pub upper: Rational,
}

impl SlotRange {
    /// Leaves of the values of a variable those in the range.
    pub(crate) fn narrow(&self, variable: &mut Variable) {
        if variable.lower < self.lower {
            variable.lower.clone_from(&self.lower);
        }
        if variable.upper > self.upper {
            variable.upper.clone_from(&self.upper);
        }
    }

    /// Whether a value is in it.
    #[must_use]
    pub fn contains(&self, value: &Rational) -> bool {
        self.lower <= *value && *value <= self.upper
    }
}

/// Variables that are watched, each with its values in start states.
#[derive(Debug, Clone, Default)]
pub struct Watched {
    ranges: Vec<SlotRange>,
}

/// Those of the watched variables that may have been written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Written(u64);

impl Written {
    /// Whether all of these may have been written in another set, too.
    #[must_use]
    pub fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Takes those of another set; whether some are new.
    pub fn join(&mut self, other: Self) -> bool {
        let news = !other.is_within(*self);
        self.0 |= other.0;
        news
    }
}

impl Watched {
    /// The variables of a system that are worth watching: those that the policy reads, and that start with some of their values only.
    #[must_use]
    pub fn of(system: &System<'_>) -> Self {
        let Some(policy) = &system.policy else { return Self::default() };
        let forms = policy.networks.iter().flat_map(|network| network.inputs.iter());
        let mut read: Vec<Symbol> = forms.flat_map(|form| form.terms().iter().map(|(slot, _)| *slot)).collect();
        read.sort_unstable();
        read.dedup();
        let locations = system.model().instances.len();
        let starts = starts(system);
        let range = |slot: Symbol| {
            let (own, domain) = (&starts.as_ref()?[slot.index()], system.slot_variable(slot));
            let range = SlotRange { slot, lower: own.lower.clone(), upper: own.upper.clone() };
            (range.lower > domain.lower || range.upper < domain.upper).then_some(range)
        };
        let ranges = read.into_iter().filter(|slot| slot.index() >= locations).filter_map(range);
        Self { ranges: ranges.take(MOST).collect() }
    }

    /// The ranges of the variables that were not written.
    #[must_use]
    pub fn untouched(&self, written: Written) -> Arc<[SlotRange]> {
        let own = self.ranges.iter().enumerate().filter(|(index, _)| written.0 >> index & 1 == 0);
        own.map(|(_, range)| range.clone()).collect()
    }

    /// What may have been written after a move.
    #[must_use]
    pub fn after(&self, rule: &Rule, before: Written) -> Written {
        let mut written = before.0;
        for (slot, value) in &rule.update {
            let Ok(index) = self.ranges.binary_search_by_key(&slot.index(), |range| range.slot.index()) else {
                continue;
            };
            let as_at_first = value.terms().is_empty() && self.ranges[index].contains(value.constant());
            written = if as_at_first { written & !(1 << index) } else { written | 1 << index };
        }
        Written(written)
    }

    /// What abstract states over some predicates say about the watched variables by themselves.
    #[must_use]
    pub fn telling(&self, system: &System<'_>, predicates: &PredicateSet) -> Telling {
        let literals = (0..predicates.len()).flat_map(|p| [false, true].map(|truth| (p, truth)));
        let of = |range: &SlotRange| {
            let domain = system.slot_variable(range.slot);
            let (mut low, mut high) = (Vec::new(), Vec::new());
            for (predicate, truth) in literals.clone() {
                match predicates.literal(predicate, truth) {
                    Literal::AtLeast(slot, least) if *slot == range.slot && *least >= range.lower => {
                        low.push((predicate, truth));
                    }
                    Literal::AtMost(slot, most) if *slot == range.slot && *most <= range.upper => {
                        high.push((predicate, truth));
                    }
                    _ => {}
                }
            }
            [(domain.lower < range.lower).then_some(low), (domain.upper > range.upper).then_some(high)]
        };
        Telling { ends: self.ranges.iter().map(of).collect() }
    }
}

/// Predicates with truth values, one of which is enough; `None` where none is needed.
type OneOf = Option<Vec<(usize, bool)>>;

/// Which literals keep a watched variable in its range.
#[derive(Debug, Clone, Default)]
pub struct Telling {
    /// What keeps each of them from being less, and from being more.
    ends: Vec<[OneOf; 2]>,
}

impl Telling {
    /// Of variables that may have been written, those of which an abstract state does not say itself that they are in their ranges.
    #[must_use]
    pub fn of(&self, written: Written, state: &AbstractState) -> Written {
        let says = |(predicate, truth): &(usize, bool)| state.values.get(*predicate) == *truth;
        let mut told = written.0;
        for (index, ends) in self.ends.iter().enumerate().filter(|(index, _)| written.0 >> index & 1 == 1) {
            if ends.iter().all(|end| end.as_ref().is_none_or(|literals| literals.iter().any(says))) {
                told &= !(1 << index);
            }
        }
        Written(told)
    }

    /// The ranges of variables that were not written in an abstract state, as far as it does not say them itself.
    #[must_use]
    pub fn ranges(&self, watched: &Watched, written: Written, state: &AbstractState) -> Arc<[SlotRange]> {
        let silent = self.of(Written(u64::MAX), state);
        watched.untouched(Written(written.0 | !silent.0))
    }
}

/// A box around all start states; none if there is no start state.
fn starts(system: &System<'_>) -> Option<Vec<Variable>> {
    let domains = system.slot_variables();
    let mut hull: Option<Vec<Variable>> = None;
    for state in system.start_states() {
        let point = state.0.iter().zip(&domains);
        let point =
            point.map(|(value, domain)| Variable { lower: value.clone(), upper: value.clone(), ..domain.clone() });
        join(&mut hull, point.collect());
    }
    for condition in system.start_conditions() {
        if let Some(around) = around(condition, domains.clone()) {
            join(&mut hull, around);
        }
    }
    hull
}

/// A box around the states of a box that satisfy a formula; none if there are none.
fn around(formula: &Formula, mut variables: Vec<Variable>) -> Option<Vec<Variable>> {
    match formula {
        Formula::All(parts) => parts.iter().try_fold(variables, |variables, part| around(part, variables)),
        Formula::Any(parts) => {
            let mut hull = None;
            for part in parts.iter().filter_map(|part| around(part, variables.clone())) {
                join(&mut hull, part);
            }
            hull
        }
        Formula::Atom(atom) => {
            let bound = |form: &Linear| Literal::of(&Formula::Atom(Atom::at_least_zero(form.clone())));
            // Soundness: a strict bound says at least what it says without being strict.
            let bounds = match atom.relation {
                Relation::AtLeastZero | Relation::Positive => vec![bound(&atom.form)],
                Relation::Zero => vec![bound(&atom.form), bound(&-&atom.form)],
                Relation::NonZero => Vec::new(),
            };
            bounds.iter().for_each(|bound| narrow(&mut variables, bound));
            variables.iter().all(|variable| variable.lower <= variable.upper).then_some(variables)
        }
    }
}

/// Makes a box hold another one, too.
fn join(hull: &mut Option<Vec<Variable>>, other: Vec<Variable>) {
    let Some(hull) = hull else {
        *hull = Some(other);
        return;
    };
    for (own, other) in hull.iter_mut().zip(other) {
        if other.lower < own.lower {
            own.lower = other.lower;
        }
        if other.upper > own.upper {
            own.upper = other.upper;
        }
    }
}
