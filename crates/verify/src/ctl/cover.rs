//! The pieces of the start set on which a formula was decided, with the pattern that decides them: what a certificate needs.

use surefoot_ctl::check::Checked;
use surefoot_model::Model;

use crate::abstraction::words;

/// More pieces are counted, but not written out.
const MOST_WRITTEN: usize = 1_000;

/// A decided piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoveredPiece {
    /// Constraints on the start state, beyond what is the same in all start states.
    pub constraints: Vec<String>,
    /// Whether the formula holds there.
    pub holds: bool,
    /// How many symbolic states were looked at.
    pub states: usize,
}

/// The decided pieces of the start set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cover {
    /// The first of them.
    pub pieces: Vec<CoveredPiece>,
    /// How many there are.
    pub count: usize,
}

impl Cover {
    /// The cover of an answer.
    #[must_use]
    pub fn of(model: &Model, checked: &Checked) -> Self {
        let start = || checked.cover.iter().filter_map(|covered| Some((covered, covered.holds?)));
        let piece = |(covered, holds): (&surefoot_ctl::check::Covered, bool)| {
            let root = &checked.roots[covered.root];
            let constraints = root.describe(&covered.piece).into_iter();
            let constraints = constraints.map(|atom| words::describe(model, &surefoot_linear::Formula::Atom(atom)));
            CoveredPiece { constraints: constraints.collect(), holds, states: covered.pattern.expanded().count() }
        };
        Self { pieces: start().take(MOST_WRITTEN).map(piece).collect(), count: start().count() }
    }
}
