//! The built-in engine: branch and bound over boxes with linear relaxations of the networks.
//!
//! * [`compile`]: a question as a box, rows, scores and a formula;
//! * [`region`]: propagation over a box; [`branch`]: which variable to split; [`sharpen`]: better slopes;
//! * [`points`]: candidate witnesses and their certification; [`local`]: local search for them; [`witness`]: both at work;
//! * [`assume`]: phases of neurons; [`program`]: linear programs of regions; [`leaf`]: exact ones;
//! * [`look`]: one region; [`split`]: how it is split; [`engine`]: the search itself; [`collect`]: all assignments; [`template`]: questions compiled once;
//!   [`cache`]: prepared networks.

mod assume;
mod branch;
mod cache;
mod collect;
mod compile;
mod engine;
mod leaf;
mod local;
mod look;
mod points;
mod program;
mod region;
mod sharpen;
mod split;
mod template;
mod witness;

pub use engine::{BranchAndBound, Options};
pub use template::Template;
