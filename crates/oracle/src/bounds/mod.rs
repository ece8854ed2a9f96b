//! Bounds on what networks compute over a box.
//!
//! * [`activation`]: what follows the sums of a layer;
//! * [`half_space`]: less where a row is not negative;
//! * [`kernel`]: padded matrices and their product;
//! * [`prepare`]: networks laid out for bounding, affine images folded in;
//! * [`setting`]: one application in one question, with the error analysis;
//! * [`relax`]: backward linear relaxation, from [`slopes`] to [`rows`];
//! * [`priced`]: the same with prices for phases that are taken for granted;
//! * [`scattered`]: the same through sparse layers, form by form;
//! * [`neurons`]: bounds on every neuron, layer by layer;
//! * [`twins`]: neurons that are others in disguise;
//! * [`weights`]: what layers multiply with, dense or sparse.

pub(crate) mod activation;
pub(crate) mod half_space;
pub(crate) mod kernel;
pub(crate) mod neurons;
pub(crate) mod prepare;
pub(crate) mod priced;
pub(crate) mod relax;
pub(crate) mod rows;
pub(crate) mod scattered;
pub(crate) mod setting;
pub(crate) mod slopes;
pub(crate) mod twins;
pub(crate) mod weights;

pub(crate) use kernel::{Kernel, LANES, Matrix};
pub(crate) use neurons::Bounder;
pub(crate) use prepare::{Folded, Prepared};
pub(crate) use rows::UpperRows;
pub(crate) use setting::{Setting, Trace};
