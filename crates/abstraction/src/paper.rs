//! State expansion by the paper's Algorithm 2: enumerate candidate successors, test each.
//!
//! Tests come in three strengths, each an over-approximation of the next: without the policy (the paper's SMT tests),
//! with the policy over the reals (relaxed NN-SAT), with the policy over the integers (exact NN-SAT). Applicability tests ask
//! whether a move is possible at all, transition tests whether it leads to a given assignment. Candidates are narrowed by
//! *entailment* (a predicate of the successor that the source and the move leave no choice) and by *binary relations* between predicates.
//! Every test and both optimisations can be switched off; with an exact transition test the result is the same.

use rustc_hash::FxHashSet;
use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Assignment, Assignments, Limits, Question, Relaxation, Relaxed, by_relaxation};

/// How the exact test is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exact {
    /// Not at all: what the other tests leave is taken as a transition.
    No,
    /// By branch and bound over the relaxed test (the paper's Algorithm 1).
    BranchAndBound,
    /// By the oracle's own exact decision.
    Direct,
}

/// Which tests are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own, as in the paper")]
pub struct Configuration {
    /// Is the move possible, without the policy?
    pub plain_applicability: bool,
    /// Is it possible over the reals, with the policy?
    pub relaxed_applicability: bool,
    /// Is it possible over the integers, with the policy?
    pub exact_applicability: bool,
    /// Fix predicates of the successor that are entailed.
    pub entailment: bool,
    /// Fix predicates by binary relations.
    pub relations: bool,
    /// Is the transition possible, without the policy?
    pub plain_transition: bool,
    /// Is it possible over the reals, with the policy?
    pub relaxed_transition: bool,
    /// Is it possible over the integers, with the policy?
    pub exact: Exact,
}

impl Configuration {
    /// Without a policy: the abstraction of the whole state space.
    pub const PLAIN: Self = Self {
        plain_applicability: true,
        relaxed_applicability: false,
        exact_applicability: false,
        entailment: true,
        relations: true,
        plain_transition: true,
        relaxed_transition: false,
        exact: Exact::No,
    };
    /// PA+Marabou: the policy over the reals, the rest over the integers.
    pub const RELAXED: Self = Self { relaxed_applicability: true, relaxed_transition: true, ..Self::PLAIN };
    /// PA+BB(Marabou): exact by branch and bound over the relaxed test.
    pub const BRANCH_AND_BOUND: Self = Self { exact: Exact::BranchAndBound, ..Self::RELAXED };
    /// PA+Marabou+Z3: exact by a test of its own after the relaxed one.
    pub const RELAXED_THEN_EXACT: Self = Self { exact: Exact::Direct, ..Self::RELAXED };

    /// Whether any test looks at the policy.
    #[must_use]
    pub fn asks_policy(self) -> bool {
        self.relaxed_applicability || self.exact_applicability || self.relaxed_transition || self.exact != Exact::No
    }

    /// The tests for moves in which the policy has no say: those with it would ask the same again.
    #[must_use]
    pub fn ungoverned(self) -> Self {
        let exact = if self.plain_transition { Exact::No } else { self.exact };
        Self { relaxed_applicability: false, exact_applicability: false, relaxed_transition: false, exact, ..self }
    }
}

/// A move as Algorithm 2 sees it: with and without the policy.
#[derive(Debug)]
pub struct Step<'s> {
    /// The question without the policy.
    pub plain: &'s Question,
    /// The question with the policy.
    pub policy: &'s Question,
    /// Predicates on the successor.
    pub tracked: &'s [Formula],
}

/// Algorithm 2 for one move; counts what it asks.
pub struct Expansion<'e> {
    /// Which tests are done.
    pub configuration: Configuration,
    /// Who answers.
    pub oracle: &'e mut dyn Relaxed,
    /// Until when.
    pub limits: &'e Limits,
    /// The limit that was met.
    pub stopped: Option<Stop>,
    /// Tests asked.
    pub tests: u64,
}

