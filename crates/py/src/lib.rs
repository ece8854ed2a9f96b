//! `surefoot._native`: the engines as a Python extension module.
//!
//! Thin on purpose. What users see is written in Python (`python/surefoot`); here is what needs compiled code:
//!
//! * `task`: one task, as a command line asks for it, with files in memory; the interpreter is free meanwhile, and interruptions are kept;
//! * `environment`: compiled steps of a model; `network`: scores of a network as it was read;
//! * `failure`: what goes wrong, as an exception.
//!
//! The classes hold no Python objects and lock what they change, so the module needs no global lock of the interpreter.

#![expect(clippy::needless_pass_by_value, reason = "what comes from Python is handed over by value")]

mod environment;
mod failure;
mod network;
mod task;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::environment::PyEnvironment;
    #[pymodule_export]
    use super::failure::NativeError;
    #[pymodule_export]
    use super::network::PyNetwork;
    #[pymodule_export]
    use super::task::{PyOutcome, main, run};
}
