//! Explicit models in the formats of other checkers.
//!
//! A [`Model`] is a Markov decision process with names: initial states, labels, actions, variables. It is written as
//!
//! * [`drn`]: Storm's DRN;
//! * [`prism`]: PRISM's explicit files `.tra`, `.sta` and `.lab`;
//! * [`umb`]: the binary format UMB;
//! * [`dot`] and [`graphml`]: drawings of small models.
//!
//! Everything is streamed: values of states are asked for one state at a time. [`save`] writes files, all or nothing.
//!
//! **Deadlocks.** Checkers want every state to have a choice. In DRN, PRISM's files and UMB a state without choices gets a
//! silent self-loop, which changes no reachability probability; drawings show the model as it is.
//!
//! **Probabilities** are written as they are where the format can take fractions, and otherwise as the nearest floats. A positive
//! probability whose nearest float is zero is refused: without its branch it would be another model.

pub mod dot;
pub mod drn;
mod error;
mod files;
pub mod graphml;
mod model;
mod names;
mod number;
mod options;
pub mod prism;
mod rows;
pub mod umb;

pub use error::ExportError;
pub use files::{paths, save};
pub use model::{Label, Model, Source, Variable, VariableKind};
pub use names::{distinct, identifiers};
pub use options::{Format, Numbers, Options, ProcessType};
