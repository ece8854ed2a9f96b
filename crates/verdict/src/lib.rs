//! The vocabulary in which engines speak: to whom they answer, and to whom they report.
//!
//! * [`figure`]: named numbers and words, the same for every engine;
//! * [`report`]: how far a search is, told to a [`Reporter`] that knows no engine.
//!
//! Nothing here knows a model, a network or an engine.

pub mod figure;
pub mod report;

pub use figure::{Amount, Figure};
pub use report::{Event, Kind, Reporter, Silent};
