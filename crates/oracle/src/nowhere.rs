//! Which of several formulas hold nowhere in a box: what a policy never chooses there.

use surefoot_limits::{Stop, Unit};
use surefoot_linear::Formula;
use surefoot_num::Rational;

use crate::answer::{Answer, Limits, Oracle};
use crate::question::Question;
use crate::template::{Narrowing, Template};

/// Where a formula holds in a box, as far as was found out.
#[derive(Debug, Clone, PartialEq)]
pub enum Holds {
    /// In no point: this is certain.
    Nowhere,
    /// In this point, as it seems to floats.
    Somewhere(Vec<f64>),
    /// Its limit of nodes was met first.
    Undecided,
    /// It was not asked about, or cannot be decided like this: floats leave a point open, several networks or none are involved, time is up.
    Unknown,
}

/// Finds out which formulas hold nowhere.
pub trait Nowhere: Oracle {
    /// For every tracked formula of a template that is asked about, where it holds in a narrowed box. Each may cost as many nodes as
    /// the limits allow for a question.
    ///
    /// `Nowhere` is certain; everything else only spares questions, and implementations may differ in it. With real variables
    /// the limits must bound the nodes, or it may not end.
    ///
    /// The default asks one question per formula.
    ///
    /// # Panics
    /// When bounds are not within the template's, or more is asked about than is tracked.
    fn nowhere(&mut self, template: &Template, within: Narrowing<'_>, asked: &[bool], limits: &Limits) -> Vec<Holds> {
        let question = template.narrowed(within);
        assert!(asked.len() <= template.tracked().len(), "more is asked about than is tracked");
        let mut one = |(formula, asked): (&Formula, &bool)| {
            if !asked {
                return Holds::Unknown;
            }
            let formula = Formula::all([question.formula.clone(), formula.clone()]);
            match self.decide(&Question { formula, ..question.clone() }, limits) {
                Answer::Unsat => Holds::Nowhere,
                Answer::Sat(point) => Holds::Somewhere(point.iter().map(Rational::to_f64).collect()),
                Answer::Unknown(Stop::Most(Unit::Nodes, _)) => Holds::Undecided,
                Answer::Unknown(_) => Holds::Unknown,
            }
        };
        template.tracked().iter().zip(asked).map(&mut one).collect()
    }
}
