//! All truth assignments of formulas: what successors does a region have?
//!
//! Predicate abstraction asks for every combination of truth values that given predicates take on the successors of
//! states in a region in which the policy chooses a label. Substituting the update turns predicates on successors into
//! formulas over the state; for an operator with several outcomes, the formulas of all outcomes in a row make the
//! assignment a tuple. So the question is: which truth assignments of the *tracked* formulas do witnesses have?

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_num::Rational;

use crate::answer::{Answer, Limits, Oracle};
use crate::question::Question;
use crate::template::{Narrowing, Template};
use crate::variable::Variable;

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
    pub stopped: Option<Stop>,
}

/// Finds all truth assignments of formulas over the witnesses of a question.
///
/// Implementations agree on the assignments, though not on the witnesses. The defaults ask for the values of one formula after the
/// other: slow, and near the definition.
pub trait AllAssignments: Oracle {
    /// All assignments of `tracked`, except the excluded ones.
    fn assignments(
        &mut self,
        question: &Question,
        tracked: &[Formula],
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
    ) -> Assignments {
        let mut all = Assignments { found: BTreeMap::new(), stopped: None };
        let mut asked = Enumeration { oracle: self, tracked, excluded, limits, all: &mut all };
        asked.go_on(question, &mut Vec::with_capacity(tracked.len()));
        all
    }

    /// All assignments of a template's tracked formulas, except the excluded ones, in a narrowed box.
    ///
    /// # Panics
    /// When bounds are not within the template's.
    fn assignments_within(
        &mut self,
        template: &Template,
        within: Narrowing<'_>,
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
    ) -> Assignments {
        self.assignments(&template.narrowed(within), template.tracked(), excluded, limits)
    }

    /// The assignment of a template's tracked formulas in a point, and the exact point, if that is a witness of its question in a
    /// narrowed box and scores can be told apart there. Real values that rounding put beyond a variable's bound are moved onto it.
    ///
    /// # Panics
    /// When bounds are not within the template's, or the point has not one value per variable.
    fn assignment_at(
        &mut self,
        template: &Template,
        within: Narrowing<'_>,
        point: &[f64],
    ) -> Option<(Assignment, Vec<Rational>)> {
        let question = template.narrowed(within);
        assert_eq!(point.len(), question.variables.len(), "one value per variable");
        let onto = |(variable, value): (&Variable, &f64)| variable.value(*value);
        let point: Vec<Rational> = question.variables.iter().zip(point).map(onto).collect::<Option<_>>()?;
        if !question.is_witness(&point) {
            return None;
        }
        let truths: Vec<bool> =
            template.tracked().iter().map(|formula| question.holds(formula, &point)).collect::<Option<_>>()?;
        Some((Assignment::new(truths.into_iter()), point))
    }
}

/// Asks for all assignments, the values of the tracked formulas one after the other.
struct Enumeration<'a, O: ?Sized> {
    oracle: &'a mut O,
    tracked: &'a [Formula],
    excluded: &'a FxHashSet<Assignment>,
    limits: &'a Limits,
    all: &'a mut Assignments,
}

impl<O: Oracle + ?Sized> Enumeration<'_, O> {
    /// Finds the assignments that begin with the values given; the question says so.
    fn go_on(&mut self, question: &Question, values: &mut Vec<bool>) {
        let next = self.tracked.get(values.len());
        let assignment = Assignment::new(values.iter().copied());
        if next.is_none() && self.excluded.contains(&assignment) {
            return;
        }
        match (self.oracle.decide(question, self.limits), next) {
            (Answer::Unsat, _) => {}
            (Answer::Sat(point), None) => drop(self.all.found.insert(assignment, point)),
            (Answer::Unknown(limit), None) => self.all.stopped = Some(limit),
            (Answer::Unknown(limit), Some(_)) if limit.is_final() => self.all.stopped = Some(limit),
            // What was too much at once may be decided in parts.
            (Answer::Sat(_) | Answer::Unknown(_), Some(formula)) => {
                for value in [false, true] {
                    let literal = if value { formula.clone() } else { formula.negated() };
                    let formula = Formula::all([literal, question.formula.clone()]);
                    values.push(value);
                    self.go_on(&Question { formula, ..question.clone() }, values);
                    values.pop();
                }
            }
        }
    }
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
