//! Questions over the reals, and the paper's Algorithm 1: exact answers by branch and bound over them.
//!
//! A relaxation has all solutions of the question and perhaps others: integer variables may have any value between their bounds, and
//! whoever solves it may compute in floats. So that it has none is what counts; a solution of it is a hint. [`by_relaxation`] makes
//! answers of hints: it splits where a hint is not whole, evaluates exactly where it is, and goes on around the point where that fails.
//!
//! Soundness: `Sat` is said after [`Question::witnesses`] alone. A box of one point is evaluated and never put to the relaxation. `Unsat` is as
//! right as the relaxation is: one that computes in floats is to be named by whoever builds on it.

use surefoot_limits::{Stop, Trouble, Unit};
use surefoot_num::Rational;

use crate::answer::{Answer, Limits, Oracle};
use crate::question::Question;
use crate::variable::Kind;

/// What is known of a question over the reals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relaxation {
    /// It may have solutions: perhaps this one, one value per variable and within its bounds.
    Possible(Vec<Rational>),
    /// It has none, and so the question itself has none.
    Impossible,
    /// It is not known.
    Unknown(Stop),
}

/// Decides questions over the reals: what the papers call relaxed tests.
pub trait Relaxed: Oracle {
    /// Whether a question has a solution where integer variables may have any value between their bounds, which are integers. `Impossible`
    /// where it has none is never wrong for an exact oracle; nothing else follows from a relaxation.
    ///
    /// The default decides the question over the reals.
    fn relaxed(&mut self, question: &Question, limits: &Limits) -> Relaxation {
        match self.decide(&question.over_reals(), limits) {
            Answer::Sat(point) => Relaxation::Possible(point),
            Answer::Unsat => Relaxation::Impossible,
            Answer::Unknown(stop) => Relaxation::Unknown(stop),
        }
    }
}

impl Question {
    /// The same over the reals: bounds are moved inward to integers first.
    #[must_use]
    pub fn over_reals(&self) -> Self {
        let mut relaxed = self.clone();
        for variable in relaxed.variables.iter_mut().filter(|variable| variable.kind == Kind::Integer) {
            variable.kind = Kind::Real;
            (variable.lower, variable.upper) = (variable.lower.ceil(), variable.upper.floor());
        }
        relaxed
    }
}

/// One over how far from an integer a value still counts as that integer: solvers that compute in floats keep to that.
const NEAR: i64 = 1_000_000;

/// How often there may be no hint before that is no reason any more to look at parts.
const MOST_FAILURES: u32 = 64;

/// Decides a question by the hints that `who` gives (the paper's Algorithm 1). A hint is a node.
pub fn by_relaxation(
    question: &Question,
    limits: &Limits,
    who: &'static str,
    mut relax: impl FnMut(&Question, &Limits) -> Relaxation,
) -> Answer {
    let near = Rational::new(1, NEAR).unwrap_or(Rational::ZERO);
    let half = Rational::new(1, 2).unwrap_or(Rational::ZERO);
    let mut whole = question.clone();
    for variable in whole.variables.iter_mut().filter(|variable| variable.kind == Kind::Integer) {
        (variable.lower, variable.upper) = (variable.lower.ceil(), variable.upper.floor());
    }
    let mut open = vec![whole];
    let (mut nodes, mut failures, mut left_open) = (0, 0, None);
    while let Some(part) = open.pop() {
        if part.variables.iter().any(|variable| variable.lower > variable.upper) {
            continue;
        }
        if let Some(point) = only_point(&part) {
            match question.witnesses(&point) {
                Some(true) => return Answer::Sat(point),
                Some(false) => {}
                None => left_open = left_open.or(Some(Stop::Tie)),
            }
            continue;
        }
        if let Some(stop) = limits.stop_now() {
            return Answer::Unknown(stop);
        }
        if let Some(most) = limits.nodes.filter(|most| nodes >= *most) {
            return Answer::Unknown(Stop::Most(Unit::Nodes, most));
        }
        nodes += 1;
        let hint = match relax(&part, limits) {
            Relaxation::Impossible => continue,
            Relaxation::Unknown(stop) if stop.is_final() => return Answer::Unknown(stop),
            Relaxation::Unknown(stop) => {
                failures += 1;
                match split(&part).filter(|_| failures <= MOST_FAILURES) {
                    // What was too much at once may be decided in parts.
                    Some(v) => {
                        let (lower, upper) = (&part.variables[v].lower, &part.variables[v].upper);
                        let middle = (&(lower + upper) * &half).floor();
                        open.extend(parts(part, v, &middle, &(&middle + &Rational::ONE)));
                    }
                    None => left_open = left_open.or(Some(stop)),
                }
                continue;
            }
            Relaxation::Possible(hint) => hint,
        };
        match branch(&part, &hint, &near) {
            Branch::Apart(v, value) => open.extend(parts(part, v, &value.floor(), &value.ceil())),
            Branch::Whole(point) => match (question.witnesses(&point), split(&part)) {
                (Some(true), _) => return Answer::Sat(point),
                // Around the point, and with this variable's value fixed: a box of one point is evaluated in the end.
                (_, Some(v)) => {
                    let (value, one) = (point[v].clone(), &Rational::ONE);
                    let mut fixed = part.clone();
                    (fixed.variables[v].lower, fixed.variables[v].upper) = (value.clone(), value.clone());
                    open.extend(parts(part, v, &(&value - one), &(&value + one)));
                    open.push(fixed);
                }
                (_, None) => left_open = left_open.or(Some(Stop::Solver(who, Trouble::Inexact))),
            },
        }
    }
    left_open.map_or(Answer::Unsat, Answer::Unknown)
}

