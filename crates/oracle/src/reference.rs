//! The reference: slow, and as near to the definition as a decision procedure gets.
//!
//! Integer variables are enumerated. Without real variables, every point is put to [`Question::is_witness`], and that is
//! all. With real variables, [`descent`] cuts what is left into the regions on which all networks are affine, and the
//! formula into conjunctions; a linear program decides each piece. Nothing is trusted on the way: a point counts when
//! the definition accepts it, a refutation when its multipliers add up ([`Program::refutes`]).
//!
//! A network that is not piecewise linear over the reals has no such regions: with real variables there is no answer then.

mod descent;

use std::ops::ControlFlow;

use surefoot_limits::{Stop, Unit};
use surefoot_num::Rational;

use crate::answer::{Answer, KeepStatistics, Limits, Oracle, Replicate, Statistics};
use crate::assignment::AllAssignments;
use crate::change::MinimalChange;
use crate::nowhere::Nowhere;
use crate::question::Question;
use crate::relaxed::Relaxed;
use crate::variable::Kind;
use surefoot_lp::{Feasibility, Program};

/// The oracle that other oracles are compared with. Only for small questions: it takes as long as there are points in
/// the box and affine regions of the networks. `Limits::nodes` bounds the sum of points tried and programs solved;
/// `Limits::memory` is ignored, as there is nothing but the stack.
#[derive(Debug, Clone, Default)]
pub struct Reference {
    statistics: Statistics,
}

impl Reference {
    /// A new one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

// What else can be asked is answered by the definitions: a question, or several, at a time.
impl AllAssignments for Reference {}
impl Nowhere for Reference {}
impl Relaxed for Reference {}
impl MinimalChange for Reference {}

impl KeepStatistics for Reference {
    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

impl Replicate for Reference {
    fn replicate(&self) -> Self {
        Self::new()
    }
}

impl Oracle for Reference {
    /// # Panics
    /// When the question does not pass [`Question::check`].
    fn decide(&mut self, question: &Question, limits: &Limits) -> Answer {
        if let Err(error) = question.check() {
            panic!("{error}");
        }
        self.statistics.questions += 1;
        let real = question.variables.iter().any(|variable| variable.kind == Kind::Real);
        if real && question.applications.iter().any(|application| !application.network.is_exact()) {
            return Answer::Unknown(Stop::Narrow);
        }
        let mut search = Search { question, limits, spent: 0, tie: false, statistics: self.statistics };
        let mut ranges = Vec::with_capacity(question.variables.len());
        for variable in &question.variables {
            let range = match variable.kind {
                Kind::Integer => (variable.lower.ceil(), variable.upper.floor()),
                Kind::Real => (variable.lower.clone(), variable.upper.clone()),
            };
            ranges.push(range);
        }
        // A range without values ends the search before other, perhaps long ranges are enumerated.
        let empty = ranges.iter().any(|(lower, upper)| lower > upper);
        let flow = if empty { ControlFlow::Continue(()) } else { search.enumerate(&mut ranges, 0) };
        self.statistics = search.statistics;
        match flow {
            ControlFlow::Break(answer) => answer,
            ControlFlow::Continue(()) if search.tie => Answer::Unknown(Stop::Tie),
            ControlFlow::Continue(()) => Answer::Unsat,
        }
    }
}

/// One question being decided. A search breaks off with an answer, or it continues until nothing is left.
struct Search<'q> {
    question: &'q Question,
    limits: &'q Limits,
    /// Points tried and programs solved for this question.
    spent: u64,
    /// Whether there was a point at which scores could not be told apart.
    tie: bool,
    statistics: Statistics,
}

impl Search<'_> {
    /// Enumerates the integer variables from one on; those before have ranges of one value.
    fn enumerate(&mut self, ranges: &mut Vec<(Rational, Rational)>, from: usize) -> ControlFlow<Answer> {
        let variables = &self.question.variables;
        let Some(next) = (from..variables.len()).find(|v| variables[*v].kind == Kind::Integer) else {
            return self.fixed(ranges);
        };
        let (lower, upper) = ranges[next].clone();
        let mut value = lower.clone();
        while value <= upper {
            ranges[next] = (value.clone(), value.clone());
            self.enumerate(ranges, next + 1)?;
            value = &value + &Rational::ONE;
        }
        ranges[next] = (lower, upper);
        ControlFlow::Continue(())
    }

    /// Decides the question where every integer variable has one value.
    fn fixed(&mut self, ranges: &[(Rational, Rational)]) -> ControlFlow<Answer> {
        if self.question.variables.iter().any(|variable| variable.kind == Kind::Real) {
            return descent::descend(self, ranges);
        }
        self.spend()?;
        self.statistics.points += 1;
        let point: Vec<Rational> = ranges.iter().map(|(value, _)| value.clone()).collect();
        match self.question.witnesses(&point) {
            Some(true) => return ControlFlow::Break(Answer::Sat(point)),
            Some(false) => {}
            None => self.tie = true,
        }
        ControlFlow::Continue(())
    }

    /// Whether a program has a solution, which is given; or the limit that was reached.
    fn solve(&mut self, program: &Program) -> ControlFlow<Answer, Option<Vec<Rational>>> {
        self.spend()?;
        self.statistics.programs += 1;
        ControlFlow::Continue(match program.solve() {
            Feasibility::Feasible(point) => Some(point),
            Feasibility::Infeasible(multipliers) => {
                assert!(program.refutes(&multipliers), "{multipliers:?} do not refute {program:?}");
                None
            }
        })
    }

    /// Goes on by one point or program, or breaks off when a limit is reached.
    fn spend(&mut self) -> ControlFlow<Answer> {
        let limit = match (self.limits.nodes, self.limits.stop_now()) {
            (Some(nodes), _) if self.spent >= nodes => Stop::Most(Unit::Nodes, nodes),
            (_, Some(limit)) => limit,
            _ => {
                self.spent += 1;
                return ControlFlow::Continue(());
            }
        };
        ControlFlow::Break(Answer::Unknown(limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variable::Variable;
    use surefoot_limits::Stop;
    use surefoot_linear::{Atom, Formula, Linear, Symbol};

    /// Three integers from 0 to 9 with the sum 27.
    fn nines() -> Question {
        let terms = (0..3).map(|s| (Symbol(s), Rational::ONE)).collect();
        Question {
            variables: vec![Variable::integer(0, 9); 3],
            applications: Vec::new(),
            formula: Formula::atom(Atom::zero(Linear::new(terms, Rational::from(-27)))),
        }
    }

    #[test]
    fn the_last_point_is_found_and_limits_are_kept() {
        let mut reference = Reference::new();
        let nodes = |nodes| Limits { nodes: Some(nodes), ..Limits::default() };
        assert_eq!(reference.decide(&nines(), &nodes(1000)), Answer::Sat(vec![Rational::from(9); 3]));
        assert_eq!(reference.statistics().points, 1000);
        assert_eq!(reference.decide(&nines(), &nodes(999)), Answer::Unknown(Stop::Most(Unit::Nodes, 999)));
        let stopped = Limits::default();
        stopped.run.cancel.stop(Stop::Interrupted);
        assert_eq!(reference.decide(&nines(), &stopped), Answer::Unknown(Stop::Interrupted));
    }
}
