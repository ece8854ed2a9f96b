//! What is searched, and what for.

use surefoot_linear::Formula;

use super::compiled::Compiled;
use super::reduce::Reduced;
use crate::answer::Limits;
use crate::question::Question;

/// A question, what is to be found out about it, and when to stop.
pub(crate) struct Task<'a, G> {
    pub(crate) question: &'a Question,
    pub(crate) compiled: &'a Compiled<'a>,
    /// Formulas whose truth matters to the goal.
    pub(crate) tracked: &'a [Formula],
    /// How the question came from another by fixing variables.
    pub(crate) reduced: Option<&'a Reduced>,
    pub(crate) limits: &'a Limits,
    /// What it is searched for, and what was found.
    pub(crate) goal: &'a mut G,
}

impl<G> Task<'_, G> {
    /// Whether a point lies within the variables' bounds, exactly.
    pub(crate) fn is_inside(&self, point: &[f64]) -> bool {
        let inner = self.compiled.inner.iter().zip(point);
        inner.zip(&self.compiled.integral).all(|(((l, u), x), integral)| *integral || (l <= x && x <= u))
    }
}
