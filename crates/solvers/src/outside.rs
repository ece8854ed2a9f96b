//! The oracle that asks others.
//!
//! Questions without networks, questions with them and relaxed questions may be put to different solvers. One that computes in exact
//! numbers is asked once. One that computes in floats is asked for hints, which the paper's Algorithm 1 makes answers of.

use std::sync::Arc;

use surefoot_limits::{Stop, Trouble};
use surefoot_num::Rational;
use surefoot_oracle::{
    AllAssignments, Answer, KeepStatistics, Kind, Limits, MinimalChange, Nowhere, Oracle, Question, Relaxation,
    Relaxed, Replicate, Statistics, Variable, by_relaxation,
};

use crate::backend::{Backend, Found};
use crate::ledger::Ledger;

/// An oracle made of other people's solvers.
#[derive(Debug)]
pub struct Outside {
    solvers: Vec<Box<dyn Backend>>,
    roles: Roles,
    ledger: Arc<Ledger>,
    statistics: Statistics,
}

/// Who is asked what: positions of solvers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Roles {
    /// Questions without networks.
    pub(crate) plain: usize,
    /// Questions with networks.
    pub(crate) networks: usize,
    /// Relaxed questions.
    pub(crate) relaxed: usize,
}

impl Outside {
    pub(crate) fn new(solvers: Vec<Box<dyn Backend>>, roles: Roles) -> Self {
        Self { solvers, roles, ledger: Arc::default(), statistics: Statistics::default() }
    }

    /// Whose word answers rest on, for this oracle and all its copies.
    #[must_use]
    pub fn ledger(&self) -> Arc<Ledger> {
        Arc::clone(&self.ledger)
    }

    /// Names and versions of the solvers.
    #[must_use]
    pub fn name(&self) -> String {
        self.solvers.iter().map(|solver| solver.name()).collect::<Vec<_>>().join(", ")
    }

    fn trouble(&self, stop: Stop, why: String) -> Stop {
        self.ledger.failed(stop, why);
        stop
    }

    /// A hint of a solver.
    fn hint(&mut self, by: usize, question: &Question, integral: bool, limits: &Limits) -> Relaxation {
        self.statistics.nodes += 1;
        let solver = &mut self.solvers[by];
        match solver.solve(question, integral, &limits.run) {
            Ok(Found::Nothing) => {
                self.ledger.refuted(solver.name(), !solver.is_exact());
                Relaxation::Impossible
            }
            Ok(Found::Excluded) => Relaxation::Impossible,
            Ok(Found::Point(point)) => {
                let within = |(variable, value): (&Variable, Rational)| {
                    value.max(variable.lower.clone()).min(variable.upper.clone())
                };
                Relaxation::Possible(question.variables.iter().zip(point).map(within).collect())
            }
            Err(failure) => Relaxation::Unknown(self.trouble(failure.stop, failure.why)),
        }
    }

    /// The answer of a solver that computes in exact numbers.
    fn exactly(&mut self, by: usize, question: &Question, limits: &Limits) -> Answer {
        let who = self.solvers[by].short();
        match self.hint(by, question, true, limits) {
            Relaxation::Impossible => Answer::Unsat,
            Relaxation::Unknown(stop) => Answer::Unknown(stop),
            Relaxation::Possible(point) => {
                self.statistics.points += 1;
                if question.is_witness(&point) {
                    return Answer::Sat(point);
                }
                let why = "a model of its fails exact evaluation".to_owned();
                Answer::Unknown(self.trouble(Stop::Solver(who, Trouble::Garbage), why))
            }
        }
    }
}

/// Whether a variable has no value.
fn is_empty(variable: &Variable) -> bool {
    match variable.kind {
        Kind::Integer => variable.lower.ceil() > variable.upper.floor(),
        Kind::Real => variable.lower > variable.upper,
    }
}

impl Oracle for Outside {
    /// # Panics
    /// When the question does not pass [`Question::check`].
    fn decide(&mut self, question: &Question, limits: &Limits) -> Answer {
        if let Err(error) = question.check() {
            panic!("{error}");
        }
        self.statistics.questions += 1;
        if let Some(stop) = limits.stop_now() {
            return Answer::Unknown(stop);
        }
        if question.variables.iter().any(is_empty) {
            return Answer::Unsat;
        }
        let by = if question.applications.is_empty() { self.roles.plain } else { self.roles.networks };
        if self.solvers[by].is_exact() && !question.variables.is_empty() {
            return self.exactly(by, question, limits);
        }
        let who = self.solvers[by].short();
        let answer = by_relaxation(question, limits, who, |part, limits| self.hint(by, part, true, limits));
        if let Answer::Unknown(stop @ Stop::Solver(_, Trouble::Inexact)) = answer {
            self.trouble(stop, "the question has real variables".to_owned());
        }
        answer
    }
}

impl Relaxed for Outside {
    fn relaxed(&mut self, question: &Question, limits: &Limits) -> Relaxation {
        self.statistics.questions += 1;
        if let Some(stop) = limits.stop_now() {
            return Relaxation::Unknown(stop);
        }
        if question.variables.iter().any(is_empty) {
            return Relaxation::Impossible;
        }
        if question.variables.is_empty() {
            let holds = question.witnesses(&[]) != Some(false);
            return if holds { Relaxation::Possible(Vec::new()) } else { Relaxation::Impossible };
        }
        self.hint(self.roles.relaxed, question, false, limits)
    }
}

// What else can be asked is answered by the definitions: a question, or several, at a time.
impl AllAssignments for Outside {}
impl Nowhere for Outside {}
impl MinimalChange for Outside {}

impl KeepStatistics for Outside {
    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

impl Replicate for Outside {
    /// Its processes start when they are needed.
    fn replicate(&self) -> Self {
        let solvers = self.solvers.iter().map(|solver| solver.replicate()).collect();
        Self { solvers, roles: self.roles, ledger: self.ledger(), statistics: Statistics::default() }
    }
}
