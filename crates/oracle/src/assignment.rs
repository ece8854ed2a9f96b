//! All truth assignments of formulas: what successors does a region have?
//!
//! Predicate abstraction asks for every combination of truth values that given predicates take on the successors of
//! states in a region in which the policy chooses a label. Substituting the update turns predicates on successors into
//! formulas over the state; for an operator with several outcomes, the formulas of all outcomes in a row make the
//! assignment a tuple. So the question is: which truth assignments of the *tracked* formulas do witnesses have?

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use surefoot_linear::Formula;
use surefoot_num::Rational;

use crate::answer::{Answer, Limit, Limits, Oracle};
use crate::question::{Question, Variable};
use crate::search::Template;

/// Truth values of the tracked formulas, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Assignment {
    words: Box<[u64]>,
    len: usize,
}

impl Assignment {
    /// The assignment of given values.
    #[must_use]
    pub fn new(values: impl ExactSizeIterator<Item = bool>) -> Self {
        let len = values.len();
        let mut words = vec![0u64; len.div_ceil(64)].into_boxed_slice();
        for (index, value) in values.enumerate() {
            words[index / 64] |= u64::from(value) << (index % 64);
        }
        Self { words, len }
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A value.
    ///
    /// # Panics
    /// When there is no such value.
    #[must_use]
    pub fn get(&self, index: usize) -> bool {
        assert!(index < self.len, "value {index} of {}", self.len);
        self.words[index / 64] >> (index % 64) & 1 == 1
    }

    /// All values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = bool> + '_ {
        (0..self.len).map(|index| self.get(index))
    }
}

/// The assignments found, and whether these are all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignments {
    /// Each assignment with one exact witness, ordered by assignment.
    pub found: BTreeMap<Assignment, Vec<Rational>>,
    /// The limit that stopped the search; `None` when there are no others.
    pub stopped: Option<Limit>,
}

/// Finds all truth assignments of formulas over the witnesses of a question.
pub trait AllAssignments {
    /// All assignments of `tracked`, except the excluded ones.
    fn assignments(
        &mut self,
        question: &Question,
        tracked: &[Formula],
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
    ) -> Assignments;

    /// All assignments of a template's tracked formulas, except the excluded ones, within narrower bounds and where more
    /// holds.
    ///
    /// # Panics
    /// When bounds are not within the template's.
    fn assignments_within(
        &mut self,
        template: &Template,
        variables: &[Variable],
        also: &[Formula],
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
    ) -> Assignments {
        self.assignments(&template.narrowed(variables, also), template.tracked(), excluded, limits)
    }
}

/// Asks for every assignment in turn: slow and near the definition. Other implementations agree with it on the
/// assignments, though not on the witnesses.
///
/// # Panics
/// When more than 30 formulas are tracked.
pub fn assignments_reference(
    oracle: &mut dyn Oracle,
    question: &Question,
    tracked: &[Formula],
    excluded: &FxHashSet<Assignment>,
    limits: &Limits,
) -> Assignments {
    assert!(tracked.len() <= 30, "the reference enumerates all combinations");
    let mut found = BTreeMap::new();
    let mut stopped = None;
    for code in 0u64..1 << tracked.len() {
        let assignment = Assignment::new((0..tracked.len()).map(|index| code >> index & 1 == 1));
        if excluded.contains(&assignment) {
            continue;
        }
        let literals = assignment.iter().zip(tracked).map(|(value, f)| if value { f.clone() } else { f.negated() });
        let mut narrowed = question.clone();
        narrowed.formula = Formula::all(literals.chain([question.formula.clone()]));
        match oracle.decide(&narrowed, limits) {
            Answer::Sat(point) => drop(found.insert(assignment, point)),
            Answer::Unsat => {}
            Answer::Unknown(limit) => stopped = Some(limit),
        }
    }
    Assignments { found, stopped }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept() {
        let values: Vec<bool> = (0..150).map(|i| i % 3 == 0).collect();
        let assignment = Assignment::new(values.iter().copied());
        assert_eq!(assignment.iter().collect::<Vec<_>>(), values);
        assert_eq!(assignment.len(), 150);
        assert!(Assignment::new(std::iter::empty()).is_empty());
    }
}
