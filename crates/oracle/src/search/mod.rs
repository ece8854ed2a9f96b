//! The built-in engine: branch and bound over boxes with linear relaxations of the networks.
//!
//! * [`compile`]: a question as a box, rows, scores and a formula; [`score`]: its scores, [`carry`]: over the last hidden layer; [`layout`]: the box, and where bounds lie;
//! * [`region`]: propagation over a box; [`branch`]: which variable to split; [`sharpen`]: better slopes;
//! * [`points`]: candidate witnesses and their certification; [`local`]: local search for them; [`witness`]: both at work;
//! * [`assume`]: phases of neurons; [`program`]: linear programs of regions; [`leaf`]: exact ones;
//! * [`look`]: one region; [`split`]: how it is split; [`engine`]: the search itself; [`collect`]: all assignments; [`nowhere`]: all labels at once, [`joint`]: one of
//!   its regions, [`blame`]: what they fail by; [`template`]: questions compiled once;
//!   [`reduce`]: questions without fixed variables; [`cache`]: prepared networks.

mod assume;
mod blame;
mod branch;
mod cache;
mod carry;
mod collect;
mod compile;
mod engine;
mod joint;
mod layout;
mod leaf;
mod local;
mod look;
mod nowhere;
mod points;
mod program;
mod reduce;
mod region;
mod score;
mod sharpen;
mod split;
mod template;
mod witness;

pub use engine::{BranchAndBound, Options};
