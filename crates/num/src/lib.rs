//! Numbers that can be trusted: exact rationals, and floating point with a stated rounding direction.
//!
//! Everything that *decides* in Surefoot goes through this crate. [`Rational`] is exact; [`round`] holds
//! the few directed-rounding helpers by which `f64` computations become bounds, and [`FloatInterval`] is a pair of them.
//!
//! This crate depends on no other crate of the workspace.

mod common;
mod direction;
pub mod function;
mod interval;
mod random;
mod rational;
mod root;
pub mod round;

pub use common::common_denominator;
pub use dashu_int::{IBig, UBig};
pub use direction::Direction;
pub use interval::FloatInterval;
pub use random::Random;
pub use rational::{ParseRationalError, Rational};
