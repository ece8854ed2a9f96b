//! Hostile inputs, made by hand: what people (or their tools) really get wrong, and what somebody might try.
//!
//! One file per kind of input, one table per file, one row per case: the files of the case, the command line, the exit
//! code, words that must be in what is said, and words that must not. See [`harness`]. To add a case, add a row.

#![allow(clippy::needless_pass_by_value, reason = "rows of tables read better without references")]

mod constants;
mod harness;
mod model;
mod nnet;
mod onnx;
mod options;
mod policy;
mod predicates;
mod properties;
mod queries;
mod safetensors;
mod witness;
mod zoo;
