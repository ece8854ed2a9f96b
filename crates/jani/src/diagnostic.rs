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
    /// Whether the input is well-formed, but of a kind that is refused by name.
    pub unsupported: bool,
}

/// Messages quote the input, and the input may be anything: beyond this they are cut.
const LONGEST_MESSAGE: usize = 4_000;

/// A message of one line that can be shown, whatever it quotes.
fn bounded(message: String) -> String {
    let message = match escape(&message) {
        Cow::Borrowed(_) => message,
        Cow::Owned(escaped) => escaped,
    };
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
            unsupported: false,
        }
    }

    /// An error about no place in particular (a missing file, an option).
    pub fn error_anywhere(message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: bounded(message.into()), span: None, help: None, unsupported: false }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            message: bounded(message.into()),
            span: Some(span),
            help: None,
            unsupported: false,
        }
    }

    /// A notice at a place.
    pub fn notice(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Notice,
            message: bounded(message.into()),
            span: Some(span),
            help: None,
            unsupported: false,
        }
    }

    /// The same, as a refusal of something well-formed.
    #[must_use]
    pub fn refusal(mut self) -> Self {
        self.unsupported = true;
        self
    }

    /// The same with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(bounded(help.into()));
        self
    }
}
