//! How far can a state be changed before the decision changes?
//!
//! Refinement by witness splitting asks which variables matter for a decision, and where to split them: whether the decision
//! stays while some variables move within intervals and the others are fixed (the CHECK of VeriX: Wu, Wu and Barrett,
//! *VeriX: Towards Verified Explainability of Deep Neural Networks*, NeurIPS 2023), how much the outputs react to each
//! variable, and how far variables may move towards given values. Every "stays" is an `Unsat` of an [`Oracle`], every
//! "changes" carries a state.

use surefoot_limits::Stop;
use surefoot_linear::{Formula, Symbol};
use surefoot_num::Rational;

use crate::answer::{Answer, Limits, Oracle};
use crate::question::{Application, Question, Ties};
use crate::variable::{Kind, Variable};

/// A decision: an application chooses a label, among the applicable ones.
pub struct Decision<'a> {
    /// Kind and bounds of the variables.
    pub variables: &'a [Variable],
    /// Who decides.
    pub application: &'a Application,
    /// What is decided.
    pub label: usize,
    /// How ties are resolved.
    pub ties: &'a Ties,
    /// When a label is applicable; the truth where there is no filter.
    pub applicable: &'a dyn Fn(usize) -> Formula,
}

/// A variable and the interval it may move in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The variable.
    pub variable: usize,
    /// Smallest value.
    pub lower: Rational,
    /// Largest value.
    pub upper: Rational,
}

/// How far variables may move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// The decision stays for every share up to this one.
    pub stays: Rational,
    /// A share at which it has changed, and a state that shows it; `None` when it stays all the way.
    pub changes: Option<(Rational, Vec<Rational>)>,
    /// The limit that kept the two from coming closer.
    pub stopped: Option<Stop>,
}

/// Finds the least changes of a state that change a decision.
///
/// The defaults are a question for each change that is tried, and bisection over such questions.
pub trait MinimalChange: Oracle {
    /// Is there a state, equal to `point` but for the moves, in which the decision is another? `Unsat` means that it
    /// stays. Intervals are cut to the variables' bounds.
    fn changes(&mut self, decision: &Decision<'_>, point: &[Rational], moves: &[Move], limits: &Limits) -> Answer {
        self.decide(&decision.change_question(point, moves), limits)
    }

    /// The largest share `e` of the way towards the targets such that the decision stays while every target variable
    /// moves anywhere within that share of its way, found by bisection to within `precision`.
    ///
    /// With one variable this is the extreme value for which the decision stays. For integer variables only whole values
    /// count, so the answer is exact once no integer lies between the two shares.
    fn reach(
        &mut self,
        decision: &Decision<'_>,
        point: &[Rational],
        targets: &[(usize, Rational)],
        precision: &Rational,
        limits: &Limits,
    ) -> Reach {
        let moves = |share: &Rational| decision.within(point, targets, share, false);
        let whole = targets.iter().all(|(variable, _)| decision.variables[*variable].kind == Kind::Integer);
        // Bisection over reals needs an end of its own.
        let least = if whole { Rational::ZERO } else { Rational::new(1, 1 << 40).expect("not zero") };
        let precision = precision.clone().max(least);
        let mut reach = Reach { stays: Rational::ZERO, changes: None, stopped: None };
        match self.changes(decision, point, &moves(&Rational::ZERO), limits) {
            Answer::Sat(_) => {
                reach.changes = Some((Rational::ZERO, point.to_vec()));
                return reach;
            }
            Answer::Unknown(limit) => {
                reach.stopped = Some(limit);
                return reach;
            }
            Answer::Unsat => {}
        }
        let mut share = Rational::ONE;
        loop {
            if moves(&share) == moves(&reach.stays) {
                // Nothing new to try: the same whole values are allowed.
                reach.stays = share;
            } else {
                match self.changes(decision, point, &moves(&share), limits) {
                    Answer::Unsat => reach.stays = share,
                    Answer::Unknown(limit) => {
                        reach.stopped = Some(limit);
                        return reach;
                    }
                    // The state itself says how far it is: often much less than was asked.
                    Answer::Sat(state) => reach.changes = Some((used(point, targets, &state), state)),
                }
            }
            let Some((changed, _)) = &reach.changes else { return reach };
            let settled = whole && decision.within(point, targets, changed, true) == moves(&reach.stays);
            if settled || changed - &reach.stays <= precision {
                return reach;
            }
            share = &(changed + &reach.stays) * &Rational::new(1, 2).expect("not zero");
        }
    }
}

