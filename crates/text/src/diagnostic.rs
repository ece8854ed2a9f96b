//! Errors and warnings with a place and advice.
//!
//! A [`Diagnostic`] is data; how it looks on a terminal is decided by its rendering against the
//! [`SourceMap`](crate::source::SourceMap) it was made for.

use std::borrow::Cow;

use surefoot_files::escape;

use crate::source::Span;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Notice,
    /// Probably not what was meant.
    Warning,
    /// The input cannot be used.
    Error,
}

/// One message about the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, as one sentence without a full stop.
    pub message: String,
    /// Where, when it is about a place in a file.
    pub span: Option<Span>,
    /// What to do about it.
    pub help: Option<String>,
    /// Of input that is well-formed, but of a kind that is refused by name: which kind.
    pub refused: Option<Refusal>,
}

/// What kind of well-formed input is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// Something that is written there: an operator, a function, a type, a number too large.
    Construct,
    /// Variables over real numbers.
    Reals,
    /// A policy that computes values instead of choosing actions.
    ComputedValues,
    /// The question: whoever refuses it answers others.
    Question,
    /// An answer in fractions.
    Fractions,
}

/// Messages quote the input, and the input may be anything: beyond this they are cut.
const LONGEST_MESSAGE: usize = 4_000;

/// Numbers of more digits than this are shown by their ends.
const LONGEST_NUMBER: usize = 40;

/// The message with long numbers shortened: models compute numbers of thousands of digits.
fn short_numbers(message: String) -> String {
    if message.len() <= LONGEST_NUMBER {
        return message;
    }
    let mut shown = String::new();
    let mut rest = &message[..];
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let end = rest[start..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |length| start + length);
        let digits = end - start;
        if digits <= LONGEST_NUMBER {
            shown.push_str(&rest[..end]);
        } else {
            shown.push_str(&rest[..start + 12]);
            shown.push_str(&format!("...{} ({digits} digits)", &rest[end - 6..end]));
        }
        rest = &rest[end..];
    }
    shown.push_str(rest);
    shown
}

/// A message of one line that can be shown, whatever it quotes: without line breaks, long numbers shortened, cut where it is too long.
#[must_use]
pub fn bounded(message: String) -> String {
    let message = match escape(&message) {
        Cow::Borrowed(_) => message,
        Cow::Owned(escaped) => escaped,
    };
    let message = short_numbers(message);
    if message.len() <= LONGEST_MESSAGE {
        return message;
    }
    let mut end = LONGEST_MESSAGE;
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}... (cut)", &message[..end])
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: bounded(message.into()),
            span: Some(span),
            help: None,
            refused: None,
        }
    }

    /// An error about no place in particular (a missing file, an option).
    pub fn error_anywhere(message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: bounded(message.into()), span: None, help: None, refused: None }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            message: bounded(message.into()),
            span: Some(span),
            help: None,
            refused: None,
        }
    }

    /// A notice at a place.
    pub fn notice(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Notice,
            message: bounded(message.into()),
            span: Some(span),
            help: None,
            refused: None,
        }
    }

    /// The same, as a refusal of something that is written there.
    #[must_use]
    pub fn refusal(self) -> Self {
        self.refused(Refusal::Construct)
    }

    /// The same, as a refusal of something well-formed.
    #[must_use]
    pub fn refused(mut self, kind: Refusal) -> Self {
        self.refused = Some(kind);
        self
    }

    /// The same with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(bounded(help.into()));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_shortened() {
        let long = "1234567890".repeat(50);
        let message = Diagnostic::error_anywhere(format!("x is -{long}/3, not 0.{long}")).message;
        assert_eq!(message, "x is -123456789012...567890 (500 digits)/3, not 0.123456789012...567890 (500 digits)");
        let fine = format!("line 3: {} is no value of 'x7' (int 0..5)", "9".repeat(40));
        assert_eq!(Diagnostic::error_anywhere(&*fine).message, fine);
    }
}
