//! The built-in procedure: does a formula hold in all states of the initial region?
//!
//! The region is a list of pieces. On a piece the formula is evaluated three-valued: it holds everywhere, or nowhere, or the piece is
//! cut along the first constraint that is not decided, and the parts are looked at. Every cut is along one of finitely many
//! hyperplanes and tells two points of the piece apart, so cutting ends: for rational data the procedure is complete. All
//! decisions are exact; strict and non-strict faces are kept apart.
//!
//! * [`start`]: the pieces to begin with; [`evaluate`]: bounded formulas, as far as needed;
//! * [`closed`]: formulas without bounds, where finitely many states are reachable;
//! * [`search`](mod@search): all pieces, in parallel; [`evidence`]: why a formula fails; [`confirm`](mod@confirm): whether that is real;
//! * [`run`]: what a single run shows.

pub mod closed;
pub mod confirm;
pub mod evaluate;
pub mod evidence;
mod listing;
mod look;
mod progress;
mod reference;
pub mod run;
pub mod search;
pub mod start;

pub use confirm::confirm;
pub use evidence::{Evidence, EvidenceNode, EvidenceStep};
pub use progress::{Progress, Statistics};
pub use reference::Reference;
pub use run::{RunShows, run_shows};
pub use search::{Checked, Covered, Failing, Failure, Options, Verdict, check, check_reporting};
