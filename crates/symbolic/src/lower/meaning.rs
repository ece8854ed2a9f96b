//! What a lowered term means: a formula or cases of a number, and where it has a value.

use std::borrow::Cow;

use surefoot_linear::{Formula, Space};

use super::cases::{self, Case};
use super::refusal::{MAX_ATOMS, MAX_DEPTH, Obstacle};

/// What a term stands for.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Truth(Formula),
    Number(Vec<Case>),
}

/// A lowered term.
#[derive(Debug, Clone)]
pub(super) struct Meaning {
    pub(super) value: Value,
    /// Where evaluation does not fail.
    pub(super) defined: Formula,
}

impl Meaning {
    pub(super) fn certain(value: Value) -> Self {
        Self { value, defined: Formula::truth() }
    }

    /// The formula of a Boolean term.
    pub(super) fn truth(&self) -> &Formula {
        match &self.value {
            Value::Truth(formula) => formula,
            Value::Number(_) => unreachable!("terms are typed: this one is Boolean"),
        }
    }

    /// The value as a number: truth values are zero and one.
    pub(super) fn cases(&self, space: &Space) -> Cow<'_, [Case]> {
        match &self.value {
            Value::Truth(formula) => Cow::Owned(cases::of_truth(space, formula)),
            Value::Number(cases) => Cow::Borrowed(cases),
        }
    }

    /// Formulas beyond the limits are refused before they are combined further.
    pub(super) fn check(&self) -> Result<(), Obstacle> {
        let mut atoms = self.defined.size();
        let mut depth = self.defined.depth();
        let mut add = |formula: &Formula| {
            atoms += formula.size();
            depth = depth.max(formula.depth());
        };
        match &self.value {
            Value::Truth(formula) => add(formula),
            Value::Number(cases) => cases.iter().for_each(|case| add(&case.condition)),
        }
        match () {
            () if atoms > MAX_ATOMS => Err(Obstacle::Size),
            () if depth > MAX_DEPTH => Err(Obstacle::Depth),
            () => Ok(()),
        }
    }
}
