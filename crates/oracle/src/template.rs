//! Questions that differ only in their boxes and a few constraints.
//!
//! Predicate abstraction asks the same of one abstract state after the other. A [`Template`] is what these questions have in
//! common, over the widest box that is asked about; a [`Narrowing`] is what one of them adds. An oracle may prepare a template
//! once and keep it.

use std::sync::Arc;

use surefoot_linear::Formula;

use crate::question::Question;
use crate::variable::Variable;

/// A question over the widest box that is to be asked about, and the formulas to be tracked.
#[derive(Debug, Clone)]
pub struct Template {
    common: Arc<Common>,
}

#[derive(Debug)]
struct Common {
    question: Question,
    tracked: Vec<Formula>,
}

/// What one question adds to its template.
#[derive(Debug, Clone, Copy)]
pub struct Narrowing<'a> {
    /// The variables, with bounds within the template's.
    pub variables: &'a [Variable],
    /// What must hold besides the template's formula.
    pub also: &'a [Formula],
}

impl Template {
    /// A template of a question.
    ///
    /// # Panics
    /// When the question does not pass [`Question::check`].
    #[must_use]
    pub fn new(question: Question, tracked: Vec<Formula>) -> Self {
        if let Err(error) = question.check() {
            panic!("a template that does not pass its check: {error}");
        }
        Self { common: Arc::new(Common { question, tracked }) }
    }

    /// The question over the widest box.
    #[must_use]
    pub fn question(&self) -> &Question {
        &self.common.question
    }

    /// The formulas that are tracked.
    #[must_use]
    pub fn tracked(&self) -> &[Formula] {
        &self.common.tracked
    }

    /// The same for all clones of a template, and for no other while one of them lives.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.common) as usize
    }

    /// Checks that a narrowed box is one.
    ///
    /// Soundness: what an oracle prepares of a template, error bounds above all, is meant for points of the widest box.
    ///
    /// # Panics
    /// When it is not.
    pub(crate) fn check_within(&self, variables: &[Variable]) {
        let widest = &self.question().variables;
        assert_eq!(widest.len(), variables.len(), "one variable for each of the template");
        let within = |(variable, widest): (&Variable, &Variable)| {
            variable.kind == widest.kind && variable.lower >= widest.lower && variable.upper <= widest.upper
        };
        assert!(variables.iter().zip(widest).all(within), "a narrowed box lies within the template's");
    }

    /// The narrowed question.
    ///
    /// # Panics
    /// When bounds are not within the template's.
    #[must_use]
    pub fn narrowed(&self, within: Narrowing<'_>) -> Question {
        self.check_within(within.variables);
        let Question { applications, formula, .. } = self.question();
        let parts = within.also.iter().cloned().chain([formula.clone()]);
        Question {
            variables: within.variables.to_vec(),
            applications: applications.clone(),
            formula: Formula::all(parts),
        }
    }
}
