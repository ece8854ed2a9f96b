//! What an engine cannot do with something that is well-formed.

use surefoot_text::diagnostic::{Diagnostic, Refusal};
use surefoot_text::source::Span;

/// Why an engine cannot answer a question: what is in the way, where it is, and of which kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    kind: Refusal,
    diagnostic: Diagnostic,
}

impl Unsupported {
    /// Something that is in the way. Where the message is of a kind already, that kind stays.
    #[must_use]
    pub fn new(kind: Refusal, diagnostic: Diagnostic) -> Self {
        let kind = diagnostic.refused.unwrap_or(kind);
        Self { kind, diagnostic: diagnostic.refused(kind) }
    }

    /// The kind of thing it is.
    #[must_use]
    pub fn kind(&self) -> Refusal {
        self.kind
    }

    /// What it is, in words.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.diagnostic.message
    }

    /// Where it is, if it is anywhere in the input.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        self.diagnostic.span
    }
}

impl From<Unsupported> for Diagnostic {
    fn from(unsupported: Unsupported) -> Self {
        unsupported.diagnostic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_message_stays() {
        let reals = Diagnostic::error_anywhere("x is real").refused(Refusal::Reals);
        let unsupported = Unsupported::new(Refusal::Construct, reals);
        assert_eq!((unsupported.kind(), unsupported.what(), unsupported.span()), (Refusal::Reals, "x is real", None));
        let plain = Unsupported::new(Refusal::Question, Diagnostic::error_anywhere("no"));
        assert_eq!(Diagnostic::from(plain).refused, Some(Refusal::Question));
    }
}