impl Decision<'_> {
    /// Is there a state, equal to `point` but for the moves, in which the decision is another? Intervals are cut to the variables'
    /// bounds.
    #[must_use]
    pub fn change_question(&self, point: &[Rational], moves: &[Move]) -> Question {
        let fixed = |(variable, value): (&Variable, &Rational)| Variable {
            kind: variable.kind,
            lower: value.clone(),
            upper: value.clone(),
        };
        let mut variables: Vec<Variable> = self.variables.iter().zip(point).map(fixed).collect();
        for step in moves {
            let bounds = &self.variables[step.variable];
            variables[step.variable].lower = step.lower.clone().max(bounds.lower.clone());
            variables[step.variable].upper = step.upper.clone().min(bounds.upper.clone());
        }
        let applications = vec![self.application.clone()];
        let mut question = Question { variables, applications, formula: Formula::truth() };
        let chosen = question.chosen(0, self.label, self.ties, self.applicable);
        question.formula = Formula::all([(self.applicable)(self.label), chosen]).negated();
        question
    }

    /// Per variable: the sum over all labels of the change of the label's output between the variable's smallest and
    /// largest value, the others as in `point`. Exact for networks that are; rounded to 64 binary places for others.
    #[must_use]
    pub fn sensitivities(&self, point: &[Rational]) -> Vec<Rational> {
        let outputs = |variable: usize, value: &Rational| {
            let at = |symbol: Symbol| if symbol.index() == variable { value } else { &point[symbol.index()] }.clone();
            let inputs: Vec<Rational> = self.application.inputs.iter().map(|form| form.eval(at)).collect();
            let network = &self.application.network;
            network.scores_at(&inputs).shown(network.output_len())
        };
        let sensitivity = |(variable, bounds): (usize, &Variable)| {
            let (low, high) = (outputs(variable, &bounds.lower), outputs(variable, &bounds.upper));
            low.iter().zip(&high).map(|(l, h)| (h - l).abs()).sum()
        };
        self.variables.iter().enumerate().map(sensitivity).collect()
    }

    /// The moves within a share of the way towards the targets; `below` leaves out whole values that need the full share.
    fn within(&self, point: &[Rational], targets: &[(usize, Rational)], share: &Rational, below: bool) -> Vec<Move> {
        let interval = |(variable, target): &(usize, Rational)| {
            let here = &point[*variable];
            let end = here + &(share * &(target - here));
            let mut there = end.clone();
            if self.variables[*variable].kind == Kind::Integer && target != here {
                let inward = if target > here { -&Rational::ONE } else { Rational::ONE };
                there = if target > here { end.floor() } else { end.ceil() };
                if below && there == end && end != *here {
                    there = &there + &inward;
                }
            }
            Move { variable: *variable, lower: here.clone().min(there.clone()), upper: here.clone().max(there) }
        };
        targets.iter().map(interval).collect()
    }
}

/// The share of the way that a state has used.
fn used(point: &[Rational], targets: &[(usize, Rational)], state: &[Rational]) -> Rational {
    let share = |(variable, target): &(usize, Rational)| {
        let distance = target - &point[*variable];
        (&state[*variable] - &point[*variable]).checked_div(&distance).unwrap_or(Rational::ZERO)
    };
    targets.iter().map(share).fold(Rational::ZERO, Rational::max)
}
