//! What goes wrong, as an exception: its kind, and a message for people.
//!
//! The Python side makes exceptions of its own family of them, so that users never see this one.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::render;
use surefoot_text::source::SourceMap;
use surefoot_verify::Failure;

create_exception!(
    _native,
    NativeError,
    PyException,
    "What went wrong: a kind (input, usage, internal), and a message."
);

/// An option that there is not, or that does not fit.
pub(crate) fn usage(message: impl Into<String>) -> PyErr {
    NativeError::new_err(("usage", message.into()))
}

/// Something that cannot be read, or does not fit.
pub(crate) fn input(message: impl Into<String>) -> PyErr {
    NativeError::new_err(("input", message.into()))
}

/// A bug of ours.
pub(crate) fn internal(message: impl Into<String>) -> PyErr {
    NativeError::new_err(("internal", message.into()))
}

/// Diagnostics as one text.
pub(crate) fn told<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>, sources: &SourceMap) -> String {
    diagnostics.into_iter().map(|diagnostic| render(diagnostic, sources)).collect::<Vec<_>>().join("\n")
}

/// A failure that is no limit.
pub(crate) fn failed(failure: &Failure, sources: &SourceMap) -> PyErr {
    match failure {
        Failure::Input(diagnostics) => input(told(diagnostics, sources)),
        Failure::Internal(what) => internal(what.clone()),
        Failure::Stopped(stop) => input(stop.to_string()),
    }
}
