//! The built-in engine: branch and bound over boxes with linear relaxations of the networks.
//!
//! * [`oracle`]: questions in, answers out; [`template`]: questions compiled once; [`options`]; [`workspace`]: scratch memory;
//! * [`compile`]: a question as a box, rows, scores and a formula ([`compiled`]); [`score`]: its scores, [`carry`]: over the last hidden
//!   layer; [`layout`]: the box, and where bounds lie; [`cache`]: prepared networks;
//! * [`engine`]: the search itself, of a [`task`] with a [`goal`], over [`node`]s; [`together`]: by several threads; [`rounds`]: when what takes its
//!   turn; [`reduce`]: without fixed variables;
//! * the goals: [`examine`]: one witness; [`assignments`]: all assignments, as far as they are [`collected`]; [`nowhere`]: which formulas
//!   hold nowhere, [`joint`]: one of its regions, [`critical`]: what they fail by;
//! * a [`region`] of the search; [`propagation`] over its box; [`bounding`]: its scores, as [`score_rows`]; [`sharpen`]: better slopes;
//!   [`settle`]: its linear [`program`], [`jointly`]: the [`sum`] of scores that it prices, exact in a [`leaf`], or a [`split`] by the
//!   [`branch`]ing rule; [`assume`]: ranges of neurons, and [`range`]: where to cut them;
//! * [`phases`]: a region decided by the phases of its neurons, with clauses that are learned;
//! * [`undecided`]: what had to be left open;
//! * [`points`]: candidate witnesses and their certification; [`local`]: local search for them, [`descent`]: search by gradients
//!   over all of the box; [`witness`]: all of them at work.

mod aim;
mod assignments;
mod assume;
mod bounding;
mod branch;
mod cache;
mod carry;
mod collected;
mod compile;
mod compiled;
mod critical;
mod descent;
mod engine;
mod examine;
mod goal;
mod joint;
mod jointly;
mod layout;
mod leaf;
mod local;
mod node;
mod nowhere;
mod options;
mod oracle;
mod phases;
mod points;
mod program;
mod propagation;
mod range;
mod reduce;
mod region;
mod rounds;
mod score;
mod score_rows;
mod settle;
mod sharpen;
mod split;
mod sum;
mod task;
mod template;
mod together;
mod undecided;
mod witness;
mod workspace;

pub use options::Options;
pub use oracle::{BranchAndBound, WithProof};
pub use undecided::Undecided;
