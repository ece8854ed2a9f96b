//! The papers' experiments: each table and figure at one command, our figures beside the published ones.
//!
//! An [`Experiment`] asks a [`Bench`] for runs and makes a [`Report`] of what they said: tables (CSV and Markdown) and charts (SVG).
//!
//! * [`set`]: the benchmark set, with its policies;
//! * [`prepare`]: instances as files; [`run`]: one run of the program as a process, under limits; [`meter`]: what processes take; [`events`]: what they told on the way; [`series`]: runs that make others needless;
//! * [`driver`]: Storm, by a script that is part of this crate;
//! * [`journal`]: finished runs, so that an interrupted experiment goes on where it was;
//! * [`claim`]: what runs say of one question, and whether that can be true together;
//! * [`bench`](mod@bench): all of these together; [`statistics`], [`table`], [`report`]: what is written; [`published`]: the papers' figures;
//! * [`experiment`]: the experiments, in one list.
//!
//! Nothing is decided here: runs are processes of the program that the caller names, and this crate knows no engine.

pub mod bench;
pub mod claim;
pub mod driver;
pub mod error;
pub mod events;
pub mod experiment;
pub mod journal;
pub mod meter;
pub mod prepare;
mod process;
pub mod published;
pub mod report;
pub mod run;
pub mod series;
pub mod set;
pub mod statistics;
pub mod table;

pub use bench::{Bench, Options};
pub use error::Error;
pub use experiment::{Experiment, all, find};
pub use prepare::Prepared;
pub use report::{Report, Written};
pub use run::{Measured, Run};
pub use series::{GiveUp, Series};
pub use set::{Instance, Set};
