//! Networks: readers, writers, exact evaluation.
//!
//! A [`Network`] is a chain of affine layers, each followed by ReLU, a smooth function or nothing, between an exact rational
//! normalisation of its inputs and one of its outputs. It denotes a function over the *reals*: the weights are the
//! dyadic rationals that the file stores, and nothing on the way from file to verdict rounds silently. Single precision is an option ([`Arithmetic`]).
//!
//! * [`read_file`] reads `.nnet` ([`nnet`]), ONNX ([`onnx`]) and safetensors ([`mod@safetensors`]).
//! * [`nnet::write`] and [`onnx::write`] write.
//! * [`eval`] evaluates: exactly, or fast with a proved error bound, and decides `argmax` exactly; on linear forms as well, where
//!   the phases of neurons are told ([`eval::affine`]).
//! * [`encode`] puts piecewise linear functions in front of a network.
//! * [`bounds`] bounds what is computed over a box.
//! * [`Network::fused`] puts consecutive affine layers together where that needs no rounding.
//!
//! A [`Layer`] of which nearly all weights are zero keeps only the others, and everything above takes memory and time linear in their
//! number.
//!
//! ```
//! use surefoot_network::{Activation, Evaluator, Layer, Network};
//! use surefoot_num::Rational;
//!
//! let hidden = Layer::new(1, vec![1.0, -1.0], vec![0.0, 0.0], Activation::Relu)?;
//! let output = Layer::new(2, vec![1.0, 0.0, 0.0, 1.0], vec![0.0, 0.0], Activation::Identity)?;
//! let network = Network::new(vec![hidden, output])?;
//! let mut evaluator = Evaluator::new(&network);
//! // Outputs 0 and 0: the first maximal output wins, and the tie is decided exactly.
//! let chosen = evaluator.argmax(&[0.0], 0.0, |_| true, || vec![Rational::ZERO]);
//! assert_eq!(chosen, Ok(Some(0)));
//! assert_eq!(evaluator.statistics().exact, 1);
//! # Ok::<(), surefoot_network::ShapeError>(())
//! ```

pub mod band;
pub mod bounds;
mod domain;
pub mod encode;
mod error;
pub mod eval;
pub mod foreign;
mod fused;
mod layer;
mod network;
pub mod nnet;
mod normalisation;
pub mod onnx;
mod read;
pub mod safetensors;
mod shape;
mod sparse;

pub use domain::InputDomain;
pub use error::NetworkError;
pub use eval::{Evaluator, ExactNetwork, FloatNetwork, Scores, Undecided};
pub use layer::{Activation, Layer};
pub use network::{Arithmetic, Network};
pub use normalisation::Normalisation;
pub use read::{NnetWeights, ReadOptions, read_file, read_with};
pub use shape::ShapeError;
