//! Parts of the initial region, and what holds in all of one.
//!
//! All states that are looked at are affine images of the start state, so everything that must be known of them (guards,
//! cases, scores) is a linear constraint over the *parameters*: those variables whose initial value is not fixed.
//!
//! * [`piece`]: a polyhedron of parameters, with strict and non-strict faces; [`cut`]: how it is taken apart;
//! * [`decide`]: whether a constraint holds in all of a piece, in none of it, or where to cut.

pub mod cut;
pub mod decide;
pub mod piece;

pub use cut::Cut;
pub use decide::{Decider, Truth};
pub use piece::Piece;

use surefoot_limits::Stop;

/// A limit was reached before something was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped(pub Stop);
