//! What cannot be lowered, said with its place and what to do about it.

use surefoot_model::{Model, TermId};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::Span;

/// The most cases of one term, values that one operand is split into, and cases of one update.
pub const MAX_CASES: usize = 4096;
/// The most atoms that the formulas of one term have together.
pub(super) const MAX_ATOMS: usize = 1 << 18;
/// The deepest nesting of conjunctions and disjunctions: formulas are walked by recursion.
pub(super) const MAX_DEPTH: usize = 256;

/// Why something has no linear cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// Both factors have too many values, or infinitely many.
    Product,
    /// The operand of an operator has too many values, or infinitely many.
    Values(&'static str),
    /// Too many cases.
    Cases,
    /// Formulas that are too large.
    Size,
    /// Formulas that are nested too deeply.
    Depth,
    /// A network's output is asked for after a variable that it reads was assigned.
    OutputAfterUpdate(String),
}

impl Obstacle {
    fn message(&self) -> String {
        match self {
            Self::Product => {
                format!("a product is linear only if one factor is an integer with at most {MAX_CASES} values")
            }
            Self::Values(operator) => {
                format!("'{operator}' can be split into cases only for integers with at most {MAX_CASES} values")
            }
            Self::Cases => format!("this splits into more than {MAX_CASES} cases"),
            Self::Size => format!("written as linear constraints, this has more than {MAX_ATOMS} of them"),
            Self::Depth => format!("conjunctions and disjunctions are nested more than {MAX_DEPTH} deep"),
            Self::OutputAfterUpdate(name) => {
                format!("the network's output '{name}' is read after a variable that the network reads was assigned")
            }
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Self::Product | Self::Values(_) => {
                "give an operand a smaller domain, or use an engine that explores states one by one"
            }
            Self::Cases => "split the assignment or the edge, or use an engine that explores states one by one",
            Self::Size | Self::Depth => "simplify the expression, or use an engine that explores states one by one",
            Self::OutputAfterUpdate(_) => "assign the output to a variable first, with a smaller \"index\"",
        }
    }
}

/// An obstacle, and the term that it was met in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) obstacle: Obstacle,
    pub(super) term: Option<TermId>,
}

impl From<Obstacle> for Refusal {
    fn from(obstacle: Obstacle) -> Self {
        Self { obstacle, term: None }
    }
}

impl Refusal {
    /// As a message: at the term where its place is known, else at what contains it. `what` names that, as in
    /// "the guard of go (car: edge 3)".
    pub(super) fn at(&self, model: &Model, span: Option<Span>, what: &str) -> Diagnostic {
        let message = format!("{}, in {what}", self.obstacle.message());
        let error = match self.term.and_then(|term| model.terms.span(term)).or(span) {
            Some(span) => Diagnostic::error(span, message),
            None => Diagnostic::error_anywhere(message),
        };
        error.refusal().with_help(self.obstacle.help())
    }
}
