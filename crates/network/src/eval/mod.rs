//! Evaluation: exact, fast, and the two together.
//!
//! * [`mod@reference`]: plain rational arithmetic. Read this first; everything else is tested against it.
//! * [`exact`]: the same function by scaled integers, exact as well and much faster.
//! * [`affine`]: the same on linear forms: a network as an affine map, where the phase of every neuron is told.
//! * [`float`]: `f64` with a proved bound on the distance to the exact outputs.
//! * [`float32`]: single precision, emulated.
//! * [`smooth`], [`terms`](self): networks with smooth functions at a point, to any precision, and which of its numbers are equal.
//! * [`scores`]: the outputs of any network at a point, as numbers that can be compared.
//! * [`argmax`]: decides maximal outputs by the float result when the margin allows, else exactly.

pub mod affine;
mod after;
pub mod argmax;
pub mod exact;
pub mod float;
pub mod float32;
mod integer;
pub mod reference;
pub mod scores;
pub mod smooth;
#[cfg(test)]
mod sparse_tests;
mod terms;

pub use affine::{Neuron, PreActivation};
pub use argmax::{Evaluator, Statistics};
pub use exact::{ExactNetwork, ScaledOutputs};
pub use float::{FloatNetwork, FloatScratch, Outputs};
pub use float32::Float32Network;
pub(crate) use integer::decompose;
pub use scores::{Scores, Undecided};