impl Expansion<'_> {
    /// All assignments of the successor's predicates that the tests leave, except the excluded ones; each with a state
    /// that passed the last test, which over the reals may be no state of the model.
    pub fn run(&mut self, step: &Step<'_>, excluded: &FxHashSet<Assignment>) -> Assignments {
        let mut result = Assignments { found: std::collections::BTreeMap::new(), stopped: None };
        let c = self.configuration;
        if (c.plain_applicability && !self.possible(step.plain, &[]))
            || (c.relaxed_applicability && self.relaxed(step.policy, &[]).is_none())
            || (c.exact_applicability && !self.possible(step.policy, &[]))
        {
            result.stopped = self.stopped;
            return result;
        }
        let mut values: Vec<Option<bool>> = vec![None; step.tracked.len()];
        if c.entailment {
            for (index, formula) in step.tracked.iter().enumerate() {
                if !self.possible(step.plain, std::slice::from_ref(formula)) {
                    values[index] = Some(false);
                } else if !self.possible(step.plain, &[formula.negated()]) {
                    values[index] = Some(true);
                }
            }
        }
        self.enumerate(step, excluded, &mut values, &mut result);
        result.stopped = self.stopped;
        result
    }

    fn enumerate(
        &mut self,
        step: &Step<'_>,
        excluded: &FxHashSet<Assignment>,
        values: &mut [Option<bool>],
        result: &mut Assignments,
    ) {
        // What is over is not asked on; what it leaves out is not lost, as the state does not count as expanded.
        if self.stopped.is_some_and(Stop::is_final) {
            return;
        }
        let Some(open) = values.iter().position(Option::is_none) else {
            let assignment = Assignment::new(values.iter().map(|v| v.expect("all are fixed")));
            if !excluded.contains(&assignment)
                && let Some(witness) = self.transition(step, &assignment)
            {
                result.found.insert(assignment, witness);
            }
            return;
        };
        for value in [true, false] {
            let before = values.to_vec();
            values[open] = Some(value);
            if !self.configuration.relations || self.relate(step, values, open, value) {
                self.enumerate(step, excluded, values, result);
            }
            values.copy_from_slice(&before);
        }
    }

    /// Fixes what one predicate entails of each other alone; false when that contradicts what is fixed.
    fn relate(&mut self, step: &Step<'_>, values: &mut [Option<bool>], fixed: usize, value: bool) -> bool {
        let frame = Question { formula: Formula::truth(), applications: Vec::new(), ..step.plain.clone() };
        let own = literal(&step.tracked[fixed], value);
        for (other, (formula, truth)) in step.tracked.iter().zip(values).enumerate() {
            if other == fixed {
                continue;
            }
            match *truth {
                Some(known) => {
                    if !self.possible(&frame, &[own.clone(), literal(formula, known)]) {
                        return false;
                    }
                }
                None => {
                    if !self.possible(&frame, &[own.clone(), formula.clone()]) {
                        *truth = Some(false);
                    } else if !self.possible(&frame, &[own.clone(), formula.negated()]) {
                        *truth = Some(true);
                    }
                }
            }
        }
        true
    }

    /// The transition tests; a state that passed the last of them.
    fn transition(&mut self, step: &Step<'_>, assignment: &Assignment) -> Option<Vec<Rational>> {
        let target: Vec<Formula> = assignment.iter().zip(step.tracked).map(|(value, f)| literal(f, value)).collect();
        let c = self.configuration;
        let mut witness = None;
        if c.plain_transition {
            witness = Some(self.witness(step.plain, &target)?);
        }
        if c.relaxed_transition {
            witness = Some(self.relaxed(step.policy, &target)?);
        }
        match c.exact {
            Exact::No => witness.or_else(|| self.witness(step.plain, &target)),
            Exact::Direct => self.witness(step.policy, &target),
            Exact::BranchAndBound => self.branch_and_bound(&with(step.policy, &target)),
        }
    }

    /// Algorithm 1: branch and bound over the relaxed test.
    fn branch_and_bound(&mut self, question: &Question) -> Option<Vec<Rational>> {
        let Self { oracle, tests, .. } = self;
        let answer = by_relaxation(question, self.limits, "the relaxed test", |part, limits| {
            *tests += 1;
            oracle.relaxed(part, limits)
        });
        self.kept(question, answer)
    }

    /// The relaxed test. Atoms are in integer normal form before, so negations are as tight as integers allow.
    fn relaxed(&mut self, question: &Question, also: &[Formula]) -> Option<Vec<Rational>> {
        self.tests += 1;
        let answer = match self.oracle.relaxed(&with(question, also), self.limits) {
            Relaxation::Possible(point) => return Some(point),
            Relaxation::Impossible => Answer::Unsat,
            Relaxation::Unknown(stop) => Answer::Unknown(stop),
        };
        self.kept(question, answer)
    }

    fn possible(&mut self, question: &Question, also: &[Formula]) -> bool {
        self.witness(question, also).is_some()
    }

    fn witness(&mut self, question: &Question, also: &[Formula]) -> Option<Vec<Rational>> {
        self.tests += 1;
        let answer = self.oracle.decide(&with(question, also), self.limits);
        self.kept(question, answer)
    }

    /// A solution; without an answer, any point, so that nothing is lost.
    fn kept(&mut self, question: &Question, answer: Answer) -> Option<Vec<Rational>> {
        match answer {
            Answer::Sat(point) => Some(point),
            Answer::Unsat => None,
            Answer::Unknown(limit) => {
                self.stopped = Some(limit);
                Some(question.variables.iter().map(|variable| variable.lower.clone()).collect())
            }
        }
    }
}

fn literal(formula: &Formula, value: bool) -> Formula {
    if value { formula.clone() } else { formula.negated() }
}

fn with(question: &Question, also: &[Formula]) -> Question {
    let mut narrowed = question.clone();
    narrowed.formula = Formula::all(also.iter().cloned().chain([question.formula.clone()]));
    narrowed
}
