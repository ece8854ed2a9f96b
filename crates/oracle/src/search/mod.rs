//! The built-in engine: branch and bound over boxes with linear relaxations of the networks.
//!
//! * [`compile`]: a question as a box, rows, scores and a formula; [`integral`]: integer normal form of atoms;
//! * [`region`]: propagation over a box; [`branch`]: which variable to split;
//! * [`points`]: candidate witnesses and their certification; [`local`]: local search for them;
//! * [`engine`]: the search itself; [`cache`]: prepared networks.

mod branch;
mod cache;
mod compile;
mod engine;
mod integral;
mod local;
mod points;
mod region;

pub use engine::{BranchAndBound, Options};