enum Branch {
    /// A variable whose value is not whole.
    Apart(usize, Rational),
    /// The point with whole values.
    Whole(Vec<Rational>),
}

/// The first variable that is not whole, as in the paper.
fn branch(part: &Question, hint: &[Rational], near: &Rational) -> Branch {
    let mut point = Vec::with_capacity(hint.len());
    for (v, (variable, value)) in part.variables.iter().zip(hint).enumerate() {
        // A hint beyond a bound is moved onto it, so that both parts of a split are smaller.
        let value = value.clone().max(variable.lower.clone()).min(variable.upper.clone());
        if variable.kind == Kind::Real {
            point.push(value);
            continue;
        }
        let below = value.floor();
        let nearest = if &value - &below <= *near { below } else { value.ceil() };
        if (&nearest - &value).abs() > *near {
            return Branch::Apart(v, value);
        }
        point.push(nearest);
    }
    Branch::Whole(point)
}

/// The only point of a box of integers, if there is but one.
fn only_point(part: &Question) -> Option<Vec<Rational>> {
    let value = |variable: &crate::Variable| {
        (variable.kind == Kind::Integer && variable.lower == variable.upper).then(|| variable.lower.clone())
    };
    part.variables.iter().map(value).collect()
}

/// An integer variable that has more than one value.
fn split(part: &Question) -> Option<usize> {
    part.variables.iter().position(|variable| variable.kind == Kind::Integer && variable.lower < variable.upper)
}

/// Below and above; the paper tries the upper part first, which is the last here.
fn parts(part: Question, v: usize, upper: &Rational, lower: &Rational) -> [Question; 2] {
    let (mut below, mut above) = (part.clone(), part);
    below.variables[v].upper = upper.clone();
    above.variables[v].lower = lower.clone();
    [below, above]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reference, Variable};
    use surefoot_linear::{Atom, Formula, Linear, Symbol};

    /// `2x + 2y = 7 - parity`, x and y in 0..=3.
    fn question(parity: i64) -> Question {
        let form = Linear::new(
            vec![(Symbol(0), Rational::from(2)), (Symbol(1), Rational::from(2))],
            Rational::from(parity - 7),
        );
        let formula = Formula::atom(Atom::zero(form));
        Question { variables: vec![Variable::integer(0, 3); 2], applications: Vec::new(), formula }
    }

    fn decide(question: &Question, mut relax: impl FnMut(&Question) -> Relaxation) -> Answer {
        by_relaxation(question, &Limits::default(), "someone", |part, _| relax(part))
    }

    #[test]
    fn exact_hints_decide() {
        let relax = |part: &Question| Reference::new().relaxed(part, &Limits::default());
        assert_eq!(decide(&question(0), relax), Answer::Unsat);
        let Answer::Sat(point) = decide(&question(1), relax) else { panic!("2x + 2y = 6 has solutions") };
        assert!(question(1).is_witness(&point));
    }

    /// A relaxation that always claims the same point costs time and no answer.
    #[test]
    fn wrong_hints_are_gone_around() {
        for claimed in [[0, 0], [1, 2], [3, 3], [-5, 9]] {
            let claimed: Vec<Rational> = claimed.iter().map(|v| Rational::from(*v)).collect();
            assert_eq!(decide(&question(0), |_| Relaxation::Possible(claimed.clone())), Answer::Unsat);
            let answer = decide(&question(1), |_| Relaxation::Possible(claimed.clone()));
            assert!(matches!(answer, Answer::Sat(point) if question(1).is_witness(&point)));
        }
    }

    /// A box of one point is never put to the relaxation.
    #[test]
    fn points_are_evaluated() {
        let mut point = question(1);
        (point.variables[0], point.variables[1]) = (Variable::integer(1, 1), Variable::integer(2, 2));
        assert!(matches!(decide(&point, |_| panic!("it was asked")), Answer::Sat(_)));
        point.formula = point.formula.negated();
        assert_eq!(decide(&point, |_| panic!("it was asked")), Answer::Unsat);
    }

    #[test]
    fn no_answer_stays_none() {
        let crashed = Stop::Solver("someone", Trouble::Crashed);
        assert_eq!(decide(&question(0), |_| Relaxation::Unknown(crashed)), Answer::Unknown(crashed));
        // Who gives up is asked for parts, down to points; where there are too many of them, there is no answer.
        let gave_up = Stop::Solver("someone", Trouble::GaveUp);
        assert_eq!(decide(&question(0), |_| Relaxation::Unknown(gave_up)), Answer::Unsat);
        let mut large = question(0);
        large.variables = vec![Variable::integer(0, 1 << 40); 2];
        assert_eq!(decide(&large, |_| Relaxation::Unknown(gave_up)), Answer::Unknown(gave_up));
        let limits = Limits { nodes: Some(0), ..Limits::default() };
        let none = by_relaxation(&question(0), &limits, "someone", |_, _| Relaxation::Impossible);
        assert_eq!(none, Answer::Unknown(Stop::Most(Unit::Nodes, 0)));
        // With real variables a hint that fails cannot be gone around.
        let mut real = question(1);
        real.variables = vec![Variable::real(Rational::ZERO, Rational::from(3)); 2];
        let hint = vec![Rational::new(1, 3).unwrap(); 2];
        let answer = decide(&real, |_| Relaxation::Possible(hint.clone()));
        assert_eq!(answer, Answer::Unknown(Stop::Solver("someone", Trouble::Inexact)));
    }
}
