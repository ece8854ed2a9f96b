//! Errors and warnings with a place and advice.
//!
//! A [`Diagnostic`] is data; how it looks on a terminal is decided by its rendering against the
//! [`SourceMap`](crate::source::SourceMap) it was made for.

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
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), span: Some(span), help: None }
    }

    /// An error about no place in particular (a missing file, an option).
    pub fn error_anywhere(message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), span: None, help: None }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, message: message.into(), span: Some(span), help: None }
    }

    /// A notice at a place.
    pub fn notice(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Notice, message: message.into(), span: Some(span), help: None }
    }

    /// The same with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
